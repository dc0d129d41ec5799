// SPDX-License-Identifier: Apache-2.0
// What the functions of command buffers share.
#ifndef CONCLAVE_ICD_COMMAND_BUFFER_H_
#define CONCLAVE_ICD_COMMAND_BUFFER_H_

#include "conclave/command_buffer_api.h"
#include "icd/entry.h"
#include "platform/model/command_buffer.h"

namespace conclave::icd {

// What the device can change in a recorded launch: all that the extension knows.
inline constexpr cl_mutable_dispatch_fields_khr kUpdatableFields =
    CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR | CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR |
    CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR | CL_MUTABLE_DISPATCH_ARGUMENTS_KHR |
    CL_MUTABLE_DISPATCH_EXEC_INFO_KHR;

inline CommandBuffer& any_command_buffer(cl_command_buffer_khr handle) {
  CommandBuffer* object = CommandBuffer::from(handle);
  require(object, CL_INVALID_COMMAND_BUFFER_KHR, "not a command buffer, or released");
  current_context = &object->context();
  return *object;
}
// One that will be used; not in a forked child, and not in a terminated context.
inline CommandBuffer& command_buffer(cl_command_buffer_khr handle) {
  CommandBuffer& object = any_command_buffer(handle);
  require_own_process();
  require_usable(object.context());
  return object;
}

// Reads a list of names and values that ends with 0. Throws Error{CL_INVALID_VALUE} for a name that
// comes twice, and as `use(name, value)` does. Returns the list with its end; empty if it is null.
template <class Use>
std::vector<cl_properties> read_properties(const cl_properties* list, Use&& use) {
  std::vector<cl_properties> copy;
  for (; list && list[0]; list += 2) {
    for (size_t i = 0; i < copy.size(); i += 2)
      require(copy[i] != list[0], CL_INVALID_VALUE, "a property that is given twice");
    use(list[0], list[1]);
    copy.insert(copy.end(), {list[0], list[1]});
  }
  if (list) copy.push_back(0);
  return copy;
}

[[noreturn]] inline void unknown_property(cl_properties name) {
  throw Error(CL_INVALID_VALUE, "unknown property " + std::to_string(name));
}

// Of CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR and CL_MUTABLE_DISPATCH_ASSERTS_KHR: promises
// of the host that nothing here depends on.
inline void check_asserts(cl_properties asserts) {
  require(!(asserts & ~cl_properties{CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR}),
          CL_INVALID_VALUE, "unknown assertions");
}

}  // namespace conclave::icd

#endif  // CONCLAVE_ICD_COMMAND_BUFFER_H_
