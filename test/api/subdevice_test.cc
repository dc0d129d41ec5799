// SPDX-License-Identifier: Apache-2.0
// Partitioning the device by number, by counts and by names of its compute units.
#include <cstring>
#include <numeric>
#include <thread>

#include "api_test.h"
#include "child_process.h"

namespace conclave::test {
namespace {

using Property = cl_device_partition_property;
using Properties = std::vector<Property>;

Properties equally(Property units) {
  return {CL_DEVICE_PARTITION_EQUALLY, units, 0};
}
Properties by_counts(const std::vector<Property>& counts) {
  Properties result = {CL_DEVICE_PARTITION_BY_COUNTS};
  result.insert(result.end(), counts.begin(), counts.end());
  result.insert(result.end(), {CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0});
  return result;
}
Properties by_names(const std::vector<Property>& units) {
  Properties result = {CL_DEVICE_PARTITION_BY_NAMES_EXT};
  result.insert(result.end(), units.begin(), units.end());
  result.insert(result.end(), {static_cast<Property>(CL_PARTITION_BY_NAMES_LIST_END_EXT), 0});
  return result;
}

Properties by_domain(cl_device_affinity_domain domain) {
  return {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, static_cast<Property>(domain), 0};
}

cl_uint units_of(cl_device_id device) {
  return info<cl_uint>(clGetDeviceInfo, device, CL_DEVICE_MAX_COMPUTE_UNITS);
}

class SubDeviceTest : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    units_ = units_of(device());
    if (units_ < 4) GTEST_SKIP() << "needs four compute units";
  }
  static std::vector<Device> partition(cl_device_id parent, const Properties& properties) {
    cl_uint count = 0;
    EXPECT_OK(clCreateSubDevices(parent, properties.data(), 0, nullptr, &count));
    std::vector<cl_device_id> raw(count);
    EXPECT_OK(clCreateSubDevices(parent, properties.data(), count, raw.data(), nullptr));
    std::vector<Device> result;
    for (cl_device_id sub : raw) result.emplace_back(sub);
    return result;
  }
  static bool supports(Property scheme) {
    Property all[16] = {};
    size_t size = 0;
    EXPECT_OK(clGetDeviceInfo(device(), CL_DEVICE_PARTITION_PROPERTIES, sizeof all, all, &size));
    for (size_t i = 0; i < size / sizeof(Property); ++i) {
      if (all[i] == scheme) return true;
    }
    return false;
  }
  // Runs a kernel on `sub`, in a context of its own, and checks what it wrote.
  static void expect_works(cl_device_id sub) {
    cl_int err = 0;
    Context context(clCreateContext(nullptr, 1, &sub, nullptr, nullptr, &err));
    ASSERT_OK(err);
    Queue queue(clCreateCommandQueue(context, sub, 0, &err));
    ASSERT_OK(err);
    Program program = make_program(context, kKernels);
    ASSERT_OK(clBuildProgram(program, 1, &sub, "-cl-std=CL3.0", nullptr, nullptr))
        << build_log(program, sub);
    Kernel add = make_kernel(program, "add");
    std::vector<int> data(1000);
    std::iota(data.begin(), data.end(), 0);
    Buffer buffer = make_buffer(context, data);
    int amount = 7;
    size_t items = data.size(), group = 8;
    ASSERT_OK(clSetKernelArg(add, 0, sizeof(cl_mem), buffer.list()));
    ASSERT_OK(clSetKernelArg(add, 1, sizeof amount, &amount));
    ASSERT_OK(clEnqueueNDRangeKernel(queue, add, 1, nullptr, &items, &group, 0, nullptr, nullptr));
    for (int& value : data) value += 7;
    EXPECT_EQ(data, contents(queue, buffer, data.size()));
  }

  cl_uint units_ = 0;
};

TEST_F(SubDeviceTest, Equally) {
  for (Property size : {1, 2}) {
    SCOPED_TRACE(size);
    std::vector<Device> subs = partition(device(), equally(size));
    EXPECT_EQ(units_ / static_cast<cl_uint>(size), subs.size());
    for (const Device& sub : subs) EXPECT_EQ(static_cast<cl_uint>(size), units_of(sub));
    expect_works(subs.back());
  }
}

TEST_F(SubDeviceTest, ByCounts) {
  std::vector<Device> subs = partition(device(), by_counts({1, 3}));
  ASSERT_EQ(2u, subs.size());
  EXPECT_EQ(1u, units_of(subs[0]));
  EXPECT_EQ(3u, units_of(subs[1]));
  for (const Device& sub : subs) expect_works(sub);
}

TEST_F(SubDeviceTest, ByNames) {
  if (!supports(CL_DEVICE_PARTITION_BY_NAMES_EXT)) GTEST_SKIP();
  std::vector<Device> subs = partition(device(), by_names({0, 2, 3}));
  ASSERT_EQ(1u, subs.size());
  EXPECT_EQ(3u, units_of(subs[0]));
  expect_works(subs[0]);
  auto refused = [&](const Properties& properties) {
    cl_uint count = 0;
    return clCreateSubDevices(device(), properties.data(), 0, nullptr, &count);
  };
  for (const Properties& bad :
       {by_names({0, static_cast<Property>(units_)}), by_names({1, 1}), by_names({})}) {
    cl_int status = refused(bad);
    EXPECT_TRUE(status == CL_INVALID_VALUE || status == CL_INVALID_DEVICE_PARTITION_COUNT ||
                status == CL_DEVICE_PARTITION_FAILED)
        << error_name(status);
  }
}

TEST_F(SubDeviceTest, TellsWhatItIs) {
  Properties properties = by_counts({2, 1});
  std::vector<Device> subs = partition(device(), properties);
  ASSERT_EQ(2u, subs.size());
  cl_device_id sub = subs[0];
  EXPECT_EQ(device(), info<cl_device_id>(clGetDeviceInfo, sub, CL_DEVICE_PARENT_DEVICE));
  EXPECT_EQ(platform(), info<cl_platform_id>(clGetDeviceInfo, sub, CL_DEVICE_PLATFORM));
  EXPECT_EQ(1u, info<cl_uint>(clGetDeviceInfo, sub, CL_DEVICE_REFERENCE_COUNT));
  std::vector<char> type = checked_info(
      [&](size_t size, void* value, size_t* ret) {
        return clGetDeviceInfo(sub, CL_DEVICE_PARTITION_TYPE, size, value, ret);
      },
      list_of<Property>);
  ASSERT_EQ(properties.size() * sizeof(Property), type.size());
  EXPECT_EQ(0, std::memcmp(type.data(), properties.data(), type.size()));
  EXPECT_EQ(device_text(device(), CL_DEVICE_NAME), device_text(sub, CL_DEVICE_NAME));
  EXPECT_OK(clRetainDevice(sub));
  EXPECT_EQ(2u, info<cl_uint>(clGetDeviceInfo, sub, CL_DEVICE_REFERENCE_COUNT));
  EXPECT_OK(clReleaseDevice(sub));
  EXPECT_EQ(1u, info<cl_uint>(clGetDeviceInfo, sub, CL_DEVICE_REFERENCE_COUNT));
  // It is not found as a device of the platform.
  cl_uint count = 0;
  EXPECT_OK(clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 0, nullptr, &count));
  EXPECT_EQ(1u, count);
}

TEST_F(SubDeviceTest, CanBePartitionedAgain) {
  std::vector<Device> halves = partition(device(), equally(2));
  ASSERT_LE(2u, halves.size());
  std::vector<Device> quarters = partition(halves[1], equally(1));
  ASSERT_EQ(2u, quarters.size());
  EXPECT_EQ(halves[1].get(),
            info<cl_device_id>(clGetDeviceInfo, quarters[0], CL_DEVICE_PARENT_DEVICE));
  expect_works(quarters[0]);
}

// "After the device reference count becomes zero and all the objects attached to device ... are
// released, the device object is deleted": until then its handle is good.
TEST_F(SubDeviceTest, LivesAsLongAsItsContext) {
  std::vector<Device> subs = partition(device(), equally(2));
  cl_device_id raw = subs[0];
  cl_int err = 0;
  Context context(clCreateContext(nullptr, 1, &raw, nullptr, nullptr, &err));
  ASSERT_OK(err);
  subs.clear();
  EXPECT_EQ(2u, units_of(raw));
  Queue queue(clCreateCommandQueue(context, raw, 0, &err));
  EXPECT_OK(err);
}

TEST_F(SubDeviceTest, TwoSubDevicesShareAContext) {
  std::vector<Device> subs = partition(device(), equally(2));
  cl_device_id both[] = {subs[0], subs[1]};
  cl_int err = 0;
  Context context(clCreateContext(nullptr, 2, both, nullptr, nullptr, &err));
  ASSERT_OK(err);
  Program program = make_program(context, kKernels);
  ASSERT_OK(clBuildProgram(program, 0, nullptr, "-cl-std=CL3.0", nullptr, nullptr));
  Kernel step = make_kernel(program, "twice_plus");
  Buffer buffer = make_buffer(context, std::vector<int>(64, 1));
  size_t sizes[2] = {};
  EXPECT_OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, nullptr));
  EXPECT_GT(sizes[0], 0u);
  EXPECT_GT(sizes[1], 0u);
  // One after the other on the two devices, ordered by an event.
  Event previous;
  int expected = 1;
  size_t items = 64;
  ASSERT_OK(clSetKernelArg(step, 0, sizeof(cl_mem), buffer.list()));
  for (int i = 0; i < 6; ++i) {
    Queue queue(clCreateCommandQueue(context, both[i % 2], 0, &err));
    ASSERT_OK(err);
    Event next;
    ASSERT_OK(clSetKernelArg(step, 1, sizeof i, &i));
    ASSERT_OK(clEnqueueNDRangeKernel(queue, step, 1, nullptr, &items, nullptr, previous ? 1 : 0,
                                     previous ? previous.list() : nullptr, next.out()));
    ASSERT_OK(clFlush(queue));
    previous = std::move(next);
    expected = expected * 2 + i;
  }
  ASSERT_OK(clWaitForEvents(1, previous.list()));
  Queue queue(clCreateCommandQueue(context, both[0], 0, &err));
  EXPECT_EQ(std::vector<int>(64, expected), contents(queue, buffer, 64));
  // The root device is not in this context.
  expect_all({BAD_CREATE(CL_INVALID_DEVICE, clCreateCommandQueue(context, device(), 0, err))});
}

TEST_F(SubDeviceTest, BadPartitionsAreRefused) {
  cl_uint count = 0;
  cl_device_id room[8] = {};
  auto split = [&](cl_device_id parent, const Properties& properties, cl_uint size,
                   cl_device_id* out) {
    return clCreateSubDevices(parent, properties.data(), size, out, &count);
  };
  auto units = static_cast<Property>(units_);
  std::vector<Device> single = partition(device(), equally(1));
  expect_all({
      BAD(CL_INVALID_DEVICE, split(nullptr, equally(1), 8, room)),
      BAD(CL_INVALID_VALUE, clCreateSubDevices(device(), nullptr, 8, room, &count)),
      BAD(CL_INVALID_VALUE, split(device(), {0}, 8, room)),
      BAD(CL_INVALID_VALUE, split(device(), {0x7777, 1, 0}, 8, room)),
      BAD(CL_INVALID_VALUE, split(device(), equally(0), 8, room)),
      BAD(CL_INVALID_VALUE, split(device(), by_domain(0), 8, room)),
      BAD(CL_INVALID_VALUE, split(device(), by_domain(1 << 9), 8, room)),
      BAD(CL_INVALID_VALUE, split(device(), equally(1), 1, room)),
      BAD(CL_INVALID_VALUE, split(device(), by_counts({1, 1}), 1, room)),
      BAD(CL_INVALID_DEVICE_PARTITION_COUNT, split(device(), by_counts({units + 1}), 8, room)),
      BAD(CL_INVALID_DEVICE_PARTITION_COUNT, split(device(), by_counts({units, 1}), 8, room)),
      BAD(CL_INVALID_DEVICE_PARTITION_COUNT, split(device(), by_counts({-1, 1}), 8, room)),
  });
  // One compute unit cannot be partitioned, and its device says so.
  EXPECT_EQ(0, info<Property>(clGetDeviceInfo, single[0], CL_DEVICE_PARTITION_PROPERTIES));
  for (const Properties& properties : {equally(1), by_counts({1})}) {
    cl_int status = split(single[0], properties, 8, room);
    EXPECT_TRUE(status == CL_DEVICE_PARTITION_FAILED || status == CL_INVALID_VALUE)
        << error_name(status);
  }
  cl_int status = split(device(), equally(units + 1), 8, room);
  EXPECT_TRUE(status == CL_DEVICE_PARTITION_FAILED || status == CL_INVALID_VALUE ||
              status == CL_INVALID_DEVICE_PARTITION_COUNT)
      << error_name(status);
}

// By what compute units share. Which domains there are is the machine's affair; what the device
// tells of them must agree with what it does.
CHILD_PROCESS(partition_by_affinity) {
  const cl_device_id whole = device();
  const cl_uint units = units_of(whole);
  const auto domains =
      info<cl_device_affinity_domain>(clGetDeviceInfo, whole, CL_DEVICE_PARTITION_AFFINITY_DOMAIN);
  const bool pinned = units == std::thread::hardware_concurrency();
  CHECK(pinned || domains == 0);
  cl_device_affinity_domain first = 0;
  for (const cl_device_affinity_domain domain :
       {CL_DEVICE_AFFINITY_DOMAIN_NUMA, CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE,
        CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE,
        CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE}) {
    cl_uint count = 0;
    std::vector<cl_device_id> subs(units);
    const cl_int status =
        clCreateSubDevices(whole, by_domain(domain).data(), units, subs.data(), &count);
    CHECK(status == ((domains & domain) != 0 ? CL_SUCCESS : CL_DEVICE_PARTITION_FAILED));
    if (status != CL_SUCCESS) continue;
    if (first == 0) first = domain;
    CHECK(count > 1);
    cl_uint sum = 0;
    for (cl_uint i = 0; i < count; ++i) {
      sum += units_of(subs[i]);
      // The domain that "next partitionable" stands for is told, not these words.
      Property told[3] = {};
      CHECK(clGetDeviceInfo(subs[i], CL_DEVICE_PARTITION_TYPE, sizeof told, told, nullptr) ==
            CL_SUCCESS);
      const bool next = domain == CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE;
      CHECK(told[1] == static_cast<Property>(next ? first : domain) && told[2] == 0);
      CHECK(clReleaseDevice(subs[i]) == CL_SUCCESS);
    }
    CHECK(sum == units);
  }
  CHECK((domains != 0) == (first != 0));
  return 0;
}
TEST_F(SubDeviceTest, ByAffinityDomain) {
  const unsigned cpus = std::thread::hardware_concurrency();
  for (const unsigned units : {cpus, cpus + 1}) {
    const ChildResult result =
        run_child("partition_by_affinity", {{"CONCLAVE_COMPUTE_UNITS", std::to_string(units)}});
    EXPECT_EQ(0, result.exit_status) << units << " units: " << result.output;
  }
}

}  // namespace
}  // namespace conclave::test
