// SPDX-License-Identifier: Apache-2.0
#include "compiler/builtins/embedded.h"

// The assembler includes the files; an object file of 16 bytes alignment suits bitcode, which is
// read as 32-bit words.
#define CONCLAVE_EMBED(name, path)                                                               \
  asm(".pushsection .rodata.conclave_" #name                                                     \
      ",\"a\",@progbits\n.balign 16\n"                                                           \
      ".globl conclave_embedded_" #name "_begin\nconclave_embedded_" #name                       \
      "_begin:\n"                                                                                \
      ".incbin \"" path                                                                          \
      "\"\n"                                                                                     \
      ".globl conclave_embedded_" #name "_end\nconclave_embedded_" #name                         \
      "_end:\n.byte 0\n"                                                                         \
      ".popsection\n");                                                                          \
  extern "C" const char conclave_embedded_##name##_begin[];                                      \
  extern "C" const char conclave_embedded_##name##_end[];                                        \
  std::string_view conclave::compiler::embedded::name() {                                        \
    return {                                                                                     \
        conclave_embedded_##name##_begin,                                                        \
        static_cast<size_t>(conclave_embedded_##name##_end - conclave_embedded_##name##_begin)}; \
  }

CONCLAVE_EMBED(base_header, CONCLAVE_BASE_HEADER)
CONCLAVE_EMBED(intel_sub_groups_header, CONCLAVE_HEADERS "/intel_sub_groups.h")
CONCLAVE_EMBED(work_group_extensions_header, CONCLAVE_HEADERS "/work_group_extensions.h")
CONCLAVE_EMBED(ti_device_header, CONCLAVE_HEADERS "/ti_device.h")
CONCLAVE_EMBED(dsp_c_header, CONCLAVE_HEADERS "/dsp_c.h")
CONCLAVE_EMBED(dsp_edmamgr_header, CONCLAVE_HEADERS "/dsp_edmamgr.h")
CONCLAVE_EMBED(c_dsp_c_header, CONCLAVE_C_HEADERS "/dsp_c.h")
CONCLAVE_EMBED(c_dsp_edmamgr_header, CONCLAVE_C_HEADERS "/dsp_edmamgr.h")
CONCLAVE_EMBED(device_calls, CONCLAVE_DEVICE_CALLS)
CONCLAVE_EMBED(early_builtins, CONCLAVE_EARLY_BUILTINS)
CONCLAVE_EMBED(late_builtins, CONCLAVE_LATE_BUILTINS)
CONCLAVE_EMBED(sleef_archive, CONCLAVE_SLEEF_ARCHIVE)
CONCLAVE_EMBED(libm_stub, CONCLAVE_LIBM_STUB)
CONCLAVE_EMBED(native_support, CONCLAVE_NATIVE_SUPPORT)
