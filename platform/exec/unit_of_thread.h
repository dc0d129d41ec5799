// SPDX-License-Identifier: Apache-2.0
// The compute unit that a thread is on while it runs code of a kernel. OpenCL C finds it by the
// workspace; C code finds it here.
#ifndef CONCLAVE_PLATFORM_EXEC_UNIT_OF_THREAD_H_
#define CONCLAVE_PLATFORM_EXEC_UNIT_OF_THREAD_H_

#include <cstddef>
#include <vector>

#include "conclave/kernel_abi.h"

namespace conclave {

class UnitOfThread {
 public:
  // The compute units of an OpenMP team, by the numbers of its threads.
  using Team = std::vector<const abi::UnitAccess*>;

  // The calling thread runs a kernel on this compute unit, until it is told of another one.
  static void set(const abi::UnitAccess& unit) { unit_ = &unit; }
  // The calling thread, which OpenMP's library made, is the team's thread of this number. The
  // team's compute units may change from one kernel to the next; `team` itself stays for ever.
  static void join(const Team& team, size_t number);

  // The number of the unit in the device.
  static uint32_t number() { return get()->number; }
  // What programs call through binary::kUnitVariable. Threads that are on no compute unit get
  // UnitServices::without_unit().
  static const abi::UnitAccess* get();

 private:
  static constinit thread_local const abi::UnitAccess* unit_;
  static constinit thread_local const Team* team_;
  static constinit thread_local size_t number_in_team_;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_UNIT_OF_THREAD_H_
