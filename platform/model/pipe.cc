// SPDX-License-Identifier: Apache-2.0
#include "platform/model/pipe.h"

#include <cstdint>
#include <new>

#include "conclave/kernel_abi.h"

namespace conclave {

CheckedSize Pipe::bytes() const {
  return CheckedSize(packets) * (sizeof(uint64_t) + packet_bytes) + sizeof(abi::Pipe);
}

// Packet n may be written to place n.
void Pipe::begin(std::byte* memory) const {
  new (memory) abi::Pipe{packets, packet_bytes, 0, 0};
  auto* turns = reinterpret_cast<uint64_t*>(memory + sizeof(abi::Pipe));
  for (uint64_t place = 0; place < packets; ++place) turns[place] = 2 * place;
}

}  // namespace conclave
