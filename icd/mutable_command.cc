// SPDX-License-Identifier: Apache-2.0
// Updates of recorded launches, and queries on them.
#include <map>

#include "icd/command_buffer.h"
#include "icd/commands.h"
#include "icd/index_space.h"

using namespace conclave;
using namespace conclave::icd;

namespace {

using Config = command_buffer_api::cl_mutable_dispatch_config_khr;

MutableCommand& mutable_command(cl_mutable_command_khr handle) {
  MutableCommand* object = MutableCommand::from(handle);
  require(object, CL_INVALID_MUTABLE_COMMAND_KHR, "not a mutable command, or released");
  current_context = &object->buffer().context();
  return *object;
}

void require_updatable(const MutableCommand& command, bool is_given,
                       cl_mutable_dispatch_fields_khr field, const char* text) {
  require(!is_given || command.updatable(field), CL_INVALID_OPERATION, text);
}

// Checks what does not depend on the values.
void check_config(const MutableCommand& command, const Config& config) {
  require(!config.work_dim || config.work_dim == command.state().space.dimensions,
          CL_INVALID_OPERATION, "another number of dimensions than was recorded");
  require_updatable(command, config.global_work_offset, CL_MUTABLE_DISPATCH_GLOBAL_OFFSET_KHR,
                    "the offset was not recorded as updatable");
  require_updatable(command, config.global_work_size, CL_MUTABLE_DISPATCH_GLOBAL_SIZE_KHR,
                    "the global size was not recorded as updatable");
  require_updatable(command, config.local_work_size, CL_MUTABLE_DISPATCH_LOCAL_SIZE_KHR,
                    "the local size was not recorded as updatable");
  require_updatable(command, config.num_args || config.num_svm_args,
                    CL_MUTABLE_DISPATCH_ARGUMENTS_KHR,
                    "the arguments were not recorded as updatable");
  require_updatable(command, config.num_exec_infos, CL_MUTABLE_DISPATCH_EXEC_INFO_KHR,
                    "the execution information was not recorded as updatable");
  require_list(config.num_args, config.arg_list, CL_INVALID_VALUE,
               "arg_list and its number disagree");
  require_list(config.num_svm_args, config.arg_svm_list, CL_INVALID_VALUE,
               "arg_svm_list and its number disagree");
  require_list(config.num_exec_infos, config.exec_info_list, CL_INVALID_VALUE,
               "exec_info_list and its number disagree");
}

// Changes `state` as `config` says.
void apply(const MutableCommand& command, const Config& config, MutableCommand::State& state) {
  Kernel& k = *state.kernel;
  for (cl_uint i = 0; i < config.num_args; ++i) {
    const cl_mutable_dispatch_arg_khr& argument = config.arg_list[i];
    k.set_argument(argument.arg_index, argument.arg_size, argument.arg_value);
  }
  for (cl_uint i = 0; i < config.num_svm_args; ++i)
    k.set_address(config.arg_svm_list[i].arg_index, config.arg_svm_list[i].arg_value);
  for (cl_uint i = 0; i < config.num_exec_infos; ++i) {
    const cl_mutable_dispatch_exec_info_khr& execution = config.exec_info_list[i];
    check_execution_info(execution.param_name, execution.param_value_size, execution.param_value);
  }
  const bool was_uniform = state.uniform();
  if (config.local_work_size) state.has_local_size = true;
  const size_t* local = state.has_local_size ? state.space.local.data() : nullptr;
  const IndexSpace& space = state.space;
  state.space = checked_launch(
                    command.queue(), k, space.dimensions,
                    config.global_work_offset ? config.global_work_offset : space.offset.data(),
                    config.global_work_size ? config.global_work_size : space.global.data(),
                    config.local_work_size ? config.local_work_size : local, Arguments::kMayBeUnset)
                    .space;
  require(state.uniform() == was_uniform, CL_INVALID_OPERATION,
          "work-groups were all of one size and are no longer, or the reverse");
}

std::vector<size_t> in_use(const std::array<size_t, 3>& sizes, cl_uint dimensions) {
  return {sizes.begin(), sizes.begin() + dimensions};
}

}  // namespace

namespace conclave::command_buffer_api {

cl_int CL_API_CALL clUpdateMutableCommandsKHR(cl_command_buffer_khr handle, cl_uint count,
                                              const cl_command_buffer_update_type_khr* types,
                                              const void** configs) {
  return guarded(__func__, [&] {
    CommandBuffer& buffer = command_buffer(handle);
    require(buffer.state() != CL_COMMAND_BUFFER_STATE_RECORDING_KHR, CL_INVALID_OPERATION,
            "the command buffer has not been finalized");
    require(buffer.is_mutable(), CL_INVALID_OPERATION,
            "the command buffer was created without CL_COMMAND_BUFFER_MUTABLE_KHR");
    require_list(count, types, CL_INVALID_VALUE, "config_types and its number disagree");
    require_list(count, configs, CL_INVALID_VALUE, "configs and its number disagree");
    std::map<MutableCommand*, MutableCommand::State> updated;
    for (cl_uint i = 0; i < count; ++i) {
      require(types[i] == kMutableDispatchConfig, CL_INVALID_VALUE, "an unknown kind of update");
      require(configs[i], CL_INVALID_VALUE, "an update that is null");
      const auto& config = *static_cast<const Config*>(configs[i]);
      MutableCommand& command = mutable_command(config.command);
      require(&command.buffer() == &buffer, CL_INVALID_MUTABLE_COMMAND_KHR,
              "a command of another command buffer");
      check_config(command, config);
      auto [state, is_first] = updated.try_emplace(&command, command.state());
      if (is_first) state->second.kernel = MutableCommand::snapshot(*state->second.kernel);
      apply(command, config, state->second);
    }
    buffer.update(std::move(updated));
  });
}

cl_int CL_API_CALL clGetMutableCommandInfoKHR(cl_mutable_command_khr handle,
                                              cl_mutable_command_info_khr name, size_t size,
                                              void* value, size_t* size_ret) {
  return guarded(__func__, [&] {
    const MutableCommand& command = mutable_command(handle);
    const IndexSpace& space = command.state().space;
    Info info(size, value, size_ret);
    switch (name) {
      case CL_MUTABLE_COMMAND_COMMAND_QUEUE_KHR:
        return info.value<cl_command_queue>(command.queue().handle());
      case CL_MUTABLE_COMMAND_COMMAND_BUFFER_KHR:
        return info.value<cl_command_buffer_khr>(command.buffer().handle());
      case CL_MUTABLE_COMMAND_COMMAND_TYPE_KHR:
        return info.value<cl_command_type>(CL_COMMAND_NDRANGE_KERNEL);
      case CL_MUTABLE_COMMAND_PROPERTIES_ARRAY_KHR:
        return info.list(command.properties());
      case CL_MUTABLE_DISPATCH_KERNEL_KHR:
        return info.value<cl_kernel>(command.recorded_kernel().handle());
      case CL_MUTABLE_DISPATCH_DIMENSIONS_KHR:
        return info.value<cl_uint>(space.dimensions);
      case CL_MUTABLE_DISPATCH_GLOBAL_WORK_OFFSET_KHR:
        return info.list(in_use(space.offset, space.dimensions));
      case CL_MUTABLE_DISPATCH_GLOBAL_WORK_SIZE_KHR:
        return info.list(in_use(space.global, space.dimensions));
      case CL_MUTABLE_DISPATCH_LOCAL_WORK_SIZE_KHR:
        return info.list(
            in_use(command.state().has_local_size ? space.local : std::array<size_t, 3>{},
                   space.dimensions));
      default:
        unknown_query(name);
    }
  });
}

}  // namespace conclave::command_buffer_api
