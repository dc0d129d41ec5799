// SPDX-License-Identifier: Apache-2.0
#include "compiler/builtins_link.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Transforms/IPO/Internalize.h>

#include <algorithm>
#include <string>

#include "compiler/embedded.h"
#include "compiler/error.h"
#include "compiler/passes/prepare_module.h"
#include "compiler/passes/work_item_functions.h"

namespace conclave::compiler {
namespace {

void link_needed(llvm::Module& module, std::string_view bitcode, const char* name) {
  llvm::MemoryBufferRef buffer(llvm::StringRef(bitcode.data(), bitcode.size()), name);
  auto library = llvm::getLazyBitcodeModule(buffer, module.getContext(),
                                            /*ShouldLazyLoadMetadata=*/true);
  if (!library) throw BuildError(std::string(name) + ": " + llvm::toString(library.takeError()));
  auto internalize = [](llvm::Module& linked, const llvm::StringSet<>& names) {
    llvm::internalizeModule(linked, [&](const llvm::GlobalValue& value) {
      return !value.hasName() || !names.contains(value.getName());
    });
  };
  if (llvm::Linker::linkModules(module, std::move(*library), llvm::Linker::LinkOnlyNeeded,
                                internalize))
    throw BuildError(std::string("cannot link ") + name);
  annotate_builtins(module);
}

std::string display_name(llvm::StringRef name) {
  // What passes append to a kernel's name, and put before a function's.
  name = name.substr(0, name.find(".region."));
  name.consume_front("cl.");
  return llvm::demangle(name.str());
}

std::string describe_use(const llvm::GlobalValue& value) {
  for (const llvm::User* user : value.users())
    if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(user))
      return ", used in '" + display_name(instruction->getFunction()->getName()) + "'";
  return "";
}

bool is_resolved_later(const llvm::Function& function) {
  return function.isIntrinsic() || classify(&function) != WorkItemFunction::kNone ||
         is_external_function(function.getName());
}

bool has_unresolved_function(const llvm::Module& module) {
  for (const llvm::Function& function : module)
    if (function.isDeclaration() && !function.use_empty() && !is_resolved_later(function))
      return true;
  return false;
}

}  // namespace

void link_early_builtins(llvm::Module& module) {
  link_needed(module, embedded::early_builtins(), "early builtins");
}

void link_late_builtins(llvm::Module& module) {
  link_needed(module, embedded::often_builtins(), "builtins");
  if (has_unresolved_function(module))
    link_needed(module, embedded::rare_builtins(), "rare builtins");
}

void check_resolved(llvm::Module& module) {
  std::string errors;
  auto report = [&](const char* what, const llvm::GlobalValue& value) {
    if (!errors.empty()) errors += "\nerror: ";
    errors += std::string("undefined ") + what + " '" + display_name(value.getName()) + "'" +
              describe_use(value);
  };
  for (const llvm::Function& function : module)
    if (function.isDeclaration() && !function.use_empty() && !is_resolved_later(function))
      report("function", function);
  for (const llvm::GlobalVariable& variable : module.globals())
    if (variable.isDeclaration() && !variable.use_empty()) report("variable", variable);
  if (!errors.empty()) throw BuildError(errors);
}

bool is_sleef_function(llvm::StringRef name) { return name.starts_with("Sleef_"); }

bool is_libm_function(llvm::StringRef name) {
  // What LLVM's intrinsics become where the CPU has no instruction. Sorted.
  constexpr std::string_view kNames[] = {
      "acos",  "asin",   "atan", "atan2", "ceil",      "copysign", "cos",   "cosh", "exp",
      "exp10", "exp2",   "fabs", "floor", "fma",       "fmax",     "fmin",  "fmod", "ldexp",
      "log",   "log10",  "log2", "lrint", "nearbyint", "pow",      "rint",  "round", "roundeven",
      "sin",   "sincos", "sinh", "sqrt",  "tan",       "tanh",     "trunc"};
  auto known = [&](std::string_view wanted) {
    return std::binary_search(std::begin(kNames), std::end(kNames), wanted);
  };
  std::string_view text(name.data(), name.size());
  return known(text) || (text.ends_with('f') && known(text.substr(0, text.size() - 1)));
}

bool is_external_function(llvm::StringRef name) {
  return name == "memcpy" || name == "memmove" || name == "memset" || name == "bcmp" ||
         name == "memcmp" || is_sleef_function(name) || is_libm_function(name);
}

}  // namespace conclave::compiler
