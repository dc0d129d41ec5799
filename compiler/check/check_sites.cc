// SPDX-License-Identifier: Apache-2.0
#include "compiler/check/check_sites.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>

#include <cstddef>

namespace conclave::compiler {
namespace {

// A builtin that was inlined has no lines: its caller's count.
const llvm::DILocation* place_of(const llvm::Instruction& instruction) {
  const llvm::DILocation* place = instruction.getDebugLoc();
  while (place && place->getLine() == 0 && place->getInlinedAt()) place = place->getInlinedAt();
  return place;
}

}  // namespace

llvm::Constant* make_site(const llvm::Instruction& instruction, abi::CheckSite site,
                          const SiteText& text) {
  std::string file;
  if (const llvm::DILocation* place = place_of(instruction)) {
    site.line = place->getLine();
    site.column = place->getColumn();
    file = place->getFilename().str();
  }
  std::string bytes(reinterpret_cast<const char*>(&site), offsetof(abi::CheckSite, text));
  for (const std::string& part : {text.kernel, file, text.variable}) bytes += part + '\0';
  llvm::Module& module = *const_cast<llvm::Module*>(instruction.getModule());
  llvm::Constant* content =
      llvm::ConstantDataArray::getString(module.getContext(), bytes, /*AddNull=*/false);
  auto* variable = new llvm::GlobalVariable(
      module, content->getType(), /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage, content,
      "check.site", nullptr, llvm::GlobalValue::NotThreadLocal, /*AddressSpace=*/0);
  variable->setAlignment(llvm::Align(alignof(abi::CheckSite)));
  variable->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  return variable;
}

}  // namespace conclave::compiler
