// SPDX-License-Identifier: Apache-2.0
// Memory of its own for each compute unit in which a launch adds up what its work-groups count.
//
//   the totals of a histogram, to which 2,048 work-groups add    each compute unit has totals of its
//   their 256 counts: the compute units wait for each other  =>  own, which start at 0; the last one
//   at the same 16 cache lines                                   adds them to those of the launch
//
// Only for small memory objects to which the kernel does nothing but add (ArgumentInfo::sum_bytes):
// nobody may look at them before the launch has ended.
#ifndef CONCLAVE_PLATFORM_EXEC_PRIVATE_SUMS_H_
#define CONCLAVE_PLATFORM_EXEC_PRIVATE_SUMS_H_

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "platform/model/kernel.h"

namespace conclave {

class PrivateSums {
 public:
  // Null if the kernel has no such sums, or too little time is known to be won on that many compute
  // units by a launch of so many work-groups that takes `ns` in all. Throws std::bad_alloc.
  static std::unique_ptr<PrivateSums> make(const Kernel& kernel, const KernelInfo& info,
                                           size_t compute_units, uint64_t work_groups, uint64_t ns);

  // The argument block for a compute unit; `block` is the launch's. Called by the thread that acts
  // for the unit.
  const void* arguments(size_t compute_unit, const std::byte* block) noexcept;
  // Adds what the compute units have added up to the memory objects. Called once, when all
  // work-groups have run.
  void add_up() noexcept;

 private:
  struct Sum {
    std::byte* memory;  // of the object
    size_t bytes;
    size_t integer_bytes;  // 4 or 8
    size_t argument;       // its offset in the argument block
    size_t place;          // where a compute unit's own memory has the sums
  };
  struct Free {
    void operator()(std::byte* memory) const { std::free(memory); }
  };

  PrivateSums(std::vector<Sum> sums, size_t arguments_bytes, size_t unit_bytes,
              size_t compute_units);

  const std::vector<Sum> sums_;
  const size_t arguments_bytes_;
  const size_t unit_bytes_;  // of a compute unit's memory: its arguments, then its sums
  const std::unique_ptr<std::byte, Free> memory_;  // of all compute units
  std::vector<std::byte*> blocks_;                 // of each; null: it has run nothing
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_PRIVATE_SUMS_H_
