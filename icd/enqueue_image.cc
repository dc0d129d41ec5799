// SPDX-License-Identifier: Apache-2.0
// Commands on images: read, write, copy, fill, map.
#include <algorithm>
#include <array>

#include "icd/commands.h"
#include "icd/enqueue.h"
#include "icd/entry.h"
#include "platform/exec/memory_commands.h"
#include "platform/model/image_color.h"

using namespace conclave;
using namespace conclave::icd;

namespace {

// An image used by a command of `queue`.
Memory& image_for(const CommandQueue& queue, cl_mem handle) {
  return of_queue(queue, icd::image(handle));
}

// The part of an image that a command works on. In dimensions that the image does not have, its
// extent is 1, so origin and region must be 0 and 1 there.
Region checked_region(const Image& image, const size_t* origin, const size_t* extent) {
  require(origin && extent, CL_INVALID_VALUE, "no origin or region");
  Region region;
  std::copy_n(origin, 3, region.origin.begin());
  std::copy_n(extent, 3, region.extent.begin());
  for (size_t d = 0; d < 3; ++d) {
    const size_t size = image.extent()[d];
    require(extent[d] > 0, CL_INVALID_VALUE, "an empty region");
    if (origin[d] >= size || extent[d] > size - origin[d])
      throw Error(CL_INVALID_VALUE, std::to_string(extent[d]) + " positions from " +
                                        std::to_string(origin[d]) + " on in dimension " +
                                        std::to_string(d) + " of an image of " +
                                        std::to_string(size));
  }
  return region;
}

// A region in bytes, rows and slices.
std::array<size_t, 3> in_bytes(const Image& image, const Region& region) {
  return {region.extent[0] * image.format().element_size, region.extent[1], region.extent[2]};
}

// The part of an image where a region begins.
Box box_of(const Memory& memory, const Region& region) {
  const Image& image = *memory.image();
  return {memory.data() + image.offset(region.origin), image.steps()[1], image.steps()[2]};
}

// The rows of a region one after the other.
Box packed(std::byte* base, const std::array<size_t, 3>& bytes) {
  return {base, bytes[0], bytes[0] * bytes[1]};
}

// The host's side of a transfer; pitches of 0 mean tightly packed.
Box host_box(const Image& image, const std::array<size_t, 3>& bytes, size_t row_pitch,
             size_t slice_pitch, std::byte* host) {
  require(host, CL_INVALID_VALUE, "no host memory");
  require(has_slices(image.type()) || !slice_pitch, CL_INVALID_VALUE,
          "a slice pitch for an image without slices");
  if (!row_pitch) row_pitch = bytes[0];
  require(row_pitch >= bytes[0], CL_INVALID_VALUE, "a row pitch less than the region's width");
  // The slices of a 1-D array are its rows.
  const bool rows_are_slices = image.type() == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  const CheckedSize slice = rows_are_slices ? row_pitch : CheckedSize(row_pitch) * bytes[1];
  if (!slice_pitch) slice_pitch = slice.saturated();
  require(slice.at_most(slice_pitch), CL_INVALID_VALUE,
          "a slice pitch less than the region's slices");
  if (rows_are_slices) row_pitch = slice_pitch;
  check_host_range(host, box_bytes(row_pitch, slice_pitch, bytes.data()));
  return {host, row_pitch, slice_pitch};
}

void transfer(cl_command_type type, CommandQueue& q, Memory& m, cl_bool blocking,
              const size_t* origin, const size_t* extent, size_t row_pitch, size_t slice_pitch,
              std::byte* host, cl_uint num_events, const cl_event* events, cl_event* out) {
  const Region region = checked_region(*m.image(), origin, extent);
  const std::array<size_t, 3> bytes = in_bytes(*m.image(), region);
  const Box here = host_box(*m.image(), bytes, row_pitch, slice_pitch, host);
  const Box there = box_of(m, region);
  const bool read = type == CL_COMMAND_READ_IMAGE;
  check_host_access(m, read ? CL_MEM_HOST_WRITE_ONLY : CL_MEM_HOST_READ_ONLY);
  auto wait_for = wait_list(q.context(), num_events, events);
  enqueue(q, type,
          make_rect_copy(read ? there : here, read ? here : there, bytes.data(), keeping({&m})),
          wait_for, blocking, out);
}

// The bytes of a buffer that a region of an image goes to or comes from.
Box buffer_box(const Memory& buffer, const Memory& image, size_t offset,
               const std::array<size_t, 3>& bytes) {
  require(image.type() != CL_MEM_OBJECT_IMAGE1D_BUFFER || image.parent() != &buffer,
          CL_INVALID_MEM_OBJECT, "the image is one of this buffer");
  const CheckedSize end = CheckedSize(bytes[0]) * bytes[1] * bytes[2] + offset;
  require(end.at_most(buffer.size()), CL_INVALID_VALUE, "the region does not fit into the buffer");
  return packed(buffer.data() + offset, bytes);
}

bool same_format(const Image& a, const Image& b) {
  return &a.format() == &b.format();
}

}  // namespace

std::unique_ptr<Command> icd::copy_image(const CommandQueue& q, cl_mem from, cl_mem to,
                                         const size_t* from_origin, const size_t* to_origin,
                                         const size_t* region) {
  Memory &source = image_for(q, from), &target = image_for(q, to);
  require(same_format(*source.image(), *target.image()), CL_IMAGE_FORMAT_MISMATCH,
          "source and destination have different formats");
  const Region read = checked_region(*source.image(), from_origin, region);
  const Region written = checked_region(*target.image(), to_origin, region);
  require(&source != &target || !read.overlaps(written), CL_MEM_COPY_OVERLAP,
          "source and destination overlap");
  return make_rect_copy(box_of(source, read), box_of(target, written),
                        in_bytes(*source.image(), read).data(), keeping({&source, &target}));
}

std::unique_ptr<Command> icd::copy_image_to_buffer(const CommandQueue& q, cl_mem from, cl_mem to,
                                                   const size_t* origin, const size_t* extent,
                                                   size_t offset) {
  Memory &source = image_for(q, from), &target = of_queue(q, buffer(to));
  const Region region = checked_region(*source.image(), origin, extent);
  const std::array<size_t, 3> bytes = in_bytes(*source.image(), region);
  const Box written = buffer_box(target, source, offset, bytes);
  return make_rect_copy(box_of(source, region), written, bytes.data(), keeping({&source, &target}));
}

std::unique_ptr<Command> icd::copy_buffer_to_image(const CommandQueue& q, cl_mem from, cl_mem to,
                                                   size_t offset, const size_t* origin,
                                                   const size_t* extent) {
  Memory &source = of_queue(q, buffer(from)), &target = image_for(q, to);
  const Region region = checked_region(*target.image(), origin, extent);
  const std::array<size_t, 3> bytes = in_bytes(*target.image(), region);
  const Box read = buffer_box(source, target, offset, bytes);
  return make_rect_copy(read, box_of(target, region), bytes.data(), keeping({&source, &target}));
}

std::unique_ptr<Command> icd::fill_image(const CommandQueue& q, cl_mem handle, const void* color,
                                         const size_t* origin, const size_t* extent) {
  Memory& m = image_for(q, handle);
  require(color, CL_INVALID_VALUE, "no colour");
  const Region region = checked_region(*m.image(), origin, extent);
  const ImageFormat& format = m.image()->format();
  const auto element = image_element(format, color);
  return make_rect_fill(element.data(), format.element_size, box_of(m, region),
                        in_bytes(*m.image(), region).data(), keeping({&m}));
}

extern "C" {

CL_API_ENTRY cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue queue_handle, cl_mem handle,
                                                   cl_bool blocking, const size_t* origin,
                                                   const size_t* region, size_t row_pitch,
                                                   size_t slice_pitch, void* host,
                                                   cl_uint num_events, const cl_event* events,
                                                   cl_event* out) {
  return guarded(__func__, [&] {
    CommandQueue& q = queue(queue_handle);
    transfer(CL_COMMAND_READ_IMAGE, q, image_for(q, handle), blocking, origin, region, row_pitch,
             slice_pitch, static_cast<std::byte*>(host), num_events, events, out);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue queue_handle, cl_mem handle,
                                                    cl_bool blocking, const size_t* origin,
                                                    const size_t* region, size_t row_pitch,
                                                    size_t slice_pitch, const void* host,
                                                    cl_uint num_events, const cl_event* events,
                                                    cl_event* out) {
  return guarded(__func__, [&] {
    CommandQueue& q = queue(queue_handle);
    // Only read from: the command is of type WRITE.
    auto* bytes = static_cast<std::byte*>(const_cast<void*>(host));
    transfer(CL_COMMAND_WRITE_IMAGE, q, image_for(q, handle), blocking, origin, region, row_pitch,
             slice_pitch, bytes, num_events, events, out);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue queue_handle, cl_mem from,
                                                   cl_mem to, const size_t* from_origin,
                                                   const size_t* to_origin, const size_t* region,
                                                   cl_uint num_events, const cl_event* events,
                                                   cl_event* out) {
  return guarded(__func__, [&] {
    CommandQueue& q = queue(queue_handle);
    auto command = copy_image(q, from, to, from_origin, to_origin, region);
    auto wait_for = wait_list(q.context(), num_events, events);
    hand_out(q.enqueue(CL_COMMAND_COPY_IMAGE, std::move(command), wait_for), out);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue queue_handle,
                                                           cl_mem from, cl_mem to,
                                                           const size_t* origin,
                                                           const size_t* extent, size_t offset,
                                                           cl_uint num_events,
                                                           const cl_event* events, cl_event* out) {
  return guarded(__func__, [&] {
    CommandQueue& q = queue(queue_handle);
    auto command = copy_image_to_buffer(q, from, to, origin, extent, offset);
    auto wait_for = wait_list(q.context(), num_events, events);
    hand_out(q.enqueue(CL_COMMAND_COPY_IMAGE_TO_BUFFER, std::move(command), wait_for), out);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue queue_handle,
                                                           cl_mem from, cl_mem to, size_t offset,
                                                           const size_t* origin,
                                                           const size_t* extent, cl_uint num_events,
                                                           const cl_event* events, cl_event* out) {
  return guarded(__func__, [&] {
    CommandQueue& q = queue(queue_handle);
    auto command = copy_buffer_to_image(q, from, to, offset, origin, extent);
    auto wait_for = wait_list(q.context(), num_events, events);
    hand_out(q.enqueue(CL_COMMAND_COPY_BUFFER_TO_IMAGE, std::move(command), wait_for), out);
  });
}

CL_API_ENTRY cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue queue_handle, cl_mem handle,
                                                   const void* color, const size_t* origin,
                                                   const size_t* extent, cl_uint num_events,
                                                   const cl_event* events, cl_event* out) {
  return guarded(__func__, [&] {
    CommandQueue& q = queue(queue_handle);
    auto command = fill_image(q, handle, color, origin, extent);
    auto wait_for = wait_list(q.context(), num_events, events);
    hand_out(q.enqueue(CL_COMMAND_FILL_IMAGE, std::move(command), wait_for), out);
  });
}

CL_API_ENTRY void* CL_API_CALL clEnqueueMapImage(cl_command_queue queue_handle, cl_mem handle,
                                                 cl_bool blocking, cl_map_flags flags,
                                                 const size_t* origin, const size_t* extent,
                                                 size_t* row_pitch, size_t* slice_pitch,
                                                 cl_uint num_events, const cl_event* events,
                                                 cl_event* out, cl_int* code) {
  return create(__func__, code, [&]() -> void* {
    CommandQueue& q = queue(queue_handle);
    Memory& m = image_for(q, handle);
    check_map_flags(flags);
    const Region region = checked_region(*m.image(), origin, extent);
    require(row_pitch && (slice_pitch || !has_slices(m.type())), CL_INVALID_VALUE,
            "nowhere to put a pitch");
    check_map_access(m, flags);
    auto wait_for = wait_list(q.context(), num_events, events);
    void* pointer = box_of(m, region).base;
    enqueue_map(q, CL_COMMAND_MAP_IMAGE, m, pointer, region, flags, wait_for, blocking, out);
    *row_pitch = m.image()->desc().image_row_pitch;
    if (slice_pitch) *slice_pitch = m.image()->desc().image_slice_pitch;
    return pointer;
  });
}

}  // extern "C"
