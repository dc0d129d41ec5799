// SPDX-License-Identifier: Apache-2.0
// Programs.
#include <string_view>

#include "icd/entry.h"
#include "platform/loader/xclbin.h"

using namespace conclave;
using namespace conclave::icd;

namespace {

using Callback = void(CL_CALLBACK*)(cl_program, void*);

// The devices of a build: those named, or all of the program's.
Program::Devices build_devices(const Program& p, cl_uint count, const cl_device_id* list) {
  require_list(count, list, CL_INVALID_VALUE, "device_list and num_devices do not agree");
  if (!list) return p.devices();
  Program::Devices devices;
  for (cl_uint i = 0; i < count; ++i) {
    Device& d = device(list[i]);
    require(p.has(d), CL_INVALID_DEVICE, "the device is not associated with the program");
    devices.emplace_back(&d);
  }
  return devices;
}

// The host's callback as the model wants it. Its program must outlive the call.
Program::Notify notifier(Program& p, Callback callback, void* user_data) {
  require(callback || !user_data, CL_INVALID_VALUE, "user_data without a callback");
  if (!callback) return nullptr;
  return
      [program = Ref<Program>(&p), callback, user_data] { callback(program->handle(), user_data); };
}

std::string options_or_empty(const char* options) {
  return options ? options : "";
}

// The list of source strings, one after the other; lengths may be null, or 0 for a terminated
// string.
std::string join_source(cl_uint count, const char** strings, const size_t* lengths) {
  require(count > 0 && strings, CL_INVALID_VALUE, "no source strings");
  std::string source;
  for (cl_uint i = 0; i < count; ++i) {
    require(strings[i], CL_INVALID_VALUE, "a source string is null");
    source += lengths && lengths[i] ? std::string_view(strings[i], lengths[i])
                                    : std::string_view(strings[i]);
  }
  return source;
}

std::vector<size_t> binary_sizes(const Program& p) {
  std::vector<size_t> sizes;
  for (const Ref<Device>& d : p.devices()) {
    const auto binary = p.binary(*d);
    sizes.push_back(binary ? binary->size() : 0);
  }
  return sizes;
}

// CL_PROGRAM_BINARIES: the value is an array of pointers to where each binary goes; null to skip.
void write_binaries(const Program& p, const Info& info, size_t* size_ret) {
  const size_t bytes = p.devices().size() * sizeof(unsigned char*);
  if (info.target()) {
    require(info.size() >= bytes, CL_INVALID_VALUE, "not a pointer for each device");
    auto** targets = static_cast<unsigned char**>(info.target());
    for (size_t i = 0; i < p.devices().size(); ++i) {
      const auto binary = p.binary(*p.devices()[i]);
      if (targets[i] && binary) std::memcpy(targets[i], binary->data(), binary->size());
    }
  }
  if (size_ret) *size_ret = bytes;
}

// The device has one place for an xclbin, so all devices of a program have the same one.
void add_xclbin(std::shared_ptr<const Xclbin>& xclbin, std::string bytes) {
  auto another = Xclbin::parse(std::move(bytes));
  require(!xclbin || xclbin->uuid() == another->uuid(), CL_INVALID_BINARY,
          "two xclbins for one device");
  xclbin = std::move(another);
}

// The binary of a program that has kernels for some device.
std::shared_ptr<const ProgramBinary> executable(const Program& p) {
  for (const Ref<Device>& d : p.devices()) {
    Build build = p.build_for(*d);
    if (build.code) return build.binary;
  }
  throw Error(CL_INVALID_PROGRAM_EXECUTABLE, "the program has no executable for any device");
}

}  // namespace

extern "C" {

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithSource(cl_context handle, cl_uint count,
                                                              const char** strings,
                                                              const size_t* lengths, cl_int* code) {
  return create(__func__, code, [&] {
    Context& c = context(handle);
    return (new Program(c, join_source(count, strings, lengths)))->handle();
  });
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithIL(cl_context handle, const void* module,
                                                          size_t size, cl_int* code) {
  return create(__func__, code, [&] {
    Context& c = context(handle);
    require(spirv_available(), CL_INVALID_OPERATION,
            "SPIR-V needs llvm-spirv-15 and spirv-val in PATH, which are not there");
    require(module && size > 0, CL_INVALID_VALUE, "no intermediate language");
    SpirvModule parsed(std::string_view(static_cast<const char*>(module), size));
    return (new Program(c, std::move(parsed)))->handle();
  });
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithILKHR(cl_context handle, const void* module,
                                                             size_t size, cl_int* code) {
  return clCreateProgramWithIL(handle, module, size, code);
}

CL_API_ENTRY cl_int CL_API_CALL clSetProgramSpecializationConstant(cl_program handle, cl_uint id,
                                                                   size_t size, const void* value) {
  return guarded(__func__, [&] {
    Program& p = program(handle);
    require(value != nullptr, CL_INVALID_VALUE, "no value for the specialization constant");
    p.specialize(id, size, value);
  });
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithBinary(
    cl_context handle, cl_uint num_devices, const cl_device_id* list, const size_t* lengths,
    const unsigned char** binaries, cl_int* status, cl_int* code) {
  return create(__func__, code, [&] {
    Context& c = context(handle);
    require(num_devices > 0 && list && lengths && binaries, CL_INVALID_VALUE,
            "no devices, lengths or binaries");
    Program::Devices devices;
    for (cl_uint i = 0; i < num_devices; ++i) {
      Device& d = device(list[i]);
      require(c.has(d), CL_INVALID_DEVICE, "a device is not in the context");
      devices.emplace_back(&d);
    }
    std::vector<std::shared_ptr<const ProgramBinary>> parsed;
    std::shared_ptr<const Xclbin> xclbin;
    std::unique_ptr<Error> invalid;
    for (cl_uint i = 0; i < num_devices; ++i) {
      const bool given = binaries[i] && lengths[i];
      if (status) status[i] = given ? CL_SUCCESS : CL_INVALID_VALUE;
      require(given, CL_INVALID_VALUE, "a binary is null or of length 0");
      try {
        std::string bytes(reinterpret_cast<const char*>(binaries[i]), lengths[i]);
        if (is_xclbin(bytes))
          add_xclbin(xclbin, std::move(bytes));
        else
          parsed.push_back(ProgramBinary::parse(std::move(bytes)));
      } catch (const Error& error) {
        if (status) status[i] = error.code();
        invalid = std::make_unique<Error>(error);
      }
    }
    if (invalid) throw *invalid;
    require(!xclbin || parsed.empty(), CL_INVALID_BINARY, "an xclbin beside a program binary");
    if (xclbin) return (new Program(c, devices, std::move(xclbin)))->handle();
    return (new Program(c, std::move(devices), std::move(parsed)))->handle();
  });
}

CL_API_ENTRY cl_program CL_API_CALL clCreateProgramWithBuiltInKernels(cl_context handle,
                                                                      cl_uint num_devices,
                                                                      const cl_device_id* list,
                                                                      const char* names,
                                                                      cl_int* code) {
  return create(__func__, code, [&]() -> cl_program {
    Context& c = context(handle);
    require(num_devices > 0 && list && names, CL_INVALID_VALUE, "no devices or kernel names");
    for (cl_uint i = 0; i < num_devices; ++i)
      require(c.has(device(list[i])), CL_INVALID_DEVICE, "a device is not in the context");
    throw Error(CL_INVALID_VALUE, std::string("no built-in kernel: ") + names);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clRetainProgram(cl_program handle) {
  return guarded(__func__, [&] { program(handle).retain_handle(); });
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseProgram(cl_program handle) {
  return guarded(__func__, [&] { release(program(handle), CL_INVALID_PROGRAM); });
}

CL_API_ENTRY cl_int CL_API_CALL clBuildProgram(cl_program handle, cl_uint num_devices,
                                               const cl_device_id* list, const char* options,
                                               Callback callback, void* user_data) {
  return guarded(__func__, [&] {
    Program& p = program(handle);
    auto devices = build_devices(p, num_devices, list);
    p.build(devices, options_or_empty(options), notifier(p, callback, user_data));
  });
}

CL_API_ENTRY cl_int CL_API_CALL clCompileProgram(cl_program handle, cl_uint num_devices,
                                                 const cl_device_id* list, const char* options,
                                                 cl_uint num_headers, const cl_program* headers,
                                                 const char** names, Callback callback,
                                                 void* user_data) {
  return guarded(__func__, [&] {
    Program& p = program(handle);
    auto devices = build_devices(p, num_devices, list);
    require_list(num_headers, headers, CL_INVALID_VALUE, "input_headers and their number disagree");
    require_list(num_headers, names, CL_INVALID_VALUE, "header_include_names are missing");
    std::vector<Program::Header> included;
    for (cl_uint i = 0; i < num_headers; ++i) {
      require(names[i], CL_INVALID_VALUE, "a header has no name");
      Program& header = program(headers[i]);
      require(&header.context() == &p.context(), CL_INVALID_CONTEXT,
              "a header is of another context");
      included.emplace_back(names[i], Ref<Program>(&header));
    }
    current_context = &p.context();
    p.compile(devices, options_or_empty(options), std::move(included),
              notifier(p, callback, user_data));
  });
}

CL_API_ENTRY cl_program CL_API_CALL clLinkProgram(cl_context handle, cl_uint num_devices,
                                                  const cl_device_id* list, const char* options,
                                                  cl_uint num_inputs, const cl_program* inputs,
                                                  Callback callback, void* user_data,
                                                  cl_int* code) {
  Ref<Program> made;
  cl_int status = guarded(__func__, [&] {
    Context& c = context(handle);
    require_list(num_devices, list, CL_INVALID_VALUE, "device_list and num_devices do not agree");
    require(num_inputs > 0 && inputs, CL_INVALID_VALUE, "nothing to link");
    Program::Devices devices;
    for (cl_uint i = 0; i < num_devices; ++i) {
      require(c.has(device(list[i])), CL_INVALID_DEVICE, "a device is not in the context");
      devices.emplace_back(&device(list[i]));
    }
    if (devices.empty()) devices = c.devices();
    std::vector<Ref<Program>> linked;
    size_t compiled = 0;
    for (cl_uint i = 0; i < num_inputs; ++i) {
      Program& input = program(inputs[i]);
      require(&input.context() == &c, CL_INVALID_CONTEXT, "an input is of another context");
      for (const Ref<Device>& d : devices) {
        cl_program_binary_type type =
            input.has(*d) ? input.binary_type(*d) : CL_PROGRAM_BINARY_TYPE_NONE;
        compiled += type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
                    type == CL_PROGRAM_BINARY_TYPE_LIBRARY;
      }
      linked.emplace_back(&input);
    }
    current_context = &c;
    require(compiled == num_inputs * devices.size(), CL_INVALID_OPERATION,
            "an input is not a compiled object or library for each of the devices");
    require(callback || !user_data, CL_INVALID_VALUE, "user_data without a callback");
    made = Ref<Program>::adopt(
        new Program(c, devices, std::vector<std::shared_ptr<const ProgramBinary>>(devices.size())));
    made->link(devices, options_or_empty(options), std::move(linked),
               notifier(*made, callback, user_data));
  });
  if (code) *code = status;
  // A failed link returns a program too, which holds the log.
  const bool linked = status == CL_SUCCESS || status == CL_LINK_PROGRAM_FAILURE;
  return made && linked ? made.detach()->handle() : nullptr;
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramInfo(cl_program handle, cl_program_info name,
                                                 size_t size, void* value, size_t* size_ret) {
  return guarded(__func__, [&] {
    const Program& p = program(handle);
    Info info(size, value, size_ret);
    switch (name) {
      case CL_PROGRAM_REFERENCE_COUNT:
        return info.value<cl_uint>(p.handles());
      case CL_PROGRAM_CONTEXT:
        return info.value<cl_context>(p.context().handle());
      case CL_PROGRAM_NUM_DEVICES:
        return info.value<cl_uint>(static_cast<cl_uint>(p.devices().size()));
      case CL_PROGRAM_DEVICES: {
        std::vector<cl_device_id> devices;
        for (const Ref<Device>& d : p.devices()) devices.push_back(d->handle());
        return info.list(devices);
      }
      case CL_PROGRAM_SOURCE:
        return info.text(p.source());
      case CL_PROGRAM_IL:
        return p.spirv() ? info.bytes(p.spirv()->data(), p.spirv()->size())
                         : info.bytes(nullptr, 0);
      case CL_PROGRAM_BINARY_SIZES:
        return info.list(binary_sizes(p));
      case CL_PROGRAM_BINARIES:
        return write_binaries(p, info, size_ret);
      case CL_PROGRAM_NUM_KERNELS:
        return info.value<size_t>(p.kernel_names(*executable(p)).size());
      case CL_PROGRAM_KERNEL_NAMES: {
        std::string names;
        for (const std::string& kernel : p.kernel_names(*executable(p)))
          names += (names.empty() ? "" : ";") + kernel;
        return info.text(names);
      }
      case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
      case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
        return info.flag(false);
      default:
        unknown_query(name);
    }
  });
}

CL_API_ENTRY cl_int CL_API_CALL clGetProgramBuildInfo(cl_program handle, cl_device_id device_handle,
                                                      cl_program_build_info name, size_t size,
                                                      void* value, size_t* size_ret) {
  return guarded(__func__, [&] {
    const Program& p = program(handle);
    const Device& d = device(device_handle);
    Build build = p.build_for(d);
    Info info(size, value, size_ret);
    switch (name) {
      case CL_PROGRAM_BUILD_STATUS:
        return info.value<cl_build_status>(build.status);
      case CL_PROGRAM_BUILD_OPTIONS:
        return info.text(build.options);
      case CL_PROGRAM_BUILD_LOG:
        return info.text(build.log);
      case CL_PROGRAM_BINARY_TYPE:
        return info.value<cl_program_binary_type>(p.binary_type(d));
      case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE:
        return info.value<size_t>(build.binary ? build.binary->global_bytes() : 0);
      default:
        unknown_query(name);
    }
  });
}

}  // extern "C"
