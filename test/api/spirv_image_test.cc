// SPDX-License-Identifier: Apache-2.0
// Programs from SPIR-V that read images.
#include <numeric>

#include "spirv_test.h"

namespace conclave::test {
namespace {

class ImageSpirvTest : public SpirvTest {
 protected:
  // That the kernel copies an image to a buffer.
  void expect_copies(const Kernel& copy) {
    std::vector<int> pixels(8 * 4);
    std::iota(pixels.begin(), pixels.end(), 1);
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
    cl_image_desc desc = {};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = 8;
    desc.image_height = 4;
    cl_int err = CL_SUCCESS;
    Buffer image(
        clCreateImage(context_, CL_MEM_COPY_HOST_PTR, &format, &desc, pixels.data(), &err));
    ASSERT_OK(err);
    Owned<cl_sampler> sampler(
        clCreateSampler(context_, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &err));
    ASSERT_OK(err);
    Buffer out = make_buffer(context_, std::vector<int>(pixels.size()));
    ASSERT_OK(clSetKernelArg(copy, 0, sizeof(cl_mem), image.list()));
    ASSERT_OK(clSetKernelArg(copy, 1, sizeof(cl_mem), out.list()));
    if (info<cl_uint>(clGetKernelInfo, copy, CL_KERNEL_NUM_ARGS) == 3) {
      ASSERT_OK(clSetKernelArg(copy, 2, sizeof(cl_sampler), sampler.list()));
    }
    const size_t size[] = {8, 4};
    ASSERT_OK(clEnqueueNDRangeKernel(queue_, copy, 2, nullptr, size, nullptr, 0, nullptr, nullptr));
    EXPECT_EQ(pixels, contents(queue_, out, pixels.size()));
  }
};

// A sampler is a parameter or a literal. (The translator that makes SPIR-V fails where a module has
// both.) Without optimisation, parameters lie in variables first.
TEST_F(ImageSpirvTest, ReadsImages) {
  const char* const kParameter = R"(
    kernel void copy(read_only image2d_t image, global uint* out, sampler_t sampler) {
      const int2 at = (int2)(get_global_id(0), get_global_id(1));
      out[at.y * get_image_width(image) + at.x] = read_imageui(image, sampler, at).x;
    })";
  const char* const kLiteral = R"(
    constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE |
                                 CLK_FILTER_NEAREST;
    uint pick(read_only image2d_t image, int2 at) { return read_imageui(image, nearest, at).x; }
    kernel void copy(read_only image2d_t image, global uint* out) {
      const int2 at = (int2)(get_global_id(0), get_global_id(1));
      out[at.y * get_image_width(image) + at.x] = pick(image, at);
    })";
  for (const char* source : {kParameter, kLiteral})
    for (const char* options : {"", "-cl-opt-disable"}) {
      SCOPED_TRACE(std::string(source) + options);
      Program program = built(spirv_of(source, options));
      expect_copies(make_kernel(program, "copy"));
    }
}

// With what a module of version 1.6 may say of accesses to images: how numbers are widened, and that
// they are not needed again.
TEST_F(ImageSpirvTest, ReadsImagesWithOperandsOfLaterVersions) {
  Program program = built(assembled(R"(
    OpCapability Addresses
    OpCapability Kernel
    OpCapability Int64
    OpCapability ImageBasic
    OpCapability LiteralSampler
    OpMemoryModel Physical64 OpenCL
    OpEntryPoint Kernel %copy "copy" %ids
    OpDecorate %ids BuiltIn GlobalInvocationId
    OpDecorate %ids Constant
    %void = OpTypeVoid
    %uint = OpTypeInt 32 0
    %ulong = OpTypeInt 64 0
    %float = OpTypeFloat 32
    %uint2 = OpTypeVector %uint 2
    %uint4 = OpTypeVector %uint 4
    %ulong3 = OpTypeVector %ulong 3
    %in_ids = OpTypePointer Input %ulong3
    %pointer = OpTypePointer CrossWorkgroup %uint
    %image = OpTypeImage %void 2D 0 0 0 0 Unknown ReadOnly
    %sampler = OpTypeSampler
    %sampled = OpTypeSampledImage %image
    %type = OpTypeFunction %void %image %pointer
    %nearest = OpConstantSampler %sampler None 0 Nearest
    %zero = OpConstant %float 0
    %eight = OpConstant %uint 8
    %ids = OpVariable %in_ids Input
    %copy = OpFunction %void None %type
    %from = OpFunctionParameter %image
    %out = OpFunctionParameter %pointer
    %begin = OpLabel
    %all = OpLoad %ulong3 %ids Aligned 32
    %wide_x = OpCompositeExtract %ulong %all 0
    %wide_y = OpCompositeExtract %ulong %all 1
    %x = OpUConvert %uint %wide_x
    %y = OpUConvert %uint %wide_y
    %at = OpCompositeConstruct %uint2 %x %y
    %both = OpSampledImage %sampled %from %nearest
    %texel = OpImageSampleExplicitLod %uint4 %both %at Lod|ZeroExtend|Nontemporal %zero
    %value = OpCompositeExtract %uint %texel 0
    %row = OpIMul %uint %y %eight
    %index = OpIAdd %uint %row %x
    %to = OpInBoundsPtrAccessChain %pointer %out %index
    OpStore %to %value Aligned 4
    OpReturn
    OpFunctionEnd
)",
                                    "1.6"));
  expect_copies(make_kernel(program, "copy"));
}

}  // namespace
}  // namespace conclave::test
