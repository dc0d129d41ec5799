// SPDX-License-Identifier: Apache-2.0
// cl_device_id: the machine's compute units, or a part of them (a sub-device).
#ifndef CONCLAVE_PLATFORM_MODEL_DEVICE_H_
#define CONCLAVE_PLATFORM_MODEL_DEVICE_H_

#include <CL/cl.h>

#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/compute_unit_set.h"
#include "platform/base/object.h"
#include "platform/share/heap.h"

namespace conclave {

class Device;

template <>
struct HandleOf<Device> {
  using Type = cl_device_id;
};

class Device : public Object<Device> {
 public:
  static constexpr uint32_t kMagic = 0x64657669;  // "devi"

  // The most work-items in a work-group, and in each of its dimensions. TI's examples use 16,384.
  // The configuration may set a lower limit.
  static constexpr size_t kMaxWorkGroupSize = 16384;
  static size_t max_work_group_size();
  static constexpr size_t kLocalMemoryBytes = 256 << 10;
  static constexpr size_t kMaxConstantBytes = 256 << 20;
  static constexpr size_t kMaxParameterBytes = 4352;  // 4 KiB of arguments and some pointers
  // Alignment of sub-buffers and of allocations: the widest OpenCL type.
  static constexpr size_t kMemoryAlignment = 128;
  static constexpr uint32_t kMaxOnDeviceDimensions = 3;

  // Images: largest width and height of 1-D and 2-D images; size in any dimension of 3-D images;
  // width of 1-D image buffers; images of an array. Only memory and 32-bit coordinates limit them;
  // the values are those that programs expect.
  static constexpr size_t kMaxImage2dSize = 16384;
  static constexpr size_t kMaxImage3dSize = 2048;
  static constexpr size_t kMaxImageBufferWidth = 64 << 20;
  static constexpr size_t kMaxImageArraySize = 2048;
  // For images in buffers, in elements.
  static constexpr uint32_t kImagePitchAlignment = 1;
  static constexpr uint32_t kImageBaseAddressAlignment = 1;
  // Numbers of arguments of a kernel; only kMaxParameterBytes limits them.
  static constexpr uint32_t kMaxReadImageArguments = 128;
  static constexpr uint32_t kMaxWriteImageArguments = 64;
  static constexpr uint32_t kMaxSamplers = 16;

  // The device of this process: the compute units of the configuration's list.
  static Device& root();

  // A sub-device of `parent` with these compute units. `partition`: the property list that made it,
  // with its terminating zero.
  Device(Device& parent, std::vector<uint32_t> units,
         std::vector<cl_device_partition_property> partition);

  // Splits the device. Throws Error with the codes of clCreateSubDevices.
  std::vector<Ref<Device>> split(const cl_device_partition_property* properties);
  // How many sub-devices such a split would make.
  size_t count_parts(const cl_device_partition_property* properties) const;

  Device* parent() const { return parent_.get(); }
  // Whether this is `other` or a part of it: what exists for a device exists for its parts.
  bool is_within(const Device& other) const;
  const std::vector<uint32_t>& units() const { return units_; }
  const ComputeUnitSet& compute_units() const { return set_; }
  const std::vector<cl_device_partition_property>& partition() const { return partition_; }

  // The type that the device reports in this process: the configured one (of a list the first of
  // CPU, GPU, accelerator), else the one under which it was first handed out, else CPU.
  static cl_device_type type();
  // Whether the device is found under any of `types` (bits as in clGetDeviceIDs).
  static bool has_type(cl_device_type types);
  // The same for a program that gets the device. Unless the configuration says what the device is,
  // the first such call decides it for the process: a CPU if `types` contain that or
  // CL_DEVICE_TYPE_DEFAULT, else an accelerator.
  static bool settle_type(cl_device_type types);

  // CL_DEVICE_NAME.
  static std::string name();
  // What is wrong with the configuration, so that the device is not available; "" if all is well.
  static std::string configuration_errors();
  // False if the configuration has errors, or if another process has the device alone.
  static bool available();

  // Size of a heap of the segment in use, or of the configured one if no segment can be opened.
  static uint64_t heap_size(share::HeapId heap);
  // Size of its largest free block at the moment.
  static uint64_t largest_free(share::HeapId heap);
  // Size of global memory (both DDR heaps), and of the largest single allocation, for which there
  // is room while nothing is allocated.
  static uint64_t global_memory();
  static uint64_t max_allocation();

 private:
  Device();

  Ref<Device> parent_;
  std::vector<uint32_t> units_;
  ComputeUnitSet set_;
  std::vector<cl_device_partition_property> partition_;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_DEVICE_H_
