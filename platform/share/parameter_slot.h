// SPDX-License-Identifier: Apache-2.0
// A run-time parameter of a graph in the shared segment: its last value, which one process writes
// and any may read. Two values lie there, and a count of the writes says which is the last, so that
// readers wait for nobody, and a writer that dies in the middle leaves the former value.
#ifndef CONCLAVE_PLATFORM_SHARE_PARAMETER_SLOT_H_
#define CONCLAVE_PLATFORM_SHARE_PARAMETER_SLOT_H_

#include <cstddef>
#include <cstdint>

#include "platform/share/graph_area.h"

namespace conclave::share {

class ParameterSlot {
 public:
  static constexpr int kMostTries = 1000;

  // `bytes`: of the value.
  ParameterSlot(Parameter& parameter, size_t bytes) : parameter_(parameter), bytes_(bytes) {}

  size_t bytes() const { return bytes_; }
  // Of one writer at a time; whoever has the graph in exclusive or primary mode sees to that.
  void write(const void* value);
  // The last value that was written; zeros where there was none. False where it changes each time
  // that it is tried.
  bool read(void* value, int tries = kMostTries) const;

  // How often it was written.
  uint64_t version() const { return parameter_.version.load(std::memory_order_acquire); }
  // The version that the graph has taken last.
  uint64_t used() const { return parameter_.used.load(std::memory_order_acquire); }
  void use(uint64_t version) { parameter_.used.store(version, std::memory_order_release); }

 private:
  Atomic<uint64_t>* value(uint64_t version) const;

  Parameter& parameter_;
  const size_t bytes_;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_PARAMETER_SLOT_H_
