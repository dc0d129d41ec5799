// SPDX-License-Identifier: Apache-2.0
#include "icd/extensions.h"

#include <cstring>

#include "conclave/device_features.h"
#include "platform/loader/spirv_module.h"

namespace conclave::icd {

cl_name_version name_version(const char* name, cl_version version) {
  cl_name_version entry{};
  entry.version = version;
  std::strncpy(entry.name, name, sizeof entry.name - 1);
  return entry;
}

const std::vector<cl_name_version>& platform_extensions() {
  static const std::vector<cl_name_version> list = [] {
    std::vector<cl_name_version> all = device_extensions();
    all.push_back(name_version("cl_khr_icd", CL_MAKE_VERSION(2, 0, 0)));
    return all;
  }();
  return list;
}

const std::vector<cl_name_version>& device_extensions() {
  static const std::vector<cl_name_version> list = [] {
    std::vector<cl_name_version> all;
    for (const char* name : kLanguageExtensions)
      all.push_back(name_version(name, CL_MAKE_VERSION(1, 0, 0)));
    for (const auto& [name, major] : kFunctionExtensions)
      all.push_back(name_version(name, CL_MAKE_VERSION(major, 0, 0)));
    all.push_back(name_version(kFloatAtomics, CL_MAKE_VERSION(1, 0, 0)));
    for (const char* name : kSubGroupExtensions)
      all.push_back(name_version(name, CL_MAKE_VERSION(1, 0, 0)));
    for (const char* name :
         {"cl_ext_device_fission", "cl_intel_unified_shared_memory", "cl_khr_create_command_queue",
          "cl_khr_device_uuid", "cl_khr_extended_versioning", "cl_khr_external_memory_opaque_fd",
          "cl_khr_external_semaphore_opaque_fd", "cl_khr_image2d_from_buffer",
          "cl_khr_initialize_memory", "cl_khr_priority_hints", "cl_khr_semaphore",
          "cl_khr_suggested_local_work_size", "cl_khr_terminate_context", "cl_khr_throttle_hints",
          "cl_ti_clmalloc", "cl_ti_kernel_timeout_compute_unit", "cl_ti_msmc_buffers"})
      all.push_back(name_version(name, CL_MAKE_VERSION(1, 0, 0)));
    all.push_back(name_version("cl_ext_buffer_device_address", CL_MAKE_VERSION(1, 0, 2)));
    all.push_back(name_version("cl_khr_external_memory", CL_MAKE_VERSION(1, 0, 1)));
    all.push_back(name_version("cl_khr_external_semaphore", CL_MAKE_VERSION(1, 0, 1)));
    all.push_back(name_version("cl_khr_command_buffer", CL_MAKE_VERSION(0, 9, 8)));
    all.push_back(name_version("cl_khr_command_buffer_multi_device", CL_MAKE_VERSION(0, 9, 2)));
    all.push_back(name_version("cl_khr_command_buffer_mutable_dispatch", CL_MAKE_VERSION(0, 9, 5)));
    if (spirv_available())
      for (const char* name :
           {"cl_khr_il_program", "cl_khr_spirv_extended_debug_info", "cl_khr_spirv_linkonce_odr",
            "cl_khr_spirv_no_integer_wrap_decoration", "cl_khr_spirv_queries"})
        all.push_back(name_version(name, CL_MAKE_VERSION(1, 0, 0)));
    return all;
  }();
  return list;
}

std::string extension_string(const std::vector<cl_name_version>& extensions) {
  std::string text;
  for (const cl_name_version& extension : extensions) {
    if (!text.empty()) text += ' ';
    text += extension.name;
  }
  return text;
}

}  // namespace conclave::icd
