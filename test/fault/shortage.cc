// SPDX-License-Identifier: Apache-2.0
#include "shortage.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>

// glibc's, under the names that it keeps for programs with a malloc() of their own.
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);
}

namespace conclave::test {
namespace {

std::atomic<bool> g_active{false};
std::atomic<int> g_kind{0};
std::atomic<uint64_t> g_first{0}, g_count{0}, g_seen{0};
std::atomic<int64_t> g_live{0};
constinit thread_local int t_in_opencl = 0;

bool is_of_opencl() {
  return t_in_opencl > 0 || getpid() != static_cast<pid_t>(syscall(SYS_gettid));
}

// The code of the dynamic linker. It ends the process where it has no memory for the thread-local
// data of a thread, which no library can prevent; so its own requests are granted.
std::atomic<uintptr_t> g_linker_begin{0}, g_linker_end{0};
int find_linker(dl_phdr_info* info, size_t, void*) {
  if (!info->dlpi_name || !strstr(info->dlpi_name, "/ld-linux")) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X)) continue;
    g_linker_begin = info->dlpi_addr + segment.p_vaddr;
    g_linker_end = g_linker_begin + segment.p_memsz;
  }
  return 1;
}
bool is_linker(const void* caller) {
  const auto address = reinterpret_cast<uintptr_t>(caller);
  return address >= g_linker_begin && address < g_linker_end;
}

bool refuses(Shortage::Kind kind) {
  if (!g_active.load() || static_cast<int>(kind) != g_kind.load() || !is_of_opencl()) return false;
  const uint64_t number = g_seen.fetch_add(1) + 1;
  return number >= g_first.load() && number - g_first.load() < g_count.load();
}

void* counted(void* block) {
  if (block) g_live.fetch_add(1, std::memory_order_relaxed);
  return block;
}

void* no_memory() {
  errno = ENOMEM;
  return nullptr;
}

bool has_memory(const void* caller) {
  return is_linker(caller) || !refuses(Shortage::Kind::kMemory);
}

}  // namespace

void Shortage::begin(Kind kind, uint64_t first, uint64_t count) {
  dl_iterate_phdr(find_linker, nullptr);
  g_kind = static_cast<int>(kind);
  g_first = first;
  g_count = count;
  g_seen = 0;
  g_active = true;
}

uint64_t Shortage::end() {
  g_active = false;
  return g_seen;
}

int64_t Shortage::live_blocks() {
  return g_live;
}

Shortage::InOpenCl::InOpenCl() {
  ++t_in_opencl;
}
Shortage::InOpenCl::~InOpenCl() {
  --t_in_opencl;
}

}  // namespace conclave::test

using conclave::test::counted;
using conclave::test::has_memory;
using conclave::test::no_memory;
using conclave::test::refuses;
using conclave::test::Shortage;

#define VISIBLE __attribute__((visibility("default")))

extern "C" {

VISIBLE void* malloc(size_t size) {
  return has_memory(__builtin_return_address(0)) ? counted(__libc_malloc(size)) : no_memory();
}
VISIBLE void* calloc(size_t count, size_t size) {
  return has_memory(__builtin_return_address(0)) ? counted(__libc_calloc(count, size))
                                                 : no_memory();
}
VISIBLE void* realloc(void* block, size_t size) {
  if (!has_memory(__builtin_return_address(0))) return no_memory();
  void* moved = __libc_realloc(block, size);
  return block ? moved : counted(moved);
}
VISIBLE void* memalign(size_t alignment, size_t size) {
  return has_memory(__builtin_return_address(0)) ? counted(__libc_memalign(alignment, size))
                                                 : no_memory();
}
VISIBLE void* aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}
VISIBLE int posix_memalign(void** block, size_t alignment, size_t size) {
  *block = memalign(alignment, size);
  return *block ? 0 : ENOMEM;
}
VISIBLE void free(void* block) {
  if (block) conclave::test::g_live.fetch_sub(1, std::memory_order_relaxed);
  __libc_free(block);
}

VISIBLE void* mmap(void* address, size_t size, int protection, int flags, int file,
                   off_t offset) noexcept {
  if (refuses(Shortage::Kind::kMapping)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, size, protection, flags, file, offset));
}

VISIBLE int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                           void* (*main)(void*), void* argument) noexcept {
  if (refuses(Shortage::Kind::kThread)) return EAGAIN;
  static const auto real =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return real(thread, attributes, main, argument);
}

}  // extern "C"
