// SPDX-License-Identifier: Apache-2.0
#include "compiler/base/take_place.h"

#include <llvm/IR/Module.h>

namespace conclave::compiler {

llvm::Function& take_place(llvm::Function& function, llvm::FunctionType* type) {
  auto* other = llvm::Function::Create(type, function.getLinkage(), function.getAddressSpace());
  function.getParent()->getFunctionList().insert(function.getIterator(), other);
  other->copyAttributesFrom(&function);
  other->copyMetadata(&function, 0);
  other->takeName(&function);
  other->splice(other->begin(), &function);
  for (llvm::Argument& argument : function.args())
    other->getArg(argument.getArgNo())->takeName(&argument);
  return *other;
}

}  // namespace conclave::compiler
