// SPDX-License-Identifier: Apache-2.0
// Output of clocl on a system without compiler: binaries for several CPUs, and for another one; and
// names of kernels for profilers.
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "api_test.h"
#include "child_process.h"

namespace conclave::test {
namespace {

// A CPU unlike any on which this runs: only AMD had its instructions, and AMD gave them up.
constexpr char kOtherCpu[] = "bdver4";

std::string file_content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class OfflineTest : public ApiTest {
 protected:
  void SetUp() override {
    ApiTest::SetUp();
    CONCLAVE_ONLY();
    char folder[] = "/tmp/conclave-offline-XXXXXX";
    ASSERT_NE(nullptr, mkdtemp(folder));
    folder_ = folder;
    std::ofstream(folder_ + "/k.cl")
        << "kernel void k(global int* a) { a[get_global_id(0)] += 7; }";
  }
  void TearDown() override {
    if (folder_.empty()) return;
    EXPECT_EQ(0, std::system(("rm -r " + folder_).c_str()));
  }
  // The path of the binary of `files`.
  std::string compile(const std::string& cpus, const std::string& files = "k.cl") {
    std::string name = folder_ + "/" + cpus + ".out";
    const std::string command = "cd " + folder_ +
                                " && " CONCLAVE_TEST_CLOCL " --target-cpu=" + cpus + " -o " + name +
                                " " + files;
    EXPECT_EQ(0, std::system(command.c_str()));
    return name;
  }
  static ChildResult run(const std::string& child, const std::string& binary, bool has_compiler) {
    std::vector<std::pair<std::string, std::string>> environment = {{"BINARY", binary}};
    if (!has_compiler) environment.emplace_back("CONCLAVE_CLOCL", "/nonexistent");
    return run_child(child, environment);
  }

  std::string folder_;
};

Program load(cl_context context) {
  const std::string binary = file_content(getenv("BINARY"));
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  const size_t size = binary.size();
  cl_device_id only = device();
  cl_int status = 0, error = 0;
  return Program(clCreateProgramWithBinary(context, 1, &only, &size, &bytes, &status, &error));
}

// Prints the number of lanes of the code that was chosen.
CHILD_PROCESS(run_binary) {
  Context context = make_context();
  Queue queue = make_queue(context);
  Program program = load(context);
  CHECK(program);
  CHECK(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr) == CL_SUCCESS);
  size_t size = 0;
  clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr);
  const bool is_rebuilt = getenv("CONCLAVE_CLOCL") == nullptr;
  CHECK(is_rebuilt || size == file_content(getenv("BINARY")).size());
  Kernel kernel = make_kernel(program, "k");
  Buffer data = make_buffer(context, std::vector<int>(100, 1));
  clSetKernelArg(kernel, 0, sizeof(cl_mem), data.list());
  const size_t items = 100;
  CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr) ==
        CL_SUCCESS);
  CHECK(contents(queue, data, items) == std::vector<int>(items, 8));
  size_t lanes = 0;
  clGetKernelWorkGroupInfo(kernel, device(), CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                           sizeof lanes, &lanes, nullptr);
  std::printf("%zu lanes\n", lanes);
  return 0;
}

CHILD_PROCESS(refuse_binary) {
  Context context = make_context();
  Program program = load(context);
  CHECK(program);
  CHECK(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr) == CL_INVALID_BINARY);
  std::printf("%s", build_log(program).c_str());
  return 0;
}

TEST_F(OfflineTest, OfABinaryForSeveralCpusTheBestIsLoaded) {
  const ChildResult native = run("run_binary", compile("native"), false);
  const ChildResult portable = run("run_binary", compile("portable"), false);
  ASSERT_EQ(0, native.exit_status) << native.output;
  ASSERT_EQ(0, portable.exit_status) << portable.output;
  for (const char* cpus : {"portable,native", "native,portable", "bdver4,native,portable"}) {
    const ChildResult fat = run("run_binary", compile(cpus), false);
    EXPECT_EQ(0, fat.exit_status) << fat.output;
    EXPECT_EQ(native.output, fat.output) << cpus;
  }
  const ChildResult fat = run("run_binary", compile("bdver4,portable"), false);
  EXPECT_EQ(0, fat.exit_status) << fat.output;
  EXPECT_EQ(portable.output, fat.output);
}

TEST_F(OfflineTest, ABinaryForAnotherCpuIsBuiltAgain) {
  const ChildResult result = run("run_binary", compile(kOtherCpu), true);
  EXPECT_EQ(0, result.exit_status) << result.output;
}

TEST_F(OfflineTest, WithoutACompilerABinaryForAnotherCpuIsRefused) {
  const ChildResult result = run("refuse_binary", compile(kOtherCpu), false);
  EXPECT_EQ(0, result.exit_status) << result.output;
  EXPECT_NE(std::string::npos, result.output.find("built for CPU bdver4 and needs feature"))
      << result.output;
  EXPECT_NE(std::string::npos, result.output.find("there is no compiler")) << result.output;
}

// C code is kept as it is: that of an object for any CPU goes with the kernels that are built
// again; what clocl compiled for another CPU does not run here.
TEST_F(OfflineTest, CCodeStaysAsItIs) {
  std::ofstream(folder_ + "/c.cl")
      << "int seven(int);\n"
         "kernel void k(global int* a) { a[get_global_id(0)] += seven(1); }\n";
  std::ofstream(folder_ + "/c.c") << "int seven(int x) { return x * 7; }\n";
  ASSERT_EQ(0, std::system(("cd " + folder_ + " && cc -O2 -fPIC -c c.c").c_str()));
  ChildResult result = run("run_binary", compile(kOtherCpu, "c.cl c.o"), true);
  EXPECT_EQ(0, result.exit_status) << result.output;
  result = run("refuse_binary", compile(kOtherCpu, "c.cl c.c"), true);
  EXPECT_EQ(0, result.exit_status) << result.output;
  EXPECT_NE(std::string::npos, result.output.find("needs feature")) << result.output;
}

// Both compilers' C code, and OpenCL C that finds the header for C.
TEST_F(OfflineTest, CCodeCallsTisFunctions) {
  std::ofstream(folder_ + "/ti.cl")
      << "#include <dsp_c.h>\n"
         "#include <dsp_edmamgr.h>\n"
         "uint32_t c_core_num(void);\n"
         "kernel void k(global int* a) {\n"
         "  a[get_global_id(0)] += EdmaMgr_alloc(1) && c_core_num() == __core_num() ? 7 : 0;\n"
         "}\n";
  for (const char* files :
       {"ti.cl " CONCLAVE_TEST_TI_DEVICE_SOURCE, "ti.cl " CONCLAVE_TEST_TI_DEVICE_OBJECT,
        "-I " CONCLAVE_TEST_TI_HEADERS " ti.cl " CONCLAVE_TEST_TI_DEVICE_SOURCE}) {
    const ChildResult result = run("run_binary", compile("native", files), false);
    EXPECT_EQ(0, result.exit_status) << files << result.output;
  }
}

TEST_F(OfflineTest, WrongUseOfTisFunctionsIsSaid) {
  std::ofstream(folder_ + "/c.cl") << "uint f(void); kernel void k(global uint* a) { *a = f(); }";
  const auto errors = [&](const std::string& code) {
    std::ofstream(folder_ + "/c.c") << code << "\n";
    const std::string command =
        "cd " + folder_ + " && " CONCLAVE_TEST_CLOCL " -o c.out c.cl c.c 2> errors";
    EXPECT_NE(0, std::system(command.c_str())) << code;
    return file_content(folder_ + "/errors");
  };
  const auto says = [](const std::string& text, const char* what) {
    return text.find(what) != text.npos;
  };
  EXPECT_TRUE(says(errors("unsigned f(void) { return __core_num(); }"),
                   "call to undeclared function '__core_num'"));
  EXPECT_TRUE(says(errors("#include <dsp_c.h>\nunsigned f(void) { return __core_num(1); }"),
                   "too many arguments"));
  EXPECT_TRUE(says(errors("int __core_count(void);\nunsigned f(void) { return __core_count(); }"),
                   "undefined symbol '__core_count', used in"));
}

CHILD_PROCESS(count_team) {
  Context context = make_context();
  Queue queue = make_queue(context);
  Program program = load(context);
  CHECK(program);
  Buffer threads = make_buffer(context, std::vector<int>(1));
  for (const auto& [name, wanted] : {std::pair("team:{one}", 1), {"team:{two}", 2}, {"team", 3}}) {
    Kernel kernel = make_kernel(program, name);
    clSetKernelArg(kernel, 0, sizeof(cl_mem), threads.list());
    CHECK(clEnqueueTask(queue, kernel, 0, nullptr, nullptr) == CL_SUCCESS);
    const int found = contents(queue, threads, 1)[0];
    std::printf("%s: %d threads\n", name, found);
    CHECK(found == wanted);
  }
  return 0;
}

TEST_F(OfflineTest, OpenMpHasTheUnitsOfAnXclbin) {
  std::ofstream(folder_ + "/team.cl") << "void count(int*);\n"
                                         "kernel void team(global int* n) { count((int*)n); }\n";
  std::ofstream(folder_ + "/team.c") << "void count(int* n) {\n"
                                        "  *n = 0;\n"
                                        "#pragma omp parallel\n"
                                        "#pragma omp atomic\n"
                                        "  ++*n;\n"
                                        "}\n";
  std::ofstream(folder_ + "/team.json")
      << R"({"compute-units": [{"kernel": "team", "name": "one", "units": [1]},
                               {"kernel": "team", "name": "two", "units": [0, 2]}]})";
  const std::string binary =
      compile("native", "-cl-std=CL3.0 -fopenmp --layout team.json team.cl team.c");
  const ChildResult result =
      run_child("count_team", {{"BINARY", binary}, {"CONCLAVE_COMPUTE_UNITS", "4"}});
  EXPECT_EQ(0, result.exit_status) << result.output;
}

TEST_F(OfflineTest, AnXclbinForSeveralCpus) {
  const ChildResult result = run("run_binary", compile("portable,native", "--cu k k.cl"), false);
  EXPECT_EQ(0, result.exit_status) << result.output;
}

CHILD_PROCESS(name_kernels) {
  Context context = make_context();
  Program program = build(context, "kernel void find_me(global int* a) { *a = 1; }");
  const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  std::ifstream map(path);
  unsigned long address = 0, size = 0, found = 0;
  std::string name;
  while (map >> std::hex >> address >> size && std::getline(map >> std::ws, name))
    if (name == "find_me") found = address;
  unlink(path.c_str());
  CHECK(found != 0);
  // Profilers look into the map for code that belongs to no file.
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0;
    char rights[5] = "";
    CHECK(std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights) == 3);
    if (found < begin || found >= end) continue;
    CHECK(std::string(rights) == "r-xp");
    CHECK(line.find('/') == std::string::npos);
    return 0;
  }
  CHECK(!"the kernel's code is mapped");
  return 1;
}

TEST_F(OfflineTest, ProfilersFindTheNamesOfKernels) {
  const ChildResult result = run_child("name_kernels", {{"CONCLAVE_PERF_MAP", "1"}});
  EXPECT_EQ(0, result.exit_status) << result.output;
}

}  // namespace
}  // namespace conclave::test
