// SPDX-License-Identifier: Apache-2.0
// An array that is an image on the device, of one channel. Copies refer to the same data.
#ifndef CONCLAVE_TEST_BENCH_KERNELS_PICTURE_H_
#define CONCLAVE_TEST_BENCH_KERNELS_PICTURE_H_

#include "array.h"

namespace bench {

template <class T>
class Picture {
 public:
  Picture(const Array<T>& values, cl_channel_type type, size_t width, size_t height)
      : values_(values),
        width_(width),
        height_(height),
        image_(session().context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
               cl::ImageFormat(CL_R, type), width, height, 0, values.data()) {}

  // Replaces what the host has by what the device has.
  void fetch() const {
    session().queue.enqueueReadImage(image_, CL_TRUE, {0, 0, 0}, {width_, height_, 1}, 0, 0,
                                     values_.data());
  }
  T* data() const { return values_.data(); }
  const cl::Image2D& image() const { return image_; }

 private:
  Array<T> values_;
  size_t width_, height_;
  cl::Image2D image_;
};

}  // namespace bench

#endif  // CONCLAVE_TEST_BENCH_KERNELS_PICTURE_H_
