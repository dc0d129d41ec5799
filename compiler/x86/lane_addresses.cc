// SPDX-License-Identifier: Apache-2.0
#include "compiler/x86/lane_addresses.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/MathExtras.h>

#include "compiler/x86/target.h"

namespace conclave::compiler {
namespace {

using llvm::Value;

constexpr unsigned kWordBits = 64;

unsigned size_of(const Value* vector) {
  return llvm::cast<llvm::FixedVectorType>(vector->getType())->getNumElements();
}

// Whether the values fill words, so that they are taken from a vector in words. Integers of 32 bits
// are left out: LLVM 19 believes that the low half of a word which is an element of a vector is
// zero-extended (a + b where b has constants, some of which are 0).
bool fills_words(const Value* vector) {
  const unsigned bits = vector->getType()->getScalarSizeInBits();
  return (bits == 8 || bits == 16) && bits * size_of(vector) % kWordBits == 0;
}

bool is_vector(const Value* value) {
  return value->getType()->isVectorTy();
}

bool run_all_lanes(const Value* mask) {
  auto* constant = llvm::dyn_cast<llvm::Constant>(mask);
  return constant && constant->isAllOnesValue();
}

// Shorter integers extended to words; null: something else.
llvm::CastInst* as_extension(Value* vector) {
  auto* cast = llvm::dyn_cast<llvm::CastInst>(vector);
  const bool extends = cast && llvm::isa<llvm::ZExtInst, llvm::SExtInst>(cast) &&
                       cast->getType()->getScalarSizeInBits() == kWordBits;
  return extends ? cast : nullptr;
}

// Emits the addresses with `replace`'s result in the place of the one vector that they have in them,
// or of themselves.
Value* replace_varying(llvm::IRBuilderBase& builder, Value* addresses,
                       llvm::function_ref<Value*(Value*)> replace) {
  auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(addresses);
  const bool is_little = builder.GetInsertBlock()->getDataLayout().isLittleEndian();
  if (!address || !is_little || llvm::count_if(address->operands(), is_vector) != 1)
    return replace(addresses);
  Value* base = address->getPointerOperand();
  if (is_vector(base)) base = replace_varying(builder, base, replace);
  llvm::SmallVector<Value*> indices;
  for (Value* index : address->indices())
    indices.push_back(is_vector(index) ? replace(index) : index);
  return builder.CreateGEP(address->getSourceElementType(), base, indices, "",
                           address->getNoWrapFlags());
}

// A call of llvm.masked.gather or scatter.
struct Gather {
  explicit Gather(llvm::IntrinsicInst& call)
      : call(call),
        is_load(call.getIntrinsicID() == llvm::Intrinsic::masked_gather),
        data(is_load ? nullptr : call.getArgOperand(0)),
        addresses(call.getArgOperand(is_load ? 0 : 1)),
        align(llvm::cast<llvm::ConstantInt>(call.getArgOperand(is_load ? 1 : 2))
                  ->getMaybeAlignValue()
                  .valueOrOne()),
        mask(call.getArgOperand(is_load ? 2 : 3)),
        type(llvm::cast<llvm::FixedVectorType>(is_load ? call.getType() : data->getType())) {}

  bool has_instruction(const llvm::TargetTransformInfo& target) const {
    return is_load ? target.isLegalMaskedGather(type, align) &&
                         !target.forceScalarizeMaskedGather(type, align)
                   : target.isLegalMaskedScatter(type, align) &&
                         !target.forceScalarizeMaskedScatter(type, align);
  }

  void split() const {
    llvm::IRBuilder<> builder(&call);
    LaneAddresses places(builder, addresses);
    Value* result = llvm::PoisonValue::get(type);
    for (unsigned lane = 0; lane < type->getNumElements(); ++lane) {
      Value* address = places.of(lane);
      llvm::Instruction* one = is_load
                                   ? static_cast<llvm::Instruction*>(builder.CreateAlignedLoad(
                                         type->getElementType(), address, align))
                                   : builder.CreateAlignedStore(
                                         builder.CreateExtractElement(data, lane), address, align);
      one->copyMetadata(call);
      if (is_load) result = builder.CreateInsertElement(result, one, lane);
    }
    if (is_load) call.replaceAllUsesWith(result);
    call.eraseFromParent();
  }

  llvm::IntrinsicInst& call;
  bool is_load;
  Value* data;  // of a scatter
  Value* addresses;
  llvm::Align align;
  Value* mask;
  llvm::FixedVectorType* type;
};

// The code generator makes instructions of the gathers and scatters that are left.
void allow_instructions(llvm::Function& function) {
  const llvm::Attribute known = function.getFnAttribute("target-features");
  if (!known.isValid()) return;  // those of the machine count
  std::string features = known.getValueAsString().str();
  for (const char* refusal : kGatherRefusals)
    if (const size_t at = features.find(std::string("+") + refusal); at != std::string::npos)
      features[at] = '-';
  function.addFnAttr("target-features", features);
}

}  // namespace

Value* replace_lanes(llvm::IRBuilderBase& builder, Value* addresses,
                     llvm::function_ref<Value*(Value*)> replace) {
  return replace_varying(builder, addresses, [&](Value* vector) {
    llvm::CastInst* extension = as_extension(vector);
    if (!extension) return replace(vector);
    Value* other = replace(extension->getOperand(0));
    return builder.CreateCast(extension->getOpcode(), other,
                              other->getType()->getWithNewBitWidth(kWordBits));
  });
}

Value* LaneAddresses::of(uint64_t lane) {
  return replace_varying(builder_, addresses_, [&](Value* vector) {
    return vector->getType()->isPtrOrPtrVectorTy() ? builder_.CreateExtractElement(vector, lane)
                                                   : integer(vector, lane);
  });
}

Value* LaneAddresses::integer(Value* integers, uint64_t lane) {
  llvm::CastInst* extension = as_extension(integers);
  if (!extension) return builder_.CreateExtractElement(integers, lane);
  Value* vector = extension->getOperand(0);
  if (!fills_words(vector))
    return builder_.CreateCast(extension->getOpcode(), builder_.CreateExtractElement(vector, lane),
                               builder_.getInt64Ty());
  const unsigned bits = vector->getType()->getScalarSizeInBits();
  Value* value = word_of(vector, lane * bits / kWordBits);
  const uint64_t below = lane * bits % kWordBits, above = kWordBits - bits - below;
  if (llvm::isa<llvm::SExtInst>(extension)) {
    if (above != 0) value = builder_.CreateShl(value, above);
    return builder_.CreateAShr(value, kWordBits - bits);
  }
  if (below != 0) value = builder_.CreateLShr(value, below);
  if (above == 0) return value;
  return builder_.CreateAnd(value, llvm::maskTrailingOnes<uint64_t>(bits));
}

Value* LaneAddresses::word_of(Value* vector, uint64_t number) {
  const unsigned count = size_of(vector) * vector->getType()->getScalarSizeInBits() / kWordBits;
  words_.resize(count);
  if (!words_[number]) {
    auto* type = llvm::FixedVectorType::get(builder_.getInt64Ty(), count);
    words_[number] = builder_.CreateExtractElement(builder_.CreateBitCast(vector, type), number);
  }
  return words_[number];
}

llvm::PreservedAnalyses SplitGathers::run(llvm::Function& function,
                                          llvm::FunctionAnalysisManager& analyses) {
  const llvm::TargetTransformInfo& target = analyses.getResult<llvm::TargetIRAnalysis>(function);
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!call || (call->getIntrinsicID() != llvm::Intrinsic::masked_gather &&
                  call->getIntrinsicID() != llvm::Intrinsic::masked_scatter))
      continue;
    const Gather gather(*call);
    if (run_all_lanes(gather.mask) && !gather.has_instruction(target)) gather.split();
  }
  allow_instructions(function);
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
