// SPDX-License-Identifier: Apache-2.0
#include "platform/share/image_slot.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstring>

#include "platform/base/clock.h"
#include "platform/base/error.h"
#include "platform/share/registry.h"

namespace conclave::share {
namespace {

constexpr time_t kPatienceSeconds = 2;

// A holder that died has left nothing that would have to be mended.
class Lock {
 public:
  explicit Lock(Header& header) : mutex_(header.image_lock) {
    int error = pthread_mutex_trylock(&mutex_);
    if (error == EBUSY) {
      timespec until;
      clock_gettime(CLOCK_REALTIME, &until);
      until.tv_sec += kPatienceSeconds;
      error = pthread_mutex_timedlock(&mutex_, &until);
    }
    if (error == EOWNERDEAD) error = pthread_mutex_consistent(&mutex_);
    if (error == ETIMEDOUT)
      throw Error(CL_OUT_OF_RESOURCES,
                  "the device image has been locked for " + std::to_string(kPatienceSeconds) +
                      " s: a process that uses the device was stopped just then; let it continue "
                      "or end it",
                  EBUSY);
    if (error != 0)
      throw Error(CL_OUT_OF_RESOURCES,
                  std::string("the device image cannot be locked: ") + strerror(error), EBUSY);
  }
  ~Lock() { pthread_mutex_unlock(&mutex_); }
  Lock(const Lock&) = delete;

 private:
  pthread_mutex_t& mutex_;
};

std::array<uint64_t, 2> words_of(const ImageSlot::Uuid& uuid) {
  std::array<uint64_t, 2> words;
  std::memcpy(words.data(), uuid.data(), uuid.size());
  return words;
}

bool has(const Atomic<uint64_t> (&words)[kSetWords], uint32_t unit) {
  return words[unit / 64].load() >> (unit % 64) & 1;
}

ComputeUnitSet read_set(const Atomic<uint64_t> (&words)[kSetWords]) {
  ComputeUnitSet set;
  for (uint32_t unit = 0; unit < kCuEntries; ++unit)
    if (has(words, unit)) set.add(unit);
  return set;
}

uint32_t compute_units(const Header& header) {
  return std::min(header.image_compute_units.load(), kCuEntries);
}

}  // namespace

bool ImageSlot::is_resident(const Uuid& uuid) const {
  const Header& header = layout_.header();
  const auto words = words_of(uuid);
  return header.image_resident.load() != 0 && header.image_uuid[0].load() == words[0] &&
         header.image_uuid[1].load() == words[1];
}

void ImageSlot::require_resident(const Uuid& uuid) const {
  if (is_resident(uuid)) return;
  throw Error(CL_INVALID_PROGRAM,
              layout_.header().image_resident.load()
                  ? "another device image is loaded, by process " +
                        std::to_string(layout_.header().image_loader.load()) + ", since " +
                        local_time(layout_.header().image_since_ns.load())
                  : "no device image is loaded",
              EBUSY);
}

Owner ImageSlot::find_holder(const std::function<bool(const ProcessEntry&)>& blocks,
                             bool others_only) {
  Registry registry(layout_);
  for (uint32_t slot = 0; slot < layout_.processes(); ++slot) {
    const ProcessEntry& process = layout_.process(slot);
    if (process.image_contexts.load() == 0 || !blocks(process)) continue;
    const Owner owner(slot, EntryState::of(process.state.load()).generation);
    if (others_only && owner == self_) continue;
    if (!registry.find(owner)) continue;  // has just left
    if (owner == self_ || liveness(registry.identity(owner)) != Liveness::kDead) return owner;
    registry.remove(owner);
  }
  return {};
}

bool ImageSlot::load(const Image& image, const std::function<void()>& keep) {
  const Lock lock(layout_.header());
  if (is_resident(image.uuid)) return false;
  const Owner holder = find_holder([](const ProcessEntry&) { return true; }, false);
  if (holder == self_ && holder)
    throw Error(CL_OUT_OF_RESOURCES,
                "Failed to load xclbin. Device Busy: this process has contexts on the device image "
                "that is loaded",
                EBUSY);
  if (holder)
    throw Error(
        CL_INVALID_PROGRAM,
        "Failed to load xclbin. Device Busy: the device image that is loaded is in use by " +
            Registry(layout_).describe(holder),
        EBUSY);
  if (keep) keep();
  replace(image);
  announce_change(layout_);
  return true;
}

void ImageSlot::replace(const Image& image) {
  Header& header = layout_.header();
  header.image_resident.store(0);
  for (uint32_t i = 0; i < image.compute_units.size(); ++i) {
    CuEntry& unit = layout_.unit(i);
    unit.image_name.set(image.compute_units[i].name);
    for (uint32_t w = 0; w < kSetWords; ++w)
      unit.image_units[w].store(image.compute_units[i].units.word(w));
  }
  header.image_compute_units.store(static_cast<uint32_t>(image.compute_units.size()));
  const auto words = words_of(image.uuid);
  header.image_uuid[0].store(words[0]);
  header.image_uuid[1].store(words[1]);
  header.image_since_ns.store(realtime_ns());
  header.image_loader.store(static_cast<uint32_t>(getpid()));
  header.image_resident.store(1);
}

void ImageSlot::open(const Uuid& uuid) {
  const Lock lock(layout_.header());
  require_resident(uuid);
  entry().image_contexts.fetch_add(1);
}

void ImageSlot::open(const Uuid& uuid, uint32_t unit, Mode mode) {
  const Lock lock(layout_.header());
  require_resident(uuid);
  if (unit >= compute_units(layout_.header()))
    throw Error(CL_INVALID_VALUE,
                "the device image has " + std::to_string(compute_units(layout_.header())) +
                    " compute units; there is no number " + std::to_string(unit),
                EINVAL);
  const bool exclusive = mode == Mode::kExclusive;
  const Owner holder = find_holder(
      [&](const ProcessEntry& process) {
        return has(exclusive ? process.image_units : process.image_units_alone, unit);
      },
      true);
  if (holder)
    throw Error(CL_OUT_OF_RESOURCES,
                "compute unit " + name_of(unit) +
                    (exclusive ? " is not free: it is in use by " : " is held alone by ") +
                    Registry(layout_).describe(holder),
                EBUSY);
  ProcessEntry& mine = entry();
  mine.image_contexts.fetch_add(1);
  const uint64_t bit = uint64_t{1} << (unit % 64);
  mine.image_units[unit / 64].fetch_or(bit);
  if (exclusive) mine.image_units_alone[unit / 64].fetch_or(bit);
}

// Without the lock: whoever decides by a context that has just gone was a moment sooner.
void ImageSlot::close() {
  if (entry().image_contexts.load() == 0) return;
  entry().image_contexts.fetch_sub(1);
  announce_change(layout_);
}

void ImageSlot::close(uint32_t unit) {
  const uint64_t bit = uint64_t{1} << (unit % 64);
  entry().image_units_alone[unit / 64].fetch_and(~bit);
  entry().image_units[unit / 64].fetch_and(~bit);
  close();
}

std::string ImageSlot::name_of(uint32_t unit) const {
  return layout_.unit(unit).image_name.get();
}

ImageSlot::Report ImageSlot::report() const {
  const Header& header = layout_.header();
  Report report;
  report.resident = header.image_resident.load() != 0;
  if (!report.resident) return report;
  const std::array<uint64_t, 2> words = {header.image_uuid[0].load(), header.image_uuid[1].load()};
  std::memcpy(report.image.uuid.data(), words.data(), report.image.uuid.size());
  for (uint32_t i = 0; i < compute_units(header); ++i)
    report.image.compute_units.push_back({name_of(i), read_set(layout_.unit(i).image_units)});
  report.loader = header.image_loader.load();
  report.since_ns = header.image_since_ns.load();
  const Registry registry(layout_);
  for (Owner owner : registry.everybody()) {
    const ProcessEntry* process = registry.find(owner);
    if (!process || process->image_contexts.load() == 0) continue;
    report.holders.push_back({owner, process->image_contexts.load(), read_set(process->image_units),
                              read_set(process->image_units_alone)});
  }
  return report;
}

void ImageSlot::wait_for_change(uint32_t seen, uint32_t timeout_ms) const {
  const timespec timeout{timeout_ms / 1000, long{timeout_ms % 1000} * 1'000'000};
  syscall(SYS_futex, &layout_.header().image_changes, FUTEX_WAIT, seen, &timeout, nullptr, 0);
}

bool ImageSlot::forget(ProcessEntry& entry) {
  if (entry.image_contexts.load() == 0) return false;
  for (uint32_t w = 0; w < kSetWords; ++w) {
    entry.image_units_alone[w].store(0);
    entry.image_units[w].store(0);
  }
  // Last: where this is cut short, the next one does it again.
  entry.image_contexts.store(0);
  return true;
}

std::string uuid_text(const ImageSlot::Uuid& uuid) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += {kDigits[uuid[i] >> 4], kDigits[uuid[i] & 15]};
  }
  return text;
}

void ImageSlot::announce_change(const Layout& layout) {
  Atomic<uint32_t>& changes = layout.header().image_changes;
  changes.fetch_add(1);
  syscall(SYS_futex, &changes, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace conclave::share
