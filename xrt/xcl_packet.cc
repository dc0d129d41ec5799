// SPDX-License-Identifier: Apache-2.0
#include "xrt/xcl_packet.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "platform/base/checked_size.h"
#include "xrt/failure.h"
#include "xrt/xrt.h"

namespace conclave::xrt {
namespace {

// The end of a compute unit's registers, where those of the next one begin.
constexpr uint32_t kMostRegisterBytes = 0x10000 - sizeof(uint32_t);

}  // namespace

uint64_t register_bytes(const ArgumentInfo& argument) {
  return argument.kind == ArgumentKind::kLocal ? sizeof(uint32_t) : argument.size;
}

binary::RegisterMap registers_of(const KernelInfo& kernel) {
  binary::RegisterMap map;
  for (const ArgumentInfo& argument : kernel.arguments) map.next(register_bytes(argument));
  return map;
}

XclPacket::XclPacket(const std::byte* bytes, size_t size) {
  ert_start_kernel_cmd command;
  if (size < sizeof command) fail(EINVAL, "a packet of " + std::to_string(size) + " bytes");
  std::memcpy(&command, bytes, sizeof command);
  opcode_ = command.opcode;
  if (!((CheckedSize(command.count) + 1) * sizeof(uint32_t)).at_most(size))
    fail(EINVAL, "a packet of " + std::to_string(command.count) + " words in a buffer object of " +
                     std::to_string(size) + " bytes");
  words_.resize(command.count);
  if (!words_.empty())
    std::memcpy(words_.data(), bytes + sizeof(uint32_t), words_.size() * sizeof(uint32_t));
  if (opcode_ == ERT_START_CU || opcode_ == ERT_START_KEY_VAL)
    read_registers(size_t{command.extra_cu_masks} + 1);
}

void XclPacket::read_registers(size_t masks) {
  if (words_.size() < masks)
    fail(EINVAL, "a packet of " + std::to_string(words_.size()) + " words with " +
                     std::to_string(masks) + " masks");
  for (uint32_t mask = 0; mask < masks; ++mask)
    for (uint32_t bit = 0; bit < 32; ++bit)
      if (words_[mask] >> bit & 1) units_.push_back(mask * 32 + bit);
  const auto payload = words_.begin() + static_cast<std::ptrdiff_t>(masks);
  if (opcode_ == ERT_START_CU)
    registers_.assign(payload, words_.end());
  else
    read_pairs(std::span(payload, words_.end()));
}

// Each pair is an offset and the value for it.
void XclPacket::read_pairs(std::span<const uint32_t> pairs) {
  if (pairs.size() % 2) fail(EINVAL, "a packet of pairs with half a pair at its end");
  for (size_t i = 0; i < pairs.size(); i += 2) {
    if (pairs[i] % sizeof(uint32_t) || pairs[i] > kMostRegisterBytes)
      fail(EINVAL, "there is no register at offset " + std::to_string(pairs[i]));
    const size_t index = pairs[i] / sizeof(uint32_t);
    if (index >= registers_.size()) registers_.resize(index + 1);
    registers_[index] = pairs[i + 1];
  }
}

uint32_t XclPacket::word(uint32_t offset) const {
  const size_t index = offset / sizeof(uint32_t);
  return index < registers_.size() ? registers_[index] : 0;
}

void XclPacket::read(uint32_t offset, void* value, size_t size) const {
  for (size_t done = 0; done < size; done += sizeof(uint32_t)) {
    const uint32_t part = word(offset + static_cast<uint32_t>(done));
    std::memcpy(static_cast<std::byte*>(value) + done, &part, std::min(sizeof part, size - done));
  }
}

}  // namespace conclave::xrt
