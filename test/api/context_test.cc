// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstring>

#include "api_test.h"
#include "child_process.h"

namespace conclave::test {
namespace {

using ContextTest = ApiTest;

Query query(cl_context context, cl_context_info name) {
  return [=](size_t size, void* value, size_t* ret) {
    return clGetContextInfo(context, name, size, value, ret);
  };
}

void CL_CALLBACK ignore_error(const char*, const void*, size_t, void*) {}

cl_uint references(cl_context context) {
  return info<cl_uint>(clGetContextInfo, context, CL_CONTEXT_REFERENCE_COUNT);
}

TEST_F(ContextTest, EveryQueryHasTheRightSizeAndValue) {
  checked_info(query(context_, CL_CONTEXT_REFERENCE_COUNT), one<cl_uint>);
  checked_info(query(context_, CL_CONTEXT_NUM_DEVICES), one<cl_uint>);
  EXPECT_EQ(1u, references(make_context()));
  EXPECT_EQ(1u, info<cl_uint>(clGetContextInfo, context_, CL_CONTEXT_NUM_DEVICES));
  std::vector<char> devices =
      checked_info(query(context_, CL_CONTEXT_DEVICES), list_of<cl_device_id>);
  ASSERT_EQ(sizeof(cl_device_id), devices.size());
  cl_device_id only = device();
  EXPECT_EQ(0, std::memcmp(devices.data(), &only, sizeof only));
}

TEST_F(ContextTest, PropertiesComeBackAsGiven) {
  cl_device_id only = device();
  const cl_context_properties kProperties[] = {CL_CONTEXT_PLATFORM,
                                               reinterpret_cast<cl_context_properties>(platform()),
                                               CL_CONTEXT_INTEROP_USER_SYNC, CL_TRUE, 0};
  cl_int err = 0;
  Context context(clCreateContext(kProperties, 1, &only, ignore_error, this, &err));
  ASSERT_OK(err);
  std::vector<char> back =
      checked_info(query(context, CL_CONTEXT_PROPERTIES), list_of<cl_context_properties>);
  ASSERT_EQ(sizeof kProperties, back.size());
  EXPECT_EQ(0, std::memcmp(back.data(), kProperties, sizeof kProperties));
  // Where none were given: "size 0, or a list that holds only 0".
  back = checked_info(query(context_, CL_CONTEXT_PROPERTIES), list_of<cl_context_properties>);
  EXPECT_LE(back.size(), sizeof(cl_context_properties));
}

TEST_F(ContextTest, CreatedFromType) {
  const cl_context_properties kProperties[] = {
      CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform()), 0};
  cl_int err = 0;
  Context context(clCreateContextFromType(kProperties, CL_DEVICE_TYPE_ALL, nullptr, nullptr, &err));
  ASSERT_OK(err);
  EXPECT_EQ(1u, references(context));
  EXPECT_EQ(1u, info<cl_uint>(clGetContextInfo, context, CL_CONTEXT_NUM_DEVICES));
  EXPECT_EQ(device(), info<cl_device_id>(clGetContextInfo, context, CL_CONTEXT_DEVICES));
}

TEST_F(ContextTest, DuplicateDevicesAreIgnored) {
  cl_device_id twice[] = {device(), device()};
  cl_int err = 0;
  Context context(clCreateContext(nullptr, 2, twice, nullptr, nullptr, &err));
  ASSERT_OK(err);
  EXPECT_EQ(1u, info<cl_uint>(clGetContextInfo, context, CL_CONTEXT_NUM_DEVICES));
}

TEST_F(ContextTest, CountsReferences) {
  Context context = make_context();
  EXPECT_OK(clRetainContext(context));
  EXPECT_EQ(2u, references(context));
  EXPECT_OK(clReleaseContext(context));
  EXPECT_EQ(1u, references(context));
}

// The order in which destructor callbacks ran.
std::vector<int> g_order;
std::atomic<int> g_calls{0};  // the size of g_order, once that may be read
void CL_CALLBACK note_context(cl_context, void* which) {
  g_order.push_back(*static_cast<int*>(which));
  ++g_calls;
}

TEST_F(ContextTest, DestructorCallbacksRunLastRegisteredFirst) {
  g_order.clear();
  g_calls = 0;
  int first = 1, second = 2, third = 3;
  Context context = make_context();
  for (int* which : {&first, &second, &third}) {
    EXPECT_OK(clSetContextDestructorCallback(context, note_context, which));
  }
  EXPECT_OK(clRetainContext(context));
  EXPECT_OK(clReleaseContext(context));
  EXPECT_EQ(0, g_calls);
  context.reset();
  // "may be called asynchronously"
  EXPECT_TRUE(eventually([] { return g_calls == 3; }));
  EXPECT_EQ((std::vector<int>{3, 2, 1}), g_order);
}

// "After the reference count becomes zero and all the objects attached to context (such as memory
// objects, command-queues) are released, the context is deleted."
TEST_F(ContextTest, LivesAsLongAsItsObjects) {
  g_order.clear();
  g_calls = 0;
  int which = 7;
  Context context = make_context();
  EXPECT_OK(clSetContextDestructorCallback(context, note_context, &which));
  Buffer buffer = make_buffer(context, 64);
  Queue queue = make_queue(context);
  cl_context raw = context;
  context.reset();
  EXPECT_EQ(0, g_calls);
  EXPECT_EQ(raw, info<cl_context>(clGetMemObjectInfo, buffer, CL_MEM_CONTEXT));
  EXPECT_EQ(std::vector<int>(4, -1).size(), contents(queue, buffer, 4).size());
  queue.reset();
  EXPECT_EQ(0, g_calls);
  buffer.reset();
  EXPECT_TRUE(eventually([] { return g_calls == 1; }));
  EXPECT_EQ(std::vector<int>{7}, g_order);
}

TEST_F(ContextTest, BadCreationIsRefused) {
  cl_device_id only = device();
  cl_device_id with_null[] = {device(), nullptr};
  auto here = reinterpret_cast<cl_context_properties>(platform());
  const cl_context_properties kNullPlatform[] = {CL_CONTEXT_PLATFORM, 0, 0};
  const cl_context_properties kUnknown[] = {CL_CONTEXT_PLATFORM, here, 0x7777, 1, 0};
  const cl_context_properties kTwice[] = {CL_CONTEXT_PLATFORM, here, CL_CONTEXT_PLATFORM, here, 0};
  const cl_context_properties kNoBool[] = {CL_CONTEXT_PLATFORM, here, CL_CONTEXT_INTEROP_USER_SYNC,
                                           2, 0};
  const cl_context_properties kGood[] = {CL_CONTEXT_PLATFORM, here, 0};
  const cl_device_type kAll = CL_DEVICE_TYPE_ALL;
  expect_all({
      BAD_CREATE(CL_INVALID_VALUE, clCreateContext(nullptr, 0, &only, nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, clCreateContext(nullptr, 1, nullptr, nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, clCreateContext(kGood, 1, &only, nullptr, &only, err)),
      BAD_CREATE(CL_INVALID_DEVICE, clCreateContext(kGood, 2, with_null, nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_PLATFORM,
                 clCreateContext(kNullPlatform, 1, &only, nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_PROPERTY, clCreateContext(kUnknown, 1, &only, nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_PROPERTY, clCreateContext(kTwice, 1, &only, nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_PROPERTY, clCreateContext(kNoBool, 1, &only, nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_PLATFORM,
                 clCreateContextFromType(kNullPlatform, kAll, nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_PROPERTY,
                 clCreateContextFromType(kUnknown, kAll, nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_PROPERTY, clCreateContextFromType(kTwice, kAll, nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, clCreateContextFromType(kGood, kAll, nullptr, &only, err)),
      BAD_CREATE(CL_INVALID_DEVICE_TYPE, clCreateContextFromType(kGood, 0, nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_DEVICE_TYPE,
                 clCreateContextFromType(kGood, 1 << 20, nullptr, nullptr, err)),
      BAD_CREATE(CL_DEVICE_NOT_FOUND,
                 clCreateContextFromType(kGood, CL_DEVICE_TYPE_CUSTOM, nullptr, nullptr, err)),
  });
}

TEST_F(ContextTest, BadArgumentsAreRefused) {
  cl_uint value = 0;
  expect_all({
      BAD(CL_INVALID_CONTEXT, clRetainContext(nullptr)),
      BAD(CL_INVALID_CONTEXT, clReleaseContext(nullptr)),
      BAD(CL_INVALID_CONTEXT,
          clGetContextInfo(nullptr, CL_CONTEXT_NUM_DEVICES, 4, &value, nullptr)),
      BAD(CL_INVALID_VALUE, clGetContextInfo(context_, 0, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetContextInfo(context_, CL_DEVICE_NAME, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetContextInfo(context_, CL_CONTEXT_DEVICES, 4, &value, nullptr)),
      BAD(CL_INVALID_CONTEXT, clSetContextDestructorCallback(nullptr, note_context, nullptr)),
      BAD(CL_INVALID_VALUE, clSetContextDestructorCallback(context_, nullptr, nullptr)),
  });
}

}  // namespace
}  // namespace conclave::test
