// SPDX-License-Identifier: Apache-2.0
// Making samplers and asking about them.
#include "api_test.h"

namespace conclave::test {
namespace {

using SamplerTest = ApiTest;
using Sampler = Owned<cl_sampler>;

template <typename T>
T sampler_info(cl_sampler sampler, cl_sampler_info name) {
  return info<T>(clGetSamplerInfo, sampler, name);
}

struct Mode {
  cl_bool normalized;
  cl_addressing_mode addressing;
  cl_filter_mode filter;
};

void expect_mode(const Mode& mode, cl_sampler sampler) {
  EXPECT_EQ(mode.normalized, sampler_info<cl_bool>(sampler, CL_SAMPLER_NORMALIZED_COORDS));
  EXPECT_EQ(mode.addressing, sampler_info<cl_addressing_mode>(sampler, CL_SAMPLER_ADDRESSING_MODE));
  EXPECT_EQ(mode.filter, sampler_info<cl_filter_mode>(sampler, CL_SAMPLER_FILTER_MODE));
}

constexpr cl_addressing_mode kAddressing[] = {CL_ADDRESS_NONE, CL_ADDRESS_CLAMP_TO_EDGE,
                                              CL_ADDRESS_CLAMP, CL_ADDRESS_REPEAT,
                                              CL_ADDRESS_MIRRORED_REPEAT};

TEST_F(SamplerTest, AllModes) {
  for (cl_addressing_mode addressing : kAddressing)
    for (cl_filter_mode filter : {CL_FILTER_NEAREST, CL_FILTER_LINEAR})
      for (cl_bool normalized : {CL_FALSE, CL_TRUE}) {
        SCOPED_TRACE(testing::Message() << addressing << ' ' << filter << ' ' << normalized);
        const bool repeats =
            addressing == CL_ADDRESS_REPEAT || addressing == CL_ADDRESS_MIRRORED_REPEAT;
        const cl_int expected = repeats && !normalized ? CL_INVALID_VALUE : CL_SUCCESS;
        const cl_sampler_properties properties[] = {CL_SAMPLER_FILTER_MODE,
                                                    filter,
                                                    CL_SAMPLER_NORMALIZED_COORDS,
                                                    normalized,
                                                    CL_SAMPLER_ADDRESSING_MODE,
                                                    addressing,
                                                    0};
        cl_int code = 1;
        Sampler a(clCreateSampler(context_, normalized, addressing, filter, &code));
        EXPECT_CL(expected, code);
        Sampler b(clCreateSamplerWithProperties(context_, properties, &code));
        EXPECT_CL(expected, code);
        for (const Sampler* sampler : {&a, &b})
          if (*sampler) expect_mode({normalized, addressing, filter}, *sampler);
      }
}

TEST_F(SamplerTest, Defaults) {
  const cl_sampler_properties kNone[] = {0};
  const cl_sampler_properties kLinear[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
  cl_int code = 1;
  Sampler without(clCreateSamplerWithProperties(context_, nullptr, &code));
  ASSERT_OK(code);
  Sampler empty(clCreateSamplerWithProperties(context_, kNone, &code));
  ASSERT_OK(code);
  Sampler linear(clCreateSamplerWithProperties(context_, kLinear, &code));
  ASSERT_OK(code);
  expect_mode({CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST}, without);
  expect_mode({CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST}, empty);
  expect_mode({CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR}, linear);
}

TEST_F(SamplerTest, Queries) {
  const cl_sampler_properties list[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR,
                                        CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE, 0};
  cl_int code = 1;
  Sampler sampler(clCreateSamplerWithProperties(context_, list, &code));
  ASSERT_OK(code);
  const struct {
    cl_sampler_info name;
    InfoSize size;
  } kAll[] = {{CL_SAMPLER_REFERENCE_COUNT, one<cl_uint>},
              {CL_SAMPLER_CONTEXT, one<cl_context>},
              {CL_SAMPLER_NORMALIZED_COORDS, one<cl_bool>},
              {CL_SAMPLER_ADDRESSING_MODE, one<cl_addressing_mode>},
              {CL_SAMPLER_FILTER_MODE, one<cl_filter_mode>},
              {CL_SAMPLER_PROPERTIES, list_of<cl_sampler_properties>}};
  for (const auto& query : kAll) {
    SCOPED_TRACE(query.name);
    checked_info(
        [&](size_t size, void* value, size_t* size_ret) {
          return clGetSamplerInfo(sampler, query.name, size, value, size_ret);
        },
        query.size);
  }
  EXPECT_EQ(context_.get(), sampler_info<cl_context>(sampler, CL_SAMPLER_CONTEXT));
  cl_sampler_properties back[5] = {};
  EXPECT_OK(clGetSamplerInfo(sampler, CL_SAMPLER_PROPERTIES, sizeof back, back, nullptr));
  EXPECT_TRUE(std::equal(std::begin(list), std::end(list), back));

  size_t size = 99;
  Sampler plain(clCreateSampler(context_, CL_TRUE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &code));
  EXPECT_OK(clGetSamplerInfo(plain, CL_SAMPLER_PROPERTIES, 0, nullptr, &size));
  EXPECT_EQ(0u, size);

  EXPECT_EQ(1u, sampler_info<cl_uint>(sampler, CL_SAMPLER_REFERENCE_COUNT));
  EXPECT_OK(clRetainSampler(sampler));
  EXPECT_EQ(2u, sampler_info<cl_uint>(sampler, CL_SAMPLER_REFERENCE_COUNT));
  EXPECT_OK(clReleaseSampler(sampler));
  EXPECT_EQ(1u, sampler_info<cl_uint>(sampler, CL_SAMPLER_REFERENCE_COUNT));
}

TEST_F(SamplerTest, BadArguments) {
  const cl_sampler_properties kUnknown[] = {CL_SAMPLER_CONTEXT, 1, 0};
  const cl_sampler_properties kBadFilter[] = {CL_SAMPLER_FILTER_MODE, CL_ADDRESS_CLAMP, 0};
  const cl_sampler_properties kBadAddress[] = {CL_SAMPLER_ADDRESSING_MODE, CL_FILTER_LINEAR, 0};
  const cl_sampler_properties kBadFlag[] = {CL_SAMPLER_NORMALIZED_COORDS, 2, 0};
  const cl_sampler_properties kLargeFilter[] = {CL_SAMPLER_FILTER_MODE,
                                                CL_FILTER_LINEAR + (cl_ulong{1} << 32), 0};
  const cl_sampler_properties kTwice[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR,
                                          CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
  const auto with = [&](const cl_sampler_properties* properties, cl_int* err) {
    return clCreateSamplerWithProperties(context_, properties, err);
  };
  const auto make = [&](cl_bool normalized, cl_addressing_mode addressing, cl_filter_mode filter,
                        cl_int* err) {
    return clCreateSampler(context_, normalized, addressing, filter, err);
  };
  expect_all({
      BAD_CREATE(CL_INVALID_CONTEXT, clCreateSamplerWithProperties(nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_CONTEXT,
                 clCreateSampler(nullptr, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, err)),
      BAD_CREATE(CL_INVALID_VALUE, with(kUnknown, err)),
      BAD_CREATE(CL_INVALID_VALUE, with(kBadFilter, err)),
      BAD_CREATE(CL_INVALID_VALUE, with(kBadAddress, err)),
      BAD_CREATE(CL_INVALID_VALUE, with(kBadFlag, err)),
      BAD_CREATE(CL_INVALID_VALUE, with(kLargeFilter, err)),
      BAD_CREATE(CL_INVALID_VALUE, with(kTwice, err)),
      BAD_CREATE(CL_INVALID_VALUE, make(2, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, err)),
      BAD_CREATE(CL_INVALID_VALUE, make(CL_TRUE, CL_FILTER_LINEAR, CL_FILTER_NEAREST, err)),
      BAD_CREATE(CL_INVALID_VALUE, make(CL_TRUE, CL_ADDRESS_CLAMP, CL_ADDRESS_CLAMP, err)),
      BAD(CL_INVALID_SAMPLER, clRetainSampler(nullptr)),
      BAD(CL_INVALID_SAMPLER, clReleaseSampler(nullptr)),
      BAD(CL_INVALID_SAMPLER, clGetSamplerInfo(nullptr, CL_SAMPLER_CONTEXT, 0, nullptr, nullptr)),
  });
  cl_int code = 1;
  Sampler sampler(make(CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &code));
  ASSERT_OK(code);
  EXPECT_CL(CL_INVALID_VALUE, clGetSamplerInfo(sampler, CL_MEM_TYPE, 0, nullptr, nullptr));
}

TEST_F(SamplerTest, OtherObjectsAreNoSamplers) {
  CONCLAVE_ONLY();
  cl_sampler queue = as<cl_sampler>(queue_.get());
  EXPECT_CL(CL_INVALID_SAMPLER, clRetainSampler(queue));
  EXPECT_CL(CL_INVALID_SAMPLER, clReleaseSampler(queue));
  EXPECT_CL(CL_INVALID_SAMPLER, clGetSamplerInfo(queue, CL_SAMPLER_CONTEXT, 0, nullptr, nullptr));
}

}  // namespace
}  // namespace conclave::test
