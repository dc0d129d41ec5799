// SPDX-License-Identifier: Apache-2.0
// A run-time parameter of a graph in the shared segment: its last value, which one process writes
// and any process may read. There are two values, and a count of the writes says which is the last.
// So readers wait for nobody, and a writer that dies in the middle leaves the former value.
#ifndef CONCLAVE_PLATFORM_SHARE_PARAMETER_SLOT_H_
#define CONCLAVE_PLATFORM_SHARE_PARAMETER_SLOT_H_

#include <cstddef>
#include <cstdint>

#include "platform/share/graph_area.h"

namespace conclave::share {

class ParameterSlot {
 public:
  // A reader tries again if the value was written meanwhile. A graph of short iterations writes it
  // all the time, except in the moments when it lets others have its compute unit. Some of these
  // must come while a reader tries.
  static constexpr int kMostTries = 100'000;

  // `bytes`: the size of the value.
  ParameterSlot(Parameter& parameter, size_t bytes) : parameter_(parameter), bytes_(bytes) {
    begin();
  }

  size_t bytes() const { return bytes_; }
  // The last value that was written; zeros if there was none. False if it changed during each try.
  bool read(void* value, int tries = kMostTries) const;

  // --- For the one process that writes, as it has the graph in exclusive or primary mode. It goes
  // by its own counts, whatever anybody stores to those that others see. ---

  // From now on only this process writes. What was written before counts as used.
  void begin();
  void write(const void* value);
  // How often it was written.
  uint64_t version() const { return version_; }
  // The version that was taken last: by the graph, or by the host for a parameter that the graph
  // writes.
  uint64_t used() const { return used_; }
  void use(uint64_t version) { used_ = version; }

 private:
  Atomic<uint64_t>* value(uint64_t version) const;

  Parameter& parameter_;
  const size_t bytes_;
  uint64_t version_ = 0, used_ = 0;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_PARAMETER_SLOT_H_
