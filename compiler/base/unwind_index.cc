// SPDX-License-Identifier: Apache-2.0
// A static program tells the unwinder at its start where the descriptions of its stack frames are.
// The first exception then sorts them: 35 ms for LLVM's, in each process that throws one. Without
// that the unwinder looks into the sorted index that the linker has made (--eh-frame-hdr). So the
// linker calls these functions instead (--wrap, in configure_compiler_program()).

// NOLINTBEGIN(bugprone-reserved-identifier): the linker makes these names.
extern "C" void __wrap___register_frame_info(const void*, void*) {}
extern "C" void* __wrap___deregister_frame_info(const void*) {
  return nullptr;
}
// NOLINTEND(bugprone-reserved-identifier)
