// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <thread>
#include <vector>

#include "platform/base/error.h"
#include "platform/loader/program_binary.h"
#include "test_support.h"

namespace conclave {
namespace {

using test::sample_program;
using test::sample_program_with_id;

uint64_t call(const LoadedCode& code, const char* kernel, uint64_t first, uint64_t count) {
  uint64_t result = 0;
  uint64_t* out = &result;
  code.function(kernel)(nullptr, &out, nullptr, first, count);
  return result;
}

// The kernel copies first + count bytes of its arguments: a pointer.
uint64_t identify(const LoadedCode& code) {
  return call(code, "identify", 4, 4);
}

TEST(LoadedCode, RunsKernels) {
  const auto code = LoadedCode::load(*ProgramBinary::parse(sample_program_with_id(42)));
  EXPECT_EQ(identify(*code), 42u);
  EXPECT_EQ(call(*code, "count_calls", 0, 3), 3u);
  EXPECT_EQ(call(*code, "count_calls", 0, 2), 5u);
  EXPECT_EQ(code->function("no_such_kernel"), nullptr);
}

TEST(LoadedCode, EachLoadHasDataOfItsOwn) {
  const auto binary = ProgramBinary::parse(sample_program());
  const auto first = LoadedCode::load(*binary);
  const auto second = LoadedCode::load(*binary);
  EXPECT_EQ(call(*first, "count_calls", 0, 3), 3u);
  EXPECT_EQ(call(*second, "count_calls", 0, 1), 1u);
}

// The memory file gets the same descriptor number each time, which the dynamic linker would take
// for the same library.
TEST(LoadedCode, DifferentBinariesNeverAlias) {
  std::vector<std::shared_ptr<const LoadedCode>> codes;
  for (uint64_t id = 0; id < 300; ++id)
    codes.push_back(LoadedCode::load(*ProgramBinary::parse(sample_program_with_id(id))));
  for (uint64_t id = 0; id < 300; ++id) EXPECT_EQ(identify(*codes[id]), id);
  for (uint64_t id = 0; id < 300; id += 2) codes[id].reset();
  for (uint64_t id = 0; id < 300; id += 2)
    codes[id] = LoadedCode::load(*ProgramBinary::parse(sample_program_with_id(1000 + id)));
  for (uint64_t id = 0; id < 300; ++id) EXPECT_EQ(identify(*codes[id]), id % 2 ? id : 1000 + id);
}

TEST(LoadedCode, LoadsFromManyThreads) {
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 8; ++t)
    threads.emplace_back([t] {
      for (uint64_t i = 0; i < 50; ++i) {
        const auto code =
            LoadedCode::load(*ProgramBinary::parse(sample_program_with_id(100 * t + i)));
        EXPECT_EQ(identify(*code), 100 * t + i);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

size_t count_lines_with(const char* path, const char* text) {
  std::ifstream file(path);
  size_t count = 0;
  for (std::string line; std::getline(file, line);) count += line.find(text) != line.npos;
  return count;
}

TEST(LoadedCode, IsNamedInTheMapsAndGoneAtTheEnd) {
  const auto binary = ProgramBinary::parse(sample_program());
  const int probe = open("/dev/null", O_RDONLY | O_CLOEXEC);
  close(probe);
  auto code = LoadedCode::load(*binary);
  EXPECT_GT(count_lines_with("/proc/self/maps", "conclave:identify,count_calls"), 0u);
  const int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
  close(next);
  EXPECT_EQ(next, probe) << "a loaded program keeps no descriptor";
  code.reset();
  EXPECT_EQ(count_lines_with("/proc/self/maps", "conclave:identify"), 0u);
}

TEST(LoadedCode, UnresolvedSymbolIsAnError) {
  std::string bytes = sample_program();
  for (size_t at; (at = bytes.find("memcpy")) != bytes.npos;) bytes.replace(at, 6, "mumcpy");
  try {
    LoadedCode::load(*ProgramBinary::parse(bytes));
    FAIL() << "loaded";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), CL_INVALID_BINARY);
    EXPECT_NE(error.text().find("mumcpy"), std::string::npos) << error.text();
  }
}

}  // namespace
}  // namespace conclave
