// SPDX-License-Identifier: Apache-2.0
#include "common/blocked_product.h"

#include <algorithm>
#include <string>
#include <type_traits>

#include "blocked_product.cl.h"

namespace examples {
namespace {

constexpr size_t kPackPanels = 8;  // PACK_PANELS
constexpr size_t kBlockM = 256;    // rows of a work-item's block of C, at most
constexpr size_t kBlockN = 240;    // columns, at most
// Blocks for each compute unit, so that all of them end at about the same time.
constexpr size_t kBlocksPerUnit = 6;

size_t parts(size_t whole, size_t part) {
  return (whole + part - 1) / part;
}

// A block of C and how many there are, in tiles.
struct Blocking {
  size_t block_m, block_n, blocks_m, blocks_n;
};

// The largest blocks, at most max_m by max_n, that give every compute unit enough of them.
Blocking choose_blocks(size_t tiles_m, size_t tiles_n, size_t max_m, size_t max_n, size_t units) {
  Blocking b{max_m, max_n, parts(tiles_m, max_m), parts(tiles_n, max_n)};
  while (b.blocks_m * b.blocks_n < kBlocksPerUnit * units && b.block_m * b.block_n > 1) {
    size_t& larger = b.block_m > b.block_n ? b.block_m : b.block_n;
    larger /= 2;
    b.blocks_m = parts(tiles_m, b.block_m);
    b.blocks_n = parts(tiles_n, b.block_n);
  }
  return b;
}

// Columns of a tile: 2 * 12 sums and their operands fill the 32 registers of a CPU that has 64-byte
// vectors, 2 * 6 the 16 registers of one that has shorter ones.
template <class Real>
size_t tile_columns(size_t width) {
  return width * sizeof(Real) == 64 ? 12 : 6;
}

// DEPTH of blocked_product.cl: a panel of B has 18 KiB at most, more than half of a first-level
// cache for what is read again and again, while A and C pass through.
template <class Real>
size_t panel_depth(size_t width) {
  return std::min<size_t>(384, 24 * 1024 / (tile_columns<Real>(width) * sizeof(Real)));
}

// The operand that is packed into panels, seen as lines of k elements each.
struct Operand {
  const cl::Buffer& buffer;
  size_t lines;
  cl_ulong line_stride, depth_stride;
};

template <class Real>
Operand operand_a(const Product<Real>& p, const cl::Buffer& a) {
  if (p.row_major == p.transpose_a) return {a, p.m, 1, p.m};
  return {a, p.m, p.k, 1};
}

template <class Real>
Operand operand_b(const Product<Real>& p, const cl::Buffer& b) {
  if (p.row_major == p.transpose_b) return {b, p.n, p.k, 1};
  return {b, p.n, 1, p.n};
}

void enlarge(cl::Buffer& buffer, size_t& size, size_t needed, const cl::Context& context,
             const cl::CommandQueue& queue) {
  if (needed <= size) return;
  size = 0;
  buffer = cl::Buffer(context, CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS, needed);
  // Touched here, so that the first product does not wait for the memory's pages.
  queue.enqueueFillBuffer(buffer, cl_uchar{0}, 0, needed);
  size = needed;
}

template <class Real>
cl::Program build_program(const cl::Context& context, const cl::Device& device) {
  const size_t width = BlockedProduct<Real>::vector_width(device);
  const bool is_double = std::is_same_v<Real, double>;
  const std::string options =
      std::string(is_double ? "-DREAL=double -DREAL_IS_DOUBLE" : "-DREAL=float") +
      " -DWIDTH=" + std::to_string(width) +
      " -DTILE_N=" + std::to_string(tile_columns<Real>(width)) +
      " -DDEPTH=" + std::to_string(panel_depth<Real>(width)) +
      " -DPACK_PANELS=" + std::to_string(kPackPanels);
  cl::Program program(context, kBlockedProductSource);
  program.build({device}, options.c_str());
  return program;
}

}  // namespace

template <class Real>
size_t BlockedProduct<Real>::vector_width(const cl::Device& device) {
  const cl_uint width = std::is_same_v<Real, float>
                            ? device.getInfo<CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT>()
                            : device.getInfo<CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE>();
  for (size_t known : {16, 8, 4})
    if (width >= known) return known;
  return 2;
}

template <class Real>
BlockedProduct<Real>::BlockedProduct(const cl::Context& context, const cl::Device& device)
    : BlockedProduct(context, device, build_program<Real>(context, device)) {}

template <class Real>
BlockedProduct<Real>::BlockedProduct(const cl::Context& context, const cl::Device& device,
                                     const cl::Program& program)
    : context_(context),
      tile_m_(2 * vector_width(device)),
      tile_n_(tile_columns<Real>(vector_width(device))),
      depth_(panel_depth<Real>(vector_width(device))),
      compute_units_(device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>()),
      pack_a_(program, "pack_a"),
      pack_b_(program, "pack_b"),
      multiply_(program, "multiply") {}

template <class Real>
void BlockedProduct<Real>::reserve(const cl::CommandQueue& queue, const Product<Real>& product) {
  size_t m = product.m, n = product.n;
  if (product.row_major) std::swap(m, n);
  enlarge(packed_a_, packed_a_bytes_, tiles_m(m) * tile_m_ * product.k * sizeof(Real), context_,
          queue);
  enlarge(packed_b_, packed_b_bytes_, tiles_n(n) * tile_n_ * product.k * sizeof(Real), context_,
          queue);
}

template <class Real>
void BlockedProduct<Real>::enqueue(const cl::CommandQueue& queue, const Product<Real>& product,
                                   const cl::Buffer& a, const cl::Buffer& b, const cl::Buffer& c) {
  // The kernels write C in columns. A row-major C is its transposed form in columns: B' * A'.
  Operand left = operand_a(product, a), right = operand_b(product, b);
  const Operand& first = product.row_major ? right : left;
  const Operand& second = product.row_major ? left : right;
  const size_t rows = first.lines, columns = second.lines;
  const auto depth = static_cast<cl_uint>(product.k);
  const size_t depth_blocks = parts(product.k, depth_);
  const cl::NDRange one(1, 1);
  reserve(queue, product);

  const auto pack = [&](cl::Kernel& kernel, const Operand& operand, const cl::Buffer& packed,
                        size_t panels) {
    kernel.setArg(0, operand.buffer);
    kernel.setArg(1, operand.line_stride);
    kernel.setArg(2, operand.depth_stride);
    kernel.setArg(3, static_cast<cl_uint>(operand.lines));
    kernel.setArg(4, depth);
    kernel.setArg(5, packed);
    queue.enqueueNDRangeKernel(kernel, cl::NullRange,
                               cl::NDRange(parts(panels, kPackPanels), depth_blocks), one);
  };
  pack(pack_a_, first, packed_a_, tiles_m(rows));
  pack(pack_b_, second, packed_b_, tiles_n(columns));

  multiply_.setArg(0, packed_a_);
  multiply_.setArg(1, packed_b_);
  multiply_.setArg(2, static_cast<cl_uint>(rows));
  multiply_.setArg(3, static_cast<cl_uint>(columns));
  multiply_.setArg(4, depth);
  multiply_.setArg(5, product.alpha);
  multiply_.setArg(6, product.beta);
  multiply_.setArg(7, c);
  multiply_.setArg(8, static_cast<cl_ulong>(rows));
  const Blocking blocks = choose_blocks(tiles_m(rows), tiles_n(columns), kBlockM / tile_m_,
                                        kBlockN / tile_n_, compute_units_);
  multiply_.setArg(9, static_cast<cl_uint>(blocks.block_m));
  multiply_.setArg(10, static_cast<cl_uint>(blocks.block_n));
  queue.enqueueNDRangeKernel(multiply_, cl::NullRange,
                             cl::NDRange(blocks.blocks_m, blocks.blocks_n), one);
}

template class BlockedProduct<float>;
template class BlockedProduct<double>;

}  // namespace examples
