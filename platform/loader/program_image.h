// SPDX-License-Identifier: Apache-2.0
// A program binary in memory: parsed metadata of its kernels (include/conclave/program_image.h has
// the format), and its code once it has been loaded.
#ifndef CONCLAVE_PLATFORM_LOADER_PROGRAM_IMAGE_H_
#define CONCLAVE_PLATFORM_LOADER_PROGRAM_IMAGE_H_

#include <CL/cl.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conclave/kernel_abi.h"
#include "platform/base/descriptor.h"
#include "platform/loader/kernel_calls.h"

namespace conclave {

// One argument of a kernel, as the OpenCL queries want it. Sizes in bytes.
struct ArgumentInfo {
  enum class Kind { kValue, kPointer, kLocal, kImage, kSampler, kStream };
  std::string name;
  std::string type_name;
  Kind kind = Kind::kValue;
  cl_kernel_arg_address_qualifier address = CL_KERNEL_ARG_ADDRESS_PRIVATE;
  cl_kernel_arg_access_qualifier access = CL_KERNEL_ARG_ACCESS_NONE;
  cl_kernel_arg_type_qualifier qualifiers = CL_KERNEL_ARG_TYPE_NONE;
  size_t size = 0;
  size_t offset = 0;  // in the argument block
  size_t alignment = 1;
};

// One kernel of a program binary. Sizes in bytes.
struct KernelInfo {
  std::string name;
  std::string symbol;
  std::string attributes;
  std::array<size_t, 3> required_local_size{};   // zeros: not given
  std::array<size_t, 3> work_group_size_hint{};  // zeros: not given
  bool gang = false;                             // all work-groups have to run at the same time
  bool calls_native = false;                     // C code
  bool uniform_work_groups = false;    // every global size must be a multiple of the local size
  size_t required_sub_group_size = 0;  // 0: not given
  size_t lanes = 1;                    // work-items that run at once: a sub-group
  bool joins_groups = false;           // the code knows global ids only, no work-groups
  // Of code with checks (conclave/check_abi.h): the granules of its tags, 0 where it has none, and
  // what it does to each argument: 'r' reads, 'w' writes, 'b' both, '-' neither; whether races are
  // to be looked for.
  size_t check_granule = 0, check_local_granule = 0;
  std::string check_uses;
  bool checked = false, check_races = false;
  size_t dimension = 0;  // in which they are neighbours, where groups allow it
  size_t local_bytes = 0;
  size_t spill_bytes = 0;  // of a work-item
  size_t private_bytes = 0;
  size_t arguments_bytes = 0;
  std::vector<ArgumentInfo> arguments;
};

class ProgramImage {
 public:
  enum class Kind { kObject, kLibrary, kExecutable };

  // Parses a program binary. Throws Error{CL_INVALID_BINARY} naming what is wrong and where; never
  // reads outside `bytes`, whatever they are.
  static std::shared_ptr<const ProgramImage> parse(std::string bytes);

  Kind kind() const { return kind_; }
  const std::string& bytes() const { return bytes_; }
  // The binary that it comes from: one for several CPUs, or just bytes().
  const std::string& binary() const { return whole_.empty() ? bytes_ : whole_; }
  const std::string& options() const { return options_; }
  const std::string& target_cpu() const { return target_cpu_; }
  const std::vector<KernelInfo>& kernels() const { return kernels_; }
  // Bytes of program-scope variables in the global address space.
  size_t global_bytes() const { return global_bytes_; }
  // Files the program was built from: absolute path, XXH3-128 of the content in hex.
  const std::vector<std::pair<std::string, std::string>>& dependencies() const {
    return dependencies_;
  }
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
  ProgramImage() = default;

  static std::shared_ptr<ProgramImage> parse_one(std::string bytes);
  static std::shared_ptr<ProgramImage> find_better(const ProgramImage& image);
  size_t feature_count() const { return target_features_ ? target_features_->size() : 0; }

  Kind kind_ = Kind::kObject;
  std::string bytes_;
  std::string whole_;  // empty: bytes_
  std::string options_;
  std::string target_cpu_;
  uint32_t abi_ = 0;
  size_t global_bytes_ = 0;
  uint16_t machine_ = 0;  // ELF's name of the instruction set
  bool has_debug_info_ = false;
  bool can_be_left_ = false;
  bool asks_for_unit_ = false;
  bool uses_openmp_ = false;
  std::pair<uint64_t, uint64_t> code_range_;
  std::optional<std::vector<std::string>> target_features_;
  std::vector<std::pair<std::string, std::string>> dependencies_;
  std::vector<KernelInfo> kernels_;
};

// The code of an executable image, mapped into this process for as long as the object lives.
class LoadedCode {
 public:
  // Tells code the compute unit of the calling thread.
  using FindUnit = const abi::UnitAccess* (*)();

  // Maps the code, whose C code asks `find_unit`. Throws Error{CL_INVALID_BINARY} where the dynamic
  // linker refuses it or a kernel's symbol is missing.
  static std::shared_ptr<const LoadedCode> load(const ProgramImage& image,
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
  void connect(const ProgramImage& image, FindUnit find_unit);
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

#endif  // CONCLAVE_PLATFORM_LOADER_PROGRAM_IMAGE_H_
