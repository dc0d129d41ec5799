// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/packet_loop.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "compiler/base/attributes.h"
#include "compiler/base/tuning.h"
#include "compiler/workgroup/busy_items.h"
#include "compiler/workgroup/memory_access.h"
#include "compiler/workgroup/row_guard.h"
#include "compiler/workgroup/sub_groups.h"

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;
using llvm::IRBuilder;
using llvm::MDNode;
using llvm::Value;

// A loop `do { ... } while ((index += step) < end)`, for ranges that are not empty.
class CountingLoop {
 public:
  CountingLoop(IRBuilder<>& builder, Value* begin, Value* end, uint64_t step, const char* name)
      : builder_(builder), end_(end), step_(step) {
    BasicBlock* before = builder.GetInsertBlock();
    body_ = BasicBlock::Create(builder.getContext(), name, before->getParent());
    builder.CreateBr(body_);
    builder.SetInsertPoint(body_);
    index_ = builder.CreatePHI(builder.getInt64Ty(), 2, name);
    index_->addIncoming(begin, before);
  }

  Value* index() const { return index_; }

  llvm::BranchInst* close() {
    Value* next = builder_.CreateAdd(index_, builder_.getInt64(step_), "", true, true);
    Value* more = builder_.CreateICmpULT(next, end_);
    BasicBlock* latch = builder_.GetInsertBlock();
    BasicBlock* behind = BasicBlock::Create(builder_.getContext(), "", latch->getParent());
    llvm::BranchInst* branch = builder_.CreateCondBr(more, body_, behind);
    index_->addIncoming(next, latch);
    builder_.SetInsertPoint(behind);
    return branch;
  }

 private:
  IRBuilder<>& builder_;
  Value* end_;
  uint64_t step_;
  BasicBlock* body_;
  llvm::PHINode* index_;
};

// Private memory is shared by the iterations: the next work-item uses the same stack.
bool is_private(const Value* pointer) {
  auto* type = llvm::cast<llvm::PointerType>(pointer->getType()->getScalarType());
  if (type->getAddressSpace() >= 1 && type->getAddressSpace() <= 3) return false;
  llvm::SmallVector<const Value*, 4> objects;
  llvm::getUnderlyingObjects(pointer, objects);
  for (const Value* object : objects)
    if (!llvm::isa<llvm::Argument, llvm::GlobalVariable>(object)) return true;
  return false;
}

bool is_independent_access(const llvm::Instruction& instruction) {
  auto pointers = accessed_pointers(instruction);
  return !pointers.empty() && llvm::none_of(pointers, is_private);
}

// Between two barriers, what one work-item does to memory is no other's business, except by
// atomics. LLVM's loop vectorizer may rely on that.
MDNode* mark_independent_accesses(llvm::Function& region) {
  MDNode* group = MDNode::getDistinct(region.getContext(), {});
  for (llvm::Instruction& instruction : llvm::instructions(region))
    if (is_independent_access(instruction))
      instruction.setMetadata(llvm::LLVMContext::MD_access_group, group);
  return group;
}

MDNode* make_loop_id(llvm::LLVMContext& context, llvm::ArrayRef<llvm::Metadata*> properties) {
  llvm::SmallVector<llvm::Metadata*> operands = {nullptr};
  operands.append(properties.begin(), properties.end());
  MDNode* loop = MDNode::getDistinct(context, operands);
  // The first operand of a loop's metadata is the node itself.
  loop->replaceOperandWith(0, loop);
  return loop;
}

// Loops over work-items are vectorized by LLVM, if they may be, or left alone: unrolling them makes
// much code, which takes long to compile, for little unless they are short.
void annotate_loop(llvm::BranchInst& latch, MDNode* access_group, bool is_counted = false) {
  llvm::LLVMContext& context = latch.getContext();
  auto text = [&](const char* name) { return llvm::MDString::get(context, name); };
  llvm::SmallVector<llvm::Metadata*> properties;
  properties.push_back(MDNode::get(context, text("llvm.loop.unroll.disable")));
  if (is_counted) properties.push_back(MDNode::get(context, text(kCountedLoop)));
  if (access_group) {
    properties.push_back(MDNode::get(context, {text("llvm.loop.parallel_accesses"), access_group}));
  } else {
    auto* no = llvm::ConstantAsMetadata::get(llvm::ConstantInt::getFalse(context));
    properties.push_back(MDNode::get(context, {text("llvm.loop.vectorize.enable"), no}));
  }
  latch.setMetadata(llvm::LLVMContext::MD_loop, make_loop_id(context, properties));
}

std::vector<Value*> region_arguments(const GroupValues& group, bool is_packet,
                                     llvm::ArrayRef<Value*> inputs, Value* item,
                                     const std::array<Value*, 3>& local_id) {
  std::vector<Value*> arguments(kKernelArguments);
  arguments[kLaunch] = group.launch;
  arguments[kLocalMemory] = group.local_memory;
  arguments[kSpill] = group.spill;
  arguments[kCheck] = group.check;
  arguments[kItems] = group.items;
  arguments[kItem] = item;
  for (unsigned d = 0; d < 3; ++d) {
    arguments[kLocalId + d] = local_id[d];
    arguments[kGroupId + d] = group.group_id[d];
    arguments[kLocalSize + d] = group.local_size[d];
    arguments[kGlobalBase + d] = group.global_base[d];
  }
  llvm::append_range(arguments, is_packet ? group.packet_arguments : group.arguments);
  arguments.insert(arguments.end(), inputs.begin(), inputs.end());
  return arguments;
}

std::vector<Value*> load_inputs(IRBuilder<>& builder, const Region& region,
                                const GroupValues& group) {
  std::vector<Value*> values;
  for (const UniformInput& input : region.inputs) {
    Value* offset = builder.CreateMul(group.items, builder.getInt64(input.offset), "", true, true);
    Value* address = builder.CreateInBoundsGEP(builder.getInt8Ty(), group.spill, offset);
    values.push_back(builder.CreateAlignedLoad(input.type, address, llvm::Align(input.alignment)));
  }
  return values;
}

// Lines of a function are told of one function only, and a debugger wants those of work-items.
bool is_debugged(const llvm::Module& module) {
  return llvm::any_of(module.debug_compile_units(), [](const llvm::DICompileUnit* unit) {
    return unit->getEmissionKind() == llvm::DICompileUnit::FullDebug;
  });
}

// Whether there is little to be gained in the code that runs work-items one by one. Where they have
// loops and no masked packets, groups of few work-items spend all their time in it.
bool has_short_rests(const Region& region) {
  return region.remainder ? region.remainder_from == 1 : region.has_brief_items;
}

// A function of the region's parameters that runs the rest of a row, from the given work-item on,
// one by one. It is kept apart from the packets, which other passes suit.
llvm::Function* emit_rest_of_row(const Region& region, unsigned dimension) {
  llvm::Function& one = *region.function;
  const std::string name = (one.getName() + ".items." + llvm::Twine("xyz"[dimension])).str();
  if (llvm::Function* known = one.getParent()->getFunction(name)) return known;
  auto* function = llvm::Function::Create(one.getFunctionType(), llvm::GlobalValue::InternalLinkage,
                                          name, one.getParent());
  function->copyAttributesFrom(&one);
  if (!is_debugged(*one.getParent())) {
    function->removeFnAttr(llvm::Attribute::AlwaysInline);
    function->addFnAttr(llvm::Attribute::NoInline);
    if (has_short_rests(region)) function->addFnAttr(llvm::Attribute::Cold);
    if (region.has_quick_rests) function->addFnAttr(kQuickCode);
  }
  IRBuilder<> builder(BasicBlock::Create(one.getContext(), "entry", function));
  std::vector<Value*> arguments;
  // Parameters that the region does not use get no value.
  for (auto [argument, parameter] : llvm::zip(function->args(), one.args()))
    arguments.push_back(parameter.use_empty() ? llvm::PoisonValue::get(argument.getType())
                                              : static_cast<Value*>(&argument));
  const unsigned id = kLocalId + dimension;
  Value* begin = function->getArg(id);
  Value* first_item = arguments[kItem];
  Value* stride = builder.getInt64(1);
  for (unsigned d = 0; d < dimension; ++d)
    stride = builder.CreateMul(stride, function->getArg(kLocalSize + d), "stride", true, true);
  CountingLoop x(builder, begin, function->getArg(kLocalSize + dimension), 1, "x");
  arguments[id] = x.index();
  Value* distance = builder.CreateSub(x.index(), begin, "distance", true, true);
  Value* items = builder.CreateMul(distance, stride, "", true, true);
  arguments[kItem] = builder.CreateAdd(first_item, items, "item", true, true);
  Value* next = builder.CreateCall(&one, arguments, "next");
  annotate_loop(*x.close(), nullptr);
  builder.CreateRet(next);
  return function;
}

// Counts y and z along with the rows of a group.
class RowPosition {
 public:
  // The builder stands where the loop over rows begins.
  RowPosition(IRBuilder<>& builder, BasicBlock* before, Value* height)
      : builder_(builder), height_(height) {
    for (llvm::PHINode** position : {&y_, &z_}) {
      *position = builder.CreatePHI(builder.getInt64Ty(), 2);
      (*position)->addIncoming(builder.getInt64(0), before);
    }
  }
  Value* y() const { return y_; }
  Value* z() const { return z_; }

  // The builder stands in the block that ends with the loop's branch.
  void advance() {
    Value* y = builder_.CreateAdd(y_, builder_.getInt64(1), "", true, true);
    Value* wraps = builder_.CreateICmpEQ(y, height_);
    Value* z =
        builder_.CreateAdd(z_, builder_.CreateZExt(wraps, builder_.getInt64Ty()), "", true, true);
    y_->addIncoming(builder_.CreateSelect(wraps, builder_.getInt64(0), y),
                    builder_.GetInsertBlock());
    z_->addIncoming(z, builder_.GetInsertBlock());
  }

 private:
  IRBuilder<>& builder_;
  Value* height_;
  llvm::PHINode* y_;
  llvm::PHINode* z_;
};

// Where the work-items of a row are: all have the same y and z.
struct Row {
  std::array<unsigned, 3> dimensions;  // which x, y and z are
  Value* y;
  Value* z;
};

// Emits the work-items of one row.
class RowEmitter {
 public:
  RowEmitter(IRBuilder<>& builder, const Region& region, const GroupValues& group,
             llvm::ArrayRef<Value*> inputs, const Row& row)
      : builder_(builder), region_(region), group_(group), inputs_(inputs), row_(row) {
    Value* line = group.local_size[0];
    strides_ = {builder.getInt64(1), line, multiply(line, group.local_size[1])};
    first_item_ = builder.CreateAdd(multiply(row.y, strides_[row.dimensions[1]]),
                                    multiply(row.z, strides_[row.dimensions[2]]), "", true, true);
  }

  // Work-items one by one from `begin` on, at least one.
  Value* emit_items(Value* begin, MDNode* access_group) {
    CountingLoop x(builder_, begin, group_.local_size[row_.dimensions[0]], 1, "x");
    Value* next = call(region_.function, x.index(), false);
    annotate_loop(*x.close(), access_group);
    return next;
  }

  // The same where most of the row is run in packets.
  Value* emit_rest(Value* begin) {
    return call(emit_rest_of_row(region_, row_.dimensions[0]), begin, false);
  }

  // Runs the rest of the row from `begin` on as one packet.
  Value* emit_remainder(Value* begin) { return call(region_.remainder, begin, true); }

  // Work-items from this one on have nothing to do; null where nothing is known.
  Value* emit_busy() {
    if (!tuning().busy_items || region_.successors.size() > 1) return nullptr;
    return emit_busy_items(builder_, *region_.function, row_.dimensions[0],
                           arguments(builder_.getInt64(0), false));
  }

  // Full packets up to `end`, a multiple of the lanes and not 0.
  Value* emit_packets(llvm::Function* form, Value* end) {
    if (const auto idle = first_idle_item(*region_.function, row_.dimensions[0])) {
      const uint64_t busy = llvm::alignTo(std::max<uint64_t>(*idle, 1), region_.lanes);
      Value* all = builder_.getInt64(busy);
      end = builder_.CreateSelect(builder_.CreateICmpULT(all, end), all, end);
    }
    CountingLoop x(builder_, builder_.getInt64(0), end, region_.lanes, "packet");
    Value* next = call(form, x.index(), true);
    annotate_loop(*x.close(), nullptr, llvm::isa<llvm::ConstantInt>(end));
    return next;
  }

 private:
  Value* multiply(Value* a, Value* b) { return builder_.CreateMul(a, b, "", true, true); }

  std::vector<Value*> arguments(Value* x, bool is_packet) {
    const auto& [in_row, across, behind] = row_.dimensions;
    std::array<Value*, 3> id;
    id[in_row] = x;
    id[across] = row_.y;
    id[behind] = row_.z;
    Value* item =
        builder_.CreateAdd(first_item_, multiply(x, strides_[in_row]), "item", true, true);
    return region_arguments(group_, is_packet, inputs_, item, id);
  }

  Value* call(llvm::Function* function, Value* x, bool is_packet) {
    return builder_.CreateCall(function, arguments(x, is_packet), "next");
  }

  IRBuilder<>& builder_;
  const Region& region_;
  const GroupValues& group_;
  llvm::ArrayRef<Value*> inputs_;
  Row row_;
  std::array<Value*, 3> strides_;  // of linear ids
  Value* first_item_;
};

// Emits `emit()`, which gives a value, under a condition; `otherwise` is the value without it.
template <class Emit>
Value* emit_if(IRBuilder<>& builder, Value* condition, Value* otherwise, Emit emit) {
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition))
    return known->isOne() ? emit() : otherwise;
  BasicBlock* before = builder.GetInsertBlock();
  llvm::LLVMContext& context = builder.getContext();
  BasicBlock* inside = BasicBlock::Create(context, "", before->getParent());
  BasicBlock* behind = BasicBlock::Create(context, "", before->getParent());
  builder.CreateCondBr(condition, inside, behind);
  builder.SetInsertPoint(inside);
  Value* value = emit();
  BasicBlock* end = builder.GetInsertBlock();
  builder.CreateBr(behind);
  builder.SetInsertPoint(behind);
  llvm::PHINode* result = builder.CreatePHI(value->getType(), 2);
  result->addIncoming(otherwise, before);
  result->addIncoming(value, end);
  return result;
}

// Whether all ids of the group are below 2^31.
Value* has_small_ids(IRBuilder<>& builder, const GroupValues& group) {
  const unsigned d = group.first_dimension;
  Value* small = builder.CreateAnd(
      ids_are_small(builder, group.global_base[d], group.local_size[d]), group.others_are_small);
  return builder.CreateAnd(small,
                           builder.CreateICmpULT(group.items, builder.getInt64(uint64_t{1} << 31)));
}

// The loops of one region.
class RegionEmitter {
 public:
  RegionEmitter(IRBuilder<>& builder, const Region& region, const GroupValues& group,
                Value* in_packets)
      : builder_(builder),
        region_(region),
        group_(group),
        dimensions_(dimensions_from(region.dimension)),
        inputs_(load_inputs(builder, region, group)),
        in_packets_(in_packets) {
    none_ = builder.getInt64(0);
  }

  // Seldom run, and left to the function that has the rests of rows.
  Value* emit_few() {
    return emit_rows(size(1), 1, [&](const Row& row) { return emitter(row).emit_rest(none_); });
  }

  Value* emit_one_by_one() {
    MDNode* access_group = mark_independent_accesses(*region_.function);
    return emit_rows(size(1), 1,
                     [&](const Row& row) { return emitter(row).emit_items(none_, access_group); });
  }

  Value* emit_in_packets() {
    Value* whole = rounded_down(size(0), region_.lanes);
    whole_ = builder_.CreateSelect(in_packets_, whole, none_);
    if (region_.tall.empty())
      return emit_rows(size(1), 1, [&](const Row& row) { return emit_row(row); });

    // Rows up to where they can be done several at once.
    Value* height = builder_.CreateSelect(builder_.CreateICmpNE(whole_, none_), size(1), none_);
    Value* next = nothing();
    tall_end_ = none_;
    for (const TallForm& form : region_.tall) {
      Value* left = builder_.CreateSub(height, tall_end_, "", true, true);
      Value* blocks = builder_.CreateUDiv(left, builder_.getInt64(form.rows));
      next = emit_if(builder_, builder_.CreateICmpNE(blocks, none_), next,
                     [&] { return emit_tall_rows(form, tall_end_, blocks); });
      tall_end_ = rounded_down(height, form.rows);
    }
    Value* is_done = builder_.CreateAnd(builder_.CreateICmpEQ(tall_end_, size(1)),
                                        builder_.CreateICmpEQ(whole_, size(0)));
    return emit_if(builder_, builder_.CreateNot(is_done), next, [&] {
      return emit_rows(size(1), 1, [&](const Row& row) { return emit_row(row); });
    });
  }

 private:
  Value* size(unsigned i) const { return group_.local_size[dimensions_[i]]; }
  Value* nothing() { return llvm::PoisonValue::get(region_.function->getReturnType()); }
  Value* rounded_down(Value* value, unsigned step) {
    return builder_.CreateAnd(value, builder_.getInt64(~uint64_t{step - 1}));
  }
  RowEmitter emitter(const Row& row) { return {builder_, region_, group_, inputs_, row}; }

  // Rows of `height` in y, which counts in steps, and of the group's size in z.
  template <class Emit>
  Value* emit_rows(Value* height, unsigned step, Emit emit) {
    Value* count = builder_.CreateMul(height, size(2), "", true, true);
    BasicBlock* before = builder_.GetInsertBlock();
    CountingLoop rows(builder_, none_, count, 1, "row");
    RowPosition position(builder_, before, height);
    Value* y = builder_.CreateMul(position.y(), builder_.getInt64(step), "", true, true);
    Value* next = emit({dimensions_, y, position.z()});
    position.advance();
    mark_outer_loop(*rows.close());
    return next;
  }

  // Runs so many blocks of rows, from row `first` on.
  Value* emit_tall_rows(const TallForm& form, Value* first, Value* blocks) {
    return emit_rows(blocks, form.rows, [&](Row row) {
      row.y = builder_.CreateAdd(first, row.y, "", true, true);
      return emitter(row).emit_packets(form.function, whole_);
    });
  }

  // The packets of a row that have busy work-items end here.
  Value* end_of_busy(Value* busy) {
    Value* some = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, busy, whole_);
    return rounded_down(builder_.CreateAdd(some, builder_.getInt64(region_.lanes - 1)),
                        region_.lanes);
  }

  // A number of packets that is known is worth more than fewer packets.
  Value* packets_end(Value* end) { return llvm::isa<llvm::ConstantInt>(whole_) ? whole_ : end; }

  // Nothing is known of ids above 2^31.
  Value* reaches_rest(Value* busy) {
    return builder_.CreateOr(builder_.CreateNot(in_packets_), builder_.CreateICmpUGT(busy, whole_));
  }

  // Emits a row without the packets that run in several rows at once.
  Value* emit_row(const Row& position) {
    RowEmitter row = emitter(position);
    Value* next = nothing();
    Value* busy = row.emit_busy();
    Value* end = whole_;
    if (busy) end = end_of_busy(busy);
    if (region_.packet) {
      Value* has_packets = builder_.CreateICmpNE(end, none_);
      if (!region_.tall.empty())
        has_packets =
            builder_.CreateAnd(has_packets, builder_.CreateICmpUGE(position.y, tall_end_));
      next = emit_if(builder_, has_packets, next,
                     [&] { return row.emit_packets(region_.packet, packets_end(end)); });
    }
    Value* has_rest = builder_.CreateICmpULT(whole_, size(0));
    if (busy) has_rest = builder_.CreateAnd(has_rest, reaches_rest(busy));
    if (region_.remainder) {
      Value* is_packet = in_packets_;
      if (region_.remainder_from > 1) {
        Value* rest = builder_.CreateSub(size(0), whole_, "rest", true, true);
        is_packet = builder_.CreateAnd(
            is_packet, builder_.CreateICmpUGE(rest, builder_.getInt64(region_.remainder_from)));
      }
      next = emit_if(builder_, builder_.CreateAnd(has_rest, is_packet), next,
                     [&] { return row.emit_remainder(whole_); });
      has_rest = builder_.CreateAnd(has_rest, builder_.CreateNot(is_packet));
    }
    return emit_if(builder_, has_rest, next, [&] { return row.emit_rest(whole_); });
  }

  IRBuilder<>& builder_;
  const Region& region_;
  const GroupValues& group_;
  const std::array<unsigned, 3> dimensions_;
  const std::vector<Value*> inputs_;
  Value* in_packets_;  // whether there are any
  Value* none_;
  Value* whole_ = nullptr;     // where those of a row end
  Value* tall_end_ = nullptr;  // where rows end that are done several at once
};

}  // namespace

Value* ids_are_small(IRBuilder<>& builder, Value* begin, Value* size) {
  return builder.CreateICmpULE(builder.CreateAdd(begin, size), builder.getInt64(uint64_t{1} << 31));
}

void mark_outer_loop(llvm::BranchInst& latch) {
  llvm::LLVMContext& context = latch.getContext();
  llvm::Metadata* mark = MDNode::get(context, llvm::MDString::get(context, kOuterLoop));
  llvm::Metadata* whole =
      MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.disable"));
  latch.setMetadata(llvm::LLVMContext::MD_loop, make_loop_id(context, {mark, whole}));
}

Value* runs_in_packets(IRBuilder<>& builder, const std::vector<Region>& regions,
                       const GroupValues& group) {
  Value* small = has_small_ids(builder, group);
  const Region& region = regions[0];
  if (!region.has_sub_groups) return small;
  Value* rows = builder.CreateMul(group.local_size[1], group.local_size[2], "rows", true, true);
  return builder.CreateAnd(small, fit_sub_groups(builder, group.local_size[0], rows, region.lanes));
}

Value* emit_packet_loops(IRBuilder<>& builder, const Region& region, const GroupValues& group,
                         Value* in_packets) {
  RegionEmitter emitter(builder, region, group, in_packets);
  if (in_packets == builder.getFalse()) return emitter.emit_few();
  return region.lanes > 1 ? emitter.emit_in_packets() : emitter.emit_one_by_one();
}

}  // namespace conclave::compiler
