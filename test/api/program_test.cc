// SPDX-License-Identifier: Apache-2.0
// Programs from source: creation, options, logs, queries, building in the background.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "api_test.h"
#include "child_process.h"

namespace conclave::test {
namespace {

const char kValue[] = "kernel void k(global int* o) { o[0] = VALUE; }";

class ProgramTest : public ApiTest {
 protected:
  // What kernel `k` of `program` writes to its only argument.
  int result(cl_program program) {
    Kernel k = make_kernel(program, "k");
    Buffer out = make_buffer(context_, std::vector<int>(1, -1));
    EXPECT_OK(clSetKernelArg(k, 0, sizeof(cl_mem), out.list()));
    EXPECT_OK(clEnqueueTask(queue_, k, 0, nullptr, nullptr));
    return contents(queue_, out, 1)[0];
  }
  static cl_int build_status(cl_program program) {
    cl_build_status status = 1;
    EXPECT_OK(clGetProgramBuildInfo(program, device(), CL_PROGRAM_BUILD_STATUS, sizeof status,
                                    &status, nullptr));
    return status;
  }
};

Query program_query(cl_program program, cl_program_info name) {
  return [=](size_t size, void* value, size_t* ret) {
    return clGetProgramInfo(program, name, size, value, ret);
  };
}
Query build_query(cl_program program, cl_program_build_info name) {
  return [=](size_t size, void* value, size_t* ret) {
    return clGetProgramBuildInfo(program, device(), name, size, value, ret);
  };
}
std::string string_of(const std::vector<char>& raw) {
  return raw.empty() ? "" : raw.data();
}

TEST_F(ProgramTest, EveryQueryHasTheRightSizeAndValue) {
  Program program = build(context_, kKernels, "-cl-std=CL3.0");
  checked_info(program_query(program, CL_PROGRAM_REFERENCE_COUNT), one<cl_uint>);
  checked_info(program_query(program, CL_PROGRAM_CONTEXT), one<cl_context>);
  checked_info(program_query(program, CL_PROGRAM_NUM_DEVICES), one<cl_uint>);
  checked_info(program_query(program, CL_PROGRAM_DEVICES), list_of<cl_device_id>);
  checked_info(program_query(program, CL_PROGRAM_BINARY_SIZES), list_of<size_t>);
  checked_info(program_query(program, CL_PROGRAM_NUM_KERNELS), one<size_t>);
  checked_info(program_query(program, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT), one<cl_bool>);
  checked_info(program_query(program, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT), one<cl_bool>);
  EXPECT_EQ(kKernels, string_of(checked_info(program_query(program, CL_PROGRAM_SOURCE), text)));
  std::istringstream stream(
      string_of(checked_info(program_query(program, CL_PROGRAM_KERNEL_NAMES), text)));
  std::vector<std::string> names;
  for (std::string name; std::getline(stream, name, ';');) names.push_back(name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ((std::vector<std::string>{"add", "fixed", "group_sum", "ids", "local_sizes", "nothing",
                                      "twice_plus"}),
            names);
  EXPECT_EQ(7u, info<size_t>(clGetProgramInfo, program, CL_PROGRAM_NUM_KERNELS));
  EXPECT_EQ(1u, info<cl_uint>(clGetProgramInfo, program, CL_PROGRAM_NUM_DEVICES));
  EXPECT_EQ(device(), info<cl_device_id>(clGetProgramInfo, program, CL_PROGRAM_DEVICES));
  EXPECT_EQ(context_.get(), info<cl_context>(clGetProgramInfo, program, CL_PROGRAM_CONTEXT));
  EXPECT_GT(info<size_t>(clGetProgramInfo, program, CL_PROGRAM_BINARY_SIZES), 0u);

  checked_info(build_query(program, CL_PROGRAM_BUILD_STATUS), one<cl_build_status>);
  checked_info(build_query(program, CL_PROGRAM_BUILD_LOG), text);
  checked_info(build_query(program, CL_PROGRAM_BINARY_TYPE), one<cl_program_binary_type>);
  checked_info(build_query(program, CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE), one<size_t>);
  EXPECT_EQ("-cl-std=CL3.0",
            string_of(checked_info(build_query(program, CL_PROGRAM_BUILD_OPTIONS), text)));
  EXPECT_EQ(CL_BUILD_SUCCESS, build_status(program));
}

TEST_F(ProgramTest, BeforeItIsBuilt) {
  Program program = make_program(context_, kValue);
  EXPECT_EQ(CL_BUILD_NONE, build_status(program));
  EXPECT_EQ("", build_log(program));
  cl_program_binary_type type = 1;
  EXPECT_OK(clGetProgramBuildInfo(program, device(), CL_PROGRAM_BINARY_TYPE, sizeof type, &type,
                                  nullptr));
  EXPECT_EQ(static_cast<cl_program_binary_type>(CL_PROGRAM_BINARY_TYPE_NONE), type);
  EXPECT_EQ(0u, info<size_t>(clGetProgramInfo, program, CL_PROGRAM_BINARY_SIZES));
  size_t count = 0;
  char names[8];
  expect_all({
      BAD(CL_INVALID_PROGRAM_EXECUTABLE,
          clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, nullptr)),
      BAD(CL_INVALID_PROGRAM_EXECUTABLE,
          clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, nullptr)),
  });
  EXPECT_EQ(1u, info<cl_uint>(clGetProgramInfo, program, CL_PROGRAM_REFERENCE_COUNT));
  EXPECT_OK(clRetainProgram(program));
  EXPECT_EQ(2u, info<cl_uint>(clGetProgramInfo, program, CL_PROGRAM_REFERENCE_COUNT));
  EXPECT_OK(clReleaseProgram(program));
}

TEST_F(ProgramTest, SeveralStringsWithAndWithoutLengths) {
  const char* strings[] = {"kernel void k(global int* o)###", "{ o[0] = ", "12345 garbage", "; }"};
  const size_t lengths[] = {28, 0, 5, 3};
  cl_int err = 0;
  Program program(clCreateProgramWithSource(context_, 4, strings, lengths, &err));
  ASSERT_OK(err);
  EXPECT_EQ("kernel void k(global int* o){ o[0] = 12345; }",
            string_of(checked_info(program_query(program, CL_PROGRAM_SOURCE), text)));
  ASSERT_OK(clBuildProgram(program, 0, nullptr, nullptr, nullptr, nullptr)) << build_log(program);
  EXPECT_EQ(12345, result(program));
}

TEST_F(ProgramTest, ErrorsAreShownWithLineAndCaret) {
  Program program =
      make_program(context_, "kernel void k(global int* o) {\n  o[0] = nonsense;\n}\n");
  EXPECT_CL(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, nullptr, "", nullptr, nullptr));
  EXPECT_EQ(CL_BUILD_ERROR, build_status(program));
  std::string log = build_log(program);
  EXPECT_NE(std::string::npos, log.find(":2:")) << log;
  EXPECT_NE(std::string::npos, log.find("error")) << log;
  EXPECT_NE(std::string::npos, log.find("nonsense")) << log;
  EXPECT_NE(std::string::npos, log.find('^')) << log;
  EXPECT_CL(CL_INVALID_PROGRAM_EXECUTABLE, [&] {
    cl_int err = 0;
    clCreateKernel(program, "k", &err);
    return err;
  }());
}

TEST_F(ProgramTest, WarningsAreLoggedOnSuccess) {
  Program program =
      build(context_, "#warning look here\nkernel void k(global int* o) { o[0] = 1; }");
  EXPECT_NE(std::string::npos, build_log(program).find("look here")) << build_log(program);
}

TEST_F(ProgramTest, CanBeBuiltAgain) {
  Program program = make_program(context_, kValue);
  EXPECT_CL(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, nullptr, "", nullptr, nullptr));
  ASSERT_OK(clBuildProgram(program, 0, nullptr, "-D VALUE=1", nullptr, nullptr));
  EXPECT_EQ(1, result(program));
  ASSERT_OK(clBuildProgram(program, 0, nullptr, "-DVALUE=2", nullptr, nullptr));
  EXPECT_EQ(2, result(program));
}

TEST_F(ProgramTest, OptionsThatWork) {
  const struct {
    const char* options;
    int value;
  } kRows[] = {
      {"-DVALUE=7", 7},
      {"-D VALUE=8", 8},
      {"  -D   VALUE=9  ", 9},
      {"-DVALUE=\"(3 + 4)\"", 7},
      {"-D VALUE='(1 + 1)'", 2},
      {"-DNAME=5 -DVALUE=NAME", 5},
      {"-D VALUE", 1},
      {"-DVALUE=3 -cl-opt-disable", 3},
      {"-DVALUE=3 -cl-mad-enable -cl-no-signed-zeros -cl-unsafe-math-optimizations", 3},
      {"-DVALUE=3 -cl-finite-math-only -cl-fast-relaxed-math -cl-denorms-are-zero", 3},
      {"-DVALUE=3 -cl-single-precision-constant -cl-fp32-correctly-rounded-divide-sqrt", 3},
      {"-DVALUE=3 -w", 3},
      {"-DVALUE=3 -cl-std=CL1.1", 3},
      {"-DVALUE=__OPENCL_C_VERSION__ -cl-std=CL1.2", 120},
      {"-DVALUE=__OPENCL_C_VERSION__ -cl-std=CL2.0", 200},
      {"-DVALUE=__OPENCL_C_VERSION__ -cl-std=CL3.0", 300},
      {"-DVALUE=__OPENCL_VERSION__", 300},
      {"-DVALUE=3 -cl-uniform-work-group-size -cl-std=CL2.0", 3},
      {"-DVALUE=3 -cl-kernel-arg-info", 3},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.options);
    Program program = make_program(context_, kValue);
    cl_int status = clBuildProgram(program, 0, nullptr, row.options, nullptr, nullptr);
    EXPECT_OK(status) << build_log(program);
    if (status == CL_SUCCESS) {
      EXPECT_EQ(row.value, result(program));
    }
    EXPECT_EQ(row.options,
              string_of(checked_info(build_query(program, CL_PROGRAM_BUILD_OPTIONS), text)));
  }
}

TEST_F(ProgramTest, WerrorTurnsWarningsIntoErrors) {
  Program program = make_program(context_, "#warning look\nkernel void k(void) {}");
  EXPECT_CL(CL_BUILD_PROGRAM_FAILURE,
            clBuildProgram(program, 0, nullptr, "-Werror", nullptr, nullptr));
}

TEST_F(ProgramTest, BadOptionsAreRefused) {
  for (const char* options : {"-no-such-option", "-cl-std=CL9.9", "-cl-no-such", "nonsense", "-D",
                              "-cl-std", "-o out.bin", "-DVALUE=1 --version"}) {
    SCOPED_TRACE(options);
    Program program = make_program(context_, kValue);
    EXPECT_CL(CL_INVALID_BUILD_OPTIONS,
              clBuildProgram(program, 0, nullptr, options, nullptr, nullptr));
    EXPECT_NE("", build_log(program));
  }
}

TEST_F(ProgramTest, MissingIncludeIsNamedInTheLog) {
  Program program = make_program(context_, "#include \"not_there.h\"\nkernel void k(void) {}");
  EXPECT_CL(CL_BUILD_PROGRAM_FAILURE,
            clBuildProgram(program, 0, nullptr, "-I /nonexistent", nullptr, nullptr));
  EXPECT_NE(std::string::npos, build_log(program).find("not_there.h")) << build_log(program);
}

// Relative paths count from the host's present directory, not from that at the compiler's start.
TEST_F(ProgramTest, RelativeIncludesFollowTheWorkingDirectory) {
  const std::filesystem::path before = std::filesystem::current_path();
  std::string pattern = (std::filesystem::temp_directory_path() / "conclaveXXXXXX").string();
  ASSERT_NE(nullptr, mkdtemp(pattern.data()));
  for (int value : {5, 6}) {
    const std::filesystem::path folder = pattern + "/" + std::to_string(value);
    std::filesystem::create_directory(folder);
    std::ofstream(folder / "value.h") << "#define VALUE " << value << "\n";
    std::filesystem::current_path(folder);
    Program program = make_program(context_, std::string("#include <value.h>\n") + kValue);
    EXPECT_OK(clBuildProgram(program, 0, nullptr, "-I .", nullptr, nullptr)) << build_log(program);
    EXPECT_EQ(value, result(program));
  }
  std::filesystem::current_path(before);
  std::filesystem::remove_all(pattern);
}

TEST_F(ProgramTest, CannotBeBuiltWhileKernelsExist) {
  Program program = build(context_, kValue, "-DVALUE=1");
  {
    Kernel k = make_kernel(program, "k");
    EXPECT_CL(CL_INVALID_OPERATION,
              clBuildProgram(program, 0, nullptr, "-DVALUE=2", nullptr, nullptr));
    EXPECT_CL(CL_INVALID_OPERATION, clCompileProgram(program, 0, nullptr, "-DVALUE=2", 0, nullptr,
                                                     nullptr, nullptr, nullptr));
  }
  EXPECT_OK(clBuildProgram(program, 0, nullptr, "-DVALUE=2", nullptr, nullptr));
  EXPECT_EQ(2, result(program));
}

std::atomic<cl_program> g_built{nullptr};
void CL_CALLBACK note_build(cl_program program, void* user) {
  *static_cast<std::atomic<int>*>(user) += 1;
  g_built = program;
}

TEST_F(ProgramTest, BuildsInTheBackground) {
  for (const char* value : {"5", "undefined_name"}) {
    SCOPED_TRACE(value);
    g_built = nullptr;
    std::atomic<int> calls{0};
    Program program = make_program(context_, kValue);
    cl_int status = clBuildProgram(program, 0, nullptr, ("-DVALUE=" + std::string(value)).c_str(),
                                   note_build, &calls);
    // The failure may be returned "if clBuildProgram does not return until the build has
    // completed".
    ASSERT_TRUE(status == CL_SUCCESS || (value[0] != '5' && status == CL_BUILD_PROGRAM_FAILURE))
        << error_name(status);
    ASSERT_TRUE(eventually([&] { return calls == 1; }, 60));
    EXPECT_EQ(program.get(), g_built.load());
    if (value[0] == '5') {
      EXPECT_EQ(CL_BUILD_SUCCESS, build_status(program));
      EXPECT_EQ(5, result(program));
    } else {
      EXPECT_EQ(CL_BUILD_ERROR, build_status(program));
    }
  }
}

TEST_F(ProgramTest, BuildsFromSeveralThreads) {
  constexpr int kThreads = 6;
  std::vector<Program> programs;
  for (int i = 0; i < kThreads; ++i) programs.push_back(make_program(context_, kValue));
  std::vector<cl_int> status(kThreads, 1);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      std::string options = "-DVALUE=" + std::to_string(300 + i / 2);  // pairs build the same
      status[i] = clBuildProgram(programs[i], 0, nullptr, options.c_str(), nullptr, nullptr);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < kThreads; ++i) {
    EXPECT_OK(status[i]) << build_log(programs[i]);
    EXPECT_EQ(300 + i / 2, result(programs[i]));
  }
}

TEST_F(ProgramTest, CompilerMayBeUnloadedAtAnyTime) {
  Program before = build(context_, kValue, "-DVALUE=21");
  EXPECT_OK(clUnloadCompiler());
  EXPECT_OK(clUnloadPlatformCompiler(platform()));
  EXPECT_OK(clUnloadPlatformCompiler(platform()));
  std::string fresh = std::string(kValue) + "\n// " + std::to_string(std::time(nullptr));
  Program after = build(context_, fresh, "-DVALUE=22");
  EXPECT_EQ(21, result(before));
  EXPECT_EQ(22, result(after));
}

void CL_CALLBACK ignore_build(cl_program, void*) {}

TEST_F(ProgramTest, BadArgumentsAreRefused) {
  Program program = make_program(context_, kValue);
  Program built = build(context_, kValue, "-DVALUE=1");
  const char* source = kValue;
  const char* with_null[] = {kValue, nullptr};
  cl_device_id only = device(), none = nullptr;
  cl_uint value = 0;
  expect_all({
      BAD_CREATE(CL_INVALID_CONTEXT, clCreateProgramWithSource(nullptr, 1, &source, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, clCreateProgramWithSource(context_, 0, &source, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, clCreateProgramWithSource(context_, 1, nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, clCreateProgramWithSource(context_, 2, with_null, nullptr, err)),
      BAD(CL_INVALID_PROGRAM, clRetainProgram(nullptr)),
      BAD(CL_INVALID_PROGRAM, clReleaseProgram(nullptr)),
      BAD(CL_INVALID_PROGRAM, clBuildProgram(nullptr, 0, nullptr, "", nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clBuildProgram(program, 1, nullptr, "", nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clBuildProgram(program, 0, &only, "", nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clBuildProgram(program, 0, nullptr, "", nullptr, &value)),
      BAD(CL_INVALID_DEVICE, clBuildProgram(program, 1, &none, "", ignore_build, nullptr)),
      BAD(CL_INVALID_PROGRAM, clGetProgramInfo(nullptr, CL_PROGRAM_SOURCE, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetProgramInfo(program, 0, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetProgramInfo(program, CL_DEVICE_NAME, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetProgramInfo(program, CL_PROGRAM_SOURCE, 4, &value, nullptr)),
      BAD(CL_INVALID_VALUE, clGetProgramInfo(built, CL_PROGRAM_BINARIES, 4, &value, nullptr)),
      BAD(CL_INVALID_PROGRAM,
          clGetProgramBuildInfo(nullptr, device(), CL_PROGRAM_BUILD_LOG, 0, nullptr, nullptr)),
      BAD(CL_INVALID_DEVICE,
          clGetProgramBuildInfo(program, nullptr, CL_PROGRAM_BUILD_LOG, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, clGetProgramBuildInfo(program, device(), 0, 0, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE,
          clGetProgramBuildInfo(program, device(), CL_PROGRAM_BUILD_STATUS, 1, &value, nullptr)),
  });
}

TEST_F(ProgramTest, KernelKeepsItsProgram) {
  Program program = build(context_, kValue, "-DVALUE=33");
  Kernel k = make_kernel(program, "k");
  program.reset();
  Buffer out = make_buffer(context_, std::vector<int>(1, -1));
  EXPECT_OK(clSetKernelArg(k, 0, sizeof(cl_mem), out.list()));
  EXPECT_OK(clEnqueueTask(queue_, k, 0, nullptr, nullptr));
  EXPECT_EQ(33, contents(queue_, out, 1)[0]);
}

}  // namespace
}  // namespace conclave::test
