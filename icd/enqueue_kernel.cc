// SPDX-License-Identifier: Apache-2.0
// Kernel launches, tasks and native kernels.
#include <cstdlib>

#include "icd/entry.h"
#include "icd/index_space.h"
#include "platform/exec/memory_commands.h"

using namespace conclave;
using namespace conclave::icd;

namespace {

void launch(cl_command_queue queue_handle, cl_kernel handle, cl_command_type type,
            cl_uint dimensions, const size_t* offset, const size_t* global, const size_t* local,
            cl_uint num_events, const cl_event* events, cl_event* out) {
  CommandQueue& q = queue(queue_handle);
  const Kernel& k = kernel(handle);
  const Launch launch = checked_launch(q, k, dimensions, offset, global, local);
  auto wait_for = wait_list(q.context(), num_events, events);
  auto command = make_launch(q, k, launch.code, launch.space);
  hand_out(q.enqueue(type, std::move(command), wait_for), out);
}

// The argument copy of a native kernel, with the addresses of its memory objects filled in.
class NativeArguments {
 public:
  NativeArguments(const void* from, size_t size) : bytes_(size) {
    if (size) std::memcpy(bytes_.data(), from, size);
  }
  void place(size_t offset, const void* address) {
    std::memcpy(bytes_.data() + offset, &address, sizeof address);
  }
  void* data() { return bytes_.empty() ? nullptr : bytes_.data(); }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace

extern "C" {

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue_handle,
                                                       cl_kernel handle, cl_uint dimensions,
                                                       const size_t* offset, const size_t* global,
                                                       const size_t* local, cl_uint num_events,
                                                       const cl_event* events, cl_event* out) {
  return guarded(__func__, [&] {
    launch(queue_handle, handle, CL_COMMAND_NDRANGE_KERNEL, dimensions, offset, global, local,
           num_events, events, out);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueTask(cl_command_queue queue_handle, cl_kernel handle,
                                              cl_uint num_events, const cl_event* events,
                                              cl_event* out) {
  return guarded(__func__, [&] {
    const size_t one = 1;
    launch(queue_handle, handle, CL_COMMAND_TASK, 1, nullptr, &one, &one, num_events, events, out);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueNativeKernel(cl_command_queue queue_handle,
                                                      void(CL_CALLBACK* function)(void*),
                                                      void* arguments, size_t size,
                                                      cl_uint num_memories, const cl_mem* memories,
                                                      const void** locations, cl_uint num_events,
                                                      const cl_event* events, cl_event* out) {
  return guarded(__func__, [&] {
    CommandQueue& q = queue(queue_handle);
    require(function, CL_INVALID_VALUE, "no function");
    require(arguments ? size > 0 : size == 0 && num_memories == 0, CL_INVALID_VALUE,
            "args, cb_args and num_mem_objects do not agree");
    require_list(num_memories, memories, CL_INVALID_VALUE, "mem_list and its number disagree");
    require_list(num_memories, locations, CL_INVALID_VALUE, "args_mem_loc and its number disagree");
    NativeArguments copy(arguments, size);
    std::vector<Ref<Memory>> keep;
    for (cl_uint i = 0; i < num_memories; ++i) {
      Memory& m = buffer(memories[i]);
      require(&m.context() == &q.context(), CL_INVALID_CONTEXT,
              "the queue and a memory object are of different contexts");
      auto offset = static_cast<size_t>(static_cast<const std::byte*>(locations[i]) -
                                        static_cast<const std::byte*>(arguments));
      require(offset <= size && size - offset >= sizeof(void*), CL_INVALID_VALUE,
              "a memory object's place lies outside the arguments");
      copy.place(offset, m.data());
      keep.emplace_back(&m);
    }
    auto wait_for = wait_list(q.context(), num_events, events);
    auto call = [function, copy = std::move(copy)]() mutable { function(copy.data()); };
    hand_out(q.enqueue(CL_COMMAND_NATIVE_KERNEL, make_host_call(std::move(call), std::move(keep)),
                       wait_for),
             out);
  });
}

}  // extern "C"
