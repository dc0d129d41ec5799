// SPDX-License-Identifier: Apache-2.0
// A program binary in memory (include/conclave/program_binary.h has the format): the metadata of
// its kernels, and its code once it has been loaded.
#ifndef CONCLAVE_PLATFORM_LOADER_PROGRAM_BINARY_H_
#define CONCLAVE_PLATFORM_LOADER_PROGRAM_BINARY_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conclave/kernel_abi.h"
#include "conclave/metadata.h"
#include "platform/base/descriptor.h"
#include "platform/loader/kernel_calls.h"

namespace conclave {

class ProgramBinary {
 public:
  // Parses a program binary. Throws Error{CL_INVALID_BINARY} naming what is wrong and where; never
  // reads outside `bytes`, whatever they are.
  static std::shared_ptr<const ProgramBinary> parse(std::string bytes);

  ProgramKind kind() const { return info_.kind; }
  const std::string& bytes() const { return bytes_; }
  // The whole file that it comes from: one for several CPUs, or just bytes().
  const std::string& whole() const { return whole_.empty() ? bytes_ : whole_; }
  const std::string& options() const { return info_.options; }
  const std::string& target_cpu() const { return info_.target_cpu; }
  const std::vector<KernelInfo>& kernels() const { return info_.kernels; }
  // Bytes of program-scope variables in the global address space.
  size_t global_bytes() const { return info_.global_bytes; }
  // Files the program was built from.
  const std::vector<Dependency>& dependencies() const { return info_.dependencies; }
  // Whether the code runs here: an executable of this ABI version, for a CPU whose features this
  // machine has. `why` tells the reason when not.
  bool runs_here(std::string* why) const;
  // Whether kernels may end before they come to their end: abort(), exit(), C code.
  bool can_be_left() const { return can_be_left_; }
  // Whether its C code asks for the compute unit that it runs on.
  bool asks_for_unit() const { return asks_for_unit_; }
  // Whether its C code uses OpenMP.
  bool uses_openmp() const { return uses_openmp_; }
  // Where its executable code is, in the file's addresses.
  std::pair<uint64_t, uint64_t> code_range() const { return code_range_; }
  // Whether a debugger finds lines in it.
  bool has_debug_info() const { return has_debug_info_; }

 private:
  ProgramBinary() = default;

  static std::shared_ptr<ProgramBinary> parse_one(std::string bytes);
  static std::shared_ptr<ProgramBinary> find_better(const ProgramBinary& binary);
  size_t feature_count() const { return info_.target_features.size(); }

  ProgramInfo info_;
  std::string bytes_;
  std::string whole_;     // empty: bytes_
  uint16_t machine_ = 0;  // ELF's name of the instruction set
  bool has_debug_info_ = false;
  bool can_be_left_ = false;
  bool asks_for_unit_ = false;
  bool uses_openmp_ = false;
  std::pair<uint64_t, uint64_t> code_range_;
};

// The code of an executable binary, mapped into this process for as long as the object lives.
class LoadedCode {
 public:
  // Tells code the compute unit of the calling thread.
  using FindUnit = const abi::UnitAccess* (*)();

  // Maps the code, whose C code asks `find_unit`. Throws Error{CL_INVALID_BINARY} where the dynamic
  // linker refuses it or a kernel's symbol is missing.
  static std::shared_ptr<const LoadedCode> load(const ProgramBinary& binary,
                                                FindUnit find_unit = nullptr);
  ~LoadedCode();
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;

  // The function of the kernel with this symbol.
  abi::GroupFunction function(const std::string& symbol) const;

  const CodeRange& code_range() const { return code_range_; }
  // The line of the source that an address of the code comes from: "file.cl:12"; "" where that is
  // not known.
  std::string source_line(uintptr_t address) const;

  // What a program has that uses OpenMP (compiler/native/support/openmp_team.c).
  struct OpenMp {
    void (*set_threads)(int threads, int may_spin) = nullptr;
    void (*for_each)(void (*enter)(void* argument, int thread), void* argument) = nullptr;
    int (*in_parallel)() = nullptr;
  };
  const OpenMp& openmp() const { return openmp_; }

 private:
  void connect(const ProgramBinary& binary, FindUnit find_unit);
  template <class Pointer>
  void find(Pointer& pointer, const char* symbol) const;

  LoadedCode() = default;
  void* handle_ = nullptr;
  CodeRange code_range_;
  uintptr_t base_ = 0;  // where the file's address 0 is
  OpenMp openmp_;
  // Debuggers read lines when they are asked for them, by the path that the code was loaded from.
  Descriptor file_;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_PROGRAM_BINARY_H_
