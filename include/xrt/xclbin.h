/* SPDX-License-Identifier: Apache-2.0 */
/* The container of an xclbin: version 2 of XRT's, with the names that XRT gives its parts.
 * docs/xclbin.md says what is in the sections of this platform's xclbins.
 */
#ifndef CONCLAVE_XRT_XCLBIN_H_
#define CONCLAVE_XRT_XCLBIN_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The same type as uuid_t of libuuid. */
typedef unsigned char xuid_t[16];

enum axlf_section_kind {
  BITSTREAM = 0,         /* the program binary */
  EMBEDDED_METADATA = 2, /* kernels, their arguments and registers, as XML */
  MEM_TOPOLOGY = 6,
  CONNECTIVITY = 7,
  IP_LAYOUT = 8,
  BUILD_METADATA = 14 /* the layout, as JSON */
};

struct axlf_section_header {
  uint32_t m_sectionKind;
  char m_sectionName[16];
  uint64_t m_sectionOffset; /* from the beginning of the file, a multiple of 8 */
  uint64_t m_sectionSize;
};

struct axlf_header {
  uint64_t m_length; /* of the file, in bytes */
  uint64_t m_timeStamp;
  uint64_t m_featureRomTimeStamp;
  uint16_t m_versionPatch;
  uint8_t m_versionMajor;
  uint8_t m_versionMinor;
  uint16_t m_mode;
  uint16_t m_actionMask;
  unsigned char m_interface_uuid[16];
  unsigned char m_platformVBNV[64];
  union {
    char m_next_axlf[16];
    xuid_t uuid; /* hash of the content */
  };
  char m_debug_bin[16];
  uint32_t m_numSections;
};

struct axlf {
  char m_magic[8]; /* "xclbin2" */
  int32_t m_signature_length;
  unsigned char reserved[28];
  unsigned char m_keyBlock[256];
  uint64_t m_uniqueId;
  struct axlf_header m_header;
  struct axlf_section_header m_sections[1]; /* m_numSections of them */
};
typedef struct axlf xclBin;

enum MEM_TYPE { MEM_DDR3, MEM_DDR4, MEM_DRAM };

struct mem_data {
  uint8_t m_type;
  uint8_t m_used;
  uint8_t padding[6];
  union {
    uint64_t m_size; /* KiB */
    uint64_t route_id;
  };
  union {
    uint64_t m_base_address;
    uint64_t flow_id;
  };
  unsigned char m_tag[16];
};

struct mem_topology {
  int32_t m_count;
  struct mem_data m_mem_data[1];
};

enum IP_TYPE { IP_MB = 0, IP_KERNEL = 1 };

struct ip_data {
  uint32_t m_type;
  uint32_t properties;
  uint64_t m_base_address;
  uint8_t m_name[64]; /* "kernel:compute unit" */
};

struct ip_layout {
  int32_t m_count;
  struct ip_data m_ip_data[1];
};

#ifdef __cplusplus
}
#endif

#endif /* CONCLAVE_XRT_XCLBIN_H_ */
