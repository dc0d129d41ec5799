// SPDX-License-Identifier: Apache-2.0
// Sources that are too large, too deep or without end: each is built or refused within the limits,
// and the host keeps its memory. With CONCLAVE_TEST_HEAVY=1 there are 10,000 kernels and 100,000
// statements, which take minutes.
#include <malloc.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <functional>

#include "api_test.h"
#include "child_process.h"
#include "test/common/temporary_directory.h"

namespace conclave::test {
namespace {

constexpr size_t kTenMegabytes = 10'000'000;

size_t light_or_heavy(size_t light, size_t heavy) {
  return std::getenv("CONCLAVE_TEST_HEAVY") ? heavy : light;
}

std::string repeated(size_t count, const std::string& text) {
  std::string all;
  for (size_t i = 0; i < count; ++i) all += text;
  return all;
}

std::string numbered(size_t count, const std::function<std::string(const std::string&)>& text) {
  std::string all;
  for (size_t i = 0; i < count; ++i) all += text(std::to_string(i));
  return all;
}

// The kernel `last` with that body.
std::string kernel_text(const std::string& body) {
  return "kernel void last(global int* a) { " + body + " }\n";
}

struct Case {
  const char* name;
  std::function<std::string()> source;
  const char* error;  // "": it is built
};

const Case kCases[] = {
    {"garbage", [] { return repeated(kTenMegabytes / 6, "@#$%^ "); }, "expected identifier"},
    {"comment",
     [] { return "/*" + std::string(kTenMegabytes, 'x') + "*/" + kernel_text("a[0] = 1;"); }, ""},
    {"open comment", [] { return "/*" + std::string(kTenMegabytes, 'x'); },
     "unterminated /* comment"},
    {"table",
     [] {
       return "constant int t[] = {" + repeated(kTenMegabytes / 10, "123456789,") + "};\n" +
              kernel_text("a[0] = t[a[1] & 1023];");
     },
     ""},
    {"name",
     [] { return kernel_text("int " + std::string(kTenMegabytes, 'x') + " = 1; a[0] = 1;"); }, ""},
    {"errors", [] { return kernel_text(repeated(200'000, "b = 1;\n")); }, "too many errors"},
    {"warnings", [] { return kernel_text(repeated(50'000, "a[0] == 1;\n")); }, ""},
    {"kernels",
     [] {
       return numbered(light_or_heavy(500, 10'000),
                       [](const std::string& i) {
                         return "kernel void k" + i +
                                "(global int* a) { size_t i = get_global_id(0); a[i] = a[i] * " +
                                i + " + 1; }\n";
                       }) +
              kernel_text("a[0] = 1;");
     },
     ""},
    {"statements",
     [] {
       return kernel_text("size_t i = get_global_id(0);\n" +
                          numbered(light_or_heavy(10'000, 100'000), [](const std::string& i) {
                            return "a[i + " + i + "] = a[i] * " + i + " + 7;\n";
                          }));
     },
     ""},
    {"array",
     [] {
       return kernel_text("int t[] = {" +
                          numbered(20'000, [](const std::string& i) { return "a[" + i + "], "; }) +
                          "}; a[0] = t[a[1]];");
     },
     ""},
    {"functions that call each other twice",
     [] {
       return "int f0(int x) { return x; }\n" + [] {
         std::string all;
         for (int i = 1; i <= 60; ++i) {
           const std::string before = "f" + std::to_string(i - 1);
           all += "int f" + std::to_string(i) + "(int x) { return " + before + "(x) + " + before +
                  "(x + 1); }\n";
         }
         return all;
       }() + kernel_text("if (a[1] == 77) a[0] = f60(a[2]);");
     },
     ""},
    {"macros of macros",
     [] {
       std::string all = "#define M0 1\n";
       for (int i = 1; i < 50'000; ++i)
         all += "#define M" + std::to_string(i) + " M" + std::to_string(i - 1) + "\n";
       return all + kernel_text("a[0] = M49999;");
     },
     ""},
    {"macros that double",
     [] {
       std::string all = "#define M0 a[0] += 1;\n";
       for (int i = 1; i <= 27; ++i) {
         const std::string before = " M" + std::to_string(i - 1);
         all += "#define M" + std::to_string(i) + before + before + "\n";
       }
       return all + kernel_text("M27");
     },
     "the build needs more than 200 MiB of memory"},
    {"macro of itself", [] { return "#define X X + X\n" + kernel_text("a[0] = X;"); },
     "undeclared identifier 'X'"},
    {"conditions",
     [] {
       return repeated(100'000, "#if 1\n") + kernel_text("a[0] = 1;") +
              repeated(100'000, "#endif\n");
     },
     ""},
    {"parentheses",
     [] {
       return kernel_text("a[0] = " + std::string(100'000, '(') + "1" + std::string(100'000, ')') +
                          ";");
     },
     "bracket nesting level exceeded"},
    {"braces",
     [] {
       return kernel_text(std::string(100'000, '{') + "a[0] = 1;" + std::string(100'000, '}'));
     },
     "bracket nesting level exceeded"},
    {"signs", [] { return kernel_text("a[0] = " + repeated(200'000, "-~") + "1;"); },
     "the program is nested too deeply"},
    {"sum", [] { return kernel_text("a[0] = " + repeated(50'000, "a[1] + ") + "1;"); }, ""},
};

size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  size_t size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

// Builds the case of that number. The log tells how it went; the host has what it had before.
int build_case(const Case& each) {
  Context context = make_context();
  build(context, kernel_text("a[0] = 2;"));
  [[maybe_unused]] const size_t before = resident_bytes();
  {
    Program program = make_program(context, each.source());
    const cl_int status = clBuildProgram(program, 0, nullptr, "", nullptr, nullptr);
    const std::string log = build_log(program);
    std::fprintf(stderr, "%s: %s", each.name, log.substr(0, 2'000).c_str());
    const bool is_built = *each.error == '\0';
    CHECK(status == (is_built ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE));
    CHECK(log.find(each.error) != std::string::npos);
    CHECK(log.size() <= 2u << 20);
    if (is_built) make_kernel(program, "last");
  }
  build(context, kernel_text("a[0] = 3;"));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  malloc_trim(0);  // what the C library keeps for later is nobody's
  CHECK(resident_bytes() < before + (size_t{4} << 20));
#endif
  return 0;
}

CHILD_PROCESS(build_bad_source) {
  return build_case(kCases[std::atoi(std::getenv("CONCLAVE_TEST_CASE"))]);
}

class BadSourceTest : public ApiTest, public ::testing::WithParamInterface<size_t> {};

TEST_P(BadSourceTest, IsBuiltOrRefused) {
  CONCLAVE_ONLY();
  const Case& each = kCases[GetParam()];
  const bool is_limited = std::string(each.error).find("memory") != std::string::npos;
  const ChildResult result =
      run_child("build_bad_source",
                {{"CONCLAVE_TEST_CASE", std::to_string(GetParam())},
                 {"CONCLAVE_CACHE", "0"},
                 {"CONCLAVE_COMPILE_MEMORY_MIB", is_limited ? "200" : "4000"}},
                600);
  EXPECT_EQ(0, result.exit_status) << each.name << ": " << result.output.substr(0, 4'000);
}

INSTANTIATE_TEST_SUITE_P(Each, BadSourceTest, ::testing::Range(size_t{0}, std::size(kCases)),
                         [](const auto& info) {
                           std::string name = kCases[info.param].name;
                           for (char& letter : name)
                             if (letter == ' ') letter = '_';
                           return name;
                         });

// An include of itself has a limit of clang's, wherever the text comes from.
TEST_F(BadSourceTest, IncludeOfItself) {
  CONCLAVE_ONLY();
  const std::string text = "#include \"self.h\"\n";
  Program program = make_program(context_, text + kernel_text("a[0] = 1;"));
  Program header = make_program(context_, text);
  const cl_program headers[] = {header};
  const char* names[] = {"self.h"};
  EXPECT_CL(CL_COMPILE_PROGRAM_FAILURE,
            clCompileProgram(program, 0, nullptr, "", 1, headers, names, nullptr, nullptr));
  EXPECT_NE(std::string::npos, build_log(program).find("#include nested too deeply"));

  const TemporaryDirectory folder;
  std::ofstream(folder.file("self.h")) << text;
  Program from_file = make_program(context_, text + kernel_text("a[0] = 1;"));
  EXPECT_CL(
      CL_BUILD_PROGRAM_FAILURE,
      clBuildProgram(from_file, 0, nullptr, ("-I " + folder.path()).c_str(), nullptr, nullptr));
  EXPECT_NE(std::string::npos, build_log(from_file).find("#include nested too deeply"));
}

}  // namespace
}  // namespace conclave::test
