#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A C program with XRT's interface, compiled and linked as its user would: xrt_c.sh BUILD SOURCE
set -euo pipefail
build=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work" /dev/shm/conclave-xrt-c.$$' EXIT
cd "$work"
export CONCLAVE_SEGMENT=conclave-xrt-c.$$ CONCLAVE_COMPUTE_UNITS=2 XDG_RUNTIME_DIR=$work

cat > vadd.cl <<'END'
kernel void vadd(global const int* a, global const int* b, global int* c, int n) {
  for (int i = 0; i < n; ++i) c[i] = a[i] + b[i];
}
END
"$build/bin/clocl" --cu vadd:2 vadd.cl

cat > vadd.c <<'END'
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "xrt/xrt.h"

#define CHECK(call)                                                                  \
  do {                                                                               \
    int result = (call);                                                             \
    if (result < 0) {                                                                \
      printf("%s: %s: %s\n", #call, strerror(-result), xclConclaveErrorText());      \
      return 1;                                                                      \
    }                                                                                \
  } while (0)

enum { N = 100 };

int main(int argc, char** argv) {
  FILE* file = argc > 1 ? fopen(argv[1], "rb") : NULL;
  if (!file) return 2;
  char* bytes = malloc(1 << 20);
  if (!fread(bytes, 1, 1 << 20, file)) return 2;
  const struct axlf* image = (const struct axlf*)bytes;

  xclDeviceHandle device = xclOpen(0, NULL, XCL_INFO);
  CHECK(xclLoadXclBin(device, image));
  int unit = xclIPName2Index(device, "vadd:vadd_2");
  CHECK(unit);
  CHECK(xclOpenContext(device, image->m_header.uuid, (unsigned)unit, true));

  xclBufferHandle command = xclAllocBO(device, 4096, 0, XCL_BO_FLAGS_EXECBUF), bo[3];
  struct ert_start_kernel_cmd* packet = xclMapBO(device, command, true);
  for (int i = 0; i < 3; ++i) {
    bo[i] = xclAllocBO(device, N * sizeof(int), 0, 0);
    int* words = xclMapBO(device, bo[i], true);
    for (int j = 0; j < N; ++j) words[j] = (i + 1) * j;
    CHECK(xclSyncBO(device, bo[i], XCL_BO_SYNC_BO_TO_DEVICE, N * sizeof(int), 0));
    struct xclBOProperties properties;
    CHECK(xclGetBOProperties(device, bo[i], &properties));
    memcpy((char*)packet->data + 0x10 + 12 * i, &properties.paddr, 8);
  }
  packet->data[0x34 / 4] = N;
  packet->state = ERT_CMD_STATE_NEW;
  packet->opcode = ERT_START_CU;
  packet->cu_mask = 1u << unit;
  packet->count = 1 + 0x38 / 4;
  CHECK(xclExecBuf(device, command));
  while (packet->state < ERT_CMD_STATE_COMPLETED) CHECK(xclExecWait(device, 1000));
  const int* sum = xclMapBO(device, bo[2], false);
  for (int j = 0; j < N; ++j)
    if (sum[j] != 3 * j) return 3;
  if (packet->state != ERT_CMD_STATE_COMPLETED) return 4;

  /* What is wrong is refused. */
  bytes[0] = 'y';
  if (xclLoadXclBin(device, image) != -EINVAL) return 5;
  bytes[0] = 'x';
  if (xclExecBuf(device, 4711) != -ENOENT) return 6;
  packet->count = 0;
  if (xclExecBuf(device, command) != -EINVAL) return 7;
  packet->count = 1 + 0x38 / 4;
  packet->opcode = 9;
  if (xclExecBuf(device, command) != -EINVAL) return 8;
  packet->opcode = ERT_START_CU;
  packet->data[4] ^= 0x40000000;
  if (xclExecBuf(device, command) != -EINVAL) return 9; /* an address in no buffer object */
  xuid_t none = {0};
  if (xclOpenContext(device, none, 0, true) != -EINVAL) return 10;
  if (xclReadBO(device, bo[0], bytes, N * sizeof(int), 1) != (size_t)-EINVAL) return 11;
  if (xclOpen(1, NULL, XCL_INFO)) return 12;
  xclFreeBO(device, bo[0]);
  if (xclMapBO(device, bo[0], true)) return 13;
  CHECK(xclCloseContext(device, image->m_header.uuid, (unsigned)unit));
  xclClose(device);
  if (xclLoadXclBin(device, image) != -ENODEV) return 14;
  puts("PASSED");
  return 0;
}
END
cc -std=c11 -Wall -Wextra -Werror -I"$source/include" -o vadd vadd.c -L"$build/lib" -lxrt_core \
  -Wl,-rpath,"$build/lib"
cc -std=c11 -fsyntax-only -Wall -Wextra -Werror -I"$source/include/xrt" -include xrt.h -x c /dev/null
c++ -std=c++17 -fsyntax-only -Wall -Wextra -Werror -I"$source/include" -include xrt/xrt.h -x c++ /dev/null
[ "$(./vadd vadd.xclbin)" = PASSED ]

# A relative path of libraries still means the directory in which the program was started, once it has
# changed to one where somebody else has put a library of that name.
mkdir -p mine/lib strange/lib
cp "$build"/lib/*.so* mine/lib
cat > strange.c <<'END'
#include <unistd.h>
__attribute__((constructor)) static void run(void) { _exit(77); }
END
cc -shared -fPIC -o strange/lib/libconclave.so strange.c
cat > probe.c <<'END'
#include <unistd.h>

#include "xrt/xrt.h"

int main(void) { return chdir("../strange") || xclProbe() != 1; }
END
cc -I"$source/include" -o probe probe.c -Lmine/lib -lxrt_core
(cd mine && LD_LIBRARY_PATH=lib ../probe)
