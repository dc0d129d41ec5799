// SPDX-License-Identifier: Apache-2.0
// A command's packet (xrt/ert.h), and the registers of its compute unit.
#ifndef CONCLAVE_XRT_XCL_PACKET_H_
#define CONCLAVE_XRT_XCL_PACKET_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "conclave/register_map.h"
#include "platform/loader/program_binary.h"

namespace conclave::xrt {

// How many bytes an argument takes in the registers.
uint64_t register_bytes(const ArgumentInfo& argument);
// The map of a kernel's registers behind its arguments.
binary::RegisterMap registers_of(const KernelInfo& kernel);

// A packet, read once: the host might change the bytes meanwhile.
class XclPacket {
 public:
  // Throws Error{EINVAL} if the bytes are no packet.
  XclPacket(const std::byte* bytes, size_t size);

  uint32_t opcode() const { return opcode_; }
  // Behind the header.
  const std::vector<uint32_t>& words() const { return words_; }
  // For a packet that starts a kernel: the compute units in its masks.
  const std::vector<uint32_t>& units() const { return units_; }
  // Likewise: the register at `offset`, and the bytes of several; 0 if the packet does not reach
  // it.
  uint32_t word(uint32_t offset) const;
  void read(uint32_t offset, void* value, size_t size) const;

 private:
  void read_registers(size_t masks);
  void read_pairs(std::span<const uint32_t> pairs);

  uint32_t opcode_ = 0;
  std::vector<uint32_t> words_, units_;
  std::vector<uint32_t> registers_;  // from offset 0 on
};

}  // namespace conclave::xrt

#endif  // CONCLAVE_XRT_XCL_PACKET_H_
