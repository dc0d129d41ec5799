// SPDX-License-Identifier: Apache-2.0
// Arguments for a kernel of which nothing is known but its declaration: buffers of one size filled
// with small numbers, and one number for all integers.
#ifndef CONCLAVE_TEST_BENCH_FOREIGN_MADE_UP_ARGUMENTS_H_
#define CONCLAVE_TEST_BENCH_FOREIGN_MADE_UP_ARGUMENTS_H_

#include <CL/opencl.hpp>
#include <cstddef>
#include <string>
#include <vector>

namespace bench {

// Memory with nothing before and behind it: a kernel whose index leaves it, by less than a
// gibibyte, has a fault, which ends that launch alone.
class GuardedMemory {
 public:
  explicit GuardedMemory(size_t bytes);
  GuardedMemory(GuardedMemory&& other) noexcept;
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  ~GuardedMemory();

  std::byte* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  std::byte* data_;
  size_t size_;
};

class MadeUpArguments {
 public:
  // Throws std::runtime_error for a kernel that needs images, samplers or pipes.
  MadeUpArguments(const cl::Context& context, const cl::Kernel& kernel);

  // Sets the arguments of a kernel that is declared alike. Integers get `number`, but those that
  // are called increments 1, and offsets 0.
  void set(cl::Kernel& kernel, cl_int number) const;
  // Gives the buffers what they were made with.
  void refill();

 private:
  struct Argument {
    enum class Kind { kBuffer, kLocal, kValue } kind;
    std::string type;  // of what a pointer points to, or of the value
    std::string name;
    size_t index = 0;  // of the buffer
  };

  std::vector<Argument> arguments_;
  std::vector<GuardedMemory> memory_;
  std::vector<cl::Buffer> buffers_;
};

}  // namespace bench

#endif  // CONCLAVE_TEST_BENCH_FOREIGN_MADE_UP_ARGUMENTS_H_
