// SPDX-License-Identifier: Apache-2.0
#include "compiler/vectorizer/packet_memory.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <cstdlib>

#include "compiler/vectorizer/lane_shuffles.h"
#include "compiler/vectorizer/per_lane.h"

namespace conclave::compiler {
namespace {

using llvm::Align;
using llvm::Type;
using llvm::Value;

// Lanes further apart are loaded one by one: the elements between them are loaded for nothing.
constexpr int64_t kMaxScalarStep = 4;
constexpr int64_t kMaxVectorStep = 8;

// A scalar of an accessed value, and where it is.
struct Element {
  Type* type;
  uint64_t offset;
};

void add_elements(Type* type, uint64_t offset, const llvm::DataLayout& layout,
                  llvm::SmallVector<Element>& elements) {
  if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
    const llvm::StructLayout* fields = layout.getStructLayout(structure);
    for (unsigned i = 0; i < structure->getNumElements(); ++i)
      add_elements(structure->getElementType(i), offset + fields->getElementOffset(i), layout,
                   elements);
  } else if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    uint64_t size = layout.getTypeAllocSize(array->getElementType());
    for (uint64_t i = 0; i < array->getNumElements(); ++i)
      add_elements(array->getElementType(), offset + i * size, layout, elements);
  } else if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    uint64_t size = layout.getTypeStoreSize(vector->getElementType());
    for (uint64_t i = 0; i < vector->getNumElements(); ++i)
      elements.push_back({vector->getElementType(), offset + i * size});
  } else {
    elements.push_back({type, offset});
  }
}

// In memory as in a vector: bools and the like are not.
bool is_dense(Type* type, const llvm::DataLayout& layout) {
  return llvm::VectorType::isValidElementType(type) &&
         layout.getTypeSizeInBits(type) == 8 * layout.getTypeAllocSize(type);
}

// A load or store being rewritten.
class Access {
 public:
  Access(llvm::Instruction& instruction, Value* mask, PacketValues& values)
      : Access(instruction, &instruction,
               values.stride(llvm::getLoadStorePointerOperand(&instruction)), mask, values) {}

  // Emits before `position`; the lanes are `stride` bytes apart, if that is known.
  Access(llvm::Instruction& instruction, llvm::Instruction* position, std::optional<int64_t> stride,
         Value* mask, PacketValues& values)
      : instruction_(instruction),
        builder_(position),
        layout_(instruction.getDataLayout()),
        pointer_(llvm::getLoadStorePointerOperand(&instruction)),
        stride_(stride),
        align_(llvm::getLoadStoreAlignment(&instruction)),
        mask_(mask),
        values_(values),
        vector_(llvm::dyn_cast<llvm::FixedVectorType>(llvm::getLoadStoreType(&instruction))) {
    add_elements(llvm::getLoadStoreType(&instruction), 0, layout_, elements_);
    // That all of them are aligned says nothing of one that does not run.
    if (mask && stride_)
      align_ = llvm::commonAlignment(align_, static_cast<uint64_t>(std::abs(*stride_)));
  }

  bool has_packet_form() const {
    return llvm::all_of(elements_, [&](const Element& e) { return is_dense(e.type, layout_); });
  }

  // Whether the lanes' elements lie in one range of memory.
  bool is_contiguous() const {
    return is_group() ||
           (stride_ && !vector_ && elements_.size() == 1 && std::abs(*stride_) == size());
  }

  Parts load() {
    if (is_group()) return load_group();
    Parts parts;
    for (const Element& element : elements_) parts.push_back(load_element(element));
    return parts;
  }

  void store(const Parts& parts) {
    if (is_group() && vector_ && step() >= count()) return store_group(parts);
    for (auto [element, part] : llvm::zip(elements_, parts)) store_element(element, part);
  }

 private:
  unsigned lanes() const { return values_.lanes(); }
  int64_t count() const { return static_cast<int64_t>(elements_.size()); }
  int64_t size() const { return static_cast<int64_t>(layout_.getTypeStoreSize(elements_[0].type)); }
  int64_t step() const { return *stride_ / size(); }

  // Whether all lanes' elements lie in one short range of memory, with few others between them.
  bool is_group() const {
    if (elements_.empty() || !stride_ || *stride_ <= 0 || *stride_ % size() != 0) return false;
    if (vector_) return count() <= step() && step() <= kMaxVectorStep * 2 && step() <= 2 * count();
    return elements_.size() == 1 && !mask_ && step() > 1 && step() <= kMaxScalarStep &&
           llvm::isa<llvm::LoadInst>(instruction_);
  }

  // <W x i1> to one for all elements of all lanes, those between them being off.
  Value* group_mask() {
    if (!mask_ && step() == count()) return nullptr;
    llvm::SmallVector<llvm::Constant*> used;
    for (unsigned i = 0; i < lanes() * step(); ++i)
      used.push_back(builder_.getInt1(i % step() < count()));
    llvm::Constant* constant = llvm::ConstantVector::get(used);
    if (!mask_) return constant;
    Value* mask = repeat_each(builder_, mask_, static_cast<unsigned>(step()));
    return step() == count() ? mask : builder_.CreateAnd(mask, constant);
  }

  Parts load_group() {
    auto width = static_cast<unsigned>(lanes() * step());
    if (!mask_ && step() > count()) return load_sparse_group(width);
    Value* all = load_vector(llvm::FixedVectorType::get(elements_[0].type, width), pointer_, align_,
                             mask_ ? group_mask() : nullptr);
    Parts parts;
    for (unsigned i = 0; i < elements_.size(); ++i)
      parts.push_back(pick(builder_, all, lanes(), i, static_cast<unsigned>(step())));
    return parts;
  }

  // Nothing behind the last lane's element may be touched: the second half begins early enough to
  // end there.
  Parts load_sparse_group(unsigned width) {
    unsigned half = width / 2;
    auto gap = static_cast<unsigned>(step() - count());
    auto* type = llvm::FixedVectorType::get(elements_[0].type, half);
    int64_t high_offset = (half - gap) * size();
    Value* low = load_vector(type, pointer_, align_, nullptr);
    Value* high =
        load_vector(type, builder_.CreatePtrAdd(pointer_, builder_.getInt64(high_offset)),
                    llvm::commonAlignment(align_, static_cast<uint64_t>(high_offset)), nullptr);
    Parts parts;
    for (unsigned i = 0; i < elements_.size(); ++i) {
      llvm::SmallVector<int> order;
      for (unsigned lane = 0; lane < lanes(); ++lane) {
        auto index = static_cast<unsigned>(lane * step() + i);
        order.push_back(static_cast<int>(index < half ? index : index + gap));
      }
      parts.push_back(builder_.CreateShuffleVector(low, high, order));
    }
    return parts;
  }

  void store_group(const Parts& parts) {
    Parts padded = parts;
    padded.resize(step(), llvm::PoisonValue::get(parts[0]->getType()));
    store_vector(interleave(builder_, padded), pointer_, align_, group_mask());
  }

  Value* address(const Element& element, Value* base) {
    if (element.offset == 0) return base;
    return builder_.CreatePtrAdd(base, builder_.getInt64(element.offset));
  }

  // Where the elements of all lanes begin, if they follow one another, forwards or backwards.
  Value* first_of_run(const Element& element, int64_t element_size) {
    if (!stride_ || std::abs(*stride_) != element_size) return nullptr;
    int64_t back = *stride_ < 0 ? element_size * (lanes() - 1) : 0;
    auto offset = static_cast<int64_t>(element.offset) - back;
    return offset == 0 ? pointer_ : builder_.CreatePtrAdd(pointer_, builder_.getInt64(offset));
  }

  Value* load_element(const Element& element) {
    auto* type = values_.packet_type(element.type);
    Align align = llvm::commonAlignment(align_, element.offset);
    auto element_size = static_cast<int64_t>(layout_.getTypeStoreSize(element.type));
    if (Value* first = first_of_run(element, element_size)) {
      if (*stride_ > 0) return load_vector(type, first, align, mask_);
      // The address was that of the last element.
      Align last = llvm::commonAlignment(align, element_size);
      return reverse(load_vector(type, first, last, reverse(mask_)));
    }
    values_.remarks().memory(instruction_, "gather");
    return annotate(builder_.CreateMaskedGather(type, address(element, values_.vector(pointer_)),
                                                align, mask_));
  }

  void store_element(const Element& element, Value* value) {
    Align align = llvm::commonAlignment(align_, element.offset);
    auto element_size = static_cast<int64_t>(layout_.getTypeStoreSize(element.type));
    if (Value* first = first_of_run(element, element_size)) {
      if (*stride_ > 0) return store_vector(value, first, align, mask_);
      return store_vector(reverse(value), first, llvm::commonAlignment(align, element_size),
                          reverse(mask_));
    }
    values_.remarks().memory(instruction_, "scatter");
    annotate(builder_.CreateMaskedScatter(value, address(element, values_.vector(pointer_)), align,
                                          mask_));
  }

  Value* load_vector(Type* type, Value* pointer, Align align, Value* mask) {
    if (mask) return annotate(builder_.CreateMaskedLoad(type, pointer, align, mask));
    return annotate(builder_.CreateAlignedLoad(type, pointer, align));
  }

  void store_vector(Value* value, Value* pointer, Align align, Value* mask) {
    if (mask)
      annotate(builder_.CreateMaskedStore(value, pointer, align, mask));
    else
      annotate(builder_.CreateAlignedStore(value, pointer, align));
  }

  Value* reverse(Value* vector) { return vector ? builder_.CreateVectorReverse(vector) : nullptr; }

  llvm::Instruction* annotate(llvm::Instruction* access) {
    using llvm::LLVMContext;
    access->copyMetadata(
        instruction_, {LLVMContext::MD_tbaa, LLVMContext::MD_alias_scope, LLVMContext::MD_noalias,
                       LLVMContext::MD_access_group, LLVMContext::MD_nontemporal,
                       LLVMContext::MD_invariant_load});
    return access;
  }

  llvm::Instruction& instruction_;
  llvm::IRBuilder<> builder_;
  const llvm::DataLayout& layout_;
  Value* pointer_;
  std::optional<int64_t> stride_;
  Align align_;
  Value* mask_;
  PacketValues& values_;
  llvm::FixedVectorType* vector_;
  llvm::SmallVector<Element> elements_;
};

// All lanes write to the same place: the last one that runs has its way.
void store_last(llvm::StoreInst& store, Value* mask, PacketValues& values) {
  llvm::IRBuilder<> builder(&store);
  Value* lane = builder.getInt32(values.lanes() - 1);
  if (mask) {
    Value* bits = mask_bits(builder, mask);
    Value* above = builder.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, bits, builder.getTrue());
    lane = builder.CreateSub(lane, builder.CreateZExtOrTrunc(above, builder.getInt32Ty()));
  }
  llvm::Instruction* last = store.clone();
  last->setOperand(0, values.of_lane(builder, store.getValueOperand(), lane));
  builder.Insert(last);
}

// Emits the access in one of two ways, each before a position of its own, and joins their parts.
template <class First, class Second>
Parts emit_either(llvm::Instruction& instruction, Value* condition, First emit_first,
                  Second emit_second) {
  llvm::Instruction* likely = nullptr;
  llvm::Instruction* otherwise = nullptr;
  llvm::IRBuilder<> builder(&instruction);
  llvm::SplitBlockAndInsertIfThenElse(
      condition, instruction.getIterator(), &likely, &otherwise,
      llvm::MDBuilder(builder.getContext()).createLikelyBranchWeights());
  Parts first = emit_first(likely);
  Parts second = emit_second(otherwise);
  builder.SetInsertPoint(&instruction);
  for (auto [one, other] : llvm::zip(first, second)) {
    llvm::PHINode* phi = builder.CreatePHI(one->getType(), 2);
    phi->addIncoming(one, likely->getParent());
    phi->addIncoming(other, otherwise->getParent());
    one = phi;
  }
  return first;
}

// Where lanes may wrap: a stride that is assumed is made use of if it is checked before.
//
//     br i1 <no lane wraps>, label %strided, label %any
//   strided: %x0 = load <4 x float>, ptr %p
//   any:     %x1 = call <4 x float> @llvm.masked.gather(...)
//   ...      %x = phi [ %x0, %strided ], [ %x1, %any ]
class CheckedAccess {
 public:
  CheckedAccess(llvm::Instruction& instruction, Value* mask, PacketValues& values)
      : instruction_(instruction),
        pointer_(llvm::getLoadStorePointerOperand(&instruction)),
        stride_(values.assumed_stride(pointer_)),
        mask_(mask),
        values_(values) {}

  bool is_useful() const {
    if (!stride_) return false;
    Access access(instruction_, &instruction_, stride_, mask_, values_);
    return access.is_contiguous();
  }

  template <class Emit>
  Parts emit(Emit emit_access) {
    values_.remarks().memory(instruction_, "contiguous only where no index wraps around");
    llvm::IRBuilder<> builder(&instruction_);
    Value* condition = builder.CreateFreeze(values_.no_lane_wraps(pointer_));
    return emit_either(
        instruction_, condition,
        [&](llvm::Instruction* position) {
          Access fast(instruction_, position, stride_, mask_, values_);
          return emit_access(fast);
        },
        [&](llvm::Instruction* position) {
          Access slow(instruction_, position, std::nullopt, mask_, values_);
          return emit_access(slow);
        });
  }

 private:
  llvm::Instruction& instruction_;
  Value* pointer_;
  std::optional<int64_t> stride_;
  Value* mask_;
  PacketValues& values_;
};

// An access that is contiguous and under a mask: an ordinary one where all lanes run, as is mostly
// so. Masked ones cost much more on some CPUs.
template <class Emit>
Parts emit_whole_or_masked(llvm::Instruction& instruction, Value* mask, PacketValues& values,
                           Emit emit_access) {
  const std::optional<int64_t> stride =
      values.stride(llvm::getLoadStorePointerOperand(&instruction));
  llvm::IRBuilder<> builder(&instruction);
  Value* lanes = builder.CreateFreeze(mask_bits(builder, mask));
  Value* all = builder.CreateICmpEQ(lanes, llvm::Constant::getAllOnesValue(lanes->getType()));
  return emit_either(
      instruction, all,
      [&](llvm::Instruction* position) {
        Access whole(instruction, position, stride, nullptr, values);
        return emit_access(whole);
      },
      [&](llvm::Instruction* position) {
        Access masked(instruction, position, stride, mask, values);
        return emit_access(masked);
      });
}

// Whether CPUs load such numbers under a mask one by one.
bool is_narrow(const llvm::LoadInst& load) {
  return load.getType()->getScalarSizeInBits() < 32;
}

}  // namespace

void packetize_load(llvm::LoadInst& load, Value* mask, PacketValues& values) {
  Access access(load, mask, values);
  if (!load.isSimple() || !access.has_packet_form()) return run_per_lane(load, mask, values);
  CheckedAccess checked(load, mask, values);
  auto emit = [](Access& form) { return form.load(); };
  if (checked.is_useful())
    values.define(&load, checked.emit(emit));
  else if (mask && is_narrow(load) && access.is_contiguous())
    values.define(&load, emit_whole_or_masked(load, mask, values, emit));
  else
    values.define(&load, emit(access));
}

void packetize_store(llvm::StoreInst& store, Value* mask, PacketValues& values) {
  if (!store.isVolatile() && values.is_uniform(store.getPointerOperand()))
    return store_last(store, mask, values);
  Access access(store, mask, values);
  if (!store.isSimple() || !access.has_packet_form()) return run_per_lane(store, mask, values);
  CheckedAccess checked(store, mask, values);
  auto emit = [&](Access& form) {
    form.store(values.parts(store.getValueOperand()));
    return Parts();
  };
  if (checked.is_useful())
    checked.emit(emit);
  else if (mask && access.is_contiguous())
    emit_whole_or_masked(store, mask, values, emit);
  else
    emit(access);
}

}  // namespace conclave::compiler
