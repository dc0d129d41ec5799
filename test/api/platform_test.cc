// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <sstream>

#include "api_test.h"

namespace conclave::test {
namespace {

using PlatformTest = ApiTest;

Query query(cl_platform_info name) {
  return [name](size_t size, void* value, size_t* ret) {
    return clGetPlatformInfo(platform(), name, size, value, ret);
  };
}

TEST_F(PlatformTest, EveryQueryHasTheRightSize) {
  const struct {
    const char* label;
    cl_platform_info name;
    InfoSize size;
  } kQueries[] = {
      {"PROFILE", CL_PLATFORM_PROFILE, text},
      {"VERSION", CL_PLATFORM_VERSION, text},
      {"NUMERIC_VERSION", CL_PLATFORM_NUMERIC_VERSION, one<cl_version>},
      {"NAME", CL_PLATFORM_NAME, text},
      {"VENDOR", CL_PLATFORM_VENDOR, text},
      {"EXTENSIONS", CL_PLATFORM_EXTENSIONS, text},
      {"EXTENSIONS_WITH_VERSION", CL_PLATFORM_EXTENSIONS_WITH_VERSION, list_of<cl_name_version>},
      {"HOST_TIMER_RESOLUTION", CL_PLATFORM_HOST_TIMER_RESOLUTION, one<cl_ulong>},
      {"ICD_SUFFIX_KHR", CL_PLATFORM_ICD_SUFFIX_KHR, text},
  };
  for (const auto& row : kQueries) {
    SCOPED_TRACE(row.label);
    checked_info(query(row.name), row.size);
  }
}

TEST_F(PlatformTest, IsAnOpenCl30FullProfilePlatform) {
  EXPECT_EQ("FULL_PROFILE", platform_text(CL_PLATFORM_PROFILE));
  EXPECT_EQ(0u, platform_text(CL_PLATFORM_VERSION).rfind("OpenCL 3.0 ", 0));
  auto version = info<cl_version>(clGetPlatformInfo, platform(), CL_PLATFORM_NUMERIC_VERSION);
  EXPECT_EQ(3u, CL_VERSION_MAJOR(version));
  EXPECT_EQ(0u, CL_VERSION_MINOR(version));
  EXPECT_NE("", platform_text(CL_PLATFORM_VENDOR));
  EXPECT_NE("", platform_text(CL_PLATFORM_ICD_SUFFIX_KHR));
}

// "EXTENSIONS ... EXTENSIONS_WITH_VERSION: must list the same names, each once."
TEST_F(PlatformTest, BothExtensionListsAgree) {
  std::istringstream stream(platform_text(CL_PLATFORM_EXTENSIONS));
  std::vector<std::string> plain, versioned;
  for (std::string name; stream >> name;) plain.push_back(name);
  std::vector<char> raw =
      checked_info(query(CL_PLATFORM_EXTENSIONS_WITH_VERSION), list_of<cl_name_version>);
  for (size_t at = 0; at < raw.size(); at += sizeof(cl_name_version)) {
    cl_name_version entry;
    std::memcpy(&entry, raw.data() + at, sizeof entry);
    versioned.push_back(entry.name);
    EXPECT_NE(0u, entry.version) << entry.name;
  }
  std::sort(plain.begin(), plain.end());
  std::sort(versioned.begin(), versioned.end());
  EXPECT_EQ(plain, versioned);
  EXPECT_EQ(plain.end(), std::adjacent_find(plain.begin(), plain.end()));
  EXPECT_NE(plain.end(), std::find(plain.begin(), plain.end(), "cl_khr_icd"));
}

TEST_F(PlatformTest, BadArgumentsAreRefused) {
  cl_platform_id id = nullptr;
  cl_ulong value = 0;
  size_t size = 0;
  expect_all({
      BAD(CL_INVALID_VALUE, clGetPlatformIDs(0, &id, nullptr)),
      BAD(CL_INVALID_VALUE, clGetPlatformIDs(0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetPlatformIDs(1, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetPlatformInfo(platform(), 0, 0, nullptr, &size)),
      BAD(CL_INVALID_VALUE, clGetPlatformInfo(platform(), CL_DEVICE_NAME, 0, nullptr, &size)),
      BAD(CL_INVALID_VALUE, clGetPlatformInfo(platform(), CL_PLATFORM_NAME, 1, &value, nullptr)),
      BAD(CL_INVALID_VALUE,
          clGetPlatformInfo(platform(), CL_PLATFORM_HOST_TIMER_RESOLUTION, 4, &value, nullptr)),
  });
}

TEST_F(PlatformTest, HandleOfAnotherKindIsNoPlatform) {
  CONCLAVE_ONLY();
  auto wrong = as<cl_platform_id>(context_.get());
  cl_uint count = 0;
  expect_all({
      BAD(CL_INVALID_PLATFORM, clGetPlatformInfo(wrong, CL_PLATFORM_NAME, 0, nullptr, nullptr)),
      BAD(CL_INVALID_PLATFORM, clGetDeviceIDs(wrong, CL_DEVICE_TYPE_ALL, 0, nullptr, &count)),
      BAD(CL_INVALID_PLATFORM, clUnloadPlatformCompiler(wrong)),
  });
}

TEST_F(PlatformTest, UnknownExtensionFunctionIsNull) {
  EXPECT_EQ(nullptr, clGetExtensionFunctionAddressForPlatform(platform(), "clNoSuchFunctionXYZ"));
  EXPECT_EQ(nullptr, clGetExtensionFunctionAddressForPlatform(nullptr, "clCreateContext"));
  EXPECT_EQ(nullptr, clGetExtensionFunctionAddress("clNoSuchFunctionXYZ"));
}

TEST_F(PlatformTest, BadDeviceQueriesAreRefused) {
  cl_device_id id = nullptr;
  cl_uint count = 0;
  expect_all({
      BAD(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(platform(), 0, 1, &id, &count)),
      BAD(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(platform(), 1 << 20, 1, &id, &count)),
      BAD(CL_INVALID_VALUE, clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 0, &id, &count)),
      BAD(CL_INVALID_VALUE, clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetDeviceIDs(platform(), CL_DEVICE_TYPE_ALL, 1, nullptr, nullptr)),
  });
}

}  // namespace
}  // namespace conclave::test
