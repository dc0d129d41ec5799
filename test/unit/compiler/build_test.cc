// SPDX-License-Identifier: Apache-2.0
// Options, diagnostics, metadata, separate compilation.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <vector>

#include "test/unit/compiler/compile_server.h"
#include "test/unit/compiler/compiled_program.h"

namespace conclave::test {
namespace {

using protocol::Action;
using protocol::Request;
using protocol::Response;
using protocol::Status;

Request request_for(Action action, const std::string& source, const std::string& options = "") {
  Request request;
  request.action = action;
  request.source = source;
  request.options = options;
  return request;
}

std::string compile(const std::string& source, const std::string& options = "") {
  Response response = shared_server().send(request_for(Action::kCompile, source, options));
  EXPECT_EQ(response.status, Status::kSuccess) << response.log;
  return response.binary;
}

Response link(const std::vector<std::string>& inputs, const std::string& options = "") {
  Request request;
  request.action = Action::kLink;
  request.options = options;
  request.inputs = inputs;
  return shared_server().send(request);
}

TEST(Build, ReportsErrorsWithPlaceAndCaret) {
  Response response = build("kernel void k(global int* a) {\n  a[0] = missing;\n}\n");
  EXPECT_EQ(response.status, Status::kFailure);
  EXPECT_TRUE(contains(response.log, "program.cl:2:10: error: use of undeclared identifier"))
      << response.log;
  EXPECT_TRUE(contains(response.log, "         ^")) << response.log;
  EXPECT_TRUE(contains(response.log, "1 error generated.")) << response.log;
  EXPECT_TRUE(response.binary.empty());
}

// Each mistake is in line 2.
TEST(Build, ReportsWrongCallsOfBuiltins) {
  struct Mistake {
    const char* statement;
    const char* error;
    const char* options = "";
  };
  const Mistake mistakes[] = {
      {"*x = sine(*x);", "2:8: error: use of undeclared identifier 'sine'"},
      {"*x = sin(\"1\");", "2:8: error: no matching function for call to 'sin'"},
      {"*x = clamp(*x, *x);", "2:8: error: no matching function for call to 'clamp'"},
      {"float4 v = vload4(0, (global ushort*)x);", "2:10: error: initializing"},
      {"*x = convert_float3((float2)(*x)).x;", "2:8: error: no matching function"},
      {"int s = atomic_add(x, 1.0f, 2);", "2:11: error: no matching function"},
      {"*x = work_group_reduce_add(*x);",
       "2:8: error: use of undeclared identifier 'work_group_reduce_add'", "-cl-std=CL1.2"},
      // Uses of an extension that the device does not have, and of one without its pragma.
      {"uint d = arm_dot((uchar4)1, (uchar4)2);", "2:12: error: use of undeclared identifier"},
      {"*x = fabs((half)1);", "2:19: error: casting to type 'half' is not allowed"},
      {"*x = sin(1.0h);", "2:12: error: half precision constant requires cl_khr_fp16"},
  };
  for (const auto& [statement, error, options] : mistakes) {
    const Response response =
        build(std::string("kernel void k(global float* x) {\n  ") + statement + "\n}\n", options);
    EXPECT_EQ(response.status, Status::kFailure) << statement;
    EXPECT_TRUE(contains(response.log, std::string("program.cl:") + error)) << response.log;
    EXPECT_TRUE(response.binary.empty()) << statement;
  }
}

TEST(Build, ReportsWarnings) {
  const std::string source = "kernel void k(global int* a) { int unused; a[0] = 1 / 0; }";
  EXPECT_TRUE(contains(build(source).log, "warning: division by zero"));
  EXPECT_EQ(build(source, "-w").log, "");
  EXPECT_EQ(build(source, "-Werror").status, Status::kFailure);
}

TEST(Build, NamesUndefinedFunctions) {
  Response response = build(
      "float helper(float x, int n);\nkernel void k(global float* a) { a[0] = helper(1, 2); }");
  EXPECT_EQ(response.status, Status::kFailure);
  EXPECT_TRUE(contains(response.log, "undefined function 'helper', used in 'k'")) << response.log;
  response = build("extern constant int x;\nkernel void k(global int* a) { a[0] = x; }");
  EXPECT_EQ(response.status, Status::kFailure);
  EXPECT_TRUE(contains(response.log, "undefined variable 'x'")) << response.log;
}

TEST(Build, RefusesRecursion) {
  Response response = build(
      "int g(int n);\nint f(int n) { return n ? g(n - 1) : 0; }\nint g(int n) { return f(n); }\n"
      "kernel void k(global int* a) { a[0] = f(a[1]); }");
  EXPECT_EQ(response.status, Status::kFailure);
  EXPECT_TRUE(contains(response.log, "recursion is not allowed in OpenCL C: 'f' -> 'g' -> 'f'"))
      << response.log;
}

TEST(Build, VariadicFunctionsAreOnlyDeclared) {
  const std::string declared = "int log_error(int code, const char* form, ...);\n";
  EXPECT_EQ(build(declared + "kernel void k(global int* a) { a[0] = 1; }").status,
            Status::kSuccess);
  for (const char* use :
       {"kernel void k(global int* a) { a[0] = log_error(1, 0, 2); }",
        "int sum(int n, ...) { return n; } kernel void k(global int* a) { a[0] = sum(1, 2); }"}) {
    const Response response = build(declared + use);
    EXPECT_EQ(response.status, Status::kFailure) << use;
    EXPECT_TRUE(contains(response.log, "takes any number of arguments")) << response.log;
  }
}

TEST(Build, TooMuchPrivateMemoryIsOneKernelsError) {
  CompiledProgram program(
      "kernel void large(global int* a) {\n"
      "  int t[100000000];\n"
      "  for (int i = 0; i < 100000000; ++i) t[i] = a[i];\n"
      "  for (int i = 0; i < 100000000; ++i) a[i] = t[(i * 7) % 100000000];\n"
      "}\n"
      "kernel void small(global int* a) { a[get_global_id(0)] = 7; }\n",
      "");
  EXPECT_TRUE(contains(program.log(),
                       "warning: kernel 'large' cannot run: it needs 400000000 bytes of private "
                       "memory per work-item; at most 268435456 are possible"))
      << program.log();
  EXPECT_NE(program.kernel_metadata("large")["cannot_run"], "");
  EXPECT_EQ(program.kernel_metadata("small")["cannot_run"], "");
  std::vector<int> values(16);
  program.run("small", Arguments().add(values.data()), range1(16, 16));
  EXPECT_EQ(values, std::vector<int>(16, 7));
}

TEST(Build, RefusesSubGroupSizesThatItDoesNotHave) {
  Response response = build(
      "kernel __attribute__((intel_reqd_sub_group_size(12))) void k(global int* p) {\n"
      "  p[get_global_id(0)] = 1;\n"
      "}");
  EXPECT_EQ(response.status, Status::kFailure);
  EXPECT_TRUE(contains(response.log, "kernel 'k' requires sub-groups of 12 work-items"))
      << response.log;
}

TEST(Build, PipesNeedAVersionThatHasThem) {
  const std::string source =
      "kernel void k(read_only pipe int p, global int* o) { read_pipe(p, o); }";
  for (const char* option : {"-cl-std=CL2.0", "-cl-std=CL3.0"})
    EXPECT_EQ(build(source, option).status, Status::kSuccess) << option;
  EXPECT_EQ(build(source, "-cl-std=CL1.2").status, Status::kFailure);
}

TEST(Options, AllStandardOnesAreKnown) {
  const std::string source = "kernel void k(global float* a) { a[0] = a[1] * a[2] + 1.5; }";
  for (const char* option : {"-cl-single-precision-constant",
                             "-cl-denorms-are-zero",
                             "-cl-fp32-correctly-rounded-divide-sqrt",
                             "-cl-opt-disable",
                             "-cl-strict-aliasing",
                             "-cl-uniform-work-group-size",
                             "-cl-no-subgroup-ifp",
                             "-cl-mad-enable",
                             "-cl-no-signed-zeros",
                             "-cl-unsafe-math-optimizations",
                             "-cl-finite-math-only",
                             "-cl-fast-relaxed-math",
                             "-w",
                             "-Werror",
                             "-g",
                             "-cl-kernel-arg-info",
                             "-cl-std=CL1.1",
                             "-cl-std=CL1.2",
                             "-cl-std=CL2.0",
                             "-cl-std=CL3.0",
                             "-D A",
                             "-D A=1",
                             "-DA=1",
                             "-I /",
                             "-I/",
                             "",
                             "  \t "}) {
    Response response = build(source, option);
    EXPECT_EQ(response.status, Status::kSuccess) << option << "\n" << response.log;
  }
}

TEST(Options, WrongOnesAreNamed) {
  struct Case {
    const char* options;
    const char* named;
  };
  for (const Case& test : {Case{"-cl-foo", "-cl-foo"},
                           {"-D A -x clc", "-x"},
                           {"-cl-std=CL9.9", "CL9.9"},
                           {"-create-library", "-create-library"},
                           {"-enable-link-options", "-enable-link-options"},
                           {"-D", "-D"},
                           {"-I", "-I"},
                           {"\"-D A", "quote"},
                           {"file.cl", "file.cl"},
                           {"-cl-nv-verbose", "-cl-nv-verbose"},
                           {"-O3", "-O3"},
                           {"-cl-conclave-width=", "-cl-conclave-width="},
                           {"-cl-conclave-width=3", "-cl-conclave-width=3"},
                           {"-cl-conclave-width=128", "expected 0, 1, 2, 4"},
                           {"-cl-conclave-width=8x", "-cl-conclave-width=8x"},
                           {"-cl-conclave-dimension=", "-cl-conclave-dimension="},
                           {"-cl-conclave-dimension=3", "expected 0, 1 or 2"},
                           {"-cl-std=CLC++", "CLC++"}}) {
    Response response = build("kernel void k() {}", test.options);
    EXPECT_EQ(response.status, Status::kInvalidOptions) << test.options;
    EXPECT_TRUE(contains(response.log, test.named)) << response.log;
  }
  std::string object = compile("kernel void k() {}");
  for (const char* options :
       {"-D A", "-I /", "-cl-std=CL2.0", "-g", "-cl-mad-enable", "-enable-link-options"})
    EXPECT_EQ(link({object}, options).status, Status::kInvalidOptions) << options;
}

int value_of(const std::string& expression, const std::string& options) {
  CompiledProgram program("kernel void k(global int* a) { a[0] = " + expression + "; }", options);
  int result = 0;
  program.run("k", Arguments().add(&result), range1(1, 1));
  return result;
}

TEST(Options, DefinesAndQuoting) {
  EXPECT_EQ(value_of("A", "-DA=3"), 3);
  EXPECT_EQ(value_of("A", "-D A=3 -D B"), 3);
  EXPECT_EQ(value_of("A B", "-D A=3 -D 'B= + 4'"), 7);
  EXPECT_EQ(value_of("A", "-D \"A=1 + 1\""), 2);
  EXPECT_EQ(value_of("sizeof(A)", "-D A=\\\"abc\\\""), 4);
  EXPECT_EQ(value_of("A(5)", "'-DA(x)=x*2'"), 10);
}

TEST(Options, LanguageVersions) {
  EXPECT_EQ(value_of("__OPENCL_C_VERSION__", ""), 120);
  EXPECT_EQ(value_of("__OPENCL_C_VERSION__", "-cl-std=CL1.0"), 100);
  EXPECT_EQ(value_of("__OPENCL_C_VERSION__", "-cl-std=CL1.1"), 110);
  EXPECT_EQ(value_of("__OPENCL_C_VERSION__", "-cl-std=CL2.0"), 200);
  EXPECT_EQ(value_of("__OPENCL_C_VERSION__", "-cl-std=CL3.0"), 300);
  EXPECT_EQ(value_of("__OPENCL_VERSION__", ""), 300);
}

TEST(Options, PredefinedMacros) {
  CompiledProgram program(
      "#ifndef __IMAGE_SUPPORT__\n#error images\n#endif\n"
      "#ifndef __ENDIAN_LITTLE__\n#error endian\n#endif\n"
      "#ifndef cl_khr_fp64\n#error fp64\n#endif\n"
      "#ifndef cl_khr_fp16\n#error fp16\n#endif\n"
      "#ifndef __opencl_c_images\n#error images\n#endif\n"
      "#ifndef __opencl_c_subgroups\n#error subgroups\n#endif\n"
      "#ifndef __opencl_c_work_group_collective_functions\n#error collective\n#endif\n"
      "#ifndef __opencl_c_generic_address_space\n#error generic\n#endif\n"
      "#ifndef __opencl_c_pipes\n#error pipes\n#endif\n"
      "#ifndef __opencl_c_fp64\n#error fp64\n#endif\n"
      "#ifndef __opencl_c_atomic_order_seq_cst\n#error atomics\n#endif\n"
      "#ifndef __opencl_c_program_scope_global_variables\n#error variables\n#endif\n"
      "#ifndef cl_khr_subgroup_shuffle\n#error shuffle\n#endif\n"
      "#ifdef __FAST_RELAXED_MATH__\n#error fast\n#endif\n"
      "kernel void k() {}",
      "-cl-std=CL3.0");
  EXPECT_EQ(value_of("__FAST_RELAXED_MATH__", "-cl-fast-relaxed-math"), 1);
}

TEST(Build, AcceptsKernelsThatNeverEnd) {
  EXPECT_EQ(build("kernel void a(global int* p) { while (1) {} }\n"
                  "kernel void b(global int* p) { while (p[0] == 0) {} p[1] = 2; }\n"
                  "kernel void c(global int* p) { for (;;) { p[get_global_id(0)]++;"
                  "  barrier(CLK_GLOBAL_MEM_FENCE); } }")
                .status,
            Status::kSuccess);
}

TEST(Build, KeepsLinesForDebuggers) {
  const std::string source = "kernel void k(global int* a) {\n  a[get_global_id(0)] += 1;\n}\n";
  EXPECT_TRUE(contains(build(source, "-g").binary, ".debug_line"));
  EXPECT_FALSE(contains(build(source).binary, ".debug_line"));
}

TEST(Metadata, DescribesKernels) {
  CompiledProgram program(
      "typedef float real;\n"
      "kernel __attribute__((reqd_work_group_size(8, 4, 2))) __attribute__((vec_type_hint(float4)))"
      " void k(global const float* restrict x, constant uint4* y, local double* z, volatile global "
      "real* w, int n) { x; y; z; w; n; }\n"
      "kernel __attribute__((work_group_size_hint(16, 1, 1))) void empty() {}");
  const nlohmann::json& k = program.kernel_metadata("k");
  EXPECT_EQ(k["attributes"], "reqd_work_group_size(8,4,2) vec_type_hint(float4)");
  EXPECT_EQ(k["required_local_size"], (nlohmann::json{8, 4, 2}));
  EXPECT_EQ(k["work_group_size_hint"], (nlohmann::json{0, 0, 0}));
  EXPECT_TRUE(k["uniform_work_groups"].get<bool>());
  const nlohmann::json& a = k["arguments"];
  ASSERT_EQ(a.size(), 5);
  EXPECT_EQ(a[0]["name"], "x");
  EXPECT_EQ(a[0]["type_name"], "float*");
  EXPECT_EQ(a[0]["qualifiers"], (nlohmann::json{"const", "restrict"}));
  EXPECT_EQ(a[1]["address"], "constant");
  EXPECT_EQ(a[1]["type_name"], "uint4*");
  EXPECT_EQ(a[2]["kind"], "local");
  EXPECT_EQ(a[3]["type_name"], "real*");
  EXPECT_EQ(a[3]["qualifiers"], nlohmann::json{"volatile"});
  EXPECT_EQ(a[4]["kind"], "value");
  EXPECT_EQ(a[4]["offset"], 32);
  EXPECT_EQ(k["arguments_bytes"], 36);
  EXPECT_EQ(program.kernel_metadata("empty")["attributes"], "work_group_size_hint(16,1,1)");
  EXPECT_EQ(program.metadata()["kind"], "executable");
  EXPECT_FALSE(program.metadata()["target_cpu"].get<std::string>().empty());
  EXPECT_FALSE(program.metadata()["target_features"].empty());
}

TEST(Headers, OfTheRequestAreFound) {
  Request request = request_for(Action::kBuild,
                                "#include \"a.h\"\n#include <dir/b.h>\n"
                                "kernel void k(global int* a) { a[0] = A + B + C; }");
  request.headers = {{"a.h", "#include \"dir/c.h\"\n#define A 1\n"},
                     {"dir/b.h", "#define B 20\n"},
                     {"dir/c.h", "#define C 300\n"}};
  CompiledProgram program(request);
  int result = 0;
  program.run("k", Arguments().add(&result), range1(1, 1));
  EXPECT_EQ(result, 321);
  EXPECT_TRUE(program.metadata()["dependencies"].empty());
}

TEST(Headers, RealFilesAreDependencies) {
  std::string folder = testing::TempDir() + "conclave include " + std::to_string(getpid());
  mkdir(folder.c_str(), 0700);
  std::ofstream(folder + "/real.h") << "#define REAL 42\n";
  CompiledProgram program("#include \"real.h\"\nkernel void k(global int* a) { a[0] = REAL; }",
                          "-I '" + folder + "'");
  ASSERT_EQ(program.metadata()["dependencies"].size(), 1);
  EXPECT_EQ(program.metadata()["dependencies"][0]["path"], folder + "/real.h");
  EXPECT_EQ(program.metadata()["dependencies"][0]["hash"].get<std::string>().size(), 32);
  Response response = build("#include \"none.h\"\n");
  EXPECT_EQ(response.status, Status::kFailure);
  EXPECT_TRUE(contains(response.log, "'none.h' file not found")) << response.log;
  unlink((folder + "/real.h").c_str());
  rmdir(folder.c_str());
}

TEST(Link, JoinsObjects) {
  std::string a = compile("int helper(int x) { return x * 2; }");
  std::string b =
      compile("int helper(int x);\nkernel void k(global int* a) { a[0] = helper(a[0]); }");
  EXPECT_EQ(metadata_of(b)["kind"], "object");
  EXPECT_EQ(metadata_of(b)["kernels"][0]["name"], "k");
  Response response = link({a, b});
  ASSERT_EQ(response.status, Status::kSuccess) << response.log;
  EXPECT_EQ(metadata_of(response.binary)["kind"], "executable");

  response = link({b});
  EXPECT_EQ(response.status, Status::kFailure);
  EXPECT_TRUE(contains(response.log, "undefined function 'helper'")) << response.log;
  response = link({a, a, b});
  EXPECT_EQ(response.status, Status::kFailure);
  EXPECT_TRUE(contains(response.log, "helper")) << response.log;
}

// Calls of an `inline` function that are not inlined find the definition that they could be inlined from.
TEST(Build, KeepsInlineDefinitions) {
  const std::string source =
      "INLINE int twice(int x) { return 2 * x; }\n"
      "kernel void k(global int* a) { a[0] = twice(a[0]); }";
  for (const char* options :
       {"-DINLINE=inline -cl-opt-disable", "\"-DINLINE=inline __attribute__((noinline))\""}) {
    CompiledProgram program(source, options);
    int value = 21;
    program.run("k", Arguments().add(&value), range1(1, 1));
    EXPECT_EQ(value, 42) << options;
  }
  // Several objects have one if it is in a header.
  const std::string helper = "inline int helper(int x) { return x * 2; }\n";
  const Response response =
      link({compile(helper + "kernel void k(global int* a) { a[0] = helper(a[0]); }"),
            compile(helper + "kernel void l(global int* a) { a[0] = helper(a[1]); }")});
  EXPECT_EQ(response.status, Status::kSuccess) << response.log;
}

TEST(Link, MakesLibraries) {
  std::string a = compile("float helper(float x) { return x / 3.0f; }");
  Response library = link({a}, "-create-library -enable-link-options");
  ASSERT_EQ(library.status, Status::kSuccess) << library.log;
  EXPECT_EQ(metadata_of(library.binary)["kind"], "library");
  std::string b =
      compile("float helper(float x);\nkernel void k(global float* a) { a[0] = helper(a[0]); }");
  Response response = link({library.binary, b}, "-cl-fast-relaxed-math");
  EXPECT_EQ(response.status, Status::kSuccess) << response.log;
}

TEST(Rebuild, TakesAnyProgram) {
  const std::string source = "kernel void k(global int* a) { a[0] += 5; }";
  for (const std::string& image : {build(source).binary, compile(source)}) {
    Request request;
    request.action = Action::kRebuild;
    request.inputs = {image};
    CompiledProgram program(request);
    int value = 1;
    program.run("k", Arguments().add(&value), range1(1, 1));
    EXPECT_EQ(value, 6);
  }
}

TEST(Rebuild, ForAnotherCpu) {
  Request request = request_for(Action::kBuild, "kernel void k(global float* a) { a[0] += 5; }");
  request.target_cpu = "x86-64";
  Response response = shared_server().send(request);
  ASSERT_EQ(response.status, Status::kSuccess) << response.log;
  nlohmann::json features = metadata_of(response.binary)["target_features"];
  EXPECT_EQ(std::count(features.begin(), features.end(), "avx"), 0);
  EXPECT_EQ(std::count(features.begin(), features.end(), "sse2"), 1);
  request.target_cpu = "pentium-of-theseus";
  response = shared_server().send(request);
  EXPECT_EQ(response.status, Status::kFailure);
  EXPECT_TRUE(contains(response.log, "pentium-of-theseus"));
}

TEST(Rebuild, RefusesWhatIsNoProgram) {
  const std::string good = build("kernel void k(global int* a) { a[0] += 5; }").binary;
  std::vector<std::string> bad = {"", "junk", good.substr(0, 100), good.substr(0, good.size() / 2),
                                  std::string(5000, '\0')};
  std::string foreign = good;
  foreign[18] = 40;  // ELF machine
  bad.push_back(foreign);
  for (const std::string& input : bad) {
    Request request;
    request.action = Action::kRebuild;
    request.inputs = {input};
    Response response = shared_server().send(request);
    EXPECT_EQ(response.status, Status::kInvalidInput) << response.log;
    EXPECT_TRUE(contains(response.log, "input 0")) << response.log;
  }
}

TEST(Rebuild, SurvivesDamagedPrograms) {
  const std::string good = build("kernel void k(global int* a) { a[0] += 5; }").binary;
  unsigned seed = 1;
  for (int round = 0; round < 60; ++round) {
    Request request;
    request.action = Action::kRebuild;
    request.inputs = {good};
    for (int change = 0; change < 4; ++change) {
      seed = seed * 1664525u + 1013904223u;
      request.inputs[0][seed % good.size()] = static_cast<char>(seed >> 24);
    }
    try {
      shared_server().send(request);
    } catch (const std::runtime_error&) {
      // The child died; the server must not.
    }
  }
  EXPECT_EQ(build("kernel void k() {}").status, Status::kSuccess);
}

const char kTwoKernels[] =
    "kernel void a(global uint* o, local uint* t) { size_t l = get_local_id(0);"
    "  t[l] = get_global_id(0); for (size_t s = get_local_size(0) / 2; s > 0; s /= 2) {"
    "    barrier(CLK_LOCAL_MEM_FENCE); if (l < s) t[l] += t[l + s]; }"
    "  if (l == 0) o[get_group_id(0)] = t[0]; }"
    "kernel void b(global uint* o) { o[0] = 1; }";

TEST(LocalSize, IsForOneKernel) {
  CompiledProgram program(kTwoKernels, "-cl-std=CL3.0 -cl-conclave-local-size=a:64,1,1");
  ASSERT_EQ(program.metadata()["kernels"].size(), 1);
  const nlohmann::json& kernel = program.kernel_metadata("a");
  EXPECT_EQ(kernel["required_local_size"], (nlohmann::json{64, 1, 1}));
  EXPECT_TRUE(kernel["uniform_work_groups"].get<bool>());
  EXPECT_EQ(kernel["attributes"], "");
  // The loop is unrolled: nothing has to be kept across its barriers.
  EXPECT_EQ(kernel["spill_bytes"], 0);
  std::vector<uint32_t> sums(5);
  program.run("a", Arguments().add(sums.data()).add(LocalBytes{256}), range1(320, 64));
  for (uint32_t i = 0; i < 5; ++i) EXPECT_EQ(sums[i], 64 * 64 * i + 63 * 32);
}

TEST(LocalSize, IsTakenFromABinary) {
  Request request;
  request.action = Action::kRebuild;
  request.options = "-cl-conclave-local-size=b:4,2,1";
  request.inputs = {build(kTwoKernels).binary};
  CompiledProgram program(request);
  EXPECT_EQ(program.kernel_metadata("b")["required_local_size"], (nlohmann::json{4, 2, 1}));
}

TEST(LocalSize, BadValuesAreNamed) {
  for (const char* value : {"", "a", "a:", ":1,1,1", "a:1,1", "a:1,1,1,", "a:1,0,1", "a:1,-1,1",
                            "a:1,1,65537", "a:x,1,1"}) {
    Response response = build(kTwoKernels, std::string("-cl-conclave-local-size=") + value);
    EXPECT_EQ(response.status, Status::kInvalidOptions) << value;
    EXPECT_NE(response.log.find("expected KERNEL:X,Y,Z with sizes from 1 to 65536"),
              std::string::npos)
        << response.log;
  }
  Response response = build(kTwoKernels, "-cl-conclave-local-size=c:1,1,1");
  EXPECT_EQ(response.status, Status::kInvalidOptions);
  EXPECT_NE(response.log.find("the program has no kernel 'c'"), std::string::npos) << response.log;
  response = shared_server().send(
      request_for(Action::kCompile, kTwoKernels, "-cl-conclave-local-size=a:1,1,1"));
  EXPECT_NE(response.log.find("is not allowed when compiling"), std::string::npos) << response.log;
}

TEST(ImageFormats, BadValuesAreNamed) {
  const char* source =
      "kernel void a(read_only image2d_t i, global float4* o) { o[0] = read_imagef(i, (int2)(0)); }"
      "kernel void b(global uint* o) { o[0] = 1; }";
  for (const char* value : {"", "a", "a:", ":4272/4306", "a:4272", "a:4272/", "a:4272/4306,",
                            "a:4272/4306/1", "a:4272/1", "a:x/4306"}) {
    Response response = build(source, std::string("-cl-conclave-image-formats=") + value);
    EXPECT_EQ(response.status, Status::kInvalidOptions) << value;
    EXPECT_NE(response.log.find("expected KERNEL:ORDER/TYPE,..."), std::string::npos)
        << response.log;
  }
  Response response = build(source, "-cl-conclave-image-formats=c:any");
  EXPECT_NE(response.log.find("the program has no kernel 'c'"), std::string::npos) << response.log;
  response =
      build(source, "-cl-conclave-image-formats=a:4272/4306 -cl-conclave-local-size=b:8,1,1");
  EXPECT_NE(response.log.find("another option is for kernel 'a'"), std::string::npos)
      << response.log;
  EXPECT_EQ(build(source, "-cl-conclave-image-formats=a:4272/4306 -cl-conclave-local-size=a:8,1,1")
                .status,
            Status::kSuccess);
}

TEST(FirstBuild, UnknownKernelIsNamed) {
  Response response = build(kTwoKernels, "-cl-conclave-kernel=c");
  EXPECT_EQ(response.status, Status::kInvalidOptions);
  EXPECT_NE(response.log.find("option '-cl-conclave-kernel': the program has no kernel 'c'"),
            std::string::npos)
      << response.log;
  EXPECT_NE(build(kTwoKernels, "-cl-conclave-kernel=").log.find("expected a kernel's name"),
            std::string::npos);
}

TEST(LocalSize, VariablesOfTheProgramAreNotDoubled) {
  const char* source =
      "global int n; void up(void) { n++; } kernel void a(global int* o) { up(); o[0] = n; }"
      "kernel void b(global int* o) { o[0] = 1; }";
  Response response = build(source, "-cl-std=CL3.0 -cl-conclave-local-size=a:8,1,1");
  EXPECT_EQ(response.status, Status::kFailure);
  EXPECT_NE(response.log.find("'a' cannot be specialised: it uses the variable 'n'"),
            std::string::npos)
      << response.log;
  EXPECT_EQ(build(source, "-cl-std=CL3.0 -cl-conclave-local-size=b:8,1,1").status,
            Status::kSuccess);
}

}  // namespace
}  // namespace conclave::test
