// SPDX-License-Identifier: Apache-2.0
// The compiler is another process: it may die, hang or be missing, and must not disturb the host.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "api_test.h"
#include "child_process.h"

namespace conclave::test {
namespace {

std::string fresh_source(const std::string& body = "o[0] = 1;") {
  return fresh("kernel void k(global int* o) { " + body + " }\n");
}

// A shell script that stands in for the compiler; removed with the object.
class FakeCompiler {
 public:
  explicit FakeCompiler(const std::string& text) {
    char name[] = "/tmp/conclave-fake-clocl-XXXXXX";
    close(mkstemp(name));
    path_ = name;
    std::ofstream(path_) << "#!/bin/sh\n" << text << "\n";
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
  }
  ~FakeCompiler() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Runs with a compiler that cannot work: every way to build fails with a log, and nothing hangs.
CHILD_PROCESS(broken_compiler) {
  Context context = make_context();
  Program built = make_program(context, fresh_source());
  CHECK(clBuildProgram(built, 0, nullptr, "", nullptr, nullptr) == CL_BUILD_PROGRAM_FAILURE);
  CHECK(!build_log(built).empty());
  Program compiled = make_program(context, fresh_source());
  CHECK(clCompileProgram(compiled, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr) ==
        CL_COMPILE_PROGRAM_FAILURE);
  CHECK(!build_log(compiled).empty());
  std::fprintf(stderr, "%s\n", build_log(built).c_str());
  return 0;
}

class CompilerProcessTest : public ApiTest {
 protected:
  void SetUp() override {
    CONCLAVE_ONLY();
    ApiTest::SetUp();
  }
  void expect_clean_failure(const std::string& compiler) {
    auto start = std::chrono::steady_clock::now();
    ChildResult result = run_child(
        "broken_compiler", {{"CONCLAVE_CLOCL", compiler}, {"CONCLAVE_COMPILE_TIMEOUT_S", "1"}}, 30);
    EXPECT_EQ(0, result.exit_status) << result.output;
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  }
  static std::vector<pid_t> servers() { return compile_servers(getpid()); }
};

TEST_F(CompilerProcessTest, DyingCompilerIsABuildFailure) {
  expect_clean_failure(FakeCompiler("exit 1").path());
  expect_clean_failure(FakeCompiler("kill -9 $$").path());
}

TEST_F(CompilerProcessTest, HangingCompilerIsABuildFailure) {
  expect_clean_failure(FakeCompiler("exec sleep 60").path());
}

TEST_F(CompilerProcessTest, BabblingCompilerIsABuildFailure) {
  // Nonsense on the connection it is handed, file descriptor 3.
  expect_clean_failure(FakeCompiler("echo nonsense nonsense nonsense >&3; sleep 60").path());
}

TEST_F(CompilerProcessTest, MissingCompilerIsABuildFailure) {
  ChildResult result = run_child("broken_compiler", {{"CONCLAVE_CLOCL", "/nonexistent/clocl"}}, 30);
  // A platform may also say that it has none.
  EXPECT_TRUE(result.exit_status == 0 || result.exit_status == 1) << result.output;
}

TEST_F(CompilerProcessTest, KilledServerIsReplaced) {
  build(context_, fresh_source());
  std::vector<pid_t> before = servers();
  ASSERT_FALSE(before.empty()) << "no compile server is a child of this process";
  for (pid_t pid : before) kill(pid, SIGKILL);
  // The first build may notice the loss, the second may not.
  Program first = make_program(context_, fresh_source());
  cl_int status = clBuildProgram(first, 0, nullptr, "", nullptr, nullptr);
  EXPECT_TRUE(status == CL_SUCCESS || status == CL_BUILD_PROGRAM_FAILURE) << error_name(status);
  if (status != CL_SUCCESS) {
    EXPECT_NE("", build_log(first));
  }
  build(context_, fresh_source());
}

// A server killed in the middle of a compilation: an error with a log or, at best, success.
TEST_F(CompilerProcessTest, ServerKilledDuringABuild) {
  build(context_, fresh_source());
  std::string long_body;
  for (int i = 0; i < 3000; ++i) {
    long_body += "o[" + std::to_string(i) + "] = o[" + std::to_string(i + 1) + "] * o[2];\n";
  }
  Program slow = make_program(context_, fresh_source(long_body));
  std::thread killer([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    for (pid_t pid : servers()) {
      for (pid_t grandchild : children_of(pid)) kill(grandchild, SIGKILL);
      kill(pid, SIGKILL);
    }
  });
  cl_int status = clBuildProgram(slow, 0, nullptr, "", nullptr, nullptr);
  killer.join();
  EXPECT_TRUE(status == CL_SUCCESS || status == CL_BUILD_PROGRAM_FAILURE) << error_name(status);
  if (status != CL_SUCCESS) {
    EXPECT_NE("", build_log(slow));
  }
  build(context_, fresh_source());
}

// Takes the compiler much longer than any test lasts, and more and more memory.
std::string exploding_source() {
  std::string source = fresh_source() + "#define M0 o[0] += o[1] * o[2];\n";
  for (int i = 1; i <= 27; ++i) {
    const std::string before = " M" + std::to_string(i - 1);
    source += "#define M" + std::to_string(i) + before + before + "\n";
  }
  return source + "kernel void e(global int* o) { M27 }\n";
}

// The keeper is the child of the host that has the server for a child.
void kill_keeper() {
  for (pid_t child : children_of(getpid()))
    for (pid_t server : compile_servers(getpid()))
      for (pid_t grandchild : children_of(child))
        if (grandchild == server) kill(child, SIGKILL);
}

TEST_F(CompilerProcessTest, KeeperKilledDuringABuild) {
  build(context_, fresh_source());
  Program endless = make_program(context_, exploding_source());
  std::chrono::steady_clock::time_point killed;
  std::thread killer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    killed = std::chrono::steady_clock::now();
    kill_keeper();
  });
  const cl_int status = clBuildProgram(endless, 0, nullptr, "", nullptr, nullptr);
  const auto end = std::chrono::steady_clock::now();
  killer.join();
  EXPECT_EQ(CL_BUILD_PROGRAM_FAILURE, status);
  EXPECT_NE(std::string::npos, build_log(endless).find("signal 9")) << build_log(endless);
  EXPECT_LT(end - killed, std::chrono::seconds(2));
  EXPECT_TRUE(eventually([&] { return servers().empty(); })) << "the build goes on";
  build(context_, fresh_source());
}

// Whether the process has a handler for crashes.
bool handles_crashes(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("SigCgt:"))
      return std::stoull(line.substr(7), nullptr, 16) >> (SIGABRT - 1) & 1;
  return false;
}

// The processes that build something for this host, or their children, where these make code.
std::vector<pid_t> builders(bool children) {
  std::vector<pid_t> found;
  for (pid_t server : compile_servers(getpid()))
    for (pid_t build : children_of(server)) {
      if (!handles_crashes(build)) continue;
      if (!children) found.push_back(build);
      for (pid_t part : children_of(build))
        if (children) found.push_back(part);
    }
  return found;
}

// Packets are what LLVM has errors in.
TEST_F(CompilerProcessTest, AfterACrashWorkItemsRunOneByOne) {
  build(context_, fresh_source());
  std::string long_body;
  for (int i = 0; i < 3000; ++i)
    long_body += "o[" + std::to_string(i) + "] = o[" + std::to_string(i + 1) + "] * o[2];\n";
  for (bool in_part : {false, true}) {
    Program program = make_program(context_, fresh_source(long_body));
    bool has_crashed = false;
    std::thread killer([&] {
      has_crashed = eventually([&] { return !builders(in_part).empty(); });
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      for (pid_t process : builders(in_part)) kill(process, in_part ? SIGABRT : SIGSEGV);
    });
    const char* options = "-cl-conclave-tune=fork_instructions=0,code_processes=4";
    const cl_int status = clBuildProgram(program, 0, nullptr, options, nullptr, nullptr);
    killer.join();
    EXPECT_TRUE(has_crashed) << in_part;
    EXPECT_EQ(CL_SUCCESS, status) << error_name(status) << " " << build_log(program);
    EXPECT_NE(std::string::npos, build_log(program).find("work-items run one by one instead"))
        << in_part << build_log(program);
  }
  EXPECT_TRUE(eventually([&] { return builders(false).empty(); }));
}

CHILD_PROCESS(build_exploding_source) {
  Context context = make_context();
  Program program = make_program(context, exploding_source());
  CHECK(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr) == CL_BUILD_PROGRAM_FAILURE);
  std::fprintf(stderr, "%s", build_log(program).c_str());
  build(context, fresh_source());
  return 0;
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_F(CompilerProcessTest, BuildsTakeNoMoreMemoryThanAllowed) {
  const ChildResult result =
      run_child("build_exploding_source", {{"CONCLAVE_COMPILE_MEMORY_MIB", "100"}});
  EXPECT_EQ(0, result.exit_status) << result.output;
  EXPECT_NE(std::string::npos,
            result.output.find("error: the build needs more than 100 MiB of memory "
                               "(compile-memory-mib, CONCLAVE_COMPILE_MEMORY_MIB)"))
      << result.output;
}
#endif

// A program that uses what OpenCL C has since 2.0, and forgets to ask for it.
CHILD_PROCESS(build_with_configured_options) {
  Context context = make_context();
  constexpr char kSource[] =
      "#if N != 2\n#error N\n#endif\n"
      "kernel void k(global atomic_int* a) { atomic_fetch_add(a, M); }\n";
  Program program = make_program(context, kSource);
  std::string own = "-DM=3";
  cl_int status = clBuildProgram(program, 0, nullptr, own.c_str(), nullptr, nullptr);
  std::fprintf(stderr, "%s", build_log(program).c_str());
  if (status != CL_SUCCESS) return status == CL_INVALID_BUILD_OPTIONS ? 2 : 1;
  char options[100];
  CHECK(clGetProgramBuildInfo(program, device(), CL_PROGRAM_BUILD_OPTIONS, sizeof options, options,
                              nullptr) == CL_SUCCESS);
  CHECK(options == own);
  // The program's own options win.
  own = "-DM=3 -cl-std=CL1.2";
  CHECK(clBuildProgram(program, 0, nullptr, own.c_str(), nullptr, nullptr) ==
        CL_BUILD_PROGRAM_FAILURE);
  return 0;
}

TEST_F(CompilerProcessTest, TheConfigurationMayAddBuildOptions) {
  const auto result_with = [](const char* options) {
    return run_child("build_with_configured_options", {{"CONCLAVE_BUILD_OPTIONS", options}});
  };
  ChildResult result = result_with("-cl-std=CL3.0 -DN=2");
  EXPECT_EQ(0, result.exit_status) << result.output;
  result = result_with("");
  EXPECT_EQ(1, result.exit_status) << result.output;
  result = result_with("-cl-std=CL3.0 -unknown");
  EXPECT_EQ(2, result.exit_status) << result.output;
  EXPECT_NE(std::string::npos,
            result.output.find("The configuration adds the options '-cl-std=CL3.0 -unknown' "
                               "(build-options, CONCLAVE_BUILD_OPTIONS)"))
      << result.output;
}

// The host neither sees the compiler's end by signal nor by waiting for its own children.
volatile sig_atomic_t g_child_signals = 0;
CHILD_PROCESS(compiler_leaves_host_alone) {
  struct sigaction action = {};
  action.sa_handler = [](int) { g_child_signals = g_child_signals + 1; };
  sigaction(SIGCHLD, &action, nullptr);
  Context context = make_context();
  Program program = make_program(context, fresh_source());
  CHECK(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr) == CL_SUCCESS);
  CHECK(clUnloadPlatformCompiler(platform()) == CL_SUCCESS);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  CHECK(g_child_signals == 0);
  int status = 0;
  pid_t reaped = waitpid(-1, &status, WNOHANG);
  CHECK(reaped <= 0);
  return 0;
}

TEST_F(CompilerProcessTest, LeavesTheHostsChildrenAlone) {
  ChildResult result = run_child("compiler_leaves_host_alone");
  EXPECT_EQ(0, result.exit_status) << result.output;
}

// A program that ignores SIGCHLD or reaps everything can build all the same.
CHILD_PROCESS(build_with_sigchld_ignored) {
  std::signal(SIGCHLD, SIG_IGN);
  Context context = make_context();
  for (int i = 0; i < 3; ++i) {
    Program program = make_program(context, fresh_source());
    CHECK(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr) == CL_SUCCESS);
  }
  return 0;
}

TEST_F(CompilerProcessTest, WorksWhereSigchldIsIgnored) {
  ChildResult result = run_child("build_with_sigchld_ignored");
  EXPECT_EQ(0, result.exit_status) << result.output;
}

// The descriptors a program happens to have open are its own business.
CHILD_PROCESS(build_with_descriptors_closed) {
  for (int fd = 0; fd < 64; ++fd) {
    if (fd != 2) close(fd);
  }
  Context context = make_context();
  Program program = make_program(context, fresh_source());
  CHECK(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr) == CL_SUCCESS);
  return 0;
}

TEST_F(CompilerProcessTest, WorksWithStandardDescriptorsClosed) {
  ChildResult result = run_child("build_with_descriptors_closed");
  EXPECT_EQ(0, result.exit_status) << result.output;
}

CHILD_PROCESS(build_and_tell_pid) {
  Context context = make_context();
  Program program = make_program(context, fresh_source());
  CHECK(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr) == CL_SUCCESS);
  CHECK(!compile_servers(getpid()).empty());
  std::printf("%d", getpid());
  std::fflush(stdout);
  raise(SIGKILL);  // no time for tidying up
  return 0;
}

TEST_F(CompilerProcessTest, NoCompilerOutlivesItsHost) {
  ChildResult result = run_child("build_and_tell_pid");
  ASSERT_EQ(128 + SIGKILL, result.exit_status) << result.output;
  pid_t host = std::atoi(result.output.c_str());
  ASSERT_GT(host, 0) << result.output;
  EXPECT_TRUE(eventually([&] { return compile_servers(host).empty(); }))
      << "a compile server of " << host << " is left";
}

CHILD_PROCESS(build_twice) {
  Context context = make_context();
  build(context, fresh_source());
  build(context, fresh_source());
  return 0;
}

// Builds are slow then, and nothing else would say why.
TEST_F(CompilerProcessTest, RefusedCacheIsToldOnce) {
  char folder[] = "/tmp/conclave-cache-XXXXXX";
  ASSERT_NE(nullptr, mkdtemp(folder));
  std::filesystem::permissions(folder, std::filesystem::perms::all);
  const ChildResult result =
      run_child("build_twice", {{"CONCLAVE_CACHE_DIR", folder}, {"CONCLAVE_LOG", "warn"}});
  EXPECT_TRUE(std::filesystem::remove(folder));
  EXPECT_EQ(0, result.exit_status) << result.output;
  const std::string text = std::string("not used: ") + folder + " can be written by other users";
  const size_t first = result.output.find(text);
  EXPECT_NE(std::string::npos, first) << result.output;
  EXPECT_EQ(std::string::npos, result.output.find(text, first + 1)) << result.output;
}

TEST_F(CompilerProcessTest, HostMapsNoLlvm) {
  build(context_, fresh_source());
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    EXPECT_EQ(std::string::npos, line.find("libLLVM")) << line;
    EXPECT_EQ(std::string::npos, line.find("libclang")) << line;
  }
}

}  // namespace
}  // namespace conclave::test
