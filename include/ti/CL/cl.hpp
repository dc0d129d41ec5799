// SPDX-License-Identifier: Apache-2.0
// The C++ bindings of OpenCL 1.2, as TI's programs use them, on top of today's (CL/opencl.hpp):
// kernels are bound to a queue and sizes, and then called with any arguments.
//
//   cl::KernelFunctor vadd = cl::Kernel(program, "vadd").bind(queue, NDRange(1024), NDRange(64));
//   vadd(a, b, c, 42, cl::__local(1024)).wait();
#ifndef CONCLAVE_TI_CL_HPP_
#define CONCLAVE_TI_CL_HPP_

#ifdef __CL_ENABLE_EXCEPTIONS
#define CL_HPP_ENABLE_EXCEPTIONS
#endif
#ifndef CL_HPP_TARGET_OPENCL_VERSION
#define CL_HPP_TARGET_OPENCL_VERSION 200
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#endif
// Sources and binaries are pairs of pointer and size.
#define CL_HPP_ENABLE_PROGRAM_CONSTRUCTION_FROM_ARRAY_COMPATIBILITY
#define CL_HPP_ENABLE_SIZE_T_COMPATIBILITY

#include <CL/cl_ext.h>

// Both names meant something else.
#define Kernel BoundlessKernel
#define KernelFunctor TypedKernelFunctor
#include <CL/opencl.hpp>
#undef Kernel
#undef KernelFunctor

namespace cl {

inline LocalSpaceArg __local(::size_t size) {
  return Local(size);
}

using compatibility::make_kernel;

class KernelFunctor {
 public:
  KernelFunctor() : error_(CL_SUCCESS) {}
  KernelFunctor(const BoundlessKernel& kernel, const CommandQueue& queue, const NDRange& offset,
                const NDRange& global, const NDRange& local)
      : kernel_(kernel),
        queue_(queue),
        offset_(offset),
        global_(global),
        local_(local),
        error_(CL_SUCCESS) {}

  // Enqueues the kernel with these arguments.
  template <class... Arguments>
  Event operator()(const Arguments&... arguments) {
    cl_uint index = 0;
    const cl_int set[] = {CL_SUCCESS, kernel_.setArg(index++, arguments)...};
    (void)set;  // a later error will tell
    Event event;
    error_ = queue_.enqueueNDRangeKernel(kernel_, offset_, global_, local_, nullptr, &event);
    return event;
  }
  cl_int getError() const { return error_; }

 private:
  BoundlessKernel kernel_;
  CommandQueue queue_;
  NDRange offset_, global_, local_;
  cl_int error_;
};

class Kernel : public BoundlessKernel {
 public:
  using BoundlessKernel::BoundlessKernel;
  Kernel() = default;
  Kernel(const BoundlessKernel& kernel) : BoundlessKernel(kernel) {}

  KernelFunctor bind(const CommandQueue& queue, const NDRange& offset, const NDRange& global,
                     const NDRange& local) const {
    return KernelFunctor(*this, queue, offset, global, local);
  }
  KernelFunctor bind(const CommandQueue& queue, const NDRange& global, const NDRange& local) const {
    return bind(queue, NullRange, global, local);
  }
};

}  // namespace cl

#endif  // CONCLAVE_TI_CL_HPP_
