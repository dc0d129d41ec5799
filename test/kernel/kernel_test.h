// SPDX-License-Identifier: Apache-2.0
// What a kernel test needs of the OpenCL API: one device for all tests, programs, buffers,
// launches. Everything throws std::runtime_error with the call and its error code, or the build
// log.
#ifndef CONCLAVE_TEST_KERNEL_KERNEL_TEST_H_
#define CONCLAVE_TEST_KERNEL_KERNEL_TEST_H_

#include <CL/cl.h>

#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace conclave::test {

inline void require(cl_int status, const char* what) {
  if (status != CL_SUCCESS)
    throw std::runtime_error(std::string(what) + ": error " + std::to_string(status));
}

template <class Handle, cl_int(CL_API_CALL* kRelease)(Handle)>
struct Releaser {
  using pointer = Handle;
  void operator()(Handle handle) const { kRelease(handle); }
};
template <class Handle, cl_int(CL_API_CALL* kRelease)(Handle)>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Releaser<Handle, kRelease>>;

// The device under test with a context and an in-order queue; made once for the process.
class Device {
 public:
  static Device& get();
  cl_device_id id() const { return id_; }
  cl_context context() const { return context_.get(); }
  cl_command_queue queue() const { return queue_.get(); }
  // True for Conclave, false for another implementation that the tests are tried on.
  bool is_conclave() const { return conclave_; }

 private:
  Device();
  cl_device_id id_ = nullptr;
  bool conclave_ = false;
  Owned<cl_context, clReleaseContext> context_;
  Owned<cl_command_queue, clReleaseCommandQueue> queue_;
};

// Device memory with a copy of `values`.
template <class T>
class Buffer {
 public:
  explicit Buffer(const std::vector<T>& values) : size_(values.size()) {
    cl_int status;
    memory_.reset(clCreateBuffer(Device::get().context(), CL_MEM_COPY_HOST_PTR, size_ * sizeof(T),
                                 const_cast<T*>(values.data()), &status));
    require(status, "clCreateBuffer");
  }
  Buffer(std::initializer_list<T> values) : Buffer(std::vector<T>(values)) {}
  explicit Buffer(size_t size) : Buffer(std::vector<T>(size)) {}

  std::vector<T> read() const {
    std::vector<T> values(size_);
    require(clEnqueueReadBuffer(Device::get().queue(), memory_.get(), CL_TRUE, 0, size_ * sizeof(T),
                                values.data(), 0, nullptr, nullptr),
            "clEnqueueReadBuffer");
    return values;
  }
  cl_mem memory() const { return memory_.get(); }

 private:
  size_t size_;
  Owned<cl_mem, clReleaseMemObject> memory_;
};

// A local-memory argument of `bytes` bytes.
struct Local {
  size_t bytes;
};

// Global and local sizes of a launch; no local size leaves it to the implementation.
struct Range {
  std::vector<size_t> global;
  std::vector<size_t> local = {};
  std::vector<size_t> offset = {};
};

// Whether CONCLAVE_TEST_SPIRV is in the environment: then all kernels come through SPIR-V.
bool from_spirv();

// Whether a test that goes through types tries this one. SPIR-V names functions by one rule for all
// types of a kind, so that through it one of each kind is enough.
bool tries(std::string_view type);

class Program {
 public:
  // Builds `source`; throws with the build log if that fails.
  explicit Program(const std::string& source, const std::string& options = "");

  // Runs a kernel with arguments (Buffer, Local, or a value) and waits for its end.
  template <class... Arguments>
  void run(const char* kernel_name, const Range& range, const Arguments&... arguments) const {
    Owned<cl_kernel, clReleaseKernel> kernel = make_kernel(kernel_name);
    cl_uint index = 0;
    (set_argument(kernel.get(), index++, arguments), ...);
    launch(kernel.get(), range);
  }
  std::string log() const;

 private:
  Owned<cl_kernel, clReleaseKernel> make_kernel(const char* name) const;
  static void launch(cl_kernel kernel, const Range& range);

  template <class T>
  static void set_argument(cl_kernel kernel, cl_uint index, const Buffer<T>& buffer) {
    cl_mem memory = buffer.memory();
    require(clSetKernelArg(kernel, index, sizeof memory, &memory), "clSetKernelArg of a buffer");
  }
  static void set_argument(cl_kernel kernel, cl_uint index, const Local& local) {
    require(clSetKernelArg(kernel, index, local.bytes, nullptr), "clSetKernelArg of local memory");
  }
  template <class T>
  static void set_argument(cl_kernel kernel, cl_uint index, const T& value) {
    require(clSetKernelArg(kernel, index, sizeof value, &value), "clSetKernelArg of a value");
  }

  Owned<cl_program, clReleaseProgram> program_;
};

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_KERNEL_KERNEL_TEST_H_
