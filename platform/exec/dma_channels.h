// SPDX-License-Identifier: Apache-2.0
// The channels of TI's EdmaMgr: lists of transfers whose shapes are kept, so that they can be
// repeated with other addresses. The thread that asks for a copy makes it.
#ifndef CONCLAVE_PLATFORM_EXEC_DMA_CHANNELS_H_
#define CONCLAVE_PLATFORM_EXEC_DMA_CHANNELS_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace conclave {

class DmaChannels {
 public:
  static constexpr uint32_t kMost = 4096;
  static constexpr uint32_t kMostTransfers = 4096;

  // `lines` lines of `bytes` bytes, with the given distances from one line to the next.
  struct Shape {
    uint32_t bytes = 0, lines = 0;
    int32_t source_pitch = 0, destination_pitch = 0;
  };

  // The channels of this process.
  static DmaChannels& get();

  // The number of a new channel for that many transfers; 0 if there cannot be one.
  uint32_t allocate(uint64_t transfers);
  // False if the channel does not exist. All other members do the same.
  bool free(uint32_t channel);
  bool exists(uint32_t channel);
  bool shape(uint32_t channel, uint32_t transfer, const Shape& shape);
  bool start(uint32_t channel, uint32_t transfer, const void* source, void* destination);

 private:
  Shape* find(uint32_t channel, uint32_t transfer);

  std::mutex mutex_;
  uint32_t last_ = 0;
  std::map<uint32_t, std::vector<Shape>> channels_;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_DMA_CHANNELS_H_
