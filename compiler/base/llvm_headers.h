// SPDX-License-Identifier: Apache-2.0
// LLVM's headers that most of the compiler's files include, precompiled: reading them is most of
// the time that such a file takes. Each file still includes what it uses.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>
