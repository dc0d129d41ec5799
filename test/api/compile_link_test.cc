// SPDX-License-Identifier: Apache-2.0
// Separate compilation and linking: clCompileProgram, clLinkProgram, libraries.
#include <atomic>

#include "api_test.h"
#include "child_process.h"

namespace conclave::test {
namespace {

const char kMain[] =
    "#include \"maths.h\"\n"
    "#include \"deep/more.h\"\n"
    "kernel void k(global int* o) { o[0] = triple(MORE); }\n";
const char kHeader[] = "int triple(int x);\n";
const char kMore[] = "#define MORE 14\n";
const char kLibrary[] = "int triple(int x) { return 3 * x; }\n";

class CompileLinkTest : public ApiTest {
 protected:
  Program compiled(const std::string& source, const char* options = "") {
    Program program = make_program(context_, source);
    EXPECT_OK(clCompileProgram(program, 0, nullptr, options, 0, nullptr, nullptr, nullptr, nullptr))
        << build_log(program);
    return program;
  }
  // kMain, compiled with its two headers given as programs.
  Program compiled_main() {
    Program program = make_program(context_, kMain), header = make_program(context_, kHeader),
            more = make_program(context_, kMore);
    cl_program headers[] = {header, more};
    const char* names[] = {"maths.h", "deep/more.h"};
    EXPECT_OK(clCompileProgram(program, 0, nullptr, nullptr, 2, headers, names, nullptr, nullptr))
        << build_log(program);
    return program;
  }
  Program linked(const std::vector<cl_program>& inputs, const char* options = "") {
    cl_int err = 0;
    Program program(clLinkProgram(context_, 0, nullptr, options,
                                  static_cast<cl_uint>(inputs.size()), inputs.data(), nullptr,
                                  nullptr, &err));
    EXPECT_OK(err) << (program ? build_log(program) : "no program");
    return program;
  }
  static cl_program_binary_type type_of(cl_program program) {
    cl_program_binary_type type = 99;
    EXPECT_OK(clGetProgramBuildInfo(program, device(), CL_PROGRAM_BINARY_TYPE, sizeof type, &type,
                                    nullptr));
    return type;
  }
  int result(cl_program program) {
    Kernel k = make_kernel(program, "k");
    Buffer out = make_buffer(context_, std::vector<int>(1, -1));
    EXPECT_OK(clSetKernelArg(k, 0, sizeof(cl_mem), out.list()));
    EXPECT_OK(clEnqueueTask(queue_, k, 0, nullptr, nullptr));
    return contents(queue_, out, 1)[0];
  }
};

constexpr cl_program_binary_type kObject = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
                                 kLibraryType = CL_PROGRAM_BINARY_TYPE_LIBRARY,
                                 kExecutable = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;

TEST_F(CompileLinkTest, TwoObjectsMakeAnExecutable) {
  Program main = compiled_main(), library = compiled(kLibrary);
  EXPECT_EQ(kObject, type_of(main));
  Program program = linked({main, library});
  ASSERT_NE(nullptr, program.get());
  EXPECT_EQ(kExecutable, type_of(program));
  EXPECT_EQ(42, result(program));
  EXPECT_EQ("k", [&] {
    char name[16] = {};
    EXPECT_OK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof name, name, nullptr));
    return std::string(name);
  }());
}

TEST_F(CompileLinkTest, LibraryIsLinkedLater) {
  Program object = compiled(kLibrary);
  Program library = linked({object}, "-create-library");
  ASSERT_NE(nullptr, library.get());
  EXPECT_EQ(kLibraryType, type_of(library));
  Program main = compiled_main();
  Program program = linked({main, library});
  ASSERT_NE(nullptr, program.get());
  EXPECT_EQ(42, result(program));
  Program optioned = linked({object}, "-create-library -enable-link-options");
  ASSERT_NE(nullptr, optioned.get());
  program = linked({main, optioned}, "-cl-fast-relaxed-math");
  ASSERT_NE(nullptr, program.get());
  EXPECT_EQ(42, result(program));
}

TEST_F(CompileLinkTest, AnObjectHasNoKernelsToCreate) {
  Program main = compiled("kernel void k(global int* o) { o[0] = 1; }");
  expect_all({BAD_CREATE(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernel(main, "k", err))});
}

TEST_F(CompileLinkTest, CompileErrorsAreLogged) {
  Program program = make_program(context_, "kernel void k(global int* o) {\n o[0] = wrong;\n}");
  EXPECT_CL(CL_COMPILE_PROGRAM_FAILURE,
            clCompileProgram(program, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr));
  EXPECT_NE(std::string::npos, build_log(program).find("wrong")) << build_log(program);
  cl_build_status status = 1;
  EXPECT_OK(clGetProgramBuildInfo(program, device(), CL_PROGRAM_BUILD_STATUS, sizeof status,
                                  &status, nullptr));
  EXPECT_EQ(CL_BUILD_ERROR, status);
  Program headless = make_program(context_, kMain);
  EXPECT_CL(CL_COMPILE_PROGRAM_FAILURE,
            clCompileProgram(headless, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr));
  EXPECT_NE(std::string::npos, build_log(headless).find("maths.h")) << build_log(headless);
}

TEST_F(CompileLinkTest, UndefinedFunctionFailsToLink) {
  Program main = compiled_main();
  cl_program input = main;
  cl_int err = 0;
  Program program(clLinkProgram(context_, 0, nullptr, "", 1, &input, nullptr, nullptr, &err));
  EXPECT_CL(CL_LINK_PROGRAM_FAILURE, err);
  if (program) {
    EXPECT_NE(std::string::npos, build_log(program).find("triple")) << build_log(program);
  }
}

TEST_F(CompileLinkTest, DuplicateFunctionFailsToLink) {
  Program one = compiled(kLibrary), two = compiled(std::string(kLibrary) + "\n");
  cl_program inputs[] = {one, two};
  cl_int err = 0;
  Program program(clLinkProgram(context_, 0, nullptr, "", 2, inputs, nullptr, nullptr, &err));
  EXPECT_CL(CL_LINK_PROGRAM_FAILURE, err);
}

std::atomic<int> g_calls{0};
std::atomic<cl_program> g_program{nullptr};
void CL_CALLBACK note_link(cl_program program, void*) {
  g_program = program;
  ++g_calls;
}

TEST_F(CompileLinkTest, WorksInTheBackground) {
  g_calls = 0;
  Program library = make_program(context_, kLibrary);
  ASSERT_OK(clCompileProgram(library, 0, nullptr, "", 0, nullptr, nullptr, note_link, nullptr));
  ASSERT_TRUE(eventually([] { return g_calls == 1; }, 60));
  Program main = compiled_main();
  cl_program inputs[] = {main, library};
  cl_int err = 0;
  Program program(
      clLinkProgram(context_, 0, nullptr, nullptr, 2, inputs, note_link, nullptr, &err));
  ASSERT_OK(err);
  ASSERT_TRUE(eventually([] { return g_calls == 2; }, 60));
  EXPECT_EQ(program.get(), g_program.load());
  EXPECT_EQ(42, result(program));
}

TEST_F(CompileLinkTest, BuildAfterCompileReplacesTheObject) {
  Program program = compiled("kernel void k(global int* o) { o[0] = 6; }");
  ASSERT_OK(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr));
  EXPECT_EQ(kExecutable, type_of(program));
  EXPECT_EQ(6, result(program));
}

TEST_F(CompileLinkTest, BadCompilesAreRefused) {
  Program program = make_program(context_, kMain), header = make_program(context_, kHeader);
  cl_program headers[] = {header};
  const char* names[] = {"maths.h"};
  cl_device_id only = device(), none = nullptr;
  int data = 0;
  Context other_context = make_context();
  Program foreign = make_program(other_context, kHeader);
  cl_program foreign_headers[] = {foreign};
  auto compile = [&](cl_program which, cl_uint devices, const cl_device_id* list,
                     const char* options, cl_uint count, const cl_program* programs,
                     const char** include_names, void* user) {
    return clCompileProgram(which, devices, list, options, count, programs, include_names, nullptr,
                            user);
  };
  expect_all({
      BAD(CL_INVALID_PROGRAM, compile(nullptr, 0, nullptr, "", 0, nullptr, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, compile(program, 1, nullptr, "", 0, nullptr, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, compile(program, 0, &only, "", 0, nullptr, nullptr, nullptr)),
      BAD(CL_INVALID_DEVICE, compile(program, 1, &none, "", 0, nullptr, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, compile(program, 0, nullptr, "", 1, nullptr, names, nullptr)),
      BAD(CL_INVALID_VALUE, compile(program, 0, nullptr, "", 1, headers, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, compile(program, 0, nullptr, "", 0, headers, nullptr, nullptr)),
      BAD(CL_INVALID_VALUE, compile(program, 0, nullptr, "", 0, nullptr, names, nullptr)),
      BAD(CL_INVALID_VALUE, compile(program, 0, nullptr, "", 0, nullptr, nullptr, &data)),
      BAD(CL_INVALID_CONTEXT, compile(program, 0, nullptr, "", 1, foreign_headers, names, nullptr)),
      BAD(CL_INVALID_COMPILER_OPTIONS,
          compile(program, 0, nullptr, "-no-such-option", 1, headers, names, nullptr)),
  });
}

TEST_F(CompileLinkTest, BadLinksAreRefused) {
  Program object = compiled(kLibrary), source = make_program(context_, kLibrary);
  Context other_context = make_context();
  Program foreign = make_program(other_context, kLibrary);
  ASSERT_OK(clCompileProgram(foreign, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr));
  cl_program input[] = {object}, with_null[] = {object, nullptr}, of_other[] = {foreign},
             mixed[] = {object, source};
  cl_device_id only = device(), none = nullptr;
  int data = 0;
  auto link = [&](cl_context context, cl_uint devices, const cl_device_id* list,
                  const char* options, cl_uint count, const cl_program* programs, void* user,
                  cl_int* err) {
    return clLinkProgram(context, devices, list, options, count, programs, nullptr, user, err);
  };
  expect_all({
      BAD_CREATE(CL_INVALID_CONTEXT, link(nullptr, 0, nullptr, "", 1, input, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, link(context_, 1, nullptr, "", 1, input, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, link(context_, 0, &only, "", 1, input, nullptr, err)),
      BAD_CREATE(CL_INVALID_DEVICE, link(context_, 1, &none, "", 1, input, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, link(context_, 0, nullptr, "", 0, input, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, link(context_, 0, nullptr, "", 0, nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, link(context_, 0, nullptr, "", 1, nullptr, nullptr, err)),
      BAD_CREATE(CL_INVALID_VALUE, link(context_, 0, nullptr, "", 1, input, &data, err)),
      BAD_CREATE(CL_INVALID_PROGRAM, link(context_, 0, nullptr, "", 2, with_null, nullptr, err)),
      BAD_CREATE(CL_INVALID_CONTEXT, link(context_, 0, nullptr, "", 1, of_other, nullptr, err)),
      BAD_CREATE(CL_INVALID_OPERATION, link(context_, 0, nullptr, "", 2, mixed, nullptr, err)),
      BAD_CREATE(CL_INVALID_LINKER_OPTIONS,
                 link(context_, 0, nullptr, "-no-such-option", 1, input, nullptr, err)),
  });
}

}  // namespace
}  // namespace conclave::test
