// SPDX-License-Identifier: Apache-2.0
#include <cerrno>

#include "xrt/coreutil/failure.h"
#include "xrt/coreutil/kernel_impl.h"

namespace xrt {
namespace {

std::string plain_name(const std::string& name) {
  return name.substr(0, name.find(":{"));
}

}  // namespace

// Nobody replaces the xclbin while this looks at it.
kernel_impl::kernel_impl(std::shared_ptr<device_impl> device, const uuid& xclbin_id,
                         const std::string& name, kernel::cu_access_mode mode)
    : device_(std::move(device)), xclbin_id_(xclbin_id), name_(plain_name(name)) {
  const cu_context pin(device_, xclbin_id_, cu_context::kXclbin, true, "failed to open cu context");
  xclConclaveKernel found{};
  const std::string none = "No compute units matching '" + name + "'";
  check(xclConclaveGetKernel(device_->handle(), name.c_str(), &found), none.c_str());
  units_.assign(found.units, found.units + found.num_units);
  global_size_ = found.global_size;
  for (uint32_t i = 0; i < found.num_arguments; ++i) {
    xclConclaveArgument argument{};
    check(xclConclaveGetArgument(device_->handle(), name.c_str(), i, &argument), none.c_str());
    arguments_.push_back(argument);
  }
  if (mode == kernel::cu_access_mode::none) return;
  const bool shared = mode == kernel::cu_access_mode::shared;
  for (uint32_t unit : units_)
    contexts_.emplace_back(device_, xclbin_id_, unit, shared, "failed to open cu context");
}

const xclConclaveArgument& kernel_impl::argument(int index) const {
  if (index < 0 || static_cast<size_t>(index) >= arguments_.size())
    fail(EINVAL, "kernel '" + name_ + "' has " + std::to_string(arguments_.size()) +
                     " arguments; there is no number " + std::to_string(index));
  return arguments_[static_cast<size_t>(index)];
}

int kernel_impl::index_of(const std::string& argument) const {
  for (size_t i = 0; i < arguments_.size(); ++i)
    if (argument == arguments_[i].name) return static_cast<int>(i);
  fail(EINVAL, "kernel '" + name_ + "' has no argument '" + argument + "'");
}

const std::shared_ptr<kernel_impl>& require_kernel(const std::shared_ptr<kernel_impl>& kernel) {
  if (!kernel) fail(EINVAL, "an empty kernel");
  return kernel;
}

kernel::kernel(const device& device, const uuid& uuid, const std::string& name, cu_access_mode mode)
    : impl_(std::make_shared<kernel_impl>(require_device(device), uuid, name, mode)) {}

kernel::kernel(const hw_context& context, const std::string& name)
    : kernel(context.get_device(), context.get_xclbin_uuid(), name,
             context.get_mode() == hw_context::access_mode::exclusive ? cu_access_mode::exclusive
                                                                      : cu_access_mode::shared) {}

int kernel::group_id(int argument) const {
  require_kernel(impl_)->argument(argument);
  return 0;
}

uint32_t kernel::offset(int argument) const {
  return require_kernel(impl_)->argument(argument).offset;
}

std::string kernel::get_name() const {
  return require_kernel(impl_)->name();
}

xclbin kernel::get_xclbin() const {
  const kernel_impl& kernel = *require_kernel(impl_);
  return kernel.device()->kept(kernel.xclbin_id());
}

}  // namespace xrt
