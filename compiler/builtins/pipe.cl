// SPDX-License-Identifier: Apache-2.0
// The pipe functions of OpenCL C (compiler/workgroup/lower_streams.h). A pipe is a ring of places for
// packets, which are numbered from 0 on. Each place says whose turn it is: twice the number of the
// packet that may be written there, or one more, if that packet may be read. A reservation checks
// that all its places are due, and takes them by one compare-and-swap. A commit passes the turns on;
// commits may come in any order. So nobody waits for anybody, and lanes can take turns.
#include "sub_group.h"

// abi::Pipe.
typedef struct {
  ulong capacity, packet_bytes;
  ulong written, read;  // numbers of the next packet that is reserved for writing, for reading
  ulong turns[];        // of each place; the packets follow
} Pipe;

// A reservation: the number of the first packet, and how many there are.
#define COUNT_BITS 20
#define NO_RESERVATION (~0ul)
#define FIRST_OF(reservation) ((reservation) >> COUNT_BITS)
#define COUNT_OF(reservation) ((reservation) & ((1ul << COUNT_BITS) - 1))

// Null is none either: that is CLK_NULL_RESERVE_ID in SPIR-V.
HELPER bool is_one(ulong reservation) {
  return reservation != NO_RESERVATION && COUNT_OF(reservation) != 0;
}

HELPER __global char* packet_at(__global Pipe* ring, ulong number) {
  return (__global char*)(ring->turns + ring->capacity) +
         number % ring->capacity * ring->packet_bytes;
}

// Whether packet `index` of a reservation is there, for a kernel whose packets have `size` bytes.
HELPER bool has_packet(__global Pipe* ring, ulong reservation, uint index, uint size) {
  return is_one(reservation) && index < COUNT_OF(reservation) && size <= ring->packet_bytes;
}

// Whether so many packets may be read, or written.
HELPER bool are_due(__global Pipe* ring, ulong first, uint count, bool is_read) {
  for (ulong i = first; i < first + count; ++i)
    if (__atomic_load_n(&ring->turns[i % ring->capacity], __ATOMIC_ACQUIRE) != 2 * i + is_read)
      return false;
  return true;
}

HELPER ulong reserve(__global Pipe* ring, __global ulong* next, uint count, bool is_read) {
  if (count == 0 || count > ring->capacity || count >> COUNT_BITS) return NO_RESERVATION;
  ulong first = __atomic_load_n(next, __ATOMIC_ACQUIRE);
  while (true) {
    if (are_due(ring, first, count, is_read)) {
      if (__atomic_compare_exchange_n(next, &first, first + count, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE))
        return first << COUNT_BITS | count;
      continue;
    }
    // Somebody else may have taken these meanwhile, and have passed the turn on.
    const ulong now = __atomic_load_n(next, __ATOMIC_ACQUIRE);
    if (now == first) return NO_RESERVATION;
    first = now;
  }
}

HELPER ulong reserve_write(__global Pipe* ring, uint count) {
  return reserve(ring, &ring->written, count, false);
}
HELPER ulong reserve_read(__global Pipe* ring, uint count) {
  return reserve(ring, &ring->read, count, true);
}

// Written packets may be read, the places of packets that were read be written one round later.
HELPER void commit(__global Pipe* ring, ulong reservation, ulong step) {
  const ulong first = FIRST_OF(reservation);
  for (ulong i = first; i < first + COUNT_OF(reservation); ++i)
    __atomic_store_n(&ring->turns[i % ring->capacity], 2 * i + step, __ATOMIC_RELEASE);
}
HELPER void commit_write(__global Pipe* ring, ulong reservation) { commit(ring, reservation, 1); }
HELPER void commit_read(__global Pipe* ring, ulong reservation) {
  commit(ring, reservation, 2 * ring->capacity);
}

// --- What clang calls ---

int conclave_pipe_write_reserved(__global Pipe* ring, ulong reservation, uint index,
                                 const void* packet, uint size) {
  if (!has_packet(ring, reservation, index, size)) return -1;
  __builtin_memcpy(packet_at(ring, FIRST_OF(reservation) + index), packet, size);
  return 0;
}
int conclave_pipe_read_reserved(__global Pipe* ring, ulong reservation, uint index, void* packet,
                                uint size) {
  if (!has_packet(ring, reservation, index, size)) return -1;
  __builtin_memcpy(packet, packet_at(ring, FIRST_OF(reservation) + index), size);
  return 0;
}

int conclave_pipe_write(__global Pipe* ring, const void* packet, uint size) {
  if (size > ring->packet_bytes) return -1;
  const ulong reservation = reserve_write(ring, 1);
  if (conclave_pipe_write_reserved(ring, reservation, 0, packet, size) != 0) return -1;
  commit_write(ring, reservation);
  return 0;
}
int conclave_pipe_read(__global Pipe* ring, void* packet, uint size) {
  if (size > ring->packet_bytes) return -1;
  const ulong reservation = reserve_read(ring, 1);
  if (conclave_pipe_read_reserved(ring, reservation, 0, packet, size) != 0) return -1;
  commit_read(ring, reservation);
  return 0;
}

bool conclave_pipe_is_reserved(ulong reservation) { return is_one(reservation); }

// Eight bytes of local memory that no one else uses.
local void* carry_place(void) __asm("conclave.carry");

// One work-item of the work-group reserves, or of the sub-group; one commits what all have done.
#define RESERVATIONS(WAY)                                                                      \
  ulong conclave_pipe_reserve_##WAY(__global Pipe* ring, uint count) {                         \
    return reserve_##WAY(ring, count);                                                         \
  }                                                                                            \
  void conclave_pipe_commit_##WAY(__global Pipe* ring, ulong reservation) {                    \
    if (is_one(reservation)) commit_##WAY(ring, reservation);                        \
  }                                                                                            \
  ulong conclave_pipe_group_reserve_##WAY(__global Pipe* ring, uint count) {                   \
    local ulong* place = carry_place();                                                        \
    if (get_local_linear_id() == 0) *place = reserve_##WAY(ring, count);                       \
    barrier(CLK_LOCAL_MEM_FENCE);                                                              \
    const ulong reservation = *place;                                                          \
    barrier(CLK_LOCAL_MEM_FENCE);                                                              \
    return reservation;                                                                        \
  }                                                                                            \
  void conclave_pipe_group_commit_##WAY(__global Pipe* ring, ulong reservation) {              \
    barrier(CLK_GLOBAL_MEM_FENCE);                                                             \
    if (get_local_linear_id() == 0) conclave_pipe_commit_##WAY(ring, reservation);             \
    barrier(CLK_GLOBAL_MEM_FENCE);                                                             \
  }                                                                                            \
  ulong conclave_pipe_sub_group_reserve_##WAY(__global Pipe* ring, uint count) {               \
    ulong reservation = 0;                                                                     \
    if (sub_group_elect()) reservation = reserve_##WAY(ring, count);                           \
    return of_first(reservation);                                                              \
  }                                                                                            \
  void conclave_pipe_sub_group_commit_##WAY(__global Pipe* ring, ulong reservation) {          \
    sub_group_barrier(CLK_GLOBAL_MEM_FENCE);                                                   \
    if (sub_group_elect()) conclave_pipe_commit_##WAY(ring, reservation);                      \
  }
RESERVATIONS(read)
RESERVATIONS(write)

// A value of the past, as soon as it is returned.
uint conclave_pipe_packets(__global Pipe* ring) {
  const ulong read = __atomic_load_n(&ring->read, __ATOMIC_RELAXED);
  const ulong written = __atomic_load_n(&ring->written, __ATOMIC_RELAXED);
  return written > read ? (uint)(written - read) : 0;
}
uint conclave_pipe_capacity(__global Pipe* ring) { return (uint)ring->capacity; }
uint conclave_pipe_packets_written(__global Pipe* ring) { return conclave_pipe_packets(ring); }
uint conclave_pipe_capacity_written(__global Pipe* ring) { return conclave_pipe_capacity(ring); }
