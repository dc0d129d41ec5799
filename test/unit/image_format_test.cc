// SPDX-License-Identifier: Apache-2.0
// The list of image formats, and which of OpenCL's formats are formats at all.
#include "platform/model/image_format.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace conclave {
namespace {

TEST(ImageFormats, AreFormatsOnceEach) {
  std::set<std::pair<cl_channel_order, cl_channel_type>> seen;
  for (const ImageFormat& format : kImageFormats) {
    SCOPED_TRACE(testing::Message() << format.order << ' ' << format.data_type);
    EXPECT_TRUE(seen.emplace(format.order, format.data_type).second);
    EXPECT_TRUE(is_image_format({format.order, format.data_type}));
    EXPECT_TRUE(format.element_size && format.element_size <= 16 &&
                !(format.element_size & (format.element_size - 1)));
    EXPECT_EQ(&format, find_image_format({format.order, format.data_type}, CL_MEM_OBJECT_IMAGE2D));
    EXPECT_EQ(format.order != CL_DEPTH, find_image_format({format.order, format.data_type},
                                                          CL_MEM_OBJECT_IMAGE3D) != nullptr);
    if (format.read_write) {
      EXPECT_TRUE(format.writable);
    }
  }
}

// The elements of a format are as large as all that OpenCL says of it together.
TEST(ImageFormats, ElementSizes) {
  const auto size = [](cl_channel_order order, cl_channel_type type) {
    return find_image_format({order, type}, CL_MEM_OBJECT_IMAGE2D)->element_size;
  };
  EXPECT_EQ(1u, size(CL_R, CL_SNORM_INT8));
  EXPECT_EQ(2u, size(CL_LUMINANCE, CL_HALF_FLOAT));
  EXPECT_EQ(4u, size(CL_RA, CL_UNORM_INT16));
  EXPECT_EQ(8u, size(CL_RG, CL_FLOAT));
  EXPECT_EQ(8u, size(CL_RGBA, CL_SIGNED_INT16));
  EXPECT_EQ(16u, size(CL_RGBA, CL_UNSIGNED_INT32));
  EXPECT_EQ(2u, size(CL_RGB, CL_UNORM_SHORT_555));
  EXPECT_EQ(4u, size(CL_RGB, CL_UNORM_INT_101010));
  EXPECT_EQ(4u, size(CL_sRGBA, CL_UNORM_INT8));
  EXPECT_EQ(4u, size(CL_DEPTH, CL_FLOAT));
}

// Those that programs for images can count on, by what kernels do with them.
TEST(ImageFormats, ListsByAccess) {
  const auto count = [](cl_mem_flags flags, cl_mem_object_type type = CL_MEM_OBJECT_IMAGE2D) {
    return supported_image_formats(flags, type).size();
  };
  EXPECT_EQ(kImageFormats.size(), count(CL_MEM_READ_ONLY));
  EXPECT_EQ(kImageFormats.size() - 1, count(CL_MEM_WRITE_ONLY));  // sRGB
  EXPECT_EQ(count(CL_MEM_WRITE_ONLY), count(CL_MEM_READ_WRITE));
  EXPECT_EQ(count(CL_MEM_WRITE_ONLY), count(0));
  EXPECT_EQ(18u, count(CL_MEM_KERNEL_READ_AND_WRITE));
  EXPECT_EQ(18u, count(CL_MEM_KERNEL_READ_AND_WRITE | CL_MEM_READ_WRITE));
  EXPECT_EQ(kImageFormats.size() - 2, count(CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE3D));
  EXPECT_EQ(kImageFormats.size(), count(CL_MEM_READ_ONLY, CL_MEM_OBJECT_IMAGE2D_ARRAY));
}

TEST(ImageFormats, ViewsHaveTheSameLayout) {
  EXPECT_TRUE(can_view_as(CL_sRGBA, CL_RGBA));
  EXPECT_TRUE(can_view_as(CL_RGBA, CL_sRGBA));
  EXPECT_TRUE(can_view_as(CL_sBGRA, CL_BGRA));
  EXPECT_TRUE(can_view_as(CL_DEPTH, CL_R));
  EXPECT_FALSE(can_view_as(CL_R, CL_DEPTH));
  EXPECT_FALSE(can_view_as(CL_sRGBA, CL_BGRA));
  EXPECT_FALSE(can_view_as(CL_RGBA, CL_ARGB));
}

}  // namespace
}  // namespace conclave
