// SPDX-License-Identifier: Apache-2.0
// The places that findings name: constants of the program, made where checks are emitted.
#ifndef CONCLAVE_COMPILER_CHECK_CHECK_SITES_H_
#define CONCLAVE_COMPILER_CHECK_CHECK_SITES_H_

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instruction.h>

#include <string>

#include "conclave/check_abi.h"

namespace conclave::compiler {

struct SiteText {
  std::string kernel;
  std::string variable;  // "" where it has no name
};

// The address of a constant abi::CheckSite with `site`'s numbers, and the line of `instruction`.
llvm::Constant* make_site(const llvm::Instruction& instruction, abi::CheckSite site,
                          const SiteText& text);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_CHECK_CHECK_SITES_H_
