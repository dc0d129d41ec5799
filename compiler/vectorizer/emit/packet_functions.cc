// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/emit/packet_functions.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallBitVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include <optional>
#include <string>

#include "compiler/base/address_spaces.h"
#include "compiler/base/attributes.h"
#include "compiler/base/tuning.h"

namespace conclave::compiler {
namespace {

using llvm::CallInst;
using llvm::IRBuilder;
using llvm::Value;

// Attributes: of a call that becomes a packet function's, and of such a function for one lane.
constexpr char kPacketCall[] = "conclave-packet-call";
constexpr char kNew[] = "conclave-new-packet-function";

constexpr unsigned kAlignment = 64;

// Instructions of a function and all that it calls.
unsigned total_size(const llvm::Function& function) {
  unsigned size = function.getInstructionCount();
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call && call->getCalledFunction()) size += total_size(*call->getCalledFunction());
  }
  return size;
}

bool is_own_memory(const llvm::Type* type) {
  return type->isPointerTy() && (type->getPointerAddressSpace() == kPrivateAddressSpace ||
                                 type->getPointerAddressSpace() == kGenericAddressSpace);
}

// Whether values of a type fit into slots.
bool has_slots(llvm::Type* type) {
  if (type->isVoidTy()) return false;
  return llvm::all_of(scalar_types(type), [](llvm::Type* scalar) {
    return (scalar->isHalfTy() || scalar->isFloatTy() || scalar->isDoubleTy() ||
            scalar->isPointerTy() ||
            (scalar->isIntegerTy() && llvm::isPowerOf2_32(scalar->getIntegerBitWidth()) &&
             scalar->getIntegerBitWidth() >= 8 && scalar->getIntegerBitWidth() <= 64)) &&
           !is_own_memory(scalar);
  });
}

// The part of a result that is used: the code for other elements goes away where it is inlined.
double used_part(const llvm::CallBase& call) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(call.getType());
  if (!vector) return 1;
  llvm::SmallBitVector used(vector->getNumElements());
  for (const llvm::User* user : call.users()) {
    auto* extract = llvm::dyn_cast<llvm::ExtractElementInst>(user);
    auto* index = extract ? llvm::dyn_cast<llvm::ConstantInt>(extract->getIndexOperand()) : nullptr;
    if (!index || index->getValue().uge(used.size())) return 1;
    used.set(static_cast<unsigned>(index->getZExtValue()));
  }
  return static_cast<double>(used.count()) / used.size();
}

// The code of a packet function for one lane, and the call of it.
class PacketCall {
 public:
  PacketCall(CallInst& call, Value* mask, PacketValues& values)
      : call_(call),
        callee_(*call.getCalledFunction()),
        mask_(mask),
        values_(values),
        builder_(&call) {
    name_ = (callee_.getName() + ".x" + llvm::Twine(values.lanes()) + ".").str();
    for (Value* argument : call.args())
      for (unsigned i = 0; i < scalar_types(argument->getType()).size(); ++i) add(argument, i);
    if (mask) {
      name_ += "m";
      packets_.push_back(builder_.CreateZExt(mask, values.packet_type(builder_.getInt8Ty())));
    }
    results_ = scalar_types(call.getType());
  }

  void emit() {
    const unsigned slots = std::max(packets_.size(), results_.size());
    slots_ = make_slots(slots);
    // Calls one after the other have the same place on the stack.
    builder_.CreateLifetimeStart(slots_, builder_.getInt64(slots * slot_bytes()));
    for (unsigned i = 0; i < packets_.size(); ++i)
      builder_.CreateAlignedStore(packets_[i], slot(builder_, slots_, i), llvm::Align(kAlignment));
    llvm::SmallVector<Value*> arguments = {builder_.getInt64(0), slots_};
    arguments.append(scalars_.begin(), scalars_.end());
    builder_.CreateCall(function(), arguments);
    Parts parts;
    for (unsigned i = 0; i < results_.size(); ++i)
      parts.push_back(builder_.CreateAlignedLoad(
          values_.packet_type(results_[i]), slot(builder_, slots_, i), llvm::Align(kAlignment)));
    builder_.CreateLifetimeEnd(slots_, builder_.getInt64(slots * slot_bytes()));
    values_.define(&call_, std::move(parts));
  }

 private:
  // How a scalar of the arguments comes to the function.
  struct Scalar {
    llvm::Type* type;
    int64_t stride = 0;
    bool is_exact = false, is_packet = false;
    Value* constant = nullptr;
  };

  void add(Value* argument, unsigned index) {
    const bool is_vector = argument->getType()->isVectorTy();
    Value* value = is_vector ? llvm::findScalarElement(argument, index) : argument;
    Scalar scalar{scalar_types(argument->getType())[index]};
    // Mostly a sampler, which decides much of the code. What is seldom called is there once.
    const bool is_cold = callee_.hasFnAttribute(llvm::Attribute::Cold);
    auto* constant = llvm::dyn_cast_or_null<llvm::ConstantInt>(value);
    if (constant && !is_cold) {
      scalar.constant = constant;
      name_ += "c" + llvm::toString(constant->getValue(), 10, /*Signed=*/false);
      kinds_.push_back(scalar);
      return;
    }
    const std::optional<int64_t> stride = value ? values_.stride(value) : std::nullopt;
    // Addresses are not calculated with here.
    if (stride && (*stride == 0 || !scalar.type->isPointerTy())) {
      scalar.stride = *stride;
      scalar.is_exact = *stride != 0 && values_.is_exact(value, /*is_signed=*/true);
      scalars_.push_back(value);
      name_ += *stride == 0 ? "u" : (scalar.is_exact ? "e" : "s") + std::to_string(*stride);
    } else {
      scalar.is_packet = true;
      packets_.push_back(values_.parts(argument)[index]);
      name_ += "v";
    }
    kinds_.push_back(scalar);
  }

  Value* make_slots(unsigned count) {
    llvm::BasicBlock& entry = call_.getFunction()->getEntryBlock();
    IRBuilder<> builder(&entry, entry.begin());
    llvm::AllocaInst* slots =
        builder.CreateAlloca(llvm::ArrayType::get(builder.getInt8Ty(), count * slot_bytes()));
    slots->setAlignment(llvm::Align(kAlignment));
    return slots;
  }

  uint64_t slot_bytes() const { return llvm::alignTo(values_.lanes() * uint64_t{8}, kAlignment); }

  Value* slot(IRBuilder<>& builder, Value* slots, unsigned index) const {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), slots, index * slot_bytes());
  }

  llvm::Function* function() {
    llvm::Module& module = *call_.getModule();
    if (llvm::Function* known = module.getFunction(name_)) return known;
    llvm::SmallVector<llvm::Type*> types = {builder_.getInt64Ty(), slots_->getType()};
    for (Value* scalar : scalars_) types.push_back(scalar->getType());
    auto* type = llvm::FunctionType::get(builder_.getVoidTy(), types, false);
    auto* function =
        llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name_, module);
    for (auto attribute : call_.getFunction()->getAttributes().getFnAttrs())
      if (attribute.isStringAttribute()) function->addFnAttr(attribute);
    for (auto kind : {llvm::Attribute::NoInline, llvm::Attribute::NoUnwind})
      function->addFnAttr(kind);
    if (callee_.hasFnAttribute(llvm::Attribute::Cold)) function->addFnAttr(llvm::Attribute::Cold);
    if (callee_.hasFnAttribute(kQuickCode)) function->addFnAttr(kQuickCode);
    function->addFnAttr(kInPackets);
    function->addFnAttr(kNew);
    function->addParamAttr(1, llvm::Attribute::NoAlias);
    define(*function);
    return function;
  }

  void define(llvm::Function& function) {
    llvm::LLVMContext& context = function.getContext();
    auto* entry = llvm::BasicBlock::Create(context, "", &function);
    auto* body = llvm::BasicBlock::Create(context, "", &function);
    auto* exit = llvm::BasicBlock::Create(context, "", &function);
    IRBuilder<> builder(entry);
    if (mask_) {
      Value* is_on = load(builder, function, builder.getInt8Ty(), packets_.size() - 1);
      builder.CreateCondBr(builder.CreateIsNotNull(is_on), body, exit);
    } else {
      builder.CreateBr(body);
    }
    builder.SetInsertPoint(body);
    CallInst* call = builder.CreateCall(&callee_, arguments(builder, function));
    call->setCallingConv(callee_.getCallingConv());
    if (llvm::isa<llvm::FPMathOperator>(call)) call->copyFastMathFlags(&call_);
    Parts results = take_apart(builder, call);
    for (unsigned i = 0; i < results.size(); ++i)
      builder.CreateStore(results[i], of_lane(builder, function, results[i]->getType(), i));
    builder.CreateBr(exit);
    builder.SetInsertPoint(exit);
    builder.CreateRetVoid();
  }

  // The callee's arguments, as one lane has them.
  llvm::SmallVector<Value*> arguments(IRBuilder<>& builder, llvm::Function& function) const {
    llvm::SmallVector<Value*> scalars;
    unsigned packets = 0, others = 2;
    for (const Scalar& scalar : kinds_)
      if (scalar.constant)
        scalars.push_back(scalar.constant);
      else if (scalar.is_packet)
        scalars.push_back(load(builder, function, scalar.type, packets++));
      else
        scalars.push_back(
            add_stride(builder, *function.getArg(0), *function.getArg(others++), scalar));
    llvm::SmallVector<Value*> arguments;
    llvm::ArrayRef<Value*> rest = scalars;
    for (llvm::Type* type : callee_.getFunctionType()->params()) {
      const size_t count = scalar_types(type).size();
      arguments.push_back(assemble(builder, type, rest.take_front(count)));
      rest = rest.drop_front(count);
    }
    return arguments;
  }

  static Value* add_stride(IRBuilder<>& builder, Value& lane, Value& first, const Scalar& scalar) {
    if (scalar.stride == 0) return &first;
    Value* factor = llvm::ConstantInt::getSigned(scalar.type, scalar.stride);
    Value* number = builder.CreateZExtOrTrunc(&lane, scalar.type);
    Value* distance = scalar.stride == 1 ? number : builder.CreateMul(number, factor);
    return builder.CreateAdd(&first, distance, "", /*HasNUW=*/false, scalar.is_exact);
  }

  Value* of_lane(IRBuilder<>& builder, llvm::Function& function, llvm::Type* type,
                 unsigned index) const {
    Value* first = slot(builder, function.getArg(1), index);
    return builder.CreateInBoundsGEP(type, first, function.getArg(0));
  }
  Value* load(IRBuilder<>& builder, llvm::Function& function, llvm::Type* type,
              unsigned index) const {
    return builder.CreateLoad(type, of_lane(builder, function, type, index));
  }

  CallInst& call_;
  llvm::Function& callee_;
  Value* mask_;
  PacketValues& values_;
  IRBuilder<> builder_;
  std::string name_;
  llvm::SmallVector<Scalar> kinds_;
  llvm::SmallVector<Value*> scalars_;  // what is the same for all lanes, or lane 0 of it
  llvm::SmallVector<Value*> packets_;  // what varies, and the mask
  llvm::SmallVector<llvm::Type*> results_;
  Value* slots_ = nullptr;
};

}  // namespace

bool may_be_packet_function(const llvm::Function& function) {
  if (!tuning().packet_functions) return false;
  // Library functions have their mangled names, those of the program have a prefix.
  if (!function.getName().starts_with("_Z") || function.isDeclaration()) return false;
  if (!function.onlyReadsMemory() || !function.doesNotThrow() || function.isConvergent())
    return false;
  if (!has_slots(function.getReturnType())) return false;
  if (!llvm::all_of(function.args(),
                    [](const llvm::Argument& argument) { return has_slots(argument.getType()); }))
    return false;
  return function.hasFnAttribute(llvm::Attribute::NoInline) ||
         total_size(function) >= tuning().packet_function_instructions;
}

bool is_kept_apart(const llvm::Function& function) {
  return function.hasFnAttribute(llvm::Attribute::NoInline) && may_be_packet_function(function);
}

void choose_packet_calls(llvm::Function& region) {
  llvm::MapVector<llvm::Function*, llvm::SmallVector<CallInst*>> calls;
  for (llvm::Instruction& instruction : llvm::instructions(region)) {
    auto* call = llvm::dyn_cast<CallInst>(&instruction);
    if (call && call->getCalledFunction() && may_be_packet_function(*call->getCalledFunction()))
      calls[call->getCalledFunction()].push_back(call);
  }
  for (auto& [function, sites] : calls) {
    double parts = -1;
    for (const CallInst* call : sites) parts += used_part(*call);
    if (!is_kept_apart(*function) && parts * total_size(*function) < tuning().packet_function_saves)
      continue;
    for (CallInst* call : sites)
      call->addFnAttr(llvm::Attribute::get(call->getContext(), kPacketCall));
  }
}

bool is_packet_call(const llvm::CallBase& call) {
  return call.getAttributes().hasFnAttr(kPacketCall);
}

void call_packet_function(CallInst& call, Value* mask, PacketValues& values) {
  PacketCall(call, mask, values).emit();
}

llvm::SmallVector<llvm::Function*> new_packet_functions(const llvm::Function& packet) {
  llvm::SmallSetVector<llvm::Function*, 4> functions;
  for (const llvm::Instruction& instruction : llvm::instructions(packet)) {
    auto* call = llvm::dyn_cast<CallInst>(&instruction);
    llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (callee && callee->hasFnAttribute(kNew)) functions.insert(callee);
  }
  return functions.takeVector();
}

void finish_packet_function(llvm::Function& function, bool is_done) {
  function.removeFnAttr(kNew);
  // No other region is to find what is broken.
  if (!is_done) function.setName("");
  llvm::Argument* lane = function.getArg(0);
  lane->replaceAllUsesWith(llvm::ConstantInt::get(lane->getType(), 0));
}

}  // namespace conclave::compiler
