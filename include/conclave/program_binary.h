// SPDX-License-Identifier: Apache-2.0
// The format of program binaries: what the compiler writes and the platform's loader reads.
//
// A program binary is a 64-bit little-endian ELF file.
//  - kind "executable": a position-independent shared object; each kernel is a dynamic symbol with
//    the signature abi::GroupFunction. The loader checks all that the dynamic linker will follow
//    and lets through only what kernels need (platform/loader/shared_object.cc): a GNU hash table,
//    no initialisers, no thread-local storage, no indirect functions, no run path, no soname, no
//    executable stack, no segment that is writable and executable.
//  - kinds "object" (clCompileProgram) and "library" (clLinkProgram -create-library): a relocatable
//    file without code.
// Every kind has
//  - an SHT_NOTE section kNoteSection with one note: name kNoteName, type kNoteType, which is the
//    version of the metadata, descriptor = the metadata, a UTF-8 JSON text;
//  - an SHT_PROGBITS section kBitcodeSection: the program as LLVM bitcode for the virtual target
//    spir64, before any code generation, so that it can be linked, or built again for another CPU;
//  - where C code was linked to it, an SHT_PROGBITS section kNativeSection: an archive of its
//    relocatable objects, for the same purposes. Its code is for the CPU that it was compiled for.
//
// An executable one for several CPUs has an SHT_PROGBITS section kOtherCpusSection with those for
// the others: of each its size (uint64_t) and its bytes, one after the other. What is loaded is the
// one that runs on this machine and uses most features of its CPU.
//
// An executable one with C code, or with kernels that call abort() or exit(), has besides:
//  - the writable variable kLeaveVariable, void (*)(int status, int exit_code), through which the
//    code ends the kernel that runs on the calling thread (compiler/native/support/leave_kernel.c).
//    The loader sets it;
//  - where the C code asks for its compute unit, the writable variable kUnitVariable, const
//    abi::UnitAccess* (*)(), which tells that of the calling thread
//    (compiler/native/support/ti_device.c). The loader sets it;
//  - where the C code uses OpenMP, DT_NEEDED kOpenMpLibrary and the functions kOpenMp...
//    (compiler/native/support/openmp_team.c).
//
// The metadata is one JSON object. conclave/metadata.def lists its keys, docs/program-binaries.md
// shows them as tables.
#ifndef CONCLAVE_PROGRAM_BINARY_H_
#define CONCLAVE_PROGRAM_BINARY_H_

#include <cstdint>

namespace conclave::binary {

inline constexpr char kNoteSection[] = ".note.conclave";
inline constexpr char kNoteName[] = "Conclave";
#define METADATA_VERSION(number) inline constexpr uint32_t kNoteType = number;
#include "conclave/metadata.def"
inline constexpr char kBitcodeSection[] = ".conclave.bitcode";
inline constexpr char kNativeSection[] = ".conclave.native";
inline constexpr char kOtherCpusSection[] = ".conclave.images";

// Of programs with C code: the variable through which kernels are left before their end, the one
// that finds a thread's compute unit, and what such programs need where the code uses OpenMP.
inline constexpr char kLeaveVariable[] = "conclave_leave_kernel";
inline constexpr char kUnitVariable[] = "conclave_unit_of_thread";
inline constexpr char kOpenMpLibrary[] = "libomp.so.5";
inline constexpr char kOpenMpSetThreads[] = "conclave_openmp_set_threads";
inline constexpr char kOpenMpForEach[] = "conclave_openmp_for_each";
inline constexpr char kOpenMpInParallel[] = "conclave_openmp_in_parallel";

}  // namespace conclave::binary

#endif  // CONCLAVE_PROGRAM_BINARY_H_
