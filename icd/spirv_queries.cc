// SPDX-License-Identifier: Apache-2.0
// cl_khr_spirv_queries: what modules of SPIR-V may use. SpirvFeatureTest has a module for each entry.
#include <CL/cl_ext_conclave.h>

#include "conclave/spirv_format.h"
#include "icd/device_info.h"
#include "platform/loader/spirv_module.h"

namespace conclave::icd {
namespace {

constexpr const char* kInstructionSets[] = {"OpenCL.std", "OpenCL.DebugInfo.100"};

constexpr const char* kExtensions[] = {
    "SPV_EXT_shader_atomic_float16_add",
    "SPV_EXT_shader_atomic_float_add",
    "SPV_EXT_shader_atomic_float_min_max",
    "SPV_INTEL_memory_access_aliasing",
    "SPV_INTEL_subgroups",
    "SPV_KHR_bit_instructions",
    "SPV_KHR_expect_assume",
    "SPV_KHR_integer_dot_product",
    "SPV_KHR_linkonce_odr",
    "SPV_KHR_no_integer_wrap_decoration",
    "SPV_KHR_non_semantic_info",
    "SPV_KHR_shader_clock",
    "SPV_KHR_subgroup_rotate",
    "SPV_KHR_uniform_group_instructions",
};

constexpr cl_uint kCapabilities[] = {
    spirv::kCapabilityAddresses,
    spirv::kCapabilityLinkage,
    spirv::kCapabilityKernel,
    spirv::kCapabilityVector16,
    spirv::kCapabilityFloat16Buffer,
    spirv::kCapabilityFloat16,
    spirv::kCapabilityFloat64,
    spirv::kCapabilityInt64,
    spirv::kCapabilityInt64Atomics,
    spirv::kCapabilityImageBasic,
    spirv::kCapabilityImageReadWrite,
    spirv::kCapabilityPipes,
    spirv::kCapabilityGroups,
    spirv::kCapabilityLiteralSampler,
    spirv::kCapabilityInt16,
    spirv::kCapabilityGenericPointer,
    spirv::kCapabilityInt8,
    spirv::kCapabilitySampled1D,
    spirv::kCapabilityImage1D,
    spirv::kCapabilitySampledBuffer,
    spirv::kCapabilityImageBuffer,
    spirv::kCapabilitySubgroupDispatch,
    spirv::kCapabilityGroupNonUniform,
    spirv::kCapabilityGroupNonUniformVote,
    spirv::kCapabilityGroupNonUniformArithmetic,
    spirv::kCapabilityGroupNonUniformBallot,
    spirv::kCapabilityGroupNonUniformShuffle,
    spirv::kCapabilityGroupNonUniformShuffleRelative,
    spirv::kCapabilityGroupNonUniformClustered,
    spirv::kCapabilityUniformDecoration,
    spirv::kCapabilityShaderClock,
    spirv::kCapabilitySubgroupShuffleIntel,
    spirv::kCapabilitySubgroupBufferBlockIoIntel,
    spirv::kCapabilityAtomicFloat32MinMax,
    spirv::kCapabilityAtomicFloat64MinMax,
    spirv::kCapabilityAtomicFloat16MinMax,
    spirv::kCapabilityExpectAssume,
    spirv::kCapabilityMemoryAccessAliasingIntel,
    spirv::kCapabilityDotProductInput4x8Bit,
    spirv::kCapabilityDotProductInput4x8BitPacked,
    spirv::kCapabilityDotProduct,
    spirv::kCapabilityBitInstructions,
    spirv::kCapabilityGroupNonUniformRotate,
    spirv::kCapabilityAtomicFloat32Add,
    spirv::kCapabilityAtomicFloat64Add,
    spirv::kCapabilityAtomicFloat16Add,
    spirv::kCapabilityGroupUniformArithmetic,
};

template <class T, size_t kCount>
bool tell(const T (&entries)[kCount], const Info& info) {
  return info.list(std::vector<T>(entries, entries + kCount)), true;
}

}  // namespace

bool describe_spirv(cl_device_info name, const Info& info) {
  if (!spirv_available()) return false;
  switch (name) {
    case CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR:
      return tell(kInstructionSets, info);
    case CL_DEVICE_SPIRV_EXTENSIONS_KHR:
      return tell(kExtensions, info);
    case CL_DEVICE_SPIRV_CAPABILITIES_KHR:
      return tell(kCapabilities, info);
    default:
      return false;
  }
}

}  // namespace conclave::icd
