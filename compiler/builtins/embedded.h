// SPDX-License-Identifier: Apache-2.0
// Files that are part of the program, so that it needs none at run time.
#ifndef CONCLAVE_COMPILER_BUILTINS_EMBEDDED_H_
#define CONCLAVE_COMPILER_BUILTINS_EMBEDDED_H_

#include <string_view>

namespace conclave::compiler::embedded {

// clang's opencl-c-base.h: types, macros and enumerations of OpenCL C.
std::string_view base_header();
// The functions of cl_intel_subgroups.
std::string_view intel_sub_groups_header();
std::string_view work_group_extensions_header();
// TI's functions of the compute unit, the headers that name them, and what they include.
std::string_view ti_device_header();
std::string_view dsp_c_header();
std::string_view dsp_edmamgr_header();
std::string_view device_calls();
// The two for C code.
std::string_view c_dsp_c_header();
std::string_view c_dsp_edmamgr_header();
// Archives (builtin_archive.h) of the builtins that use barriers or work-item functions, linked
// before regions are formed, and of all others, linked after the place of the vectorizer.
std::string_view early_builtins();
std::string_view late_builtins();
// An archive of SLEEF's functions, of which a kernel's ELF file gets those that it calls.
std::string_view sleef_archive();
// A shared object without content, whose only purpose is its SONAME: linking with it makes the
// kernel's ELF file need the C library's mathematics, which this library needs too.
std::string_view libm_stub();
// An archive of what programs with C code are linked with (compiler/native).
std::string_view native_support();

}  // namespace conclave::compiler::embedded

#endif  // CONCLAVE_COMPILER_BUILTINS_EMBEDDED_H_
