// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_EXAMPLES_COMMON_BLOCKED_PRODUCT_H_
#define CONCLAVE_EXAMPLES_COMMON_BLOCKED_PRODUCT_H_

#include <CL/opencl.hpp>
#include <cstddef>

#include "common/product.h"

namespace examples {

// Matrix products on an OpenCL device with the kernels of blocked_product.cl, for float or double.
// All members throw cl::Error.
template <class Real>
class BlockedProduct {
 public:
  // Builds the kernels for `device`, with tiles that fit its vector registers.
  BlockedProduct(const cl::Context& context, const cl::Device& device);
  // Takes them from a program that was built for vectors of vector_width(device).
  BlockedProduct(const cl::Context& context, const cl::Device& device, const cl::Program& program);

  // Elements in one vector register, as a width that OpenCL C has: 2, 4, 8 or 16.
  static size_t vector_width(const cl::Device& device);

  // Makes room for the packed operands of `product`, so that enqueue() need not.
  void reserve(const cl::CommandQueue& queue, const Product<Real>& product);

  // Enqueues the computation; a, b and c hold at least product.{a,b,c}_size() elements. The queue
  // is an in-order queue, and one object serves one queue, as the packed operands live here.
  void enqueue(const cl::CommandQueue& queue, const Product<Real>& product, const cl::Buffer& a,
               const cl::Buffer& b, const cl::Buffer& c);

 private:
  size_t tiles_m(size_t lines) const { return (lines + tile_m_ - 1) / tile_m_; }
  size_t tiles_n(size_t lines) const { return (lines + tile_n_ - 1) / tile_n_; }

  cl::Context context_;
  size_t tile_m_;
  size_t tile_n_;
  size_t depth_;
  size_t compute_units_;
  cl::Kernel pack_a_, pack_b_, multiply_;
  cl::Buffer packed_a_, packed_b_;
  size_t packed_a_bytes_ = 0, packed_b_bytes_ = 0;
};

extern template class BlockedProduct<float>;
extern template class BlockedProduct<double>;

}  // namespace examples

#endif  // CONCLAVE_EXAMPLES_COMMON_BLOCKED_PRODUCT_H_
