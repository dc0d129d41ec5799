// SPDX-License-Identifier: Apache-2.0
#include "compiler/x86/cleared_masks.h"

#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>

#include <string>

#include "compiler/base/error.h"

namespace conclave::compiler {
namespace {

// LLVM's own header with the numbers of a target's instructions is not installed.
unsigned opcode_of(const llvm::TargetInstrInfo& instructions, llvm::StringRef name) {
  for (unsigned opcode = 0; opcode < instructions.getNumOpcodes(); ++opcode)
    if (instructions.getName(opcode) == name) return opcode;
  throw BuildError("LLVM has no instruction " + name.str());
}

class ClearMasks : public llvm::MachineFunctionPass {
 public:
  ClearMasks() : MachineFunctionPass(id_) {}

  bool runOnMachineFunction(llvm::MachineFunction& function) override {
    const llvm::TargetInstrInfo& instructions = *function.getSubtarget().getInstrInfo();
    bool has_changed = false;
    for (llvm::MachineBasicBlock& block : function)
      for (llvm::MachineInstr& instruction : block) {
        if (!instruction.isMoveReg()) continue;
        llvm::StringRef name = instructions.getName(instruction.getOpcode());
        if (!name.consume_front("KMOV") || !name.consume_back("kk")) continue;
        const std::string shift = ("KSHIFTR" + name + "ri").str();
        instruction.setDesc(instructions.get(opcode_of(instructions, shift)));
        instruction.addOperand(function, llvm::MachineOperand::CreateImm(0));
        has_changed = true;
      }
    return has_changed;
  }

 private:
  static inline char id_ = 0;
};

}  // namespace

llvm::MachineFunctionPass* make_clear_masks() {
  return new ClearMasks;
}

}  // namespace conclave::compiler
