// SPDX-License-Identifier: Apache-2.0
// The content of a shared segment at one moment, in plain values: what the tools show.
#ifndef CONCLAVE_MONITOR_SNAPSHOT_H_
#define CONCLAVE_MONITOR_SNAPSHOT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platform/share/heap.h"
#include "platform/share/segment.h"

namespace conclave::monitor {

struct Device {
  std::string segment;  // name in /dev/shm
  uint64_t segment_bytes = 0;
  uint64_t created_ns = 0;  // CLOCK_REALTIME
  uint32_t daemon_pid = 0;  // 0: none runs
  std::string policy;       // "interleave" or "fcfs"
  uint32_t time_slice_us = 0;
  uint32_t exclusive_pid = 0;  // of the process that has the device alone, 0: none
  uint32_t process_capacity = 0;
};

// A process that uses the device, and what it has done with it.
struct ProcessUse {
  uint32_t pid = 0, uid = 0;
  std::string name, command;
  bool alive = true;      // false: dead, and not yet removed
  uint64_t since_ns = 0;  // CLOCK_REALTIME
  uint32_t contexts = 0;
  std::vector<uint32_t> units;  // in its list
  uint64_t launches = 0, work_groups = 0, busy_ns = 0, wait_ns = 0, heap_bytes = 0;
  uint64_t compiles = 0, cache_hits = 0, faults = 0;
  uint64_t cost_ns = 0;  // what busy_ns was charged with, by priority
  uint32_t queued = 0;   // commands that wait for a compute unit
  std::string kernel;    // the one that was launched last
};

struct UnitUse {
  uint32_t unit = 0;
  std::string state;    // free, idle (used last by the holder), granted, active
  uint32_t holder = 0;  // pid, 0: none
  uint32_t guest = 0;   // pid of a process that runs beside the holder, 0: none
  std::string kernel;   // the one that the holder runs; "" unless active
  uint64_t hand_overs = 0, busy_ns = 0;
  std::vector<uint32_t> waiting;  // pids
};

struct HeapUse {
  struct Block {
    uint64_t address = 0, size = 0;
    bool allocated = false;
    uint32_t pid = 0;  // of the owner; 0: free, or its owner has just gone
  };
  std::string name;
  uint64_t base = 0, size = 0, available = 0, align = 0;
  std::vector<Block> blocks;  // by address
};

// A heap's account, without its blocks.
struct HeapTotal {
  std::string name;
  uint64_t size = 0, available = 0;
};

// The xclbin that is loaded, and the contexts on it.
struct XclbinUse {
  struct Context {
    uint32_t pid = 0;
    bool exclusive = false;
  };
  struct ComputeUnit {
    std::string name;             // "kernel:name"
    std::vector<uint32_t> units;  // of the device
    std::vector<Context> contexts;
  };
  struct Holder {
    uint32_t pid = 0;
    std::string command;
    uint64_t since_ns = 0;  // CLOCK_REALTIME; when it began to use the device
    uint32_t contexts = 0;  // including those on no compute unit
  };
  std::string uuid;
  uint32_t loader = 0;    // pid
  uint64_t since_ns = 0;  // CLOCK_REALTIME
  std::vector<ComputeUnit> compute_units;
  std::vector<Holder> holders;
};

// A process that has the array, or graphs of the xclbin, open.
struct AccessUse {
  struct Graph {
    uint32_t number = 0;  // in the xclbin
    std::string mode;     // "exclusive", "primary" or "shared"
    std::string name;     // "" if nobody has told it (add_graph_names())
  };
  uint32_t pid = 0;
  std::string command;
  uint64_t since_ns = 0;  // CLOCK_REALTIME; when it began to use the device
  std::string array;      // the mode, "": it does not have the array
  std::vector<Graph> graphs;
};

Device read_device(const share::Segment& segment);
// Contains dead processes that nobody has noticed yet.
std::vector<ProcessUse> read_processes(const share::Layout& layout);
// The units that this process would have, those in others' lists, and those in use.
std::vector<UnitUse> read_units(const share::Layout& layout);
// Those that processes have now, and those that have ever been used.
std::vector<UnitUse> read_ever_used_units(const share::Layout& layout);
// Nothing if none is loaded.
std::optional<XclbinUse> read_xclbin(const share::Layout& layout);
// The daemon's entry shows what processes of other users have.
std::vector<AccessUse> read_access(const share::Layout& layout);
// The heaps that exist. Throws Error{CL_OUT_OF_RESOURCES} if a stopped process keeps them locked.
std::vector<HeapUse> read_heaps(const share::Layout& layout);
// The same without a lock, so nobody can keep it waiting.
std::vector<HeapTotal> read_heap_totals(const share::Layout& layout);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_SNAPSHOT_H_
