// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/emit/packet_calls.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/vectorizer/emit/lane_shuffles.h"
#include "compiler/vectorizer/emit/packet_functions.h"
#include "compiler/vectorizer/emit/per_lane.h"

namespace conclave::compiler {
namespace {

using llvm::CallInst;
using llvm::IRBuilder;
using llvm::Value;

// A hint about a place in the program, or about memory as a whole, is given once.
bool is_done_once(const llvm::IntrinsicInst& call, const PacketValues& values) {
  auto is_uniform = [&](const llvm::Use& use) { return values.is_uniform(use); };
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::lifetime_start:
    case llvm::Intrinsic::lifetime_end:
    case llvm::Intrinsic::experimental_noalias_scope_decl:
    case llvm::Intrinsic::sideeffect:
    case llvm::Intrinsic::donothing:
    case llvm::Intrinsic::trap:
    case llvm::Intrinsic::ubsantrap:
    case llvm::Intrinsic::stacksave:
    case llvm::Intrinsic::stackrestore:
      return true;
    case llvm::Intrinsic::prefetch:
      return values.stride(call.getArgOperand(0)).has_value();
    case llvm::Intrinsic::memcpy:
    case llvm::Intrinsic::memcpy_inline:
    case llvm::Intrinsic::memmove:
    case llvm::Intrinsic::memset:
    case llvm::Intrinsic::memset_inline:
      return llvm::all_of(call.args(), is_uniform) &&
             !llvm::cast<llvm::MemIntrinsic>(call).isVolatile();
    default:
      return llvm::isa<llvm::DbgInfoIntrinsic>(call);
  }
}

// Hints that are not worth a loop over the lanes.
bool is_hint(const llvm::IntrinsicInst& call) {
  return llvm::isa<llvm::AssumeInst>(call) || call.getIntrinsicID() == llvm::Intrinsic::prefetch;
}

bool is_scalar_operand(const llvm::IntrinsicInst& call, unsigned index) {
  return llvm::isVectorIntrinsicWithScalarOpAtArg(call.getIntrinsicID(), index);
}

// Element by element, as the vector form does it too.
bool has_vector_form(const llvm::IntrinsicInst& call, const PacketValues& values) {
  if (llvm::isa<llvm::WithOverflowInst>(call)) return true;
  if (!llvm::isTriviallyVectorizable(call.getIntrinsicID())) return false;
  for (unsigned i = 0; i < call.arg_size(); ++i)
    if (is_scalar_operand(call, i) && !values.is_uniform(call.getArgOperand(i))) return false;
  return true;
}

llvm::Function* vector_form(const llvm::IntrinsicInst& call, llvm::ArrayRef<Value*> arguments,
                            llvm::Type* result) {
  llvm::Intrinsic::ID id = call.getIntrinsicID();
  llvm::Module* module = const_cast<llvm::Module*>(call.getModule());
  llvm::SmallVector<llvm::Type*> types;
  if (llvm::isa<llvm::WithOverflowInst>(call))
    return llvm::Intrinsic::getDeclaration(module, id, arguments[0]->getType());
  if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, -1)) types.push_back(result);
  for (unsigned i = 0; i < arguments.size(); ++i)
    if (llvm::isVectorIntrinsicWithOverloadTypeAtArg(id, static_cast<int>(i)))
      types.push_back(arguments[i]->getType());
  return llvm::Intrinsic::getDeclaration(module, id, types);
}

void copy_properties(const llvm::CallInst& from, llvm::CallInst& to) {
  if (llvm::isa<llvm::FPMathOperator>(to)) to.copyFastMathFlags(&from);
  to.copyMetadata(from, {llvm::LLVMContext::MD_fpmath});
}

// The vector form for one part of the operands.
CallInst* call_vector_form(IRBuilder<>& builder, llvm::IntrinsicInst& call, unsigned part,
                           llvm::Type* result, PacketValues& values) {
  llvm::SmallVector<Value*> arguments;
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    Value* argument = call.getArgOperand(i);
    arguments.push_back(is_scalar_operand(call, i) ? argument : values.parts(argument)[part]);
  }
  CallInst* vector = builder.CreateCall(vector_form(call, arguments, result), arguments);
  copy_properties(call, *vector);
  return vector;
}

void call_vector_form(llvm::IntrinsicInst& call, PacketValues& values) {
  IRBuilder<> builder(&call);
  auto types = scalar_types(call.getType());
  Parts parts(types.size());
  // One with overflow has two results: all elements, and then whether each overflows.
  const size_t results = llvm::isa<llvm::WithOverflowInst>(call) ? 2 : 1;
  const size_t elements = types.size() / results;
  for (unsigned i = 0; i < elements; ++i) {
    CallInst* vector = call_vector_form(builder, call, i, values.packet_type(types[i]), values);
    parts[i] = vector;
    if (results == 1) continue;
    parts[i] = builder.CreateExtractValue(vector, 0);
    parts[elements + i] = builder.CreateExtractValue(vector, 1);
  }
  values.define(&call, std::move(parts));
}

// The operation of a reduction's steps: of the elements of an explicit vector, not of the lanes.
Value* reduce_step(IRBuilder<>& builder, llvm::Intrinsic::ID id, Value* a, Value* b) {
  using namespace llvm;
  switch (id) {
    case Intrinsic::vector_reduce_add:
      return builder.CreateAdd(a, b);
    case Intrinsic::vector_reduce_mul:
      return builder.CreateMul(a, b);
    case Intrinsic::vector_reduce_and:
      return builder.CreateAnd(a, b);
    case Intrinsic::vector_reduce_or:
      return builder.CreateOr(a, b);
    case Intrinsic::vector_reduce_xor:
      return builder.CreateXor(a, b);
    case Intrinsic::vector_reduce_smax:
      return builder.CreateBinaryIntrinsic(Intrinsic::smax, a, b);
    case Intrinsic::vector_reduce_smin:
      return builder.CreateBinaryIntrinsic(Intrinsic::smin, a, b);
    case Intrinsic::vector_reduce_umax:
      return builder.CreateBinaryIntrinsic(Intrinsic::umax, a, b);
    case Intrinsic::vector_reduce_umin:
      return builder.CreateBinaryIntrinsic(Intrinsic::umin, a, b);
    case Intrinsic::vector_reduce_fadd:
      return builder.CreateFAdd(a, b);
    case Intrinsic::vector_reduce_fmul:
      return builder.CreateFMul(a, b);
    default:
      return nullptr;
  }
}

bool reduce(llvm::IntrinsicInst& call, PacketValues& values) {
  // Floating-point reductions have the value to begin with as first argument.
  llvm::Intrinsic::ID id = call.getIntrinsicID();
  bool is_ordered =
      id == llvm::Intrinsic::vector_reduce_fadd || id == llvm::Intrinsic::vector_reduce_fmul;
  IRBuilder<> builder(&call);
  if (is_ordered) builder.setFastMathFlags(call.getFastMathFlags());
  Parts elements = values.parts(call.getArgOperand(is_ordered ? 1 : 0));
  Value* result = is_ordered ? values.vector(call.getArgOperand(0)) : elements[0];
  for (Value* element : llvm::ArrayRef(elements).drop_front(is_ordered ? 0 : 1))
    result = reduce_step(builder, id, result, element);
  values.define(&call, {result});
  return true;
}

bool is_reduction(llvm::Intrinsic::ID id) {
  switch (id) {
    case llvm::Intrinsic::vector_reduce_add:
    case llvm::Intrinsic::vector_reduce_mul:
    case llvm::Intrinsic::vector_reduce_and:
    case llvm::Intrinsic::vector_reduce_or:
    case llvm::Intrinsic::vector_reduce_xor:
    case llvm::Intrinsic::vector_reduce_smax:
    case llvm::Intrinsic::vector_reduce_smin:
    case llvm::Intrinsic::vector_reduce_umax:
    case llvm::Intrinsic::vector_reduce_umin:
    case llvm::Intrinsic::vector_reduce_fadd:
    case llvm::Intrinsic::vector_reduce_fmul:
      return true;
    default:
      return false;
  }
}

bool packetize_intrinsic(llvm::IntrinsicInst& call, PacketValues& values) {
  llvm::Intrinsic::ID id = call.getIntrinsicID();
  if (is_hint(call)) return true;
  if (id == llvm::Intrinsic::expect || id == llvm::Intrinsic::expect_with_probability) {
    values.define(&call, values.parts(call.getArgOperand(0)));
    return true;
  }
  if (is_reduction(id)) return reduce(call, values);
  if (!has_vector_form(call, values)) return false;
  call_vector_form(call, values);
  return true;
}

// Calls `vector`, which takes a part of the lanes, for all of them.
Value* call_in_pieces(CallInst& call, llvm::Function& vector, unsigned piece,
                      PacketValues& values) {
  IRBuilder<> builder(&call);
  llvm::SmallVector<Value*> results;
  for (unsigned first = 0; first < values.lanes(); first += piece) {
    llvm::SmallVector<Value*> arguments;
    for (Value* argument : call.args()) {
      Value* packet = values.vector(argument);
      arguments.push_back(piece == values.lanes() ? packet
                                                  : pick(builder, packet, piece, first, 1));
    }
    CallInst* result = builder.CreateCall(&vector, arguments);
    result->setCallingConv(vector.getCallingConv());
    copy_properties(call, *result);
    results.push_back(result);
  }
  return concatenate(builder, results);
}

bool has_packet_types(const CallInst& call, const llvm::Function& vector, unsigned lanes) {
  if (vector.arg_size() != call.arg_size()) return false;
  for (unsigned i = 0; i < call.arg_size(); ++i)
    if (vector.getArg(i)->getType() !=
        llvm::FixedVectorType::get(call.getArgOperand(i)->getType(), lanes))
      return false;
  return vector.getReturnType() == llvm::FixedVectorType::get(call.getType(), lanes);
}

bool is_function_of_scalars(const CallInst& call) {
  return llvm::VectorType::isValidElementType(call.getType()) &&
         llvm::all_of(call.args(), [](const llvm::Use& argument) {
           return llvm::VectorType::isValidElementType(argument->getType());
         });
}

// A function's own form for vectors, of as many lanes as possible.
bool call_vector_function(CallInst& call, PacketValues& values, VectorFunctionFinder find) {
  llvm::Function* scalar = call.getCalledFunction();
  if (!scalar || !is_function_of_scalars(call)) return false;
  for (unsigned piece = values.lanes(); piece > 1 && piece * 4 >= values.lanes(); piece /= 2) {
    llvm::Function* vector = find(*scalar, piece);
    if (!vector || !has_packet_types(call, *vector, piece)) continue;
    values.define(&call, {call_in_pieces(call, *vector, piece, values)});
    return true;
  }
  return false;
}

// Lanes that fill pieces which lie side by side fill all of them at once, as where each clears its own
// array in the spill area.
bool fill_at_once(CallInst& call, const Value* mask, const PacketValues& values) {
  auto* fill = llvm::dyn_cast<llvm::MemSetInst>(&call);
  auto* length = fill ? llvm::dyn_cast<llvm::ConstantInt>(fill->getLength()) : nullptr;
  if (!length || mask || fill->isVolatile() || !values.is_uniform(fill->getValue())) return false;
  const auto stride = values.stride(fill->getRawDest());
  if (!stride || *stride <= 0 || static_cast<uint64_t>(*stride) != length->getZExtValue())
    return false;
  IRBuilder<> builder(&call);
  builder.CreateMemSet(fill->getRawDest(), fill->getValue(),
                       length->getZExtValue() * values.lanes(), fill->getDestAlign());
  return true;
}

}  // namespace

bool packetize_call(CallInst& call, Value* mask, PacketValues& values, VectorFunctionFinder find) {
  if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
    if (is_done_once(*intrinsic, values)) return false;
    if (packetize_intrinsic(*intrinsic, values) || fill_at_once(call, mask, values)) return true;
  } else if (is_packet_call(call)) {
    call_packet_function(call, mask, values);
    return true;
  } else if (call_vector_function(call, values, find)) {
    return true;
  }
  run_per_lane(call, mask, values);
  return true;
}

}  // namespace conclave::compiler
