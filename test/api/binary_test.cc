// SPDX-License-Identifier: Apache-2.0
// Program binaries: what a program gives out works when it is put in again, and nothing else does.
#include <algorithm>
#include <cstring>

#include "api_test.h"

namespace conclave::test {
namespace {

using Binary = std::vector<unsigned char>;
const char kSource[] = "kernel void k(global int* o) { o[0] = 4711; }";

class BinaryTest : public ApiTest {
 protected:
  Program with_binary(const Binary& binary, cl_int& err, cl_int& status) {
    cl_device_id only = device();
    size_t size = binary.size();
    const unsigned char* data = binary.data();
    return Program(clCreateProgramWithBinary(context_, 1, &only, &size, &data, &status, &err));
  }
  // Whether `binary` is refused: when it is put in, with a status for the device, or when built.
  void expect_refused(const Binary& binary) {
    cl_int err = 0, status = 0;
    Program program = with_binary(binary, err, status);
    if (!program) {
      EXPECT_CL(CL_INVALID_BINARY, err);
      EXPECT_CL(CL_INVALID_BINARY, status);
      return;
    }
    EXPECT_CL(CL_INVALID_BINARY, clBuildProgram(program, 0, nullptr, "", nullptr, nullptr));
  }
  int result(cl_program program) {
    Kernel k = make_kernel(program, "k");
    Buffer out = make_buffer(context_, std::vector<int>(1, -1));
    EXPECT_OK(clSetKernelArg(k, 0, sizeof(cl_mem), out.list()));
    EXPECT_OK(clEnqueueTask(queue_, k, 0, nullptr, nullptr));
    return contents(queue_, out, 1)[0];
  }
};

TEST_F(BinaryTest, RoundTrip) {
  Binary binary = binary_of(build(context_, kSource));
  ASSERT_FALSE(binary.empty());
  cl_int err = 1, status = 1;
  Program program = with_binary(binary, err, status);
  ASSERT_OK(err);
  EXPECT_OK(status);
  cl_program_binary_type type = 0;
  EXPECT_OK(clGetProgramBuildInfo(program, device(), CL_PROGRAM_BINARY_TYPE, sizeof type, &type,
                                  nullptr));
  EXPECT_EQ(static_cast<cl_program_binary_type>(CL_PROGRAM_BINARY_TYPE_EXECUTABLE), type);
  // "If program is created using clCreateProgramWithBinary ... CL_PROGRAM_SOURCE: a null string".
  char source[8] = "x";
  EXPECT_OK(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof source, source, nullptr));
  EXPECT_STREQ("", source);
  ASSERT_OK(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr)) << build_log(program);
  EXPECT_EQ(4711, result(program));
  // The binary of a program from a binary is as good.
  Program again = with_binary(binary_of(program), err, status);
  ASSERT_OK(err);
  ASSERT_OK(clBuildProgram(again, 0, nullptr, "", nullptr, nullptr)) << build_log(again);
  EXPECT_EQ(4711, result(again));
}

TEST_F(BinaryTest, ObjectsAndLibrariesRoundTrip) {
  const char kHelper[] = "int helper(void) { return 99; }";
  const char kMain[] = "int helper(void); kernel void k(global int* o) { o[0] = helper(); }";
  auto object = [&](const char* source) {
    Program program = make_program(context_, source);
    EXPECT_OK(clCompileProgram(program, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr))
        << build_log(program);
    cl_int err = 0, status = 0;
    Program back = with_binary(binary_of(program), err, status);
    EXPECT_OK(err);
    return back;
  };
  Program main = object(kMain), helper = object(kHelper);
  cl_program only_helper[] = {helper};
  cl_int err = 0, status = 0;
  Program library(clLinkProgram(context_, 0, nullptr, "-create-library", 1, only_helper, nullptr,
                                nullptr, &err));
  ASSERT_OK(err);
  Program library_back = with_binary(binary_of(library), err, status);
  ASSERT_OK(err);
  cl_program inputs[] = {main, library_back};
  Program program(clLinkProgram(context_, 0, nullptr, "", 2, inputs, nullptr, nullptr, &err));
  ASSERT_OK(err) << (program ? build_log(program) : "");
  EXPECT_EQ(99, result(program));
}

TEST_F(BinaryTest, NullBinaryPointersAreSkipped) {
  Program program = build(context_, kSource);
  unsigned char* none = nullptr;
  EXPECT_OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof none, &none, nullptr));
}

TEST_F(BinaryTest, TruncatedBinariesAreRefused) {
  Binary binary = binary_of(build(context_, kSource));
  for (size_t size :
       {size_t{1}, size_t{4}, size_t{16}, size_t{63}, size_t{64}, size_t{100}, binary.size() / 4,
        binary.size() / 2, binary.size() * 9 / 10, binary.size() - 1}) {
    SCOPED_TRACE(size);
    expect_refused(Binary(binary.begin(), binary.begin() + static_cast<long>(size)));
  }
}

// One bit of the binary changes: it may still be a good binary, but never brings the process down.
TEST_F(BinaryTest, CorruptBinariesDoNotCrash) {
  CONCLAVE_ONLY();
  Binary binary = binary_of(build(context_, kSource));
  // The ELF header and then spread over the file; code itself is not checked by anyone, so nothing
  // is run here.
  for (size_t at = 0; at < binary.size(); at += at < 128 ? 1 : binary.size() / 64 + 1) {
    Binary damaged = binary;
    damaged[at] ^= 0x55;
    cl_int err = 0, status = 0;
    Program program = with_binary(damaged, err, status);
    if (!program) {
      EXPECT_CL(CL_INVALID_BINARY, err) << "byte " << at;
      EXPECT_CL(CL_INVALID_BINARY, status) << "byte " << at;
      continue;
    }
    cl_int built = clBuildProgram(program, 0, nullptr, "", nullptr, nullptr);
    EXPECT_TRUE(built == CL_SUCCESS || built == CL_INVALID_BINARY ||
                built == CL_BUILD_PROGRAM_FAILURE)
        << error_name(built) << " byte " << at;
  }
}

TEST_F(BinaryTest, ForeignBinariesAreRefused) {
  expect_refused(Binary(1000, 0));
  std::string words = "This is not a program binary, it is a sentence that goes on for a while.";
  expect_refused(Binary(words.begin(), words.end()));
  // An ELF file that is none of ours: this test program.
  FILE* self = std::fopen("/proc/self/exe", "rb");
  ASSERT_NE(nullptr, self);
  Binary elf(1 << 20);
  elf.resize(std::fread(elf.data(), 1, elf.size(), self));
  std::fclose(self);
  expect_refused(elf);
}

TEST_F(BinaryTest, BinaryCannotBeCompiled) {
  Binary binary = binary_of(build(context_, kSource));
  cl_int err = 0, status = 0;
  Program program = with_binary(binary, err, status);
  ASSERT_OK(err);
  EXPECT_CL(CL_INVALID_OPERATION,
            clCompileProgram(program, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr));
}

TEST_F(BinaryTest, BadArgumentsAreRefused) {
  Binary binary = binary_of(build(context_, kSource));
  const unsigned char* data = binary.data();
  const unsigned char* null_data = nullptr;
  size_t size = binary.size(), zero = 0;
  cl_device_id only = device(), none = nullptr;
  auto create = [&](cl_context context, cl_uint count, const cl_device_id* devices,
                    const size_t* sizes, const unsigned char** binaries, cl_int* err) {
    return clCreateProgramWithBinary(context, count, devices, sizes, binaries, nullptr, err);
  };
  expect_all({
      BAD_CREATE(CL_INVALID_CONTEXT, create(nullptr, 1, &only, &size, &data, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(context_, 0, &only, &size, &data, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(context_, 1, nullptr, &size, &data, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(context_, 1, &only, nullptr, &data, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(context_, 1, &only, &size, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(context_, 1, &only, &zero, &data, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(context_, 1, &only, &size, &null_data, err)),
      BAD_CREATE(CL_INVALID_DEVICE, create(context_, 1, &none, &size, &data, err)),
  });
  // "binary_status[i] ... CL_INVALID_VALUE if lengths[i] is zero or if binaries[i] is NULL".
  cl_int status = 0, err = 0;
  EXPECT_EQ(nullptr, clCreateProgramWithBinary(context_, 1, &only, &zero, &data, &status, &err));
  EXPECT_CL(CL_INVALID_VALUE, status);
  EXPECT_CL(CL_INVALID_VALUE, err);
}

}  // namespace
}  // namespace conclave::test
