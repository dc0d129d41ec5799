// SPDX-License-Identifier: Apache-2.0
#include <ocl_util.h>

namespace {

struct Meaning {
  int code;
  const char* text;
};

constexpr Meaning kMeanings[] = {
    {CL_SUCCESS, "Success"},
    {CL_DEVICE_NOT_FOUND, "Device not found"},
    {CL_DEVICE_NOT_AVAILABLE, "Device not available"},
    {CL_COMPILER_NOT_AVAILABLE, "Compiler not available"},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "Mem object allocation failure"},
    {CL_OUT_OF_RESOURCES, "Out of resources"},
    {CL_OUT_OF_HOST_MEMORY, "Out of host memory"},
    {CL_PROFILING_INFO_NOT_AVAILABLE, "Profiling info not available"},
    {CL_MEM_COPY_OVERLAP, "Mem copy overlap"},
    {CL_IMAGE_FORMAT_MISMATCH, "Image format mismatch"},
    {CL_IMAGE_FORMAT_NOT_SUPPORTED, "Image format not supported"},
    {CL_BUILD_PROGRAM_FAILURE, "Build program failure"},
    {CL_MAP_FAILURE, "Map failure"},
    {CL_MISALIGNED_SUB_BUFFER_OFFSET, "Misaligned sub buffer offset"},
    {CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "Exec status error for events in wait list"},
    {CL_COMPILE_PROGRAM_FAILURE, "Compile program failure"},
    {CL_LINKER_NOT_AVAILABLE, "Linker not available"},
    {CL_LINK_PROGRAM_FAILURE, "Link program failure"},
    {CL_DEVICE_PARTITION_FAILED, "Device partition failed"},
    {CL_KERNEL_ARG_INFO_NOT_AVAILABLE, "Kernel arg info not available"},
    {CL_INVALID_VALUE, "Invalid value"},
    {CL_INVALID_DEVICE_TYPE, "Invalid device type"},
    {CL_INVALID_PLATFORM, "Invalid platform"},
    {CL_INVALID_DEVICE, "Invalid device"},
    {CL_INVALID_CONTEXT, "Invalid context"},
    {CL_INVALID_QUEUE_PROPERTIES, "Invalid queue properties"},
    {CL_INVALID_COMMAND_QUEUE, "Invalid command queue"},
    {CL_INVALID_HOST_PTR, "Invalid host ptr"},
    {CL_INVALID_MEM_OBJECT, "Invalid mem object"},
    {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "Invalid image format descriptor"},
    {CL_INVALID_IMAGE_SIZE, "Invalid image size"},
    {CL_INVALID_SAMPLER, "Invalid sampler"},
    {CL_INVALID_BINARY, "Invalid binary"},
    {CL_INVALID_BUILD_OPTIONS, "Invalid build options"},
    {CL_INVALID_PROGRAM, "Invalid program"},
    {CL_INVALID_PROGRAM_EXECUTABLE, "Invalid program executable"},
    {CL_INVALID_KERNEL_NAME, "Invalid kernel name"},
    {CL_INVALID_KERNEL_DEFINITION, "Invalid kernel definition"},
    {CL_INVALID_KERNEL, "Invalid kernel"},
    {CL_INVALID_ARG_INDEX, "Invalid arg index"},
    {CL_INVALID_ARG_VALUE, "Invalid arg value"},
    {CL_INVALID_ARG_SIZE, "Invalid arg size"},
    {CL_INVALID_KERNEL_ARGS, "Invalid kernel args"},
    {CL_INVALID_WORK_DIMENSION, "Invalid work dimension"},
    {CL_INVALID_WORK_GROUP_SIZE, "Invalid work group size"},
    {CL_INVALID_WORK_ITEM_SIZE, "Invalid work item size"},
    {CL_INVALID_GLOBAL_OFFSET, "Invalid global offset"},
    {CL_INVALID_EVENT_WAIT_LIST, "Invalid event wait list"},
    {CL_INVALID_EVENT, "Invalid event"},
    {CL_INVALID_OPERATION, "Invalid operation"},
    {CL_INVALID_GL_OBJECT, "Invalid GL object"},
    {CL_INVALID_BUFFER_SIZE, "Invalid buffer size"},
    {CL_INVALID_MIP_LEVEL, "Invalid mip level"},
    {CL_INVALID_GLOBAL_WORK_SIZE, "Invalid global work size"},
    {CL_INVALID_PROPERTY, "Invalid property"},
    {CL_INVALID_IMAGE_DESCRIPTOR, "Invalid image descriptor"},
    {CL_INVALID_COMPILER_OPTIONS, "Invalid compiler options"},
    {CL_INVALID_LINKER_OPTIONS, "Invalid linker options"},
    {CL_INVALID_DEVICE_PARTITION_COUNT, "Invalid device partition count"},
    {CL_INVALID_PIPE_SIZE, "Invalid pipe size"},
    {CL_INVALID_DEVICE_QUEUE, "Invalid device queue"},
    {CL_INVALID_SPEC_ID, "Invalid spec id"},
    {CL_MAX_SIZE_RESTRICTION_EXCEEDED, "Max size restriction exceeded"},
    {CL_ERROR_KERNEL_ABORT_TI, "Kernel aborted"},
    {CL_ERROR_KERNEL_EXIT_TI, "Kernel exited"},
    {CL_ERROR_KERNEL_TIMEOUT_TI, "Kernel timed out"},
};

}  // namespace

char* ocl_decode_error(int code) {
  const char* text = "Unknown";
  for (const Meaning& meaning : kMeanings)
    if (meaning.code == code) text = meaning.text;
  return const_cast<char*>(text);  // TI's type
}
