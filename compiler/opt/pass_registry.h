// SPDX-License-Identifier: Apache-2.0
// Lets LLVM's PassBuilder know the passes of compiler/passes.def by name.
#ifndef CONCLAVE_COMPILER_OPT_PASS_REGISTRY_H_
#define CONCLAVE_COMPILER_OPT_PASS_REGISTRY_H_

#include <llvm/Passes/PassBuilder.h>

#include <deque>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "compiler/frontend/options.h"
#include "compiler/vectorizer/analysis/remarks.h"
#include "compiler/vectorizer/emit/packetize.h"
#include "compiler/x86/target.h"

namespace conclave::compiler {

// The parameters behind a pass's name: "<lanes=8;plain>".
class PassParameters {
 public:
  // Splits "name<...>" and "print<name><...>".
  explicit PassParameters(llvm::StringRef text);

  llvm::StringRef name() const { return name_; }
  bool has(llvm::StringRef flag) const;
  // Throws BuildError where it is missing.
  unsigned number(llvm::StringRef key) const;
  // Whether one of the parameters is that name.
  std::function<bool(llvm::StringRef)> names() const;

 private:
  std::string name_;
  std::vector<std::string> words_;
};

// Everything but its parameters that a pass is made from.
class PassContext {
 public:
  explicit PassContext(const Target& cpu) : target(cpu) {}

  // Options of a build: "width=8", "check".
  const Options& options(const PassParameters& parameters);
  // With "target" for that CPU, with "plain" for one without masked accesses to memory, otherwise
  // for one that has them all. The vector form of @f for 8 lanes, if there is one, is @f.v8.
  PacketizeOptions packetize_options(const PassParameters& parameters) const;

  const Target& target;
  std::vector<KernelRemarks> remarks;
  // The exception that a pass has thrown. The passes after it do not run.
  std::shared_ptr<std::exception_ptr> error = std::make_shared<std::exception_ptr>();

 private:
  std::deque<Options> options_;
};

// `context` must live as long as the passes that come of it.
void register_passes(llvm::PassBuilder& builder, llvm::PassInstrumentationCallbacks& callbacks,
                     PassContext& context);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_OPT_PASS_REGISTRY_H_
