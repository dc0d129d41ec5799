// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/spirv_module.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include "platform/base/error.h"

namespace conclave {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(CL_INVALID_VALUE, "SPIR-V: " + what);
}

// From the end, where the system's directories mostly are: each start asks.
bool in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    const size_t begin = rest.rfind(':') + 1;
    const std::string file = std::string(rest.substr(begin)) + "/" + program;
    if (access(file.c_str(), X_OK) == 0) return true;
    rest = rest.substr(0, begin == 0 ? 0 : begin - 1);
  }
  return false;
}

}  // namespace

bool spirv_available() {
  static const bool available = in_path("llvm-spirv-15") && in_path("spirv-val");
  return available;
}

SpirvModule::SpirvModule(std::string_view bytes) : bytes_(bytes) {
  if (bytes.size() % sizeof(uint32_t) != 0 || bytes.size() < spirv::kHeaderWords * sizeof(uint32_t))
    refuse(std::to_string(bytes.size()) + " bytes are no header and whole words");
  words_ = spirv::words_of(bytes);
  if (words_[0] == __builtin_bswap32(spirv::kMagic))
    std::transform(words_.begin(), words_.end(), words_.begin(),
                   [](uint32_t word) { return __builtin_bswap32(word); });
  if (words_[0] != spirv::kMagic) refuse("the magic number is missing");
  const cl_version version = CL_MAKE_VERSION((words_[1] >> 16) & 0xff, (words_[1] >> 8) & 0xff, 0);
  if (version > kSpirvVersions[0] || version < *std::rbegin(kSpirvVersions))
    refuse("version " + std::to_string(CL_VERSION_MAJOR(version)) + "." +
           std::to_string(CL_VERSION_MINOR(version)) + " cannot be built, 1.0 to 1.6 can");
  read();
}

void SpirvModule::read() {
  size_t word = spirv::kHeaderWords;
  const size_t end = spirv::for_each_instruction(words_, [&](spirv::Instruction instruction) {
    read_instruction(word, instruction);
    word += instruction.size();
  });
  if (end < words_.size())
    refuse("the instruction at word " + std::to_string(end) + " has " +
           std::to_string(spirv::length_of(words_[end])) + " words of " +
           std::to_string(words_.size() - end) + " that are left");
}

void SpirvModule::read_instruction(size_t word, spirv::Instruction instruction) {
  const uint32_t operation = spirv::operation_of(instruction);
  const size_t count = instruction.size();
  const spirv::Instruction operands = instruction.subspan(1);
  const auto has = [&](size_t least) { return count > least; };
  if ((operation == spirv::kTypeInt || operation == spirv::kTypeFloat) && has(2))
    sizes_[operands[0]] = operands[1] / 8;
  if ((operation == spirv::kSpecConstantTrue || operation == spirv::kSpecConstantFalse) && has(2))
    constants_[operands[1]] = {word, operands[1], sizeof(cl_uchar), true};
  if (operation == spirv::kSpecConstant && has(3)) {
    const size_t size = sizes_.contains(operands[0]) ? sizes_[operands[0]] : 0;
    // Numbers of up to four bytes take a word.
    if (size == 0 || size > (count - 3) * sizeof(uint32_t))
      refuse("the constant at word " + std::to_string(word) + " does not fit its type");
    constants_[operands[1]] = {word, operands[1], size, false};
  }
  if (operation == spirv::kDecorate && has(3) && operands[1] == spirv::kDecorationSpecId)
    spec_ids_.emplace(operands[2], operands[0]);
}

void SpirvModule::specialize(uint32_t id, size_t size, const void* value) {
  const auto [first, last] = spec_ids_.equal_range(id);
  bool found = false;
  for (auto spec_id = first; spec_id != last; ++spec_id) {
    const auto known = constants_.find(spec_id->second);
    if (known == constants_.end()) continue;
    const Constant& constant = known->second;
    found = true;
    if (size != constant.size)
      refuse("the specialization constant " + std::to_string(id) + " has " +
             std::to_string(constant.size) + " bytes, not " + std::to_string(size));
    uint32_t& instruction = words_[constant.word];
    if (constant.is_bool) {
      cl_uchar flag;
      std::memcpy(&flag, value, sizeof flag);
      instruction = spirv::first_word(spirv::length_of(instruction),
                                      flag ? spirv::kSpecConstantTrue : spirv::kSpecConstantFalse);
    } else {
      uint32_t* literal = &instruction + 3;
      if (size < sizeof *literal) *literal = 0;
      std::memcpy(literal, value, size);
    }
  }
  if (!found)
    throw Error(CL_INVALID_SPEC_ID,
                "SPIR-V: there is no specialization constant " + std::to_string(id));
}

std::string SpirvModule::specialized() const {
  return spirv::bytes_of(words_);
}

}  // namespace conclave
