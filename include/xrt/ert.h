/* SPDX-License-Identifier: Apache-2.0 */
/* The packet in a buffer object that xclExecBuf() takes: it starts a compute unit. */
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

enum ert_cmd_opcode { ERT_START_CU = 0, ERT_START_KERNEL = 0, ERT_CONFIGURE = 2 };

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

#ifdef __cplusplus
}
#endif

#endif /* CONCLAVE_XRT_ERT_H_ */
