// SPDX-License-Identifier: Apache-2.0
// Commands on buffers (read, write, copy, rectangles, fill, map) and on memory objects of any kind
// (unmap, migrate).
#include <algorithm>
#include <array>

#include "icd/commands.h"
#include "icd/enqueue.h"
#include "icd/enqueue_address.h"
#include "icd/entry.h"
#include "platform/exec/memory_commands.h"

using namespace conclave;
using namespace conclave::icd;

namespace {

// A buffer used by a command of `queue`.
Memory& buffer_for(const CommandQueue& queue, cl_mem handle) {
  return of_queue(queue, icd::buffer(handle));
}

void check_range(const Memory& m, size_t offset, size_t size) {
  if (offset > m.size() || size > m.size() - offset)
    throw Error(CL_INVALID_VALUE, std::to_string(size) + " bytes from byte " +
                                      std::to_string(offset) + " on do not lie in the buffer of " +
                                      std::to_string(m.size()));
}

// One side of a rectangle command: its pitches, where 0 means tightly packed, and its first and
// last byte, all of which fit into a size_t.
struct Rect {
  size_t row_pitch, slice_pitch;
  size_t begin, end;

  Rect(const size_t* at, size_t row, size_t slice, const size_t* region) {
    require(at && region, CL_INVALID_VALUE, "no origin or region");
    require(region[0] && region[1] && region[2], CL_INVALID_VALUE, "an empty region");
    row_pitch = row ? row : region[0];
    require(row_pitch >= region[0], CL_INVALID_VALUE, "a row pitch less than the region's width");
    constexpr char kTooLarge[] = "origin, region and pitches are too large for any memory";
    const size_t rows = (CheckedSize(region[1]) * row_pitch).value_or(CL_INVALID_VALUE, kTooLarge);
    slice_pitch = slice ? slice : rows;
    require(slice_pitch >= rows && slice_pitch % row_pitch == 0, CL_INVALID_VALUE,
            "a slice pitch too small, or no multiple of the row pitch");
    const CheckedSize start =
        CheckedSize(at[2]) * slice_pitch + CheckedSize(at[1]) * row_pitch + at[0];
    begin = start.value_or(CL_INVALID_VALUE, kTooLarge);
    end = (start + box_bytes(row_pitch, slice_pitch, region)).value_or(CL_INVALID_VALUE, kTooLarge);
  }

  Box box(std::byte* base) const { return {base + begin, row_pitch, slice_pitch}; }
};

// Whether two rectangles in the same memory share bytes. Both have the same pitches (the
// specification's condition for copies inside a buffer), so this is a comparison of boxes.
bool overlap(const Rect& a, const Rect& b, const size_t* region) {
  const size_t a0 = a.begin, b0 = b.begin;
  if (a.end <= b0 || b.end <= a0) return false;
  // Compare byte positions within a slice and a row: a box may wrap over the ends of rows.
  auto apart = [](size_t x, size_t y, size_t extent, size_t pitch) {
    size_t distance = (y >= x ? y - x : pitch - (x - y) % pitch) % pitch;
    return distance >= extent && pitch - distance >= extent;
  };
  if (apart(a0 % a.row_pitch, b0 % a.row_pitch, region[0], a.row_pitch)) return false;
  const size_t rows = a.slice_pitch / a.row_pitch;
  return !apart(a0 / a.row_pitch % rows, b0 / a.row_pitch % rows, region[1], rows);
}

void rect_transfer(cl_command_type type, cl_command_queue queue_handle, cl_mem handle,
                   cl_bool blocking, const Rect& in_buffer, const Rect& in_host,
                   const size_t* region, std::byte* host, cl_uint num_events,
                   const cl_event* events, cl_event* out) {
  CommandQueue& q = queue(queue_handle);
  Memory& m = buffer_for(q, handle);
  require(host, CL_INVALID_VALUE, "no host memory");
  check_range(m, 0, in_buffer.end);
  check_host_range(host, in_host.end);
  const bool read = type == CL_COMMAND_READ_BUFFER_RECT;
  check_host_access(m, read ? CL_MEM_HOST_WRITE_ONLY : CL_MEM_HOST_READ_ONLY);
  auto wait_for = wait_list(q.context(), num_events, events);
  Box there = in_buffer.box(m.data()), here = in_host.box(host);
  enqueue(q, type, make_rect_copy(read ? there : here, read ? here : there, region, keeping({&m})),
          wait_for, blocking, out);
}

}  // namespace

std::unique_ptr<Command> icd::copy_buffer(const CommandQueue& q, cl_mem from, cl_mem to,
                                          size_t from_offset, size_t to_offset, size_t size) {
  Memory &source = buffer_for(q, from), &target = buffer_for(q, to);
  check_range(source, from_offset, size);
  check_range(target, to_offset, size);
  const std::byte* read = source.data() + from_offset;
  std::byte* written = target.data() + to_offset;
  require(read + size <= written || written + size <= read, CL_MEM_COPY_OVERLAP,
          "source and destination overlap");
  return make_copy(read, written, size, keeping({&source, &target}));
}

std::unique_ptr<Command> icd::copy_buffer_rect(const CommandQueue& q, cl_mem from, cl_mem to,
                                               const size_t* from_origin, const size_t* to_origin,
                                               const size_t* region, size_t from_row_pitch,
                                               size_t from_slice_pitch, size_t to_row_pitch,
                                               size_t to_slice_pitch) {
  Memory &source = buffer_for(q, from), &target = buffer_for(q, to);
  Rect read(from_origin, from_row_pitch, from_slice_pitch, region);
  Rect written(to_origin, to_row_pitch, to_slice_pitch, region);
  check_range(source, 0, read.end);
  check_range(target, 0, written.end);
  if (&source == &target) {
    require(read.row_pitch == written.row_pitch && read.slice_pitch == written.slice_pitch,
            CL_INVALID_VALUE, "a copy inside a buffer needs equal pitches");
    require(!overlap(read, written, region), CL_MEM_COPY_OVERLAP, "source and destination overlap");
  }
  return make_rect_copy(read.box(source.data()), written.box(target.data()), region,
                        keeping({&source, &target}));
}

std::unique_ptr<Command> icd::fill_buffer(const CommandQueue& q, cl_mem handle, const void* pattern,
                                          size_t pattern_size, size_t offset, size_t size) {
  Memory& m = buffer_for(q, handle);
  check_pattern(pattern, pattern_size);
  require(offset % pattern_size == 0 && size % pattern_size == 0, CL_INVALID_VALUE,
          "offset and size are not multiples of the pattern's size");
  check_range(m, offset, size);
  return make_fill(pattern, pattern_size, m.data() + offset, size, keeping({&m}));
}

extern "C" {

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue_handle, cl_mem handle,
                                                    cl_bool blocking, size_t offset, size_t size,
                                                    void* host, cl_uint num_events,
                                                    const cl_event* events, cl_event* out) {
  return guarded(__func__, [&] {
    CommandQueue& q = queue(queue_handle);
    Memory& m = buffer_for(q, handle);
    require(host, CL_INVALID_VALUE, "no host memory");
    check_range(m, offset, size);
    check_host_range(host, size);
    check_host_access(m, CL_MEM_HOST_WRITE_ONLY);
    auto wait_for = wait_list(q.context(), num_events, events);
    enqueue(q, CL_COMMAND_READ_BUFFER,
            make_copy(m.data() + offset, static_cast<std::byte*>(host), size, keeping({&m})),
            wait_for, blocking, out);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue_handle, cl_mem handle,
                                                     cl_bool blocking, size_t offset, size_t size,
                                                     const void* host, cl_uint num_events,
                                                     const cl_event* events, cl_event* out) {
  return guarded(__func__, [&] {
    CommandQueue& q = queue(queue_handle);
    Memory& m = buffer_for(q, handle);
    require(host, CL_INVALID_VALUE, "no host memory");
    check_range(m, offset, size);
    check_host_range(host, size);
    check_host_access(m, CL_MEM_HOST_READ_ONLY);
    auto wait_for = wait_list(q.context(), num_events, events);
    enqueue(q, CL_COMMAND_WRITE_BUFFER,
            make_copy(static_cast<const std::byte*>(host), m.data() + offset, size, keeping({&m})),
            wait_for, blocking, out);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadBufferRect(
    cl_command_queue queue_handle, cl_mem handle, cl_bool blocking, const size_t* buffer_origin,
    const size_t* host_origin, const size_t* region, size_t buffer_row_pitch,
    size_t buffer_slice_pitch, size_t host_row_pitch, size_t host_slice_pitch, void* host,
    cl_uint num_events, const cl_event* events, cl_event* out) {
  return guarded(__func__, [&] {
    buffer_for(queue(queue_handle), handle);
    Rect in_buffer(buffer_origin, buffer_row_pitch, buffer_slice_pitch, region);
    Rect in_host(host_origin, host_row_pitch, host_slice_pitch, region);
    rect_transfer(CL_COMMAND_READ_BUFFER_RECT, queue_handle, handle, blocking, in_buffer, in_host,
                  region, static_cast<std::byte*>(host), num_events, events, out);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteBufferRect(
    cl_command_queue queue_handle, cl_mem handle, cl_bool blocking, const size_t* buffer_origin,
    const size_t* host_origin, const size_t* region, size_t buffer_row_pitch,
    size_t buffer_slice_pitch, size_t host_row_pitch, size_t host_slice_pitch, const void* host,
    cl_uint num_events, const cl_event* events, cl_event* out) {
  return guarded(__func__, [&] {
    buffer_for(queue(queue_handle), handle);
    Rect in_buffer(buffer_origin, buffer_row_pitch, buffer_slice_pitch, region);
    Rect in_host(host_origin, host_row_pitch, host_slice_pitch, region);
    // Only read from: the command is of type WRITE.
    auto* bytes = static_cast<std::byte*>(const_cast<void*>(host));
    rect_transfer(CL_COMMAND_WRITE_BUFFER_RECT, queue_handle, handle, blocking, in_buffer, in_host,
                  region, bytes, num_events, events, out);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue queue_handle, cl_mem from,
                                                    cl_mem to, size_t from_offset, size_t to_offset,
                                                    size_t size, cl_uint num_events,
                                                    const cl_event* events, cl_event* out) {
  return guarded(__func__, [&] {
    CommandQueue& q = queue(queue_handle);
    auto command = copy_buffer(q, from, to, from_offset, to_offset, size);
    auto wait_for = wait_list(q.context(), num_events, events);
    hand_out(q.enqueue(CL_COMMAND_COPY_BUFFER, std::move(command), wait_for), out);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferRect(
    cl_command_queue queue_handle, cl_mem from, cl_mem to, const size_t* from_origin,
    const size_t* to_origin, const size_t* region, size_t from_row_pitch, size_t from_slice_pitch,
    size_t to_row_pitch, size_t to_slice_pitch, cl_uint num_events, const cl_event* events,
    cl_event* out) {
  return guarded(__func__, [&] {
    CommandQueue& q = queue(queue_handle);
    auto command = copy_buffer_rect(q, from, to, from_origin, to_origin, region, from_row_pitch,
                                    from_slice_pitch, to_row_pitch, to_slice_pitch);
    auto wait_for = wait_list(q.context(), num_events, events);
    hand_out(q.enqueue(CL_COMMAND_COPY_BUFFER_RECT, std::move(command), wait_for), out);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue_handle, cl_mem handle,
                                                    const void* pattern, size_t pattern_size,
                                                    size_t offset, size_t size, cl_uint num_events,
                                                    const cl_event* events, cl_event* out) {
  return guarded(__func__, [&] {
    CommandQueue& q = queue(queue_handle);
    auto command = fill_buffer(q, handle, pattern, pattern_size, offset, size);
    auto wait_for = wait_list(q.context(), num_events, events);
    hand_out(q.enqueue(CL_COMMAND_FILL_BUFFER, std::move(command), wait_for), out);
  });
}

CL_API_ENTRY void* CL_API_CALL clEnqueueMapBuffer(cl_command_queue queue_handle, cl_mem handle,
                                                  cl_bool blocking, cl_map_flags flags,
                                                  size_t offset, size_t size, cl_uint num_events,
                                                  const cl_event* events, cl_event* out,
                                                  cl_int* code) {
  return create(__func__, code, [&]() -> void* {
    CommandQueue& q = queue(queue_handle);
    Memory& m = buffer_for(q, handle);
    check_map_flags(flags);
    require(size > 0, CL_INVALID_VALUE, "a mapping of 0 bytes");
    check_range(m, offset, size);
    check_map_access(m, flags);
    auto wait_for = wait_list(q.context(), num_events, events);
    void* pointer = m.data() + offset;
    const Region region{{offset, 0, 0}, {size, 1, 1}};
    enqueue_map(q, CL_COMMAND_MAP_BUFFER, m, pointer, region, flags, wait_for, blocking, out);
    return pointer;
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueUnmapMemObject(cl_command_queue queue_handle,
                                                        cl_mem handle, void* pointer,
                                                        cl_uint num_events, const cl_event* events,
                                                        cl_event* out) {
  return guarded(__func__, [&] {
    CommandQueue& q = queue(queue_handle);
    Memory& m = of_queue(q, memory(handle));
    auto wait_for = wait_list(q.context(), num_events, events);
    require(m.remove_mapping(pointer), CL_INVALID_VALUE, "the pointer is not mapped");
    hand_out(q.enqueue(CL_COMMAND_UNMAP_MEM_OBJECT, nullptr, wait_for), out);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueMigrateMemObjects(cl_command_queue queue_handle,
                                                           cl_uint count, const cl_mem* memories,
                                                           cl_mem_migration_flags flags,
                                                           cl_uint num_events,
                                                           const cl_event* events, cl_event* out) {
  return guarded(__func__, [&] {
    CommandQueue& q = queue(queue_handle);
    require(count > 0 && memories, CL_INVALID_VALUE, "no memory objects");
    check_migration_flags(flags);
    for (cl_uint i = 0; i < count; ++i) of_queue(q, memory(memories[i]));
    auto wait_for = wait_list(q.context(), num_events, events);
    // Host and all devices share the memory: there is only the order to keep.
    hand_out(q.enqueue(CL_COMMAND_MIGRATE_MEM_OBJECTS, nullptr, wait_for), out);
  });
}

}  // extern "C"
