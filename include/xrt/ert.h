/* SPDX-License-Identifier: Apache-2.0 */
/* The packets in buffer objects that xclExecBuf() takes: they start a compute unit, or copy. */
#ifndef CONCLAVE_XRT_ERT_H_
#define CONCLAVE_XRT_ERT_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ert_cmd_state {
  ERT_CMD_STATE_NEW = 1,
  ERT_CMD_STATE_QUEUED = 2,
  ERT_CMD_STATE_RUNNING = 3,
  ERT_CMD_STATE_COMPLETED = 4,
  ERT_CMD_STATE_ERROR = 5,
  ERT_CMD_STATE_ABORT = 6,
  ERT_CMD_STATE_SUBMITTED = 7,
  ERT_CMD_STATE_TIMEOUT = 8,
  ERT_CMD_STATE_NORESPONSE = 9,
  ERT_CMD_STATE_SKERROR = 10,
  ERT_CMD_STATE_SKCRASHED = 11,
  ERT_CMD_STATE_MAX = 12
};

/* xclExecBuf() takes ERT_START_CU, ERT_START_KEY_VAL (instead of the register map,
 * pairs of an offset and a value), ERT_START_COPYBO, ERT_ABORT and ERT_CONFIGURE (which ends at
 * once: there is nothing to configure). The others concern hardware that is not here. */
enum ert_cmd_opcode {
  ERT_START_CU = 0,
  ERT_START_KERNEL = 0,
  ERT_CONFIGURE = 2,
  ERT_EXIT = 3,
  ERT_ABORT = 4,
  ERT_EXEC_WRITE = 5,
  ERT_CU_STAT = 6,
  ERT_START_COPYBO = 7,
  ERT_SK_CONFIG = 8,
  ERT_SK_START = 9,
  ERT_SK_UNCONFIG = 10,
  ERT_INIT_CU = 11,
  ERT_START_FA = 12,
  ERT_CLK_CALIB = 13,
  ERT_MB_VALIDATE = 14,
  ERT_START_KEY_VAL = 15
};

enum ert_cmd_type { ERT_DEFAULT = 0, ERT_KDS_LOCAL = 1, ERT_CTRL = 2, ERT_CU = 3, ERT_SCU = 4 };

/* `count` words follow the header: the masks of compute units (one, and `extra_cu_masks` more),
 * then the register map of the compute unit from offset 0 on. The command runs on one of the
 * compute units in the masks that this process has a context on; all have to be of one kernel. */
struct ert_start_kernel_cmd {
  union {
    struct {
      uint32_t state : 4;
      uint32_t stat_enabled : 1;
      uint32_t unused : 5;
      uint32_t extra_cu_masks : 2;
      uint32_t count : 11;
      uint32_t opcode : 5;
      uint32_t type : 4;
    };
    uint32_t header;
  };
  uint32_t cu_mask;
  uint32_t data[1];
};

struct ert_packet {
  union {
    struct {
      uint32_t state : 4;
      uint32_t custom : 8;
      uint32_t count : 11;
      uint32_t opcode : 5;
      uint32_t type : 4;
    };
    uint32_t header;
  };
  uint32_t data[1];
};

/* Copies `size` bytes between two buffer objects of the handle, from and to these offsets (named
 * addresses). `count` is 16: everything behind the header except `arg`. */
struct ert_start_copybo_cmd {
  uint32_t state : 4;
  uint32_t unused : 6;
  uint32_t extra_cu_masks : 2; /* 3 */
  uint32_t count : 11;
  uint32_t opcode : 5;
  uint32_t type : 4;
  uint32_t cu_mask[4]; /* ignored, like `reserved` */
  uint32_t reserved[4];
  uint32_t src_addr_lo;
  uint32_t src_addr_hi;
  uint32_t src_bo_hdl;
  uint32_t dst_addr_lo;
  uint32_t dst_addr_hi;
  uint32_t dst_bo_hdl;
  uint32_t size;
  uint32_t size_hi;
  void* arg; /* ignored */
};

/* For the command whose packet is in buffer object `exec_bo_handle`. A kernel is never ended in the
 * middle: xclExecBuf() fails with EBUSY while it has not come to its end, and does nothing after.
 */
struct ert_abort_cmd {
  union {
    struct {
      uint32_t state : 4;
      uint32_t custom : 8;
      uint32_t count : 11;
      uint32_t opcode : 5;
      uint32_t type : 4;
    };
    uint32_t header;
  };
  uint64_t exec_bo_handle;
};

#ifdef __cplusplus
}
#endif

#endif /* CONCLAVE_XRT_ERT_H_ */
