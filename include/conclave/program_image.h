// SPDX-License-Identifier: Apache-2.0
// The format of program binaries: what the compiler writes and the platform's loader reads.
//
// A program binary is a 64-bit little-endian ELF file.
//  - kind "executable": a position-independent shared object; each kernel is a dynamic symbol with
//    the signature abi::GroupFunction. The loader checks all that the dynamic linker will follow
//    and lets through only what kernels need (platform/loader/dynamic_image.cc): a GNU hash table,
//    no initialisers, no thread-local storage, no indirect functions, no run path, no soname, no
//    executable stack, no segment that is writable and executable.
//  - kinds "object" (clCompileProgram) and "library" (clLinkProgram -create-library): a relocatable
//    file without code.
// Every kind has
//  - an SHT_NOTE section kNoteSection with one note: name kNoteName, type kNoteType, descriptor =
//    UTF-8 JSON text, the metadata below;
//  - an SHT_PROGBITS section kBitcodeSection: the program as LLVM bitcode for the virtual target
//    spir64, before any code generation, so that it can be linked, or built again for another CPU;
//  - where C code was linked to it, an SHT_PROGBITS section kNativeSection: an archive of its
//    relocatable objects, for the same purposes. Its code is for the CPU that it was compiled for.
//
// An executable one for several CPUs has an SHT_PROGBITS section kImagesSection with those for the
// others: of each its size (uint64_t) and its bytes, one after the other. What is loaded is the one
// that runs on this machine and uses most features of its CPU.
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
// Metadata (all keys present; sizes and offsets in bytes):
// {
//   "abi": 3,                       abi::kAbiVersion the code was generated for
//   "kind": "executable",           or "object", "library"
//   "compiler": "conclave 0.1.0 / LLVM 19.1.7",
//   "target_cpu": "znver3",         LLVM name; "" for object and library
//   "target_features": ["avx", "avx2", ...],        LLVM names of the CPU features that the code
//                                   needs, sorted; [] for object and library. Not tuning features:
//                                   one that the loader (platform/loader/cpu_features.cc) does not
//                                   find on its machine means that the code does not run there
//   "options": "-cl-std=CL3.0",     as given by the user
//   "dependencies": [{"path": "/abs/inc.h", "hash": "<32 hex digits, XXH3-128 of the content>"}],
//                                   high half first, as xxhsum -H2 prints it
//   "native_features": [...],       those that the C code needs, as far as it is known; may be
//   absent "global_bytes": 0,              program-scope variables in the global address space
//   "kernels": [{
//     "name": "vadd", "symbol": "vadd",
//     "attributes": "reqd_work_group_size(8,8,1)",    as CL_KERNEL_ATTRIBUTES wants it
//     "required_local_size": [8, 8, 1],               zeros where not given
//     "work_group_size_hint": [0, 0, 0],
//     "gang": false,                true where all work-groups have to run at the same time:
//                                   __attribute__((annotate("conclave.gang")))
//     "calls_native": false,        whether it calls C code; may be absent
//     "uniform_work_groups": false, true where -cl-uniform-work-group-size or OpenCL C 1.x rules
//                                   out a last work-group that is smaller
//     "required_sub_group_size": 0, intel_reqd_sub_group_size; 0 where not given
//     "lanes": 8,                   work-items that run at once: a sub-group; 1 for object, library
//     "joins_groups": false,        true where the code knows global ids only and runs several
//                                   work-groups as one: the local size means nothing to it
//     "local_bytes": 1024,          function-scope local variables
//     "spill_bytes": 48,            of abi::Workspace::spill, a work-item
//     "private_bytes": 32,          stack of one work-item, as far as known before code generation
//     "arguments_bytes": 24,        size of the argument block
//     "check": {"granule": 4, "local_granule": 4, "races": true, "uses": "rw"},     of code with
//                                   checks alone (conclave/check_abi.h): bytes that accesses to
//                                   global and local memory are multiples of, whether races in
//                                   local memory are looked for, and whether each argument is
//                                   read (r), written (w), both (b) or neither (-)
//     "arguments": [{"name": "x", "type": "float*", "kind": "pointer",
//                    "address": "global", "access": "none", "qualifiers": ["const"],
//                    "size": 8, "offset": 0, "alignment": 8}]
//   }]
// }
// "kind" of an argument: value, pointer (global or constant memory), local, image, sampler, stream.
// "address": private, global, constant, local. "access": none, read_only, write_only, read_write.
// "qualifiers": any of const, restrict, volatile, pipe. "size": of the value; of a sampler
// 4, of all others 8.
#ifndef CONCLAVE_PROGRAM_IMAGE_H_
#define CONCLAVE_PROGRAM_IMAGE_H_

#include <cstdint>

namespace conclave::image {

inline constexpr char kNoteSection[] = ".note.conclave";
inline constexpr char kNoteName[] = "Conclave";
inline constexpr uint32_t kNoteType = 1;
inline constexpr char kBitcodeSection[] = ".conclave.bitcode";
inline constexpr char kNativeSection[] = ".conclave.native";
inline constexpr char kImagesSection[] = ".conclave.images";

// Of programs with C code: the variable through which kernels are left before their end, the one
// that finds a thread's compute unit, and what such programs need where the code uses OpenMP.
inline constexpr char kLeaveVariable[] = "conclave_leave_kernel";
inline constexpr char kUnitVariable[] = "conclave_unit_of_thread";
inline constexpr char kOpenMpLibrary[] = "libomp.so.5";
inline constexpr char kOpenMpSetThreads[] = "conclave_openmp_set_threads";
inline constexpr char kOpenMpForEach[] = "conclave_openmp_for_each";
inline constexpr char kOpenMpInParallel[] = "conclave_openmp_in_parallel";

}  // namespace conclave::image

#endif  // CONCLAVE_PROGRAM_IMAGE_H_
