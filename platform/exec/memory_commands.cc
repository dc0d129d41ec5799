// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/memory_commands.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "platform/base/pool.h"
#include "platform/check/shadow_memory.h"
#include "platform/model/context.h"

namespace conclave {
namespace {

// What one compute unit copies at a time: enough to hide the hand-out, and little enough to spread.
constexpr size_t kBlockBytes = 512 << 10;
// Expected speed of one compute unit, for estimate_ns().
constexpr size_t kBytesPerNs = 8;
// Calling a small command costs about this.
constexpr uint64_t kCallNs = 50;

class MemoryCommand : public Command {
 protected:
  explicit MemoryCommand(std::vector<Ref<Memory>> keep) : keep_(std::move(keep)) {}

  // In spans: compute units that meet in a huge page which nobody has touched clear it one each.
  Dealing::Turn deal() override { return {Dealing::kSpans, false}; }

 private:
  std::vector<Ref<Memory>> keep_;
};

class Copy : public MemoryCommand {
 public:
  Copy(const std::byte* from, std::byte* to, size_t size, std::vector<Ref<Memory>> keep)
      : MemoryCommand(std::move(keep)), from_(from), to_(to), size_(size) {
    // A host may pass memory inside a buffer's own storage (CL_MEM_USE_HOST_PTR). Blocks that
    // overlap must not be copied side by side.
    const bool overlap = from < to + size && to < from + size;
    block_ = overlap ? size : kBlockBytes;
  }

  uint64_t parts() const override { return (size_ + block_ - 1) / block_; }
  uint64_t estimate_ns() const override { return kCallNs + size_ / kBytesPerNs; }
  void run(ComputeUnit&, uint64_t first, uint64_t count) override {
    size_t begin = first * block_;
    size_t end = std::min(size_, (first + count) * block_);
    if (from_ != to_) std::memmove(to_ + begin, from_ + begin, end - begin);
  }

  static void* operator new(size_t) { return Pool<Copy>::allocate(); }
  static void operator delete(void* memory) { Pool<Copy>::release(memory); }

 private:
  const std::byte* from_;
  std::byte* to_;
  size_t size_;
  size_t block_;
};

// A command that works on the rows of a box.
class RectCommand : public MemoryCommand {
 public:
  RectCommand(const Box& to, const size_t region[3], std::vector<Ref<Memory>> keep)
      : MemoryCommand(std::move(keep)), to_(to) {
    std::copy_n(region, 3, region_.begin());
    rows_per_part_ = std::max<size_t>(1, kBlockBytes / region_[0]);
  }

  uint64_t parts() const override { return (rows() + rows_per_part_ - 1) / rows_per_part_; }
  uint64_t estimate_ns() const override {
    return kCallNs + rows() * (region_[0] / kBytesPerNs + 10);
  }
  void run(ComputeUnit&, uint64_t first, uint64_t count) override {
    size_t end = std::min<size_t>(rows(), (first + count) * rows_per_part_);
    for (size_t row = first * rows_per_part_; row < end; ++row) {
      size_t y = row % region_[1], z = row / region_[1];
      run_row(at(to_, y, z), y, z);
    }
  }

 protected:
  static std::byte* at(const Box& box, size_t y, size_t z) {
    return box.base + y * box.row_pitch + z * box.slice_pitch;
  }
  size_t row_bytes() const { return region_[0]; }

 private:
  virtual void run_row(std::byte* to, size_t y, size_t z) = 0;
  size_t rows() const { return region_[1] * region_[2]; }

  Box to_;
  std::array<size_t, 3> region_;
  size_t rows_per_part_;
};

class RectCopy : public RectCommand {
 public:
  RectCopy(const Box& from, const Box& to, const size_t region[3], std::vector<Ref<Memory>> keep)
      : RectCommand(to, region, std::move(keep)), from_(from) {}

 private:
  void run_row(std::byte* to, size_t y, size_t z) override {
    std::memmove(to, at(from_, y, z), row_bytes());
  }

  Box from_;
};

// What is repeated: 1 to 128 bytes, a power of two.
class Pattern {
 public:
  Pattern(const void* bytes, size_t size) : size_(size) { std::memcpy(bytes_.data(), bytes, size); }

  void repeat(std::byte* to, size_t bytes) const {
    size_t done = std::min(size_, bytes);
    std::memcpy(to, bytes_.data(), done);
    for (; done < bytes; done += std::min(done, bytes - done))
      std::memcpy(to + done, to, std::min(done, bytes - done));
  }

 private:
  std::array<std::byte, 128> bytes_;
  size_t size_;
};

class Fill : public MemoryCommand {
 public:
  Fill(const Pattern& pattern, std::byte* to, size_t size, std::vector<Ref<Memory>> keep)
      : MemoryCommand(std::move(keep)), pattern_(pattern), to_(to), size_(size) {}

  uint64_t parts() const override { return (size_ + kBlockBytes - 1) / kBlockBytes; }
  uint64_t estimate_ns() const override { return kCallNs + size_ / kBytesPerNs; }
  void run(ComputeUnit&, uint64_t first, uint64_t count) override {
    // Blocks are multiples of every pattern's size.
    pattern_.repeat(to_ + first * kBlockBytes,
                    std::min(size_ - first * kBlockBytes, count * kBlockBytes));
  }

 private:
  Pattern pattern_;
  std::byte* to_;
  size_t size_;
};

class RectFill : public RectCommand {
 public:
  RectFill(const Pattern& pattern, const Box& to, const size_t region[3],
           std::vector<Ref<Memory>> keep)
      : RectCommand(to, region, std::move(keep)), pattern_(pattern) {}

 private:
  void run_row(std::byte* to, size_t, size_t) override { pattern_.repeat(to, row_bytes()); }

  Pattern pattern_;
};

class HostCall : public MemoryCommand {
 public:
  HostCall(std::function<void()> function, std::vector<Ref<Memory>> keep)
      : MemoryCommand(std::move(keep)), function_(std::move(function)) {}
  uint64_t estimate_ns() const override { return kUnknown; }
  void run(ComputeUnit&, uint64_t, uint64_t) override { function_(); }

 private:
  std::function<void()> function_;
};

// Whether the rows of a region lie one after the other, with nothing between them.
bool is_gapless(const Box& box, const size_t region[3]) {
  return (region[1] == 1 || box.row_pitch == region[0]) &&
         (region[2] == 1 || box.slice_pitch == region[0] * region[1]);
}

// Notes what commands will have written by the time later kernels run.
void note_written(const std::byte* begin, size_t bytes) {
  if (check::ShadowMemory::is_on()) check::ShadowMemory::get().mark_written(begin, bytes);
}

void note_written(const Box& box, const size_t region[3]) {
  if (!check::ShadowMemory::is_on()) return;
  for (size_t z = 0; z < region[2]; ++z)
    for (size_t y = 0; y < region[1]; ++y)
      note_written(box.base + y * box.row_pitch + z * box.slice_pitch, region[0]);
}

}  // namespace

std::unique_ptr<Command> make_copy(const std::byte* from, std::byte* to, size_t size,
                                   std::vector<Ref<Memory>> keep) {
  note_written(to, size);
  return std::make_unique<Copy>(from, to, size, std::move(keep));
}

std::unique_ptr<Command> make_rect_copy(const Box& from, const Box& to, const size_t region[3],
                                        std::vector<Ref<Memory>> keep) {
  if (is_gapless(from, region) && is_gapless(to, region))
    return make_copy(from.base, to.base, region[0] * region[1] * region[2], std::move(keep));
  note_written(to, region);
  return std::make_unique<RectCopy>(from, to, region, std::move(keep));
}

std::unique_ptr<Command> make_fill(const void* pattern, size_t pattern_size, std::byte* to,
                                   size_t size, std::vector<Ref<Memory>> keep) {
  note_written(to, size);
  return std::make_unique<Fill>(Pattern(pattern, pattern_size), to, size, std::move(keep));
}

std::unique_ptr<Command> make_rect_fill(const void* pattern, size_t pattern_size, const Box& to,
                                        const size_t region[3], std::vector<Ref<Memory>> keep) {
  if (is_gapless(to, region))
    return make_fill(pattern, pattern_size, to.base, region[0] * region[1] * region[2],
                     std::move(keep));
  note_written(to, region);
  return std::make_unique<RectFill>(Pattern(pattern, pattern_size), to, region, std::move(keep));
}

std::unique_ptr<Command> make_host_call(std::function<void()> function,
                                        std::vector<Ref<Memory>> keep) {
  for (const Ref<Memory>& memory : keep) note_written(memory->data(), memory->size());
  return std::make_unique<HostCall>(std::move(function), std::move(keep));
}

}  // namespace conclave
