// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/analysis/lane_operations.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>

namespace conclave::compiler {
namespace {

using llvm::Constant;
using llvm::StringRef;

constexpr char kPrefix[] = "conclave.sub_group.";

LaneOperation parse(StringRef name) {
  if (!name.consume_front(kPrefix)) return {};
  auto [word, rest] = name.split('.');
  using enum LaneOperation::Kind;
  LaneOperation operation;
  operation.kind = llvm::StringSwitch<LaneOperation::Kind>(word)
                       .Case("lane", kLane)
                       .Case("ballot", kBallot)
                       .Case("first", kFirst)
                       .Case("broadcast", kBroadcast)
                       .Case("shuffle", kShuffle)
                       .Case("reduce", kReduce)
                       .Case("inclusive", kInclusive)
                       .Case("exclusive", kExclusive)
                       .Case("clustered", kClustered)
                       .Case("max_size", kMaxSize)
                       .Case("lanes", kLanes)
                       .Default(kNone);
  operation.combine = rest.split('.').first;
  return operation;
}

}  // namespace

LaneOperation lane_operation(const llvm::Instruction& instruction) {
  auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee ? parse(callee->getName()) : LaneOperation{};
}

bool is_lane_operation(const llvm::Function& function) {
  return parse(function.getName()).kind != LaneOperation::kNone;
}

Constant* identity(StringRef combine, llvm::Type* type) {
  if (combine == "mul")
    return type->isFloatingPointTy() ? llvm::ConstantFP::get(type, 1.0)
                                     : llvm::ConstantInt::get(type, 1);
  if (type->isFloatingPointTy()) {
    if (combine == "add") return llvm::ConstantFP::getZero(type);
    return llvm::ConstantFP::getInfinity(type, /*Negative=*/combine == "max");
  }
  const unsigned bits = type->getIntegerBitWidth();
  if (combine == "and" || combine == "umin") return Constant::getAllOnesValue(type);
  if (combine == "min") return llvm::ConstantInt::get(type, llvm::APInt::getSignedMaxValue(bits));
  if (combine == "max") return llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(bits));
  return Constant::getNullValue(type);
}

}  // namespace conclave::compiler
