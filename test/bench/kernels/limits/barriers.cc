// SPDX-License-Identifier: Apache-2.0
// What work-groups do together, one thread does alone: no barriers.
#include <algorithm>

#include "limits.h"
#include "pack.h"
#include "parallel.h"

namespace bench::limits {

void reduce(const float* in, float* sums, size_t count) {
  parallel(count / kReduceGroup, 64, [=](size_t begin, size_t end) {
    for (size_t group = begin; group < end; ++group) {
      const float* from = in + group * kReduceGroup;
      Floats sum[4]{};
      for (size_t i = 0; i < kReduceGroup; i += 4 * kLanes)
#pragma GCC unroll 4
        for (size_t k = 0; k < 4; ++k) sum[k] += load<Floats>(from + i + k * kLanes);
      sums[group] = total((sum[0] + sum[1]) + (sum[2] + sum[3]));
    }
  });
}

// One addition after the other keeps up with memory.
void scan(const int32_t* in, int32_t* out, size_t count) {
  parallel(count / kScanGroup, 64, [=](size_t begin, size_t end) {
    for (size_t group = begin; group < end; ++group) {
      uint32_t sum = 0;
      for (size_t i = group * kScanGroup; i < (group + 1) * kScanGroup; ++i)
        out[i] = static_cast<int32_t>(sum += static_cast<uint32_t>(in[i]));
    }
  });
}

// As many rows as there are lanes are sorted at once, by the same network as the kernel's. Fewer
// comparisons would do (Batcher's odd-even merge sort).
void bitonic_sort(const uint32_t* in, uint32_t* out, size_t count) {
  parallel(count / kSortKeys, kLanes, [=](size_t begin, size_t end) {
    alignas(kBytes) static thread_local Uints keys[kSortKeys];
    for (size_t row = begin; row < end; ++row)
      for (size_t i = 0; i < kSortKeys; ++i) keys[i][row - begin] = in[row * kSortKeys + i];
    for (size_t size = 2; size <= kSortKeys; size *= 2)
      for (size_t stride = size / 2; stride > 0; stride /= 2)
        for (size_t block = 0; block < kSortKeys; block += 2 * stride) {
          const bool descending = (block & size) != 0;
          Uints* lower = keys + block + (descending ? stride : 0);
          Uints* upper = keys + block + (descending ? 0 : stride);
          for (size_t i = 0; i < stride; ++i) {
            const Uints a = lower[i], b = upper[i];
            lower[i] = a < b ? a : b;
            upper[i] = a < b ? b : a;
          }
        }
    for (size_t row = begin; row < end; ++row)
      for (size_t i = 0; i < kSortKeys; ++i) out[row * kSortKeys + i] = keys[i][row - begin];
  });
}

// Eight histograms by turns, so that equal neighbours need not wait for each other.
void histogram(const uint8_t* data, uint32_t* totals, size_t count) {
  parallel(count, 1 << 18, [=](size_t begin, size_t end) {
    uint32_t bins[8][256] = {};
    for (size_t i = begin; i < end; i += 8) {
      const auto bytes = load<uint64_t>(data + i);
#pragma GCC unroll 8
      for (size_t k = 0; k < 8; ++k) ++bins[k][bytes >> (8 * k) & 255];
    }
    for (size_t bin = 0; bin < 256; ++bin) {
      uint32_t sum = 0;
      for (const auto& one : bins) sum += one[bin];
      __atomic_fetch_add(&totals[bin], sum, __ATOMIC_RELAXED);
    }
  });
}

namespace {

struct ComplexPack {
  Eight re, im;
};
ComplexPack operator+(ComplexPack a, ComplexPack b) {
  return {a.re + b.re, a.im + b.im};
}
ComplexPack operator-(ComplexPack a, ComplexPack b) {
  return {a.re - b.re, a.im - b.im};
}
ComplexPack operator*(ComplexPack a, ComplexPack b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
ComplexPack times_minus_i(ComplexPack a) {
  return {a.im, -a.re};
}

// The transforms of eight numbers each, in place.
inline void transform_8(ComplexPack (&x)[8]) {
  constexpr float kRoot = 0.70710678f;
  const ComplexPack a0 = x[0] + x[4], a1 = x[0] - x[4], a2 = x[2] + x[6],
                    a3 = times_minus_i(x[2] - x[6]);
  const ComplexPack b0 = x[1] + x[5], b1 = x[1] - x[5], b2 = x[3] + x[7],
                    b3 = times_minus_i(x[3] - x[7]);
  const ComplexPack even[] = {a0 + a2, a1 + a3, a0 - a2, a1 - a3};
  const ComplexPack o1 = b1 + b3, o3 = b1 - b3;
  const ComplexPack odd[] = {b0 + b2,
                             {kRoot * (o1.re + o1.im), kRoot * (o1.im - o1.re)},
                             times_minus_i(b0 - b2),
                             {kRoot * (o3.im - o3.re), -kRoot * (o3.re + o3.im)}};
#pragma GCC unroll 4
  for (int q = 0; q < 4; ++q) {
    x[q] = even[q] + odd[q];
    x[q + 4] = even[q] - odd[q];
  }
}

constexpr size_t kEighth = kFftPoints / 8;

// Real and imaginary parts apart.
struct Row {
  alignas(32) float re[kFftPoints], im[kFftPoints];
  ComplexPack at(size_t i) const { return {load<Eight>(re + i), load<Eight>(im + i)}; }
  void set(size_t i, ComplexPack value) {
    store(re + i, value.re);
    store(im + i, value.im);
  }
};

// exp(-2 pi i k p / (8 width)) for the inputs p = 0 .. 7 and k = 0 .. width - 1.
struct Twiddles {
  Twiddles(const Complex* roots, size_t width) {
    for (size_t p = 0; p < 8; ++p)
      for (size_t k = 0; k < width; ++k) {
        // `roots` has half of the circle.
        const size_t index = k * p * (kEighth / width), half = kFftPoints / 2;
        const float sign = index < half ? 1.0f : -1.0f;
        of_input[p].re[k] = sign * roots[index % half].re;
        of_input[p].im[k] = sign * roots[index % half].im;
      }
  }
  Row of_input[8];
};

void read_row(const Complex* in, Row& row) {
  for (size_t i = 0; i < kFftPoints; ++i) {
    row.re[i] = in[i].re;
    row.im[i] = in[i].im;
  }
}

// The first pass needs no factors, and its results lie across.
void first_pass(const Row& from, Row& to) {
  for (size_t j = 0; j < kEighth; j += 8) {
    ComplexPack x[8];
    for (size_t p = 0; p < 8; ++p) x[p] = from.at(j + p * kEighth);
    transform_8(x);
    Eight re[8], im[8];
    for (size_t q = 0; q < 8; ++q) {
      re[q] = x[q].re;
      im[q] = x[q].im;
    }
    transpose(re);
    transpose(im);
    for (size_t lane = 0; lane < 8; ++lane) to.set(8 * (j + lane), {re[lane], im[lane]});
  }
}

template <size_t kWidth>
void later_pass(const Row& from, Row& to, const Twiddles& twiddles) {
  for (size_t j = 0; j < kEighth; j += 8) {
    const size_t k = j % kWidth;
    ComplexPack x[8];
    x[0] = from.at(j);
    for (size_t p = 1; p < 8; ++p) x[p] = from.at(j + p * kEighth) * twiddles.of_input[p].at(k);
    transform_8(x);
    for (size_t q = 0; q < 8; ++q) to.set(8 * (j - k) + k + q * kWidth, x[q]);
  }
}

}  // namespace

// In three passes of radix 8, where the kernel has nine of radix 2.
void fft(const Complex* in, Complex* out, const Complex* roots, size_t rows) {
  const Twiddles second(roots, 8), third(roots, 64);
  parallel(rows, 32, [&](size_t begin, size_t end) {
    Row a, b;
    for (size_t row = begin; row < end; ++row) {
      read_row(in + row * kFftPoints, a);
      first_pass(a, b);
      later_pass<8>(b, a, second);
      later_pass<64>(a, b, third);
      Complex* to = out + row * kFftPoints;
      for (size_t i = 0; i < kFftPoints; ++i) to[i] = {b.re[i], b.im[i]};
    }
  });
}

}  // namespace bench::limits
