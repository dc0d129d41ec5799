// SPDX-License-Identifier: Apache-2.0
// Two kernels in the format of include/conclave/program_binary.h, with all that a linked binary may
// have: relocated data, a call to another library, writable data.
#include <stdint.h>

__asm__(
    ".pushsection .note.conclave,\"\",@note\n"
    ".balign 4\n"
    ".long 9, 2f - 1f, "
#define METADATA_VERSION(number) #number
#include <conclave/metadata.def>
    "\n"
    ".asciz \"Conclave\"\n"
    ".balign 4\n"
    "1: .incbin \"" SAMPLE_METADATA
    "\"\n"
    "2: .balign 4\n"
    ".popsection\n"
    ".pushsection .conclave.bitcode,\"\",@progbits\n"
    ".ascii \"BC-sample\"\n"
    ".popsection\n");

#define KERNEL __attribute__((visibility("default")))

void* memcpy(void* to, const void* from, unsigned long size);

// Found and replaced by tests that need different binaries.
static const volatile uint64_t program_id = 0x1d1d1d1dfeedbeefull;
static uint64_t calls;
static uint64_t* volatile where = &calls;

KERNEL void identify(const void* launch, const void* arguments, const void* workspace,
                     uint64_t first, uint64_t count) {
  (void)launch, (void)workspace;
  uint64_t* out;
  memcpy(&out, arguments, first + count);
  *out = program_id;
}

KERNEL void count_calls(const void* launch, const void* arguments, const void* workspace,
                        uint64_t first, uint64_t count) {
  (void)launch, (void)workspace, (void)first;
  *where += count;
  **(uint64_t* const*)arguments = calls;
}
