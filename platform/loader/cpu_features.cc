// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/cpu_features.h"

#include <cstdint>
#include <cstdio>
#include <initializer_list>

#include "conclave/cache_sizes.h"

#if defined(__x86_64__)

#include <cpuid.h>

namespace conclave {
namespace {

struct Leaf {
  uint32_t registers[4] = {};  // eax, ebx, ecx, edx
};
enum Register : uint8_t { kEax, kEbx, kEcx, kEdx };

// All zero if the CPU does not have that leaf.
Leaf read_leaf(uint32_t number, uint32_t subleaf) {
  Leaf leaf;
  __get_cpuid_count(number, subleaf, &leaf.registers[kEax], &leaf.registers[kEbx],
                    &leaf.registers[kEcx], &leaf.registers[kEdx]);
  return leaf;
}

constexpr uint32_t kExtended = 0x80000001;

// Read once: inside a virtual machine each cpuid instruction is a trip to the hypervisor.
struct Cpu {
  Leaf vendor = read_leaf(0, 0);
  Leaf basic = read_leaf(1, 0);
  Leaf extended = read_leaf(kExtended, 0);
  Leaf more = read_leaf(7, 0);
  Leaf more1 = read_leaf(7, 1);
  Leaf xsave = read_leaf(0xd, 1);
  Leaf trace = read_leaf(0x14, 0);
  Leaf extended8 = read_leaf(0x80000008, 0);
};

const Cpu& cpu() {
  static const Cpu instance;
  return instance;
}

// Which register states the operating system saves and restores (XCR0); 0 if it does not say.
uint64_t saved_states() {
  constexpr uint32_t kOsXsave = 1u << 27;
  if (!(cpu().basic.registers[kEcx] & kOsXsave)) return 0;
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
  Leaf Cpu::* leaf;
  Register reg;
  uint8_t bit;
  uint64_t states;
};

constexpr Feature kFeatures[] = {
    {"x87", &Cpu::basic, kEdx, 0, kNone},
    {"cx8", &Cpu::basic, kEdx, 8, kNone},
    {"cmov", &Cpu::basic, kEdx, 15, kNone},
    {"mmx", &Cpu::basic, kEdx, 23, kNone},
    {"fxsr", &Cpu::basic, kEdx, 24, kNone},
    {"sse", &Cpu::basic, kEdx, 25, kNone},
    {"sse2", &Cpu::basic, kEdx, 26, kNone},
    {"sse3", &Cpu::basic, kEcx, 0, kNone},
    {"pclmul", &Cpu::basic, kEcx, 1, kNone},
    {"ssse3", &Cpu::basic, kEcx, 9, kNone},
    {"fma", &Cpu::basic, kEcx, 12, kAvx},
    {"cx16", &Cpu::basic, kEcx, 13, kNone},
    {"sse4.1", &Cpu::basic, kEcx, 19, kNone},
    {"sse4.2", &Cpu::basic, kEcx, 20, kNone},
    {"movbe", &Cpu::basic, kEcx, 22, kNone},
    {"popcnt", &Cpu::basic, kEcx, 23, kNone},
    {"aes", &Cpu::basic, kEcx, 25, kNone},
    {"xsave", &Cpu::basic, kEcx, 27, kNone},
    {"crc32", &Cpu::basic, kEcx, 20, kNone},
    {"avx", &Cpu::basic, kEcx, 28, kAvx},
    {"f16c", &Cpu::basic, kEcx, 29, kAvx},
    {"rdrnd", &Cpu::basic, kEcx, 30, kNone},
    {"sahf", &Cpu::extended, kEcx, 0, kNone},
    {"lzcnt", &Cpu::extended, kEcx, 5, kNone},
    {"sse4a", &Cpu::extended, kEcx, 6, kNone},
    {"prfchw", &Cpu::extended, kEcx, 8, kNone},
    {"xop", &Cpu::extended, kEcx, 11, kAvx},
    {"fma4", &Cpu::extended, kEcx, 16, kAvx},
    {"tbm", &Cpu::extended, kEcx, 21, kNone},
    {"64bit", &Cpu::extended, kEdx, 29, kNone},
    {"nopl", &Cpu::extended, kEdx, 29, kNone},  // every 64-bit CPU has it
    {"lwp", &Cpu::extended, kEcx, 15, kNone},
    {"mwaitx", &Cpu::extended, kEcx, 29, kNone},
    {"clzero", &Cpu::extended8, kEbx, 0, kNone},
    {"rdpru", &Cpu::extended8, kEbx, 4, kNone},
    {"wbnoinvd", &Cpu::extended8, kEbx, 9, kNone},
    {"fsgsbase", &Cpu::more, kEbx, 0, kNone},
    {"bmi", &Cpu::more, kEbx, 3, kNone},
    {"avx2", &Cpu::more, kEbx, 5, kAvx},
    {"bmi2", &Cpu::more, kEbx, 8, kNone},
    {"invpcid", &Cpu::more, kEbx, 10, kNone},
    {"rtm", &Cpu::more, kEbx, 11, kNone},
    {"avx512f", &Cpu::more, kEbx, 16, kAvx512},
    {"evex512", &Cpu::more, kEbx, 16, kAvx512},
    {"avx512dq", &Cpu::more, kEbx, 17, kAvx512},
    {"rdseed", &Cpu::more, kEbx, 18, kNone},
    {"adx", &Cpu::more, kEbx, 19, kNone},
    {"avx512ifma", &Cpu::more, kEbx, 21, kAvx512},
    {"clflushopt", &Cpu::more, kEbx, 23, kNone},
    {"clwb", &Cpu::more, kEbx, 24, kNone},
    {"avx512cd", &Cpu::more, kEbx, 28, kAvx512},
    {"sha", &Cpu::more, kEbx, 29, kNone},
    {"avx512bw", &Cpu::more, kEbx, 30, kAvx512},
    {"avx512vl", &Cpu::more, kEbx, 31, kAvx512},
    {"avx512vbmi", &Cpu::more, kEcx, 1, kAvx512},
    {"pku", &Cpu::more, kEcx, 4, kNone},
    {"waitpkg", &Cpu::more, kEcx, 5, kNone},
    {"avx512vbmi2", &Cpu::more, kEcx, 6, kAvx512},
    {"shstk", &Cpu::more, kEcx, 7, kNone},
    {"gfni", &Cpu::more, kEcx, 8, kNone},
    {"vaes", &Cpu::more, kEcx, 9, kAvx},
    {"vpclmulqdq", &Cpu::more, kEcx, 10, kAvx},
    {"avx512vnni", &Cpu::more, kEcx, 11, kAvx512},
    {"avx512bitalg", &Cpu::more, kEcx, 12, kAvx512},
    {"avx512vpopcntdq", &Cpu::more, kEcx, 14, kAvx512},
    {"rdpid", &Cpu::more, kEcx, 22, kNone},
    {"cldemote", &Cpu::more, kEcx, 25, kNone},
    {"movdiri", &Cpu::more, kEcx, 27, kNone},
    {"movdir64b", &Cpu::more, kEcx, 28, kNone},
    {"enqcmd", &Cpu::more, kEcx, 29, kNone},
    {"uintr", &Cpu::more, kEdx, 5, kNone},
    {"avx512vp2intersect", &Cpu::more, kEdx, 8, kAvx512},
    {"serialize", &Cpu::more, kEdx, 14, kNone},
    {"tsxldtrk", &Cpu::more, kEdx, 16, kNone},
    {"amx-bf16", &Cpu::more, kEdx, 22, kTiles},
    {"avx512fp16", &Cpu::more, kEdx, 23, kAvx512},
    {"amx-tile", &Cpu::more, kEdx, 24, kTiles},
    {"amx-int8", &Cpu::more, kEdx, 25, kTiles},
    {"sha512", &Cpu::more1, kEax, 0, kAvx},
    {"sm3", &Cpu::more1, kEax, 1, kAvx},
    {"sm4", &Cpu::more1, kEax, 2, kAvx},
    {"avxvnni", &Cpu::more1, kEax, 4, kAvx},
    {"avx512bf16", &Cpu::more1, kEax, 5, kAvx512},
    {"cmpccxadd", &Cpu::more1, kEax, 7, kNone},
    {"hreset", &Cpu::more1, kEax, 22, kNone},
    {"avxifma", &Cpu::more1, kEax, 23, kAvx},
    {"avxvnniint8", &Cpu::more1, kEdx, 4, kAvx},
    {"avxneconvert", &Cpu::more1, kEdx, 5, kAvx},
    {"avxvnniint16", &Cpu::more1, kEdx, 10, kAvx},
    {"prefetchi", &Cpu::more1, kEdx, 14, kNone},
    {"ptwrite", &Cpu::trace, kEbx, 4, kNone},
    {"xsaveopt", &Cpu::xsave, kEax, 0, kNone},
    {"xsavec", &Cpu::xsave, kEax, 1, kNone},
    {"xsaves", &Cpu::xsave, kEax, 3, kNone},
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
    return ((cpu().*feature.leaf).registers[feature.reg] >> feature.bit & 1) &&
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
    for (Register reg : {kEbx, kEdx, kEcx}) append(text, cpu().vendor.registers[reg]);
    const Leaf& basic = cpu().basic;
    // Family and model, without the stepping. ebx is left out, since it tells the number of this
    // CPU.
    append(text, basic.registers[kEax] & ~0xfu);
    append(text, basic.registers[kEcx]);
    append(text, basic.registers[kEdx]);
    for (Register reg : {kEbx, kEcx, kEdx}) append(text, cpu().more.registers[reg]);
    for (Register reg : {kEax, kEdx}) append(text, cpu().more1.registers[reg]);
    for (Register reg : {kEcx, kEdx}) append(text, cpu().extended.registers[reg]);
    append(text, saved_states());
    append(text, reported_cache_sizes().last);
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
