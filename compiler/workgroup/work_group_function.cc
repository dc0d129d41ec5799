// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/work_group_function.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "compiler/base/address_spaces.h"
#include "compiler/base/attributes.h"
#include "compiler/base/program.h"
#include "compiler/base/tuning.h"
#include "compiler/workgroup/group_rows.h"
#include "compiler/workgroup/packet_loop.h"
#include "compiler/workgroup/streaming_stores.h"
#include "conclave/check_abi.h"
#include "conclave/kernel_abi.h"

namespace conclave::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Value;
using Triple = std::array<Value*, 3>;

// Bits of MXCSR: flush to zero and denormals are zero.
constexpr uint32_t kFlushDenormals = 0x8040;

class GroupFunctionBuilder {
 public:
  GroupFunctionBuilder(const RegionedKernel& kernel, const KernelInfo& info)
      : kernel_(kernel),
        info_(info),
        context_(kernel.original->getContext()),
        builder_(context_),
        function_(create_function()) {}

  llvm::Function* build() {
    BasicBlock* entry = add_block("entry");
    BasicBlock* start = add_block("start");
    exit_ = add_block("exit");
    builder_.SetInsertPoint(entry);
    Value* nothing = builder_.CreateICmpEQ(count(), builder_.getInt64(0));
    builder_.CreateCondBr(nothing, exit_, start);
    builder_.SetInsertPoint(start);
    load_inputs();
    if (!kernel_.other_regions.empty()) {
      BasicBlock* other = add_block("other");
      BasicBlock* usual = add_block("usual");
      builder_.CreateCondBr(has_long_rows(kernel_.other_regions), other, usual);
      builder_.SetInsertPoint(other);
      emit_group_loop(kernel_.other_regions);
      builder_.SetInsertPoint(usual);
    }
    emit_group_loop(kernel_.regions);
    builder_.SetInsertPoint(exit_);
    if (streams(kernel_.regions) || streams(kernel_.other_regions))
      emit_fence_behind_streams(builder_);
    builder_.CreateRetVoid();
    return function_;
  }

 private:
  llvm::Function* create_function() {
    llvm::Type* pointer = llvm::PointerType::get(context_, 0);
    llvm::Type* number = llvm::Type::getInt64Ty(context_);
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_),
                                         {pointer, pointer, pointer, number, number}, false);
    auto* function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, 0,
                                            info_.symbol, kernel_.original->getParent());
    function->addFnAttr(llvm::Attribute::NoUnwind);
    // The kernel's own description: gdb finds it by the kernel's name, with the lines of the
    // source.
    function->setSubprogram(kernel_.original->getSubprogram());
    for (auto attribute : kernel_.original->getAttributes().getFnAttrs())
      if (attribute.isStringAttribute()) function->addFnAttr(attribute);
    if (llvm::all_of(kernel_.regions, [](const Region& region) { return region.lanes > 1; }))
      function->addFnAttr(kInPackets);
    for (unsigned i = 0; i < 3; ++i) {
      function->addParamAttr(i, llvm::Attribute::NoAlias);
      function->addParamAttr(i, llvm::Attribute::NoUndef);
    }
    return function;
  }

  static bool streams(const std::vector<Region>& regions) {
    return llvm::any_of(regions, [](const Region& region) { return region.streams; });
  }

  BasicBlock* add_block(const char* name) { return BasicBlock::Create(context_, name, function_); }
  Value* launch() { return function_->getArg(0); }
  Value* arguments() { return function_->getArg(1); }
  Value* workspace() { return function_->getArg(2); }
  Value* first() { return function_->getArg(3); }
  Value* count() { return function_->getArg(4); }

  Value* byte_address(Value* base, uint64_t offset) {
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), base, offset);
  }
  Value* load_number(Value* base, uint64_t offset, const char* name) {
    return builder_.CreateAlignedLoad(builder_.getInt64Ty(), byte_address(base, offset),
                                      llvm::Align(8), name);
  }
  Triple load_triple(uint64_t offset, const char* name) {
    Triple triple;
    for (unsigned d = 0; d < 3; ++d)
      triple[d] = load_number(launch(), offset + d * sizeof(uint64_t), name);
    return triple;
  }

  void load_inputs() {
    global_offset_ = load_triple(offsetof(abi::Launch, global_offset), "global.offset");
    global_size_ = load_triple(offsetof(abi::Launch, global_size), "global.size");
    local_size_ = load_triple(offsetof(abi::Launch, local_size), "local.size");
    num_groups_ = load_triple(offsetof(abi::Launch, num_groups), "num.groups");
    fix_required_size();
    group_values_.launch = launch();
    llvm::Type* pointer = builder_.getPtrTy();
    group_values_.local_memory = builder_.CreateAlignedLoad(
        pointer, byte_address(workspace(), offsetof(abi::Workspace, local_memory)), llvm::Align(8),
        "local.memory");
    group_values_.spill = builder_.CreateAlignedLoad(
        pointer, byte_address(workspace(), offsetof(abi::Workspace, spill)), llvm::Align(8),
        "spill");
    group_values_.check = info_.checked ? call_check() : llvm::Constant::getNullValue(pointer);
    for (unsigned i = 0; i < kernel_.original->arg_size(); ++i) {
      Value* value = load_argument(i);
      const bool is_image = info_.arguments[i].kind == ArgumentKind::kImage;
      group_values_.arguments.push_back(value);
      group_values_.packet_arguments.push_back(is_image ? copy_image(value) : value);
    }
  }

  // Emits the call that prepares this thread's data for checking whenever the work-group function
  // is called.
  Value* call_check() {
    llvm::Type* pointer = builder_.getPtrTy();
    Value* function = builder_.CreateAlignedLoad(
        pointer, byte_address(launch(), offsetof(abi::Launch, check)), llvm::Align(8));
    auto* type = llvm::FunctionType::get(pointer, {pointer}, false);
    Value* unit = builder_.CreateCall(type, function, {launch()}, "check");
    builder_.CreateAlignedStore(group_values_.local_memory,
                                byte_address(unit, offsetof(abi::CheckUnit, local_memory)),
                                llvm::Align(8));
    return unit;
  }

  // Tells that the group goes on behind a barrier, or begins.
  void begin_region(size_t index) {
    const bool matters = kernel_.regions.size() > 1 || info_.check_local_granule != 0;
    if (!info_.checked || !matters) return;
    llvm::Type* pointer = builder_.getPtrTy();
    Value* unit = group_values_.check;
    Value* function = builder_.CreateAlignedLoad(
        pointer, byte_address(unit, offsetof(abi::CheckUnit, begin_region)), llvm::Align(8));
    auto* type =
        llvm::FunctionType::get(builder_.getVoidTy(), {pointer, builder_.getInt32Ty()}, false);
    builder_.CreateCall(type, function, {unit, builder_.getInt32(static_cast<uint32_t>(index))});
  }

  // The runtime has made sure that the enqueued size is the required one.
  void fix_required_size() {
    for (unsigned d = 0; d < 3; ++d)
      if (info_.required_local_size[d] != 0)
        local_size_[d] = builder_.getInt64(info_.required_local_size[d]);
  }

  Value* load_argument(unsigned index) {
    llvm::Argument* parameter = kernel_.original->getArg(index);
    const ArgumentInfo& argument = info_.arguments[index];
    Value* address = byte_address(arguments(), argument.offset);
    if (parameter->hasByValAttr()) return address;
    if (argument.kind == ArgumentKind::kLocal) {
      Value* offset = load_number(arguments(), argument.offset, "");
      Value* place =
          builder_.CreateInBoundsGEP(builder_.getInt8Ty(), group_values_.local_memory, offset);
      return builder_.CreateAddrSpaceCast(
          place, llvm::PointerType::get(context_, kLocalAddressSpace), argument.name);
    }
    return builder_.CreateAlignedLoad(parameter->getType(), address,
                                      llvm::Align(argument.alignment), argument.name);
  }

  // Copies the description of an image into a variable, which no store of the kernel can change, so
  // that everything that follows from it is calculated once. Work-items one by one have no copy,
  // because they pass the description to functions.
  Value* copy_image(Value* image) {
    llvm::Type* type = llvm::ArrayType::get(builder_.getInt8Ty(), sizeof(abi::Image));
    BasicBlock& entry = function_->getEntryBlock();
    llvm::AllocaInst* copy = llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(type);
    const llvm::Align alignment(alignof(abi::Image));
    copy->setAlignment(alignment);
    builder_.CreateMemCpy(copy, alignment, image, alignment, sizeof(abi::Image));
    return builder_.CreateAddrSpaceCast(copy, image->getType());
  }

  // Whether groups fill packets along the regions' dimension.
  Value* has_long_rows(const std::vector<Region>& regions) {
    unsigned lanes = 1;
    for (const Region& region : regions) lanes = std::max(lanes, region.lanes);
    return builder_.CreateICmpUGE(local_size_[regions[0].dimension], builder_.getInt64(lanes));
  }

  Value* has_small_ids(unsigned d) {
    return ids_are_small(builder_, global_offset_[d], global_size_[d]);
  }

  // The numbers of groups mean the same in all code that runs for one launch. Groups that may be
  // joined have no specialised code; they are counted, and joined, along the packets first.
  void emit_group_loop(const std::vector<Region>& regions) {
    group_ = add_block("group");
    group_end_ = add_block("group.end");
    order_ = dimensions_from(kernel_.joins_groups ? regions[0].dimension : 0);
    const auto& [fast, middle, slow] = order_;
    Triple start;
    start[fast] = builder_.CreateURem(first(), num_groups_[fast]);
    Value* rest = builder_.CreateUDiv(first(), num_groups_[fast]);
    start[middle] = builder_.CreateURem(rest, num_groups_[middle]);
    start[slow] = builder_.CreateUDiv(rest, num_groups_[middle]);
    group_values_.first_dimension = fast;
    group_values_.others_are_small = builder_.CreateAnd(has_small_ids(middle), has_small_ids(slow));
    Value* most = kernel_.joins_groups ? most_groups_at_once() : builder_.getInt64(1);
    BasicBlock* before = builder_.GetInsertBlock();
    builder_.CreateBr(group_);

    builder_.SetInsertPoint(group_);
    std::array<llvm::PHINode*, 3> id;
    for (unsigned d = 0; d < 3; ++d) {
      id[d] = builder_.CreatePHI(builder_.getInt64Ty(), 2, "group.id");
      id[d]->addIncoming(start[d], before);
    }
    llvm::PHINode* left = builder_.CreatePHI(builder_.getInt64Ty(), 2, "left");
    left->addIncoming(count(), before);
    tell_groups_left(left);
    Value* groups = kernel_.joins_groups ? groups_at_once(most, left, id[fast]) : most;
    describe_group({id[0], id[1], id[2]}, groups);
    emit_group(regions);

    builder_.SetInsertPoint(group_end_);
    Triple next = next_group({id[0], id[1], id[2]}, groups);
    Value* next_left = builder_.CreateSub(left, groups, "", true, true);
    mark_outer_loop(*builder_.CreateCondBr(builder_.CreateICmpEQ(next_left, builder_.getInt64(0)),
                                           exit_, group_));
    for (unsigned d = 0; d < 3; ++d) id[d]->addIncoming(next[d], group_end_);
    left->addIncoming(next_left, group_end_);
  }

  // Volatile: nothing reads it unless the group ends by a fault.
  void tell_groups_left(Value* left) {
    Value* place = byte_address(workspace(), offsetof(abi::Workspace, groups_left));
    builder_.CreateAlignedStore(left, place, llvm::Align(8), true);
  }

  Value* smaller(Value* a, Value* b) {
    return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, b);
  }

  Value* most_groups_at_once() {
    Value* longest = builder_.getInt64(tuning().row_items);
    Value* groups = builder_.CreateUDiv(longest, local_size_[order_[0]]);
    return builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, groups, builder_.getInt64(1));
  }

  // Returns how many groups are left in the same row of groups, at most as many as run at once.
  Value* groups_at_once(Value* most, Value* left, Value* id) {
    Value* in_row = builder_.CreateSub(num_groups_[order_[0]], id, "", true, true);
    return smaller(smaller(most, left), in_row);
  }

  // Sizes and origin of one group, or of several beside each other; the last one of a dimension may
  // be smaller.
  void describe_group(const Triple& id, Value* groups) {
    group_values_.group_id = id;
    for (unsigned d = 0; d < 3; ++d) {
      Value* begin = builder_.CreateMul(id[d], local_size_[d], "", true, true);
      Value* left = builder_.CreateSub(global_size_[d], begin, "", true, true);
      Value* size = local_size_[d];
      if (d == order_[0]) size = builder_.CreateMul(size, groups, "", true, true);
      group_values_.local_size[d] = info_.uniform_work_groups ? size : smaller(size, left);
      group_values_.global_base[d] = builder_.CreateAdd(begin, global_offset_[d]);
    }
    Value* items = builder_.CreateMul(group_values_.local_size[0], group_values_.local_size[1], "",
                                      true, true);
    group_values_.items =
        builder_.CreateMul(items, group_values_.local_size[2], "items", true, true);
  }

  Triple next_group(const Triple& id, Value* groups) {
    Triple next;
    Value* carry = groups;
    for (unsigned d : order_) {
      Value* sum = builder_.CreateAdd(id[d], carry, "", true, true);
      if (d == order_[2]) {
        next[d] = sum;
        break;
      }
      Value* wraps = builder_.CreateICmpEQ(sum, num_groups_[d]);
      next[d] = builder_.CreateSelect(wraps, builder_.getInt64(0), sum);
      carry = builder_.CreateZExt(wraps, builder_.getInt64Ty());
    }
    return next;
  }

  // Where the size of groups is known, those in packets have code of their own, in which all rows
  // and their packets are counted.
  void emit_group(const std::vector<Region>& regions) {
    Value* in_packets = runs_in_packets(builder_, regions, group_values_);
    const bool has_packets =
        llvm::any_of(regions, [](const Region& region) { return region.lanes > 1; });
    if (!has_packets || !llvm::isa<llvm::ConstantInt>(group_values_.items))
      return emit_regions(regions, in_packets);
    BasicBlock* packets = add_block("packets");
    BasicBlock* items = add_block("items");
    builder_.CreateCondBr(in_packets, packets, items);
    builder_.SetInsertPoint(packets);
    emit_regions(regions, builder_.getTrue());
    builder_.SetInsertPoint(items);
    emit_regions(regions, builder_.getFalse());
  }

  void emit_regions(const std::vector<Region>& regions, Value* in_packets) {
    std::vector<BasicBlock*> blocks;
    for (size_t i = 0; i < regions.size(); ++i)
      blocks.push_back(BasicBlock::Create(context_, "region." + llvm::Twine(i), function_));
    builder_.CreateBr(blocks[0]);
    for (size_t i = 0; i < regions.size(); ++i) {
      builder_.SetInsertPoint(blocks[i]);
      const Region& region = regions[i];
      begin_region(i);
      Value* next = emit_packet_loops(builder_, region, group_values_, in_packets);
      emit_successor(region, next, blocks);
    }
  }

  void emit_successor(const Region& region, Value* next, const std::vector<BasicBlock*>& blocks) {
    auto block_of = [&](int successor) {
      return successor == kKernelEnd ? group_end_ : blocks[static_cast<size_t>(successor)];
    };
    // A region without exit never ends; its loops need an end all the same.
    if (region.successors.empty()) {
      builder_.CreateBr(group_end_);
      return;
    }
    BasicBlock* otherwise = block_of(region.successors.back());
    if (region.successors.size() == 1) {
      builder_.CreateBr(otherwise);
      return;
    }
    llvm::SwitchInst* choice = builder_.CreateSwitch(next, otherwise);
    for (size_t i = 0; i + 1 < region.successors.size(); ++i)
      choice->addCase(builder_.getInt32(static_cast<uint32_t>(region.successors[i])),
                      block_of(region.successors[i]));
  }

  const RegionedKernel& kernel_;
  const KernelInfo& info_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> builder_;
  llvm::Function* function_;
  BasicBlock* group_ = nullptr;
  BasicBlock* group_end_ = nullptr;
  BasicBlock* exit_ = nullptr;
  std::array<unsigned, 3> order_{0, 1, 2};  // the dimensions as groups are counted
  Triple global_offset_, global_size_, local_size_, num_groups_;
  GroupValues group_values_;
};

// Puts a function with the body's name before `body` that switches the CPU's modes around it.
void wrap_in_flush_mode(llvm::Function& body) {
  llvm::Function* outer = llvm::Function::Create(
      body.getFunctionType(), llvm::GlobalValue::ExternalLinkage, 0, "", body.getParent());
  outer->copyAttributesFrom(&body);
  outer->takeName(&body);
  body.setName(outer->getName() + ".flushing");
  body.setLinkage(llvm::GlobalValue::InternalLinkage);
  body.addFnAttr(llvm::Attribute::NoInline);

  llvm::IRBuilder<> builder(BasicBlock::Create(body.getContext(), "entry", outer));
  Value* saved = builder.CreateAlloca(builder.getInt32Ty(), nullptr, "saved.mxcsr");
  Value* flushing = builder.CreateAlloca(builder.getInt32Ty(), nullptr, "mxcsr");
  builder.CreateIntrinsic(llvm::Intrinsic::x86_sse_stmxcsr, {}, {saved});
  Value* mode = builder.CreateLoad(builder.getInt32Ty(), saved);
  builder.CreateStore(builder.CreateOr(mode, builder.getInt32(kFlushDenormals)), flushing);
  builder.CreateIntrinsic(llvm::Intrinsic::x86_sse_ldmxcsr, {}, {flushing});
  std::vector<Value*> arguments;
  for (llvm::Argument& argument : outer->args()) arguments.push_back(&argument);
  builder.CreateCall(&body, arguments);
  builder.CreateIntrinsic(llvm::Intrinsic::x86_sse_ldmxcsr, {}, {saved});
  builder.CreateRetVoid();
}

void emit_work_group_function(const RegionedKernel& kernel, const KernelInfo& info,
                              bool flush_denormals) {
  llvm::Function* function = GroupFunctionBuilder(kernel, info).build();
  if (flush_denormals) wrap_in_flush_mode(*function);
}

}  // namespace

llvm::PreservedAnalyses EmitWorkGroupFunctions::run(llvm::Module& module,
                                                    llvm::ModuleAnalysisManager& analyses) const {
  Program& program = program_of(module, analyses);
  for (auto&& [kernel, info] : llvm::zip_equal(program.kernels, program.infos)) {
    emit_work_group_function(kernel, info, flush_denormals);
    info.local_bytes = kernel.local_bytes;
    info.spill_bytes = kernel.spill_bytes;
  }
  for (RegionedKernel& kernel : program.kernels) {
    kernel.original->eraseFromParent();
    kernel.original = nullptr;
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
