// SPDX-License-Identifier: Apache-2.0
// Compiles a program, loads it into this process and runs its kernels, one thread, no platform.
#ifndef CONCLAVE_TEST_UNIT_COMPILER_COMPILED_PROGRAM_H_
#define CONCLAVE_TEST_UNIT_COMPILER_COMPILED_PROGRAM_H_

#include <array>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "conclave/compile_protocol.h"
#include "conclave/kernel_abi.h"

namespace conclave::test {

// The metadata of a program binary, with those that have their default. Throws std::runtime_error.
nlohmann::json metadata_of(const std::string& binary);

// A local-memory argument.
struct LocalBytes {
  uint64_t bytes;
};

// The argument block of a kernel, filled in order.
class Arguments {
 public:
  template <class T>
  Arguments& add(T value) {
    if constexpr (std::is_same_v<T, LocalBytes>) {
      values_.push_back({true, value.bytes, {}});
    } else {
      std::vector<std::byte> bytes(sizeof value);
      std::memcpy(bytes.data(), &value, sizeof value);
      values_.push_back({false, 0, std::move(bytes)});
    }
    return *this;
  }

  struct Value {
    bool is_local;
    uint64_t local_bytes;
    std::vector<std::byte> bytes;
  };
  const std::vector<Value>& values() const { return values_; }

 private:
  std::vector<Value> values_;
};

using Size = std::array<uint64_t, 3>;

struct Range {
  Size global = {1, 1, 1};
  Size local = {1, 1, 1};
  Size offset = {0, 0, 0};
};
Range range1(uint64_t global, uint64_t local);
Range range2(uint64_t global_x, uint64_t global_y, uint64_t local_x, uint64_t local_y);

class CompiledProgram {
 public:
  // Throws std::runtime_error with the build log if the build fails.
  explicit CompiledProgram(const std::string& source, const std::string& options = "");
  explicit CompiledProgram(const protocol::Request& request);
  CompiledProgram(const CompiledProgram&) = delete;
  CompiledProgram& operator=(const CompiledProgram&) = delete;
  ~CompiledProgram();

  // Runs all work-groups in calls of at most `slice` groups. Returns what was printed: one line for
  // each call of printf, "format|value value ...".
  std::string run(const std::string& kernel, const Arguments& arguments, const Range& range,
                  uint64_t slice = 3);

  const nlohmann::json& metadata() const { return metadata_; }
  const nlohmann::json& kernel_metadata(const std::string& kernel) const;
  const std::string& binary() const { return binary_; }
  const std::string& log() const { return log_; }

 private:
  std::string binary_;
  std::string log_;
  nlohmann::json metadata_;
  int descriptor_ = -1;
  void* handle_ = nullptr;
};

// The response to building `source`.
protocol::Response build(const std::string& source, const std::string& options = "");

bool contains(const std::string& text, const std::string& part);

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_UNIT_COMPILER_COMPILED_PROGRAM_H_
