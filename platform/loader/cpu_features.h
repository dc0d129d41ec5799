// SPDX-License-Identifier: Apache-2.0
// What the CPU of this machine can do, by LLVM's names but without LLVM.
#ifndef CONCLAVE_PLATFORM_LOADER_CPU_FEATURES_H_
#define CONCLAVE_PLATFORM_LOADER_CPU_FEATURES_H_

#include <string>
#include <string_view>

namespace conclave {

// Whether code that needs this feature ("avx2", "avx512vl", ...; LLVM's names) runs here: the CPU
// has it and the operating system saves its registers. False for unknown names.
bool cpu_has_feature(std::string_view name);

// LLVM's name of the largest generic CPU whose features are all here ("x86-64-v3").
std::string generic_cpu();

// Identifies the CPU as far as code generation depends on it: if two machines have the same text, a
// compiler chooses the same code for both.
const std::string& cpu_identity();

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_CPU_FEATURES_H_
