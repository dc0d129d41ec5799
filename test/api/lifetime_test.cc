// SPDX-License-Identifier: Apache-2.0
// An object whose last handle is released lives on, and so does its handle, while other objects are
// attached to it: "After the context reference count becomes zero and all the objects attached to
// context ... are released, the context is deleted", and likewise for the others. The C++ and
// Python bindings depend on it: `queue.context` retains what the queue holds.
#include "api_test.h"

namespace conclave::test {
namespace {

class LifetimeTest : public ApiTest {
 protected:
  // Takes a new reference to what `handle` names, as bindings do, and gives it back to the test.
  template <typename H, typename Retain>
  static Owned<H> retained(H handle, Retain retain) {
    cl_int status = retain(handle);
    EXPECT_OK(status);
    return Owned<H>(status == CL_SUCCESS ? handle : nullptr);
  }
};

TEST_F(LifetimeTest, ContextOfAQueue) {
  Queue queue = make_queue(make_context());
  cl_context held = info<cl_context>(clGetCommandQueueInfo, queue, CL_QUEUE_CONTEXT);
  EXPECT_EQ(device(), info<cl_device_id>(clGetContextInfo, held, CL_CONTEXT_DEVICES));
  Context context = retained(held, clRetainContext);
  queue.reset();
  ASSERT_NE(nullptr, context.get());
  EXPECT_EQ(1u, info<cl_uint>(clGetContextInfo, context, CL_CONTEXT_REFERENCE_COUNT));
  Buffer buffer = make_buffer(context, std::vector<int>(4, 3));
  Queue second = make_queue(context);
  EXPECT_EQ(std::vector<int>(4, 3), contents(second, buffer, 4));
}

TEST_F(LifetimeTest, ContextOfABuffer) {
  Buffer buffer = make_buffer(make_context(), std::vector<int>(4, 3));
  cl_context held = info<cl_context>(clGetMemObjectInfo, buffer, CL_MEM_CONTEXT);
  Queue queue = make_queue(held);
  EXPECT_EQ(std::vector<int>(4, 3), contents(queue, buffer, 4));
}

TEST_F(LifetimeTest, ProgramOfAKernel) {
  Kernel nothing;
  {
    Program program = build(context_, kKernels, "-cl-std=CL3.0");
    nothing = make_kernel(program, "nothing");
  }
  cl_program held = info<cl_program>(clGetKernelInfo, nothing, CL_KERNEL_PROGRAM);
  Program program = retained(held, clRetainProgram);
  nothing.reset();
  ASSERT_NE(nullptr, program.get());
  EXPECT_EQ(7u, info<size_t>(clGetProgramInfo, program, CL_PROGRAM_NUM_KERNELS));
  make_kernel(program, "add");
}

TEST_F(LifetimeTest, QueueOfAnEvent) {
  Event done;
  {
    Queue queue = make_queue(context_);
    ASSERT_OK(clEnqueueMarkerWithWaitList(queue, 0, nullptr, done.out()));
    ASSERT_OK(clFinish(queue));
  }
  cl_command_queue held = info<cl_command_queue>(clGetEventInfo, done, CL_EVENT_COMMAND_QUEUE);
  if (!held) return;  // a finished command may have let its queue go
  Queue queue = retained(held, clRetainCommandQueue);
  ASSERT_NE(nullptr, queue.get());
  EXPECT_OK(clFinish(queue));
}

TEST_F(LifetimeTest, ParentOfASubBuffer) {
  Buffer sub;
  {
    Buffer parent = make_buffer(context_, std::vector<int>(64, 5));
    cl_buffer_region region{0, 64};
    cl_int err = 0;
    sub = Buffer(clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &err));
    ASSERT_OK(err);
  }
  cl_mem held = info<cl_mem>(clGetMemObjectInfo, sub, CL_MEM_ASSOCIATED_MEMOBJECT);
  Buffer parent = retained(held, clRetainMemObject);
  sub.reset();
  ASSERT_NE(nullptr, parent.get());
  EXPECT_EQ(std::vector<int>(64, 5), contents(queue_, parent, 64));
}

// Once nothing is attached any more, the handle is bad, and so is one release too many.
TEST_F(LifetimeTest, EndsWithTheLastAttachedObject) {
  CONCLAVE_ONLY();
  Context context = make_context();
  cl_context raw = context;
  Buffer buffer = make_buffer(context, 64);
  context.reset();
  EXPECT_CL(CL_INVALID_CONTEXT, clReleaseContext(raw)) << "no reference of the host is left";
  EXPECT_EQ(0u, info<cl_uint>(clGetContextInfo, raw, CL_CONTEXT_REFERENCE_COUNT));
  buffer.reset();
  EXPECT_CL(CL_INVALID_CONTEXT, clRetainContext(raw));
}

}  // namespace
}  // namespace conclave::test
