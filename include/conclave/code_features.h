// SPDX-License-Identifier: Apache-2.0
// The x86-64 CPU features (LLVM's names) on which generated code can depend. The compiler writes
// those that it used into a program binary, and the loader checks them. Features of instructions
// that no code generator chooses by itself (clzero, mwaitx, ...) say nothing about where code runs.
#ifndef CONCLAVE_CODE_FEATURES_H_
#define CONCLAVE_CODE_FEATURES_H_

namespace conclave {

inline constexpr const char* kCodeFeatures[] = {
    "adx",          "avx",          "avx2",       "avx512bf16",
    "avx512bitalg", "avx512bw",     "avx512cd",   "avx512dq",
    "avx512f",      "avx512fp16",   "avx512ifma", "avx512vbmi",
    "avx512vbmi2",  "avx512vl",     "avx512vnni", "avx512vpopcntdq",
    "avxifma",      "avxneconvert", "avxvnni",    "avxvnniint16",
    "avxvnniint8",  "bmi",          "bmi2",       "cmov",
    "crc32",        "cx16",         "f16c",       "fma",
    "fma4",         "gfni",         "lzcnt",      "movbe",
    "pclmul",       "popcnt",       "prfchw",     "sse2",
    "sse3",         "sse4.1",       "sse4.2",     "sse4a",
    "ssse3",        "tbm",          "vpclmulqdq", "xop",
};

}  // namespace conclave

#endif  // CONCLAVE_CODE_FEATURES_H_
