// SPDX-License-Identifier: Apache-2.0
// The array or a graph, open in a mode for as long as the object lives: what an xrt::aie::device,
// an xrt::graph or a cl_context with an access mode has of the device. Threads may share one
// object.
#ifndef CONCLAVE_PLATFORM_SHARE_ACCESS_HANDLES_H_
#define CONCLAVE_PLATFORM_SHARE_ACCESS_HANDLES_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "platform/share/access_modes.h"

namespace conclave::share {

struct Membership;

class OpenArray {
 public:
  // Opens the array, and waits for others as the configuration says. Throws as
  // AccessModes::open_array() does, and Error{CL_DEVICE_NOT_AVAILABLE, EPERM} if another process
  // has the device alone (multiprocess=false).
  explicit OpenArray(AccessMode mode);
  // Closes it, even while graphs are open.
  ~OpenArray();
  OpenArray(const OpenArray&) = delete;
  OpenArray& operator=(const OpenArray&) = delete;

  AccessMode mode() const { return mode_; }
  // False once it is closed, in a forked child, and after the process has left the table of those
  // that share the device or has been removed from it.
  bool is_open() const;
  // Throws as AccessModes::close_array() does.
  void close();
  // Throws Error{CL_INVALID_OPERATION, EPERM} if the mode does not permit the operation, and
  // Error{CL_INVALID_VALUE, EINVAL} if the array is not open.
  void require(Operation operation) const;

 private:
  void open();

  const AccessMode mode_;
  const Membership* process_ = nullptr;  // not of a child that was forked meanwhile
  std::atomic<bool> open_{false};
};

class OpenGraph {
 public:
  // The same for a graph of the xclbin: its number there, and its name.
  OpenGraph(const AccessModes::Uuid& uuid, uint32_t number, std::string name, AccessMode mode);
  ~OpenGraph();
  OpenGraph(const OpenGraph&) = delete;
  OpenGraph& operator=(const OpenGraph&) = delete;

  const AccessModes::Uuid& uuid() const { return uuid_; }
  uint32_t number() const { return number_; }
  const std::string& name() const { return name_; }
  AccessMode mode() const { return mode_; }
  bool is_open() const;
  void close();
  void require(Operation operation) const;

 private:
  void open();

  const AccessModes::Uuid uuid_;
  const uint32_t number_;
  const std::string name_;
  const AccessMode mode_;
  const Membership* process_ = nullptr;
  std::atomic<bool> open_{false};
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_ACCESS_HANDLES_H_
