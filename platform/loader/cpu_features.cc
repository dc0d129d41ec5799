// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/cpu_features.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <initializer_list>

#if defined(__x86_64__)

#include <cpuid.h>
#define _Bool bool  // the header is written for C
#include <sys/platform/x86.h>
#undef _Bool
#include <unistd.h>

namespace conclave {
namespace {

enum Register : uint8_t { kEax, kEbx, kEcx, kEdx };

// The registers of each leaf, by the C library's index.
class Leaves {
 public:
  Leaves() {
    // What the C library read as the process began. Inside a virtual machine each cpuid instruction
    // is a trip to the hypervisor: those of all leaves took longer than to load a small program from
    // the cache. CPUs whose maker it does not know it has not asked, not even for SSE2.
    constexpr uint32_t kSse2 = 1u << 26;
    const bool has_asked = __x86_get_cpuid_feature_leaf(CPUID_INDEX_1)->cpuid_array[kEdx] & kSse2;
    for (const auto& [index, number, subleaf] : kNumbers) {
      Registers& leaf = leaves_[index];
      if (has_asked)
        std::ranges::copy(__x86_get_cpuid_feature_leaf(index)->cpuid_array, leaf.begin());
      else
        __get_cpuid_count(number, subleaf, &leaf[kEax], &leaf[kEbx], &leaf[kEcx], &leaf[kEdx]);
    }
  }
  const std::array<uint32_t, 4>& operator[](unsigned index) const { return leaves_[index]; }

 private:
  using Registers = std::array<uint32_t, 4>;
  struct Number {
    unsigned index;
    uint32_t leaf, subleaf;
  };
  static constexpr Number kNumbers[] = {{CPUID_INDEX_1, 1, 0},
                                        {CPUID_INDEX_7, 7, 0},
                                        {CPUID_INDEX_80000001, 0x80000001, 0},
                                        {CPUID_INDEX_D_ECX_1, 0xd, 1},
                                        {CPUID_INDEX_80000008, 0x80000008, 0},
                                        {CPUID_INDEX_7_ECX_1, 7, 1},
                                        {CPUID_INDEX_14_ECX_0, 0x14, 0}};
  std::array<Registers, CPUID_INDEX_14_ECX_0 + 1> leaves_ = {};
};

uint32_t cpu_register(unsigned leaf, Register reg) {
  static const Leaves leaves;
  return leaves[leaf][reg];
}

// Which register states the operating system saves and restores (XCR0); 0 if it does not say.
uint64_t saved_states() {
  constexpr uint32_t kOsXsave = 1u << 27;
  if (!(cpu_register(CPUID_INDEX_1, kEcx) & kOsXsave)) return 0;
  uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

constexpr uint64_t kNone = 0;
constexpr uint64_t kAvx = 0x6;        // XMM and the upper halves of YMM
constexpr uint64_t kAvx512 = 0xe6;    // mask registers, upper halves of ZMM, ZMM16-31
constexpr uint64_t kTiles = 0x60000;  // tile configuration and data

struct Feature {
  std::string_view name;
  unsigned leaf;
  Register reg;
  uint8_t bit;
  uint64_t states;
};

constexpr Feature kFeatures[] = {
    {"x87", CPUID_INDEX_1, kEdx, 0, kNone},
    {"cx8", CPUID_INDEX_1, kEdx, 8, kNone},
    {"cmov", CPUID_INDEX_1, kEdx, 15, kNone},
    {"mmx", CPUID_INDEX_1, kEdx, 23, kNone},
    {"fxsr", CPUID_INDEX_1, kEdx, 24, kNone},
    {"sse", CPUID_INDEX_1, kEdx, 25, kNone},
    {"sse2", CPUID_INDEX_1, kEdx, 26, kNone},
    {"sse3", CPUID_INDEX_1, kEcx, 0, kNone},
    {"pclmul", CPUID_INDEX_1, kEcx, 1, kNone},
    {"ssse3", CPUID_INDEX_1, kEcx, 9, kNone},
    {"fma", CPUID_INDEX_1, kEcx, 12, kAvx},
    {"cx16", CPUID_INDEX_1, kEcx, 13, kNone},
    {"sse4.1", CPUID_INDEX_1, kEcx, 19, kNone},
    {"sse4.2", CPUID_INDEX_1, kEcx, 20, kNone},
    {"movbe", CPUID_INDEX_1, kEcx, 22, kNone},
    {"popcnt", CPUID_INDEX_1, kEcx, 23, kNone},
    {"aes", CPUID_INDEX_1, kEcx, 25, kNone},
    {"xsave", CPUID_INDEX_1, kEcx, 27, kNone},
    {"crc32", CPUID_INDEX_1, kEcx, 20, kNone},
    {"avx", CPUID_INDEX_1, kEcx, 28, kAvx},
    {"f16c", CPUID_INDEX_1, kEcx, 29, kAvx},
    {"rdrnd", CPUID_INDEX_1, kEcx, 30, kNone},
    {"sahf", CPUID_INDEX_80000001, kEcx, 0, kNone},
    {"lzcnt", CPUID_INDEX_80000001, kEcx, 5, kNone},
    {"sse4a", CPUID_INDEX_80000001, kEcx, 6, kNone},
    {"prfchw", CPUID_INDEX_80000001, kEcx, 8, kNone},
    {"xop", CPUID_INDEX_80000001, kEcx, 11, kAvx},
    {"fma4", CPUID_INDEX_80000001, kEcx, 16, kAvx},
    {"tbm", CPUID_INDEX_80000001, kEcx, 21, kNone},
    {"64bit", CPUID_INDEX_80000001, kEdx, 29, kNone},
    {"nopl", CPUID_INDEX_80000001, kEdx, 29, kNone},  // every 64-bit CPU has it
    {"lwp", CPUID_INDEX_80000001, kEcx, 15, kNone},
    {"mwaitx", CPUID_INDEX_80000001, kEcx, 29, kNone},
    {"clzero", CPUID_INDEX_80000008, kEbx, 0, kNone},
    {"rdpru", CPUID_INDEX_80000008, kEbx, 4, kNone},
    {"wbnoinvd", CPUID_INDEX_80000008, kEbx, 9, kNone},
    {"fsgsbase", CPUID_INDEX_7, kEbx, 0, kNone},
    {"bmi", CPUID_INDEX_7, kEbx, 3, kNone},
    {"avx2", CPUID_INDEX_7, kEbx, 5, kAvx},
    {"bmi2", CPUID_INDEX_7, kEbx, 8, kNone},
    {"invpcid", CPUID_INDEX_7, kEbx, 10, kNone},
    {"rtm", CPUID_INDEX_7, kEbx, 11, kNone},
    {"avx512f", CPUID_INDEX_7, kEbx, 16, kAvx512},
    {"evex512", CPUID_INDEX_7, kEbx, 16, kAvx512},
    {"avx512dq", CPUID_INDEX_7, kEbx, 17, kAvx512},
    {"rdseed", CPUID_INDEX_7, kEbx, 18, kNone},
    {"adx", CPUID_INDEX_7, kEbx, 19, kNone},
    {"avx512ifma", CPUID_INDEX_7, kEbx, 21, kAvx512},
    {"clflushopt", CPUID_INDEX_7, kEbx, 23, kNone},
    {"clwb", CPUID_INDEX_7, kEbx, 24, kNone},
    {"avx512cd", CPUID_INDEX_7, kEbx, 28, kAvx512},
    {"sha", CPUID_INDEX_7, kEbx, 29, kNone},
    {"avx512bw", CPUID_INDEX_7, kEbx, 30, kAvx512},
    {"avx512vl", CPUID_INDEX_7, kEbx, 31, kAvx512},
    {"avx512vbmi", CPUID_INDEX_7, kEcx, 1, kAvx512},
    {"pku", CPUID_INDEX_7, kEcx, 4, kNone},
    {"waitpkg", CPUID_INDEX_7, kEcx, 5, kNone},
    {"avx512vbmi2", CPUID_INDEX_7, kEcx, 6, kAvx512},
    {"shstk", CPUID_INDEX_7, kEcx, 7, kNone},
    {"gfni", CPUID_INDEX_7, kEcx, 8, kNone},
    {"vaes", CPUID_INDEX_7, kEcx, 9, kAvx},
    {"vpclmulqdq", CPUID_INDEX_7, kEcx, 10, kAvx},
    {"avx512vnni", CPUID_INDEX_7, kEcx, 11, kAvx512},
    {"avx512bitalg", CPUID_INDEX_7, kEcx, 12, kAvx512},
    {"avx512vpopcntdq", CPUID_INDEX_7, kEcx, 14, kAvx512},
    {"rdpid", CPUID_INDEX_7, kEcx, 22, kNone},
    {"cldemote", CPUID_INDEX_7, kEcx, 25, kNone},
    {"movdiri", CPUID_INDEX_7, kEcx, 27, kNone},
    {"movdir64b", CPUID_INDEX_7, kEcx, 28, kNone},
    {"enqcmd", CPUID_INDEX_7, kEcx, 29, kNone},
    {"uintr", CPUID_INDEX_7, kEdx, 5, kNone},
    {"avx512vp2intersect", CPUID_INDEX_7, kEdx, 8, kAvx512},
    {"serialize", CPUID_INDEX_7, kEdx, 14, kNone},
    {"tsxldtrk", CPUID_INDEX_7, kEdx, 16, kNone},
    {"amx-bf16", CPUID_INDEX_7, kEdx, 22, kTiles},
    {"avx512fp16", CPUID_INDEX_7, kEdx, 23, kAvx512},
    {"amx-tile", CPUID_INDEX_7, kEdx, 24, kTiles},
    {"amx-int8", CPUID_INDEX_7, kEdx, 25, kTiles},
    {"sha512", CPUID_INDEX_7_ECX_1, kEax, 0, kAvx},
    {"sm3", CPUID_INDEX_7_ECX_1, kEax, 1, kAvx},
    {"sm4", CPUID_INDEX_7_ECX_1, kEax, 2, kAvx},
    {"avxvnni", CPUID_INDEX_7_ECX_1, kEax, 4, kAvx},
    {"avx512bf16", CPUID_INDEX_7_ECX_1, kEax, 5, kAvx512},
    {"cmpccxadd", CPUID_INDEX_7_ECX_1, kEax, 7, kNone},
    {"hreset", CPUID_INDEX_7_ECX_1, kEax, 22, kNone},
    {"avxifma", CPUID_INDEX_7_ECX_1, kEax, 23, kAvx},
    {"avxvnniint8", CPUID_INDEX_7_ECX_1, kEdx, 4, kAvx},
    {"avxneconvert", CPUID_INDEX_7_ECX_1, kEdx, 5, kAvx},
    {"avxvnniint16", CPUID_INDEX_7_ECX_1, kEdx, 10, kAvx},
    {"prefetchi", CPUID_INDEX_7_ECX_1, kEdx, 14, kNone},
    {"ptwrite", CPUID_INDEX_14_ECX_0, kEbx, 4, kNone},
    {"xsaveopt", CPUID_INDEX_D_ECX_1, kEax, 0, kNone},
    {"xsavec", CPUID_INDEX_D_ECX_1, kEax, 1, kNone},
    {"xsaves", CPUID_INDEX_D_ECX_1, kEax, 3, kNone},
};

void append(std::string& text, uint64_t value) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%llx", static_cast<unsigned long long>(value));
  text += digits;
  text += ' ';
}

}  // namespace

bool cpu_has_feature(std::string_view name) {
  for (const Feature& feature : kFeatures) {
    if (feature.name != name) continue;
    return (cpu_register(feature.leaf, feature.reg) >> feature.bit & 1) &&
           (saved_states() & feature.states) == feature.states;
  }
  return false;
}

std::string generic_cpu() {
  struct Level {
    const char* name;
    std::initializer_list<std::string_view> adds;
  };
  // The levels of the x86-64 psABI.
  const Level levels[] = {
      {"x86-64-v2", {"cx16", "sahf", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3"}},
      {"x86-64-v3", {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"}},
      {"x86-64-v4", {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}}};
  std::string name = "x86-64";
  for (const Level& level : levels) {
    for (std::string_view feature : level.adds)
      if (!cpu_has_feature(feature)) return name;
    name = level.name;
  }
  return name;
}

const std::string& cpu_identity() {
  // Leaked on purpose: threads may ask while the host's static objects are destroyed.
  static const auto* identity = new std::string([] {
    std::string text = "x86-64 ";
    // Family and model, without the stepping. They and the features tell vendors apart. ebx is left
    // out, since it tells the number of this CPU.
    append(text, cpu_register(CPUID_INDEX_1, kEax) & ~0xfu);
    for (Register reg : {kEcx, kEdx}) append(text, cpu_register(CPUID_INDEX_1, reg));
    for (Register reg : {kEbx, kEcx, kEdx}) append(text, cpu_register(CPUID_INDEX_7, reg));
    for (Register reg : {kEax, kEdx}) append(text, cpu_register(CPUID_INDEX_7_ECX_1, reg));
    for (Register reg : {kEcx, kEdx}) append(text, cpu_register(CPUID_INDEX_80000001, reg));
    append(text, saved_states());
    // On these depends how large the compiler takes the caches to be.
    for (int name : {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE,
                     _SC_NPROCESSORS_ONLN})
      append(text, static_cast<uint64_t>(sysconf(name)));
    return text;
  }());
  return *identity;
}

}  // namespace conclave

#else

#include <sys/utsname.h>

namespace conclave {

// Nothing is known about other CPUs: a binary that names features is built again for the machine.
bool cpu_has_feature(std::string_view) {
  return false;
}

const std::string& cpu_identity() {
  static const auto* identity = new std::string([] {
    utsname name{};
    uname(&name);
    // The node too: two machines of one architecture may well differ.
    return std::string(name.machine) + " " + name.nodename;
  }());
  return *identity;
}

}  // namespace conclave

#endif
