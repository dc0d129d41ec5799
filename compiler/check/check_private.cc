// SPDX-License-Identifier: Apache-2.0
#include "compiler/check/check_private.h"

#include <llvm/Analysis/Utils/Local.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <optional>
#include <vector>

#include "compiler/base/tuning.h"
#include "compiler/check/check_sites.h"

namespace conclave::compiler {
namespace {

using llvm::AllocaInst;
using llvm::BasicBlock;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

constexpr char kFinding[] = "conclave.check.private";

// A load, a store or a copy, and the way from the variable to it.
struct PrivateAccess {
  Instruction* instruction;
  std::vector<llvm::GetElementPtrInst*> path;
  bool is_target;  // of the copy
};

struct PrivateVariable {
  AllocaInst* alloca;
  uint64_t size;
  std::vector<PrivateAccess> accesses;
  std::vector<llvm::IntrinsicInst*> starts;  // of its lifetime
};

// Follows the variable's address; false where it goes where accesses cannot be seen.
bool follow(Value& pointer, std::vector<llvm::GetElementPtrInst*>& path,
            PrivateVariable& variable) {
  for (llvm::Use& use : pointer.uses()) {
    auto* user = llvm::cast<Instruction>(use.getUser());
    if (auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(user)) {
      if (intrinsic->getIntrinsicID() == llvm::Intrinsic::lifetime_start)
        variable.starts.push_back(intrinsic);
      else if (llvm::isa<llvm::MemIntrinsic>(intrinsic))
        variable.accesses.push_back({intrinsic, path, use.getOperandNo() == 0});
      else if (intrinsic->getIntrinsicID() != llvm::Intrinsic::lifetime_end &&
               !llvm::isa<llvm::DbgInfoIntrinsic>(intrinsic))
        return false;
    } else if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
      path.push_back(address);
      const bool is_known = address->getType()->isPointerTy() && follow(*address, path, variable);
      path.pop_back();
      if (!is_known) return false;
    } else if (llvm::isa<llvm::AddrSpaceCastInst>(user)) {
      if (!follow(*user, path, variable)) return false;
    } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      variable.accesses.push_back({load, path, false});
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      if (store->getPointerOperand() != &pointer || store->getValueOperand() == &pointer)
        return false;
      variable.accesses.push_back({store, path, false});
    } else {
      return false;
    }
  }
  return true;
}

std::optional<PrivateVariable> describe(AllocaInst& alloca) {
  const auto size = alloca.getAllocationSize(alloca.getDataLayout());
  if (!size || size->isScalable() || size->getFixedValue() == 0) return std::nullopt;
  PrivateVariable variable{&alloca, size->getFixedValue(), {}, {}};
  std::vector<llvm::GetElementPtrInst*> path;
  if (!follow(alloca, path, variable)) return std::nullopt;
  return variable;
}

// A vector, or a word with bit fields, that is read because a part of it is to be replaced.
bool is_partial(const llvm::LoadInst& load) {
  const bool is_vector = load.getType()->isVectorTy();
  return llvm::all_of(load.users(), [&](const llvm::User* user) {
    if (is_vector) return llvm::isa<llvm::InsertElementInst, llvm::ShuffleVectorInst>(user);
    auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(user);
    return operation && operation->getOpcode() == Instruction::And;
  });
}

class PrivateChecker {
 public:
  explicit PrivateChecker(llvm::Function& kernel)
      : kernel_(kernel), layout_(kernel.getDataLayout()), dominators_(kernel) {}

  void run() {
    std::vector<PrivateVariable> variables;
    for (Instruction& instruction : llvm::instructions(kernel_))
      if (auto* alloca = llvm::dyn_cast<AllocaInst>(&instruction))
        if (auto variable = describe(*alloca)) variables.push_back(std::move(*variable));
    // These facts hold for the blocks as they are, before any is cut.
    std::vector<bool> tracked;
    for (const PrivateVariable& variable : variables) tracked.push_back(may_be_unwritten(variable));
    for (size_t i = 0; i < variables.size(); ++i) check(variables[i], tracked[i]);
  }

 private:
  static bool is_whole_store(const PrivateAccess& access, const PrivateVariable& variable,
                             const llvm::DataLayout& layout) {
    if (!access.path.empty()) return false;
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(access.instruction))
      return layout.getTypeStoreSize(store->getValueOperand()->getType()) == variable.size;
    auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(access.instruction);
    auto* length = copy ? llvm::dyn_cast<llvm::ConstantInt>(copy->getLength()) : nullptr;
    return access.is_target && length && length->getZExtValue() >= variable.size;
  }

  // Whether a read may come before everything is written. A write of the whole variable before
  // every read rules that out.
  bool may_be_unwritten(const PrivateVariable& variable) {
    if (variable.size > tuning().checked_private_bytes) return false;
    const auto is_read = [](const PrivateAccess& access) {
      return llvm::isa<llvm::LoadInst>(access.instruction);
    };
    for (const PrivateAccess& write : variable.accesses) {
      if (!is_whole_store(write, variable, layout_)) continue;
      if (llvm::all_of(variable.accesses, [&](const PrivateAccess& access) {
            return !is_read(access) || dominators_.dominates(write.instruction, access.instruction);
          }))
        return false;
    }
    return llvm::any_of(variable.accesses, is_read);
  }

  void check(PrivateVariable& variable, bool is_tracked) {
    AllocaInst* shadow = is_tracked ? add_shadow(variable) : nullptr;
    for (PrivateAccess& access : variable.accesses) {
      if (auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(access.instruction)) {
        if (shadow && access.is_target) note_copy(*shadow, *copy, access);
      } else {
        check_access(variable, access, shadow);
      }
    }
  }

  AllocaInst* add_shadow(const PrivateVariable& variable) {
    IRBuilder<> builder(variable.alloca->getNextNode());
    auto* type = llvm::ArrayType::get(builder.getInt8Ty(), variable.size);
    AllocaInst* shadow = builder.CreateAlloca(type, nullptr, "check.written");
    shadow->setAlignment(variable.alloca->getAlign());
    forget(builder, *shadow, variable.size);
    for (llvm::IntrinsicInst* start : variable.starts) {
      builder.SetInsertPoint(start);
      forget(builder, *shadow, variable.size);
    }
    return shadow;
  }

  static void forget(IRBuilder<>& builder, AllocaInst& shadow, uint64_t size) {
    builder.CreateMemSet(&shadow, builder.getInt8(0), size, shadow.getAlign());
  }

  // The offset from the begin of the variable.
  Value* offset_of(IRBuilder<>& builder, const PrivateAccess& access) {
    Value* offset = builder.getInt64(0);
    for (llvm::GetElementPtrInst* address : access.path)
      offset = builder.CreateAdd(
          offset, llvm::emitGEPOffset(&builder, layout_, address, /*NoAssumptions=*/true));
    return offset;
  }

  void note_copy(AllocaInst& shadow, llvm::MemIntrinsic& copy, const PrivateAccess& access) {
    IRBuilder<> builder(&copy);
    Value* place = builder.CreateGEP(builder.getInt8Ty(), &shadow, offset_of(builder, access));
    builder.CreateMemSet(place, builder.getInt8(0xff), copy.getLength(), llvm::Align(1));
  }

  void check_access(const PrivateVariable& variable, const PrivateAccess& access,
                    AllocaInst* shadow) {
    Instruction& instruction = *access.instruction;
    const uint64_t bytes =
        layout_.getTypeStoreSize(llvm::getLoadStoreType(&instruction)).getFixedValue();
    IRBuilder<> builder(&instruction);
    Value* offset = offset_of(builder, access);
    check_bounds(variable, instruction, offset, bytes);
    if (!shadow) return;
    builder.SetInsertPoint(&instruction);
    Value* place = builder.CreateGEP(builder.getInt8Ty(), shadow, offset);
    llvm::Type* type = builder.getIntNTy(static_cast<unsigned>(8 * bytes));
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (!load) {
      builder.CreateAlignedStore(llvm::Constant::getAllOnesValue(type), place, llvm::Align(1));
    } else if (!is_partial(*load)) {
      Value* written = builder.CreateAlignedLoad(type, place, llvm::Align(1));
      // Elements of a vector may be of no meaning to the program.
      Value* is_bad = load->getType()->isVectorTy()
                          ? builder.CreateIsNull(written)
                          : builder.CreateICmpNE(written, llvm::Constant::getAllOnesValue(type));
      report_if(is_bad, variable, instruction, offset, bytes, abi::CheckedAccess::kPrivateRead);
    }
  }

  // An access outside is not done; what it would have read is 0.
  void check_bounds(const PrivateVariable& variable, Instruction& instruction, Value* offset,
                    uint64_t bytes) {
    IRBuilder<> builder(&instruction);
    const uint64_t limit = variable.size < bytes ? 0 : variable.size - bytes + 1;
    Value* is_outside = builder.CreateICmpUGE(offset, builder.getInt64(limit));
    if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(is_outside); known && known->isZero())
      return;
    report_if(is_outside, variable, instruction, offset, bytes, abi::CheckedAccess::kPrivateBounds);
    BasicBlock* before = instruction.getParent();
    Instruction* end = llvm::SplitBlockAndInsertIfThen(
        IRBuilder<>(&instruction).CreateNot(is_outside), &instruction, /*Unreachable=*/false);
    BasicBlock* behind = instruction.getParent();
    instruction.moveBefore(end);
    if (instruction.getType()->isVoidTy()) return;
    auto* phi = llvm::PHINode::Create(instruction.getType(), 2, "", behind->begin());
    instruction.replaceAllUsesWith(phi);
    phi->addIncoming(&instruction, instruction.getParent());
    phi->addIncoming(llvm::Constant::getNullValue(instruction.getType()), before);
  }

  void report_if(Value* is_bad, const PrivateVariable& variable, Instruction& instruction,
                 Value* offset, uint64_t bytes, abi::CheckedAccess kind) {
    abi::CheckSite site = {};
    site.bytes = static_cast<uint32_t>(bytes);
    site.access = kind;
    site.space = abi::CheckedSpace::kPrivate;
    site.is_vector = llvm::isa<llvm::StoreInst>(instruction);
    site.argument = -1;
    llvm::StringRef name = variable.alloca->getName();
    llvm::Constant* place = make_site(
        instruction, site, {kernel_.getName().str(), name.substr(0, name.find('.')).str()});
    Instruction* cold = llvm::SplitBlockAndInsertIfThen(is_bad, &instruction, false);
    IRBuilder<> builder(cold);
    llvm::Type* number = builder.getInt64Ty();
    auto* type =
        llvm::FunctionType::get(builder.getVoidTy(), {builder.getPtrTy(), number, number}, false);
    llvm::FunctionCallee callee = kernel_.getParent()->getOrInsertFunction(kFinding, type);
    auto* function = llvm::cast<llvm::Function>(callee.getCallee());
    function->setDoesNotThrow();
    function->addFnAttr(llvm::Attribute::WillReturn);
    function->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
    builder.CreateCall(callee, {place, offset, builder.getInt64(variable.size)});
  }

  llvm::Function& kernel_;
  const llvm::DataLayout& layout_;
  llvm::DominatorTree dominators_;
};

bool has_pointers(const llvm::Function& function) {
  const auto is_pointer = [](const llvm::Argument& argument) {
    return argument.getType()->isPointerTy();
  };
  const auto is_variable = [](const Instruction& instruction) {
    return llvm::isa<AllocaInst>(instruction) || instruction.mayReadOrWriteMemory();
  };
  return llvm::any_of(function.args(), is_pointer) ||
         llvm::any_of(llvm::instructions(function), is_variable);
}

}  // namespace

void inline_for_checks(llvm::Module& module) {
  for (llvm::Function& kernel : module) {
    if (kernel.isDeclaration() || kernel.getCallingConv() != llvm::CallingConv::SPIR_KERNEL)
      continue;
    llvm::SmallVector<llvm::CallBase*> calls;
    const auto want = [&](Instruction& instruction) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
      if (callee && !callee->isDeclaration() && has_pointers(*callee)) calls.push_back(call);
    };
    for (Instruction& instruction : llvm::instructions(kernel)) want(instruction);
    while (!calls.empty()) {
      llvm::InlineFunctionInfo info;
      llvm::InlineFunction(*calls.pop_back_val(), info);
      for (llvm::CallBase* inner : info.InlinedCallSites) want(*inner);
    }
  }
}

void check_private_variables(llvm::Function& kernel) {
  PrivateChecker(kernel).run();
}

bool is_private_finding(const llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee && callee->getName() == kFinding;
}

}  // namespace conclave::compiler
