// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <new>
#include <set>

#include "conclave/program_binary.h"
#include "platform/base/changeable_part.h"
#include "platform/base/config.h"
#include "platform/base/descriptor.h"
#include "platform/base/error.h"
#include "platform/base/log.h"
#include "platform/base/private_directory.h"
#include "platform/loader/perf_map.h"
#include "platform/loader/program_binary.h"
#include "platform/loader/source_line.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

namespace conclave {
namespace {

[[noreturn]] void cannot_load(const std::string& why) {
  throw Error(CL_INVALID_BINARY, "program binary: cannot be loaded: " + why);
}

// The libraries that are loaded now. The dynamic linker takes two files for the same library if
// their names or inodes are equal, and both can be used again while a library is loaded. It would
// then return old code for a new program. A handle that is here already shows that.
class LiveHandles {
 public:
  // Opens the library, but never one that was loaded before; otherwise returns null with the
  // reason. The lock is held throughout, so the first of two calls that get one library keeps it.
  void* open(const std::string& path, std::string& why) {
    const std::lock_guard lock(mutex_);
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      const char* message = dlerror();
      why = message ? message : "unknown reason";
      return nullptr;
    }
    try {
      if (handles_.insert(handle).second) return handle;
    } catch (const std::bad_alloc&) {
      dlclose(handle);
      throw;
    }
    dlclose(handle);
    why = "the dynamic linker takes it for another program";
    return nullptr;
  }
  void remove_and_close(void* handle) {
    const std::lock_guard lock(mutex_);
    handles_.erase(handle);
    dlclose(handle);
  }
  static LiveHandles& get() {
    static auto* instance = new LiveHandles;  // outlives every static object of the host
    return *instance;
  }

 private:
  std::mutex mutex_;
  std::set<void*> handles_;
};

uint64_t next_number() {
  static std::atomic<uint64_t> number{0};
  return number.fetch_add(1, std::memory_order_relaxed);
}

// What /proc/<pid>/maps, perf and debuggers show for the code: the first kernels' names.
std::string display_name(const ProgramBinary& binary) {
  std::string name = "conclave";
  for (const KernelInfo& kernel : binary.kernels()) {
    if (name.size() + kernel.name.size() > 120) break;  // memfd names have at most 249 bytes
    name += (name.size() == 8 ? ":" : ",") + kernel.name;
  }
  return name;
}

// A path to an open file that no other call returns in this process. "/./" and "//./" mean nothing
// to the kernel; they spell a running number in binary.
std::string unique_path(int fd) {
  char self[32];
  const ssize_t length = readlink("/proc/self", self, sizeof self);
  std::string path =
      "/proc/" +
      (length > 0 ? std::string(self, static_cast<size_t>(length)) : std::string("self")) + "/fd";
  for (uint64_t number = next_number() + 1; number != 0; number >>= 1)
    path += number & 1 ? "//." : "/.";
  return path + "/" + std::to_string(fd);
}

Descriptor make_memory_file(const ProgramBinary& binary) {
  const std::string name = display_name(binary);
  int fd = memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
  if (fd < 0 && errno == EINVAL)  // before Linux 6.3
    fd = memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
  Descriptor file(fd);
  if (!file || !write_file(file.get(), binary.bytes().data(), binary.bytes().size())) return {};
  // Nobody who gets the descriptor can change the code any more.
  fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
  return file;
}

// Returns the file too.
void* open_from_memory(const ProgramBinary& binary, Descriptor& file, std::string& why) {
  file = make_memory_file(binary);
  if (!file) {
    why = std::string("no memory file: ") + strerror(errno);
    return nullptr;
  }
  return LiveHandles::get().open(unique_path(file.get()), why);
}

// Loads the file that is open, not the one that its path leads to by now; needs /proc.
void* open_file(int fd, const std::string& path, std::string& why) {
  const std::string place = unique_path(fd);
  if (access(place.c_str(), F_OK) == 0) return LiveHandles::get().open(place, why);
  why = changeable_part(path, geteuid());
  return why.empty() ? LiveHandles::get().open(path, why) : nullptr;
}

// For systems without /proc, or with a ban on code in memory files: a file that is removed at once.
void* open_from_directory(const ProgramBinary& binary, const std::string& directory,
                          std::string& why) {
  std::string path = directory + "/conclave-" + std::to_string(getpid()) + "-" +
                     std::to_string(next_number()) + "-XXXXXX";
  const Descriptor file(mkostemp(path.data(), O_CLOEXEC));
  if (!file) {
    why += "; " + path + ": " + strerror(errno);
    return nullptr;
  }
  void* handle = nullptr;
  std::string reason;
  if (write_file(file.get(), binary.bytes().data(), binary.bytes().size()))
    handle = open_file(file.get(), path, reason);
  else
    reason = strerror(errno);
  unlink(path.c_str());
  if (!handle) why += "; " + directory + ": " + reason;
  return handle;
}

// The directory of the program cache, if there is one that DiskCache would use.
std::string usable_cache_dir() {
  const std::string& directory = Config::get().cache_dir;
  std::string why;
  return open_private_directory(directory, why) ? directory : "";
}

void* open_binary(const ProgramBinary& binary, Descriptor& file) {
  std::string why;
  // Tries twice: a name or inode is taken for another program's by chance.
  for (int attempt = 0; attempt < 2; ++attempt)
    if (void* handle = open_from_memory(binary, file, why)) return handle;
  file.close();
  log::debug("program binary: loading from memory failed: " + why);
  const char* temporary = secure_getenv("TMPDIR");
  for (const std::string& directory :
       {usable_cache_dir(), std::string(temporary ? temporary : ""), std::string("/tmp")})
    if (directory.starts_with('/'))
      if (void* handle = open_from_directory(binary, directory, why)) return handle;
  cannot_load(why);
}

// OpenMP's library, once for all programs. Its threads never end, so it stays.
void load_openmp_library() {
  static void* const library =
      dlopen(binary::kOpenMpLibrary, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!library)
    cannot_load(std::string("its C code uses OpenMP, and there is no ") + binary::kOpenMpLibrary +
                " on this machine (Debian: package libomp5-19)");
}

}  // namespace

std::shared_ptr<const LoadedCode> LoadedCode::load(const ProgramBinary& binary,
                                                   FindUnit find_unit) {
  std::string why;
  if (!binary.runs_here(&why)) cannot_load(why);
  if (binary.uses_openmp()) load_openmp_library();
  std::shared_ptr<LoadedCode> code(new LoadedCode);
  code->handle_ = open_binary(binary, code->file_);
  if (!binary.has_debug_info()) code->file_.close();
  for (const KernelInfo& kernel : binary.kernels())
    if (!code->function(kernel.symbol)) cannot_load("it has no symbol " + kernel.symbol);
  code->connect(binary, find_unit);
  return code;
}

template <class Pointer>
void LoadedCode::find(Pointer& pointer, const char* symbol) const {
  pointer = reinterpret_cast<Pointer>(dlsym(handle_, symbol));
  if (!pointer) cannot_load(std::string("it has no symbol ") + symbol);
}

// Gives the code what it needs of the platform, and the platform what it needs of the code.
void LoadedCode::connect(const ProgramBinary& binary, FindUnit find_unit) {
  link_map* map = nullptr;
  if (dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0) cannot_load("it has no address");
  const auto [begin, end] = binary.code_range();
  base_ = map->l_addr;
  code_range_ = {base_ + begin, base_ + end};
  if (Config::get().perf_map) write_perf_map(binary, code_range_, base_);
  if (binary.can_be_left()) {
    void (**variable)(int, int) = nullptr;
    find(variable, binary::kLeaveVariable);
    *variable = kernel_calls::leave;
  }
  if (binary.asks_for_unit()) {
    FindUnit* variable = nullptr;
    find(variable, binary::kUnitVariable);
    *variable = find_unit;
  }
  if (!binary.uses_openmp()) return;
  find(openmp_.set_threads, binary::kOpenMpSetThreads);
  find(openmp_.for_each, binary::kOpenMpForEach);
  find(openmp_.in_parallel, binary::kOpenMpInParallel);
}

LoadedCode::~LoadedCode() {
  // OpenMP's library keeps pointers into code that uses it, such as those of threadprivate
  // variables, and follows them when the process ends.
  if (handle_ && !openmp_.set_threads) LiveHandles::get().remove_and_close(handle_);
}

std::string LoadedCode::source_line(uintptr_t address) const {
  return file_ ? conclave::source_line(file_.get(), address - base_) : "";
}

abi::GroupFunction LoadedCode::function(const std::string& symbol) const {
  return reinterpret_cast<abi::GroupFunction>(dlsym(handle_, symbol.c_str()));
}

}  // namespace conclave
