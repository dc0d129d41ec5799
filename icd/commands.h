// SPDX-License-Identifier: Apache-2.0
// The commands that can be enqueued (clEnqueue*) or recorded (clCommand*KHR). Each function checks
// its arguments, throws Error with the codes of the clEnqueue* function of its name, and makes a
// command for `queue`.
#ifndef CONCLAVE_ICD_COMMANDS_H_
#define CONCLAVE_ICD_COMMANDS_H_

#include <CL/cl.h>

#include <memory>

#include "platform/exec/command.h"
#include "platform/model/command_queue.h"

namespace conclave::icd {

// enqueue_memory.cc
std::unique_ptr<Command> copy_buffer(const CommandQueue& queue, cl_mem from, cl_mem to,
                                     size_t from_offset, size_t to_offset, size_t size);
std::unique_ptr<Command> copy_buffer_rect(const CommandQueue& queue, cl_mem from, cl_mem to,
                                          const size_t* from_origin, const size_t* to_origin,
                                          const size_t* region, size_t from_row_pitch,
                                          size_t from_slice_pitch, size_t to_row_pitch,
                                          size_t to_slice_pitch);
std::unique_ptr<Command> fill_buffer(const CommandQueue& queue, cl_mem memory, const void* pattern,
                                     size_t pattern_size, size_t offset, size_t size);

// enqueue_image.cc
std::unique_ptr<Command> copy_image(const CommandQueue& queue, cl_mem from, cl_mem to,
                                    const size_t* from_origin, const size_t* to_origin,
                                    const size_t* region);
std::unique_ptr<Command> copy_image_to_buffer(const CommandQueue& queue, cl_mem from, cl_mem to,
                                              const size_t* origin, const size_t* region,
                                              size_t offset);
std::unique_ptr<Command> copy_buffer_to_image(const CommandQueue& queue, cl_mem from, cl_mem to,
                                              size_t offset, const size_t* origin,
                                              const size_t* region);
std::unique_ptr<Command> fill_image(const CommandQueue& queue, cl_mem image, const void* color,
                                    const size_t* origin, const size_t* region);

// enqueue_address.cc
std::unique_ptr<Command> copy_address(void* to, const void* from, size_t size);
std::unique_ptr<Command> fill_address(void* to, const void* pattern, size_t pattern_size,
                                      size_t size);

// kernel_address.cc: clSetKernelExecInfo. Kernels reach all memory in any case; only the form of
// the value matters.
void check_execution_info(cl_kernel_exec_info name, size_t size, const void* value);

}  // namespace conclave::icd

#endif  // CONCLAVE_ICD_COMMANDS_H_
