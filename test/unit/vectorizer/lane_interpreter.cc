// SPDX-License-Identifier: Apache-2.0
#include "test/unit/vectorizer/lane_interpreter.h"

#include <llvm/IR/Instructions.h>
#include <llvm/Support/raw_ostream.h>

#include <functional>
#include <map>

#include "compiler/vectorizer/analysis/lane_masks.h"

namespace conclave::test {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::Value;

using Cells = std::vector<Cell>;  // a value in each lane

constexpr unsigned kMaxBlocks = 20'000;

uint64_t truncate(uint64_t value, const llvm::Type* type) {
  const unsigned bits = type->isPointerTy() ? 64 : type->getIntegerBitWidth();
  return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}

int64_t extend(uint64_t value, const llvm::Type* type) {
  const unsigned shift = 64 - type->getIntegerBitWidth();
  return static_cast<int64_t>(value << shift) >> shift;
}

class Interpreter {
 public:
  Interpreter(llvm::Function& function, const std::vector<std::vector<uint64_t>>& arguments,
              const compiler::Uniformity* uniformity)
      : count_(arguments.front().size()),
        uniformity_(uniformity),
        block_(&function.getEntryBlock()) {
    result_.lanes.resize(count_);
    for (llvm::Argument& argument : function.args())
      values_[&argument] =
          Cells(arguments[argument.getArgNo()].begin(), arguments[argument.getArgNo()].end());
  }

  Execution run() {
    unsigned blocks = 0;
    while (block_ && result_.error.empty()) {
      if (++blocks > kMaxBlocks) fail("it does not end", nullptr);
      run_block();
    }
    return std::move(result_);
  }

 private:
  void fail(const std::string& what, const Value* where) {
    if (!result_.error.empty()) return;
    llvm::raw_string_ostream out(result_.error);
    out << what;
    if (where) out << " at " << *where;
  }

  Cells get(const Value* value) {
    if (llvm::isa<llvm::UndefValue>(value)) return Cells(count_);
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value))
      return Cells(count_, constant->getZExtValue());
    return values_.at(value);
  }

  void set(const Instruction& instruction, Cells cells) {
    for (Cell& cell : cells)
      if (cell) cell = truncate(*cell, instruction.getType());
    if (uniformity_ && !uniformity_->is_divergent(instruction)) require_same(cells, instruction);
    values_[&instruction] = std::move(cells);
  }

  // The value of all lanes that have one.
  Cell require_same(const Cells& cells, const Instruction& instruction) {
    Cell common;
    for (const Cell& cell : cells) {
      if (cell && common && cell != common) fail("lanes differ", &instruction);
      if (cell) common = cell;
    }
    return common;
  }

  void run_block() {
    active_.assign(count_, true);
    std::vector<std::pair<Instruction*, Cells>> phis;
    for (llvm::PHINode& phi : block_->phis())
      phis.emplace_back(&phi, get(phi.getIncomingValueForBlock(before_)));
    for (auto& [phi, cells] : phis) set(*phi, std::move(cells));
    for (Instruction& instruction : *block_) {
      if (llvm::isa<llvm::PHINode>(instruction)) continue;
      if (instruction.isTerminator()) return end_block(instruction);
      run_instruction(instruction);
    }
  }

  void end_block(Instruction& end) {
    before_ = block_;
    if (llvm::isa<llvm::UnreachableInst>(end)) fail("unreachable", &end);
    if (auto* ret = llvm::dyn_cast<llvm::ReturnInst>(&end)) {
      Cells cells = get(ret->getReturnValue());
      for (unsigned i = 0; i < count_; ++i) result_.lanes[i].returned = cells[i];
      block_ = nullptr;
    } else if (auto* branch = llvm::dyn_cast<llvm::BranchInst>(&end)) {
      block_ = branch->getSuccessor(branch->isConditional() &&
                                    choose(branch->getCondition(), end) == uint64_t{0});
    } else {
      auto* choice = llvm::cast<llvm::SwitchInst>(&end);
      uint64_t value = choose(choice->getCondition(), end);
      auto* type = llvm::cast<llvm::IntegerType>(choice->getCondition()->getType());
      block_ = choice->findCaseValue(llvm::ConstantInt::get(type, value))->getCaseSuccessor();
    }
  }

  uint64_t choose(const Value* condition, Instruction& end) {
    Cell common = require_same(get(condition), end);
    if (!common) fail("undefined branch", &end);
    return common.value_or(0);
  }

  void run_instruction(Instruction& instruction) {
    if (compiler::is_lanes(instruction)) return set_active(instruction);
    if (instruction.mayReadOrWriteMemory() && !llvm::is_contained(active_, true))
      fail("no lane is active", &instruction);
    if (compiler::is_any(instruction)) return run_any(instruction);
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) return run_store(*store);
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return run_load(*load);
    if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction)) return run_select(*select);
    if (llvm::isa<llvm::GetElementPtrInst>(instruction)) {
      combine(instruction, [](uint64_t base, uint64_t index) { return base + 4 * index; });
    } else if (auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction)) {
      run_compare(*compare);
    } else if (llvm::isa<llvm::CastInst>(instruction)) {
      run_cast(instruction);
    } else {
      run_binary(instruction);
    }
  }

  void set_active(Instruction& instruction) {
    Cells mask = get(instruction.getOperand(0));
    for (unsigned i = 0; i < count_; ++i) {
      if (!mask[i]) fail("undefined mask", &instruction);
      active_[i] = mask[i].value_or(0);
    }
  }

  void run_any(Instruction& instruction) {
    Cells mask = get(instruction.getOperand(0));
    bool any = false;
    for (const Cell& cell : mask) {
      if (!cell) fail("undefined mask", &instruction);
      any |= cell.value_or(0);
    }
    set(instruction, Cells(count_, any));
  }

  void run_store(llvm::StoreInst& store) {
    Cells addresses = get(store.getPointerOperand());
    Cells stored = get(store.getValueOperand());
    for (unsigned i = 0; i < count_; ++i) {
      if (!active_[i]) continue;
      if (!addresses[i]) fail("undefined address", &store);
      result_.lanes[i].stores.emplace_back(addresses[i].value_or(0), stored[i]);
    }
  }

  void run_load(llvm::LoadInst& load) {
    Cells addresses = get(load.getPointerOperand());
    Cells loaded(count_);
    for (unsigned i = 0; i < count_; ++i) {
      if (!active_[i]) continue;
      if (!addresses[i]) fail("undefined address", &load);
      loaded[i] = addresses[i].value_or(0) * 0x9e3779b1 >> 7;
    }
    set(load, std::move(loaded));
  }

  void run_select(llvm::SelectInst& select) {
    Cells condition = get(select.getCondition());
    Cells first = get(select.getTrueValue());
    Cells second = get(select.getFalseValue());
    Cells chosen(count_);
    for (unsigned i = 0; i < count_; ++i)
      if (condition[i]) chosen[i] = *condition[i] ? first[i] : second[i];
    set(select, std::move(chosen));
  }

  void combine(Instruction& instruction,
               const std::function<uint64_t(uint64_t, uint64_t)>& operation) {
    Cells first = get(instruction.getOperand(0));
    Cells second = get(instruction.getOperand(1));
    Cells result(count_);
    for (unsigned i = 0; i < count_; ++i)
      if (first[i] && second[i]) result[i] = operation(*first[i], *second[i]);
    set(instruction, std::move(result));
  }

  void run_compare(llvm::ICmpInst& compare) {
    const unsigned bits = compare.getOperand(0)->getType()->getIntegerBitWidth();
    combine(compare, [&](uint64_t first, uint64_t second) {
      return llvm::ICmpInst::compare(llvm::APInt(bits, first), llvm::APInt(bits, second),
                                     compare.getPredicate());
    });
  }

  void run_cast(Instruction& cast) {
    Cells cells = get(cast.getOperand(0));
    if (llvm::isa<llvm::SExtInst>(cast))
      for (Cell& cell : cells)
        if (cell) cell = extend(*cell, cast.getOperand(0)->getType());
    set(cast, std::move(cells));
  }

  void run_binary(Instruction& instruction) {
    combine(instruction, [&](uint64_t first, uint64_t second) -> uint64_t {
      switch (instruction.getOpcode()) {
        case Instruction::Add:
          return first + second;
        case Instruction::Sub:
          return first - second;
        case Instruction::Mul:
          return first * second;
        case Instruction::And:
          return first & second;
        case Instruction::Or:
          return first | second;
        case Instruction::Xor:
          return first ^ second;
        default:
          fail("unknown instruction", &instruction);
          return 0;
      }
    });
  }

  size_t count_;
  const compiler::Uniformity* uniformity_;
  std::map<const Value*, Cells> values_;
  std::vector<bool> active_;
  BasicBlock* block_;
  BasicBlock* before_ = nullptr;
  Execution result_;
};

}  // namespace

Execution interpret(llvm::Function& function, const std::vector<std::vector<uint64_t>>& arguments,
                    const compiler::Uniformity* uniformity) {
  return Interpreter(function, arguments, uniformity).run();
}

}  // namespace conclave::test
