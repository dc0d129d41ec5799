// SPDX-License-Identifier: Apache-2.0
// The pipe functions of OpenCL C for streams (compiler/workgroup/lower_streams.h). A packet goes
// through the stream's buffer here; where that has no room or too little data, the runtime publishes
// what was done and waits. These functions ask for the compute unit, so they are linked before the
// compiler forms barrier regions (early.bc).
#include "instantiate.h"

#define CONCLAVE_DEVICE_CALL(name) name,
enum {
#include "conclave/device_calls.def"
};
ulong conclave_device_call(uint call, ulong a, ulong b, ulong c);

// abi::Stream.
typedef struct {
  ulong position, limit;
  __global char* buffer;
  ulong mask;
} Stream;

// Makes `limit` at least `position` + `size`; false where the stream has come to its end.
HELPER bool wait_for(__global Stream* stream, uint size) {
  if (__builtin_expect(stream->limit - stream->position >= size, 1)) return true;
  return conclave_device_call(kStreamWait, (ulong)stream, size, 0);
}

// Bytes until the buffer's end, where it goes on at the beginning.
HELPER ulong until_end(__global Stream* stream) {
  return stream->mask + 1 - (stream->position & stream->mask);
}

int conclave_stream_read(__global Stream* stream, void* packet, uint size) {
  if (!wait_for(stream, size)) return -1;
  __global char* from = stream->buffer + (stream->position & stream->mask);
  const ulong first = until_end(stream);
  if (__builtin_expect(first >= size, 1)) {
    __builtin_memcpy(packet, from, size);
  } else {
    __builtin_memcpy(packet, from, first);
    __builtin_memcpy((char*)packet + first, stream->buffer, size - first);
  }
  stream->position += size;
  return 0;
}

int conclave_stream_write(__global Stream* stream, const void* packet, uint size) {
  if (!wait_for(stream, size)) return -1;
  __global char* to = stream->buffer + (stream->position & stream->mask);
  const ulong first = until_end(stream);
  if (__builtin_expect(first >= size, 1)) {
    __builtin_memcpy(to, packet, size);
  } else {
    __builtin_memcpy(to, packet, first);
    __builtin_memcpy(stream->buffer, (const char*)packet + first, size - first);
  }
  stream->position += size;
  return 0;
}

// Packets in the buffer, and room for so many.
uint conclave_stream_packets(__global Stream* stream, uint size) {
  return (uint)(conclave_device_call(kStreamFill, (ulong)stream, 0, 0) / size);
}
uint conclave_stream_packets_written(__global Stream* stream, uint size) {
  return conclave_stream_packets(stream, size);
}
uint conclave_stream_capacity(__global Stream* stream, uint size) {
  return (uint)((stream->mask + 1) / size);
}
uint conclave_stream_capacity_written(__global Stream* stream, uint size) {
  return conclave_stream_capacity(stream, size);
}
