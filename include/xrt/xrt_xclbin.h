// SPDX-License-Identifier: Apache-2.0
// xrt::xclbin: an xclbin in memory, and its content.
#ifndef CONCLAVE_XRT_XRT_XCLBIN_H_
#define CONCLAVE_XRT_XRT_XCLBIN_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "xrt.h"
#include "xrt_uuid.h"

namespace xrt {

class xclbin_impl;

// Copies are the same xclbin.
class XCL_DRIVER_DLLESPEC xclbin {
 public:
  // An argument of a kernel.
  class XCL_DRIVER_DLLESPEC arg {
   public:
    std::string get_name() const { return name_; }
    // The type in the kernel's source, "int*".
    std::string get_host_type() const { return type_; }
    // In bytes.
    uint64_t get_size() const { return size_; }
    // Where its register lies in a compute unit, in bytes.
    uint64_t get_offset() const { return offset_; }
    size_t get_index() const { return index_; }

   private:
    friend class xclbin_impl;
    std::string name_, type_;
    uint64_t size_ = 0, offset_ = 0;
    size_t index_ = 0;
  };

  // A bank of memory.
  class XCL_DRIVER_DLLESPEC mem {
   public:
    std::string get_tag() const { return tag_; }
    uint64_t get_base_address() const { return base_address_; }
    // In KiB; 0 if the xclbin does not say it: the device's heaps have the configured sizes.
    uint64_t get_size_kb() const { return size_kb_; }
    bool get_used() const { return used_; }
    // The number that kernel::group_id() returns.
    int32_t get_index() const { return index_; }

   private:
    friend class xclbin_impl;
    std::string tag_;
    uint64_t base_address_ = 0, size_kb_ = 0;
    bool used_ = false;
    int32_t index_ = 0;
  };

  // A compute unit.
  class XCL_DRIVER_DLLESPEC ip {
   public:
    // "kernel:compute unit"
    std::string get_name() const { return name_; }
    uint64_t get_base_address() const { return base_address_; }
    // Its number in the xclbin.
    uint32_t get_index() const { return index_; }

   private:
    friend class xclbin_impl;
    std::string name_;
    uint64_t base_address_ = 0;
    uint32_t index_ = 0;
  };

  // A kernel that has compute units.
  class XCL_DRIVER_DLLESPEC kernel {
   public:
    std::string get_name() const { return name_; }
    std::vector<ip> get_cus() const { return units_; }
    // The compute unit of that name ("kernel:compute unit"); throws system_error(ENOENT).
    ip get_cu(const std::string& name) const;
    std::vector<arg> get_args() const { return arguments_; }
    // Throws system_error(EINVAL) if there is none of that number.
    arg get_arg(int32_t index) const;
    size_t get_num_args() const { return arguments_.size(); }

   private:
    friend class xclbin_impl;
    std::string name_;
    std::vector<ip> units_;
    std::vector<arg> arguments_;
  };

  xclbin() = default;
  // Reads a file. Throws system_error with the errno of the failure, EINVAL if it is no
  // xclbin.
  explicit xclbin(const std::string& file);
  // Copies an xclbin of header.m_length bytes, or the bytes of a file. Both throw
  // system_error(EINVAL).
  explicit xclbin(const axlf* container);
  explicit xclbin(const std::vector<char>& bytes);

  explicit operator bool() const { return impl_ != nullptr; }

  uuid get_uuid() const;
  // The target that it was made for: "conclave".
  std::string get_xsa_name() const;
  std::vector<kernel> get_kernels() const;
  // Throws system_error(ENOENT) if there is none.
  kernel get_kernel(const std::string& name) const;
  // All compute units, in the xclbin's order.
  std::vector<ip> get_ips() const;
  // Throws system_error(ENOENT) if there is none.
  ip get_ip(const std::string& name) const;
  std::vector<mem> get_mems() const;
  // The xclbin itself; lives as long as a copy of this object.
  const axlf* get_axlf() const;

 private:
  std::shared_ptr<const xclbin_impl> impl_;
};

}  // namespace xrt

#endif  // CONCLAVE_XRT_XRT_XCLBIN_H_
