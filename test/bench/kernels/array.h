// SPDX-License-Identifier: Apache-2.0
// Data that lies on the device and, for the hand-written version, in the host's memory.
#ifndef CONCLAVE_TEST_BENCH_KERNELS_ARRAY_H_
#define CONCLAVE_TEST_BENCH_KERNELS_ARRAY_H_

#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "../session.h"

namespace bench {

// Memory on large pages, so that the hand-written versions do not wait for page tables.
template <class T>
struct LargePages {
  using value_type = T;
  LargePages() = default;
  template <class Other>
  explicit LargePages(const LargePages<Other>&) {}

  T* allocate(size_t count) {
    constexpr size_t kPage = size_t{2} << 20;
    const size_t bytes = (count * sizeof(T) + kPage - 1) / kPage * kPage;
    void* memory = std::aligned_alloc(kPage, bytes);
    if (memory == nullptr) throw std::bad_alloc();
    madvise(memory, bytes, MADV_HUGEPAGE);  // small pages will do if there are no large ones
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, size_t) { std::free(memory); }
  bool operator==(const LargePages&) const { return true; }
};

template <class T>
using Values = std::vector<T, LargePages<T>>;

// Copies refer to the same data.
template <class T>
class Array {
 public:
  explicit Array(Values<T> values)
      : values_(std::make_shared<Values<T>>(std::move(values))),
        buffer_(session().context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes(), data()) {}
  explicit Array(size_t count) : Array(Values<T>(count)) {}

  // Replaces what the host has by what the device has.
  void fetch() const { session().queue.enqueueReadBuffer(buffer_, CL_TRUE, 0, bytes(), data()); }

  T* data() const { return values_->data(); }
  T& operator[](size_t i) const { return (*values_)[i]; }
  size_t size() const { return values_->size(); }
  size_t bytes() const { return size() * sizeof(T); }
  const Values<T>& values() const { return *values_; }
  const cl::Buffer& buffer() const { return buffer_; }

 private:
  std::shared_ptr<Values<T>> values_;
  cl::Buffer buffer_;
};

// The same numbers in every run.
inline Array<float> random_floats(size_t count, float low, float high, unsigned seed = 1) {
  std::mt19937 generator(seed);
  Values<float> values(count);
  for (float& value : values)
    value = low + (high - low) * static_cast<float>(generator() >> 8) / 16777216.0f;
  return Array<float>(std::move(values));
}

template <class T>
Array<T> random_integers(size_t count, unsigned seed = 1) {
  std::mt19937_64 generator(seed);
  Values<T> values(count);
  for (T& value : values) value = static_cast<T>(generator());
  return Array<T>(std::move(values));
}

// Every `stride`th element must be as far from expected(i) as `tolerance`, relative to it where it
// is larger than 1, at most; only the share `exceptions` of them need not.
struct Comparison {
  double tolerance = 0;
  size_t stride = 1;
  double exceptions = 0;
};

template <class T, class Expected>
void compare(const Array<T>& results, const Comparison& comparison, const Expected& expected) {
  size_t compared = 0, different = 0;
  std::string first;
  for (size_t i = 0; i < results.size(); i += comparison.stride, ++compared) {
    const double right = static_cast<double>(expected(i)), result = static_cast<double>(results[i]);
    if (std::abs(result - right) <= comparison.tolerance * std::max(1.0, std::abs(right))) continue;
    if (different++ == 0)
      first = "element " + std::to_string(i) + " is " + std::to_string(result) + " instead of " +
              std::to_string(right);
  }
  if (static_cast<double>(different) > comparison.exceptions * static_cast<double>(compared))
    wrong(first + "; " + std::to_string(different) + " of " + std::to_string(compared) +
          " elements are wrong");
}

}  // namespace bench

#endif  // CONCLAVE_TEST_BENCH_KERNELS_ARRAY_H_
