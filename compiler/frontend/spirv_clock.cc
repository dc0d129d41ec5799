// SPDX-License-Identifier: Apache-2.0
#include "compiler/frontend/spirv_clock.h"

#include <map>
#include <utility>

#include "compiler/frontend/spirv_rewrite.h"

namespace conclave::compiler {
namespace {

bool reads_clock(spirv::Instruction instruction) {
  return spirv::operation_of(instruction) == spirv::kReadClock && instruction.size() > 3;
}

class ClockCalls {
 public:
  explicit ClockCalls(std::string_view module) {
    Values values;
    std::unordered_map<uint32_t, uint32_t>
        signatures;  // of functions without parameters, by result
    spirv::for_each_instruction(spirv::words_of(module), [&](spirv::Instruction instruction) {
      values.note(instruction);
      if (spirv::operation_of(instruction) == spirv::kTypeFunction && instruction.size() == 3)
        signatures[instruction[2]] = instruction[1];
      if (!reads_clock(instruction)) return;
      const uint32_t type = instruction[1];
      readers_[type] = {
          values.vector_type(type) ? "_Z22clock_read_hilo_devicev" : "_Z17clock_read_devicev",
          signatures[type]};
    });
  }

  void replace(spirv::Instruction instruction, spirv::Words& words) {
    const uint32_t operation = spirv::operation_of(instruction);
    // The places for declarations, by the order of a module's parts.
    const bool is_type = operation >= spirv::kTypeVoid && operation <= spirv::kTypeFunction;
    if (is_type && !std::exchange(after_decorations_, true)) decorate(words);
    if (operation == spirv::kFunction && !std::exchange(after_types_, true)) declare(words);
    if (reads_clock(instruction))
      append(spirv::kFunctionCall, {instruction[1], instruction[2], readers_[instruction[1]].id},
             words);
    else if (operation == spirv::kCapability && instruction.back() == spirv::kCapabilityShaderClock)
      append(spirv::kCapability, {spirv::kCapabilityLinkage}, words);
    else if (operation != spirv::kExtension ||
             spirv::text_at(instruction, 1) != "SPV_KHR_shader_clock")
      append(instruction, words);
  }

 private:
  // A function that reads the clock. All scopes of the device have one clock.
  struct Reader {
    std::string name;
    uint32_t signature = 0;  // 0: the module has none yet
    uint32_t id = 0;
  };

  void decorate(spirv::Words& words) {
    for (auto& [type, reader] : readers_) {
      reader.id = new_id(words);
      spirv::Words operands = {reader.id, spirv::kDecorationLinkageAttributes};
      append(spirv::text_words(reader.name), operands);
      operands.push_back(spirv::kLinkageImport);
      append(spirv::kDecorate, operands, words);
    }
  }

  void declare(spirv::Words& words) {
    constexpr uint32_t kNoControl = 0;
    for (auto& [type, reader] : readers_) {
      if (reader.signature != 0) continue;
      reader.signature = new_id(words);
      append(spirv::kTypeFunction, {reader.signature, type}, words);
    }
    for (const auto& [type, reader] : readers_) {
      append(spirv::kFunction, {type, reader.id, kNoControl, reader.signature}, words);
      append(spirv::kFunctionEnd, {}, words);
    }
  }

  std::map<uint32_t, Reader> readers_;  // by type of the result
  bool after_decorations_ = false, after_types_ = false;
};

}  // namespace

std::string with_clock_calls(std::string_view module) {
  ClockCalls calls(module);
  return rewritten(module, [&](spirv::Instruction instruction, spirv::Words& words) {
    calls.replace(instruction, words);
  });
}

}  // namespace conclave::compiler
