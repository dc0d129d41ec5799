// SPDX-License-Identifier: Apache-2.0
// What the device offers to OpenCL C. The compiler predefines these macros and rejects the rest,
// the runtime reports the same lists, so that the two cannot disagree.
#ifndef CONCLAVE_DEVICE_FEATURES_H_
#define CONCLAVE_DEVICE_FEATURES_H_

namespace conclave {

// Extensions that add to the language (clGetDeviceInfo lists them and the API-only ones).
inline constexpr const char* kLanguageExtensions[] = {
    "cl_khr_3d_image_writes",
    "cl_khr_byte_addressable_store",
    "cl_khr_depth_images",
    "cl_khr_fp16",
    "cl_khr_fp64",
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
};

// Those that add functions only, with their major versions, and the features that come with them in
// every version of OpenCL C.
inline constexpr struct {
  const char* name;
  unsigned major;
} kFunctionExtensions[] = {
    {"cl_khr_expect_assume", 1},    {"cl_khr_extended_async_copies", 1},
    {"cl_khr_extended_bit_ops", 1}, {"cl_khr_integer_dot_product", 2},
    {"cl_khr_kernel_clock", 1},     {"cl_khr_work_group_uniform_arithmetic", 1},
};
inline constexpr const char* kExtensionFeatures[] = {
    "__opencl_c_integer_dot_product_input_4x8bit",
    "__opencl_c_integer_dot_product_input_4x8bit_packed",
    "__opencl_c_kernel_clock_scope_device",
    "__opencl_c_kernel_clock_scope_sub_group",
    "__opencl_c_kernel_clock_scope_work_group",
};

// cl_ext_float_atomics: functions on atomic_half, atomic_float and atomic_double, which OpenCL C has
// since 2.0.
inline constexpr const char* kFloatAtomics = "cl_ext_float_atomics";
inline constexpr const char* kFloatAtomicFeatures[] = {
    "__opencl_c_ext_fp16_global_atomic_add",       "__opencl_c_ext_fp16_global_atomic_load_store",
    "__opencl_c_ext_fp16_global_atomic_min_max",   "__opencl_c_ext_fp16_local_atomic_add",
    "__opencl_c_ext_fp16_local_atomic_load_store", "__opencl_c_ext_fp16_local_atomic_min_max",
    "__opencl_c_ext_fp32_global_atomic_add",       "__opencl_c_ext_fp32_global_atomic_min_max",
    "__opencl_c_ext_fp32_local_atomic_add",        "__opencl_c_ext_fp32_local_atomic_min_max",
    "__opencl_c_ext_fp64_global_atomic_add",       "__opencl_c_ext_fp64_global_atomic_min_max",
    "__opencl_c_ext_fp64_local_atomic_add",        "__opencl_c_ext_fp64_local_atomic_min_max",
};

// Sub-groups in every version of OpenCL C, and what extends them. cl_khr_subgroups is not here: it
// promises that sub-groups which wait for one another advance.
inline constexpr const char* kSubGroupExtensions[] = {
    "cl_intel_required_subgroup_size",
    "cl_intel_subgroups",
    "cl_intel_subgroups_char",
    "cl_intel_subgroups_long",
    "cl_intel_subgroups_short",
    "cl_khr_subgroup_ballot",
    "cl_khr_subgroup_clustered_reduce",
    "cl_khr_subgroup_extended_types",
    "cl_khr_subgroup_non_uniform_arithmetic",
    "cl_khr_subgroup_non_uniform_vote",
    "cl_khr_subgroup_rotate",
    "cl_khr_subgroup_shuffle",
    "cl_khr_subgroup_shuffle_relative",
};

// Sizes of sub-groups that a kernel may require; also those that it may get.
inline constexpr unsigned kSubGroupSizes[] = {1, 2, 4, 8, 16, 32, 64};

// Optional features of OpenCL C 3.0 (CL_DEVICE_OPENCL_C_FEATURES).
inline constexpr const char* kLanguageFeatures[] = {
    "__opencl_c_3d_image_writes",
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_fp64",
    "__opencl_c_generic_address_space",
    "__opencl_c_images",
    "__opencl_c_int64",
    "__opencl_c_pipes",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_read_write_images",
    "__opencl_c_subgroups",
    "__opencl_c_work_group_collective_functions",
};

}  // namespace conclave

#endif  // CONCLAVE_DEVICE_FEATURES_H_
