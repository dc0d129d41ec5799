// SPDX-License-Identifier: Apache-2.0
// Kernels whose work-items wait for each other and share local memory.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "bitonic_sort.cl.h"
#include "fft.cl.h"
#include "histogram.cl.h"
#include "kernel_case.h"
#include "limits/limits.h"
#include "reduce.cl.h"
#include "scan.cl.h"

namespace bench {
namespace {

Problem reduce() {
  constexpr size_t kGroup = limits::kReduceGroup;
  const size_t count = sized(8 << 20, 1 << 14);
  const Array<float> in = random_floats(count, -1, 1), sums(count / kGroup);
  const auto expected = [=](size_t group) {
    double sum = 0;
    for (size_t i = 0; i < kGroup; ++i) sum += in[group * kGroup + i];
    return sum;
  };
  return {kernel(reduce_source, "reduce", in, sums, cl::Local(kGroup * sizeof(float))),
          cl::NDRange(count),
          cl::NDRange(kGroup),
          static_cast<double>(count),
          [=] { sums.fetch(); },
          [=] { compare(sums, {1e-5}, expected); },
          [=] { limits::reduce(in.data(), sums.data(), count); }};
}

Problem scan() {
  constexpr size_t kGroup = limits::kScanGroup;
  const size_t count = sized(4 << 20, 1 << 14);
  const Array<int32_t> in = random_integers<int32_t>(count), out(count);
  return {kernel(scan_source, "scan", in, out),
          cl::NDRange(count),
          cl::NDRange(kGroup),
          static_cast<double>(count),
          [=] { out.fetch(); },
          [=] {
            uint32_t sum = 0;  // compare() asks for one element after the other
            compare(out, {}, [&](size_t i) {
              if (i % kGroup == 0) sum = 0;
              return static_cast<int32_t>(sum += static_cast<uint32_t>(in[i]));
            });
          },
          [=] { limits::scan(in.data(), out.data(), count); }};
}

Problem bitonic_sort() {
  constexpr size_t kKeys = limits::kSortKeys;
  const size_t count = sized(1 << 20, 1 << 14);
  const Array<uint32_t> in = random_integers<uint32_t>(count), out(count);
  return {kernel(bitonic_sort_source, "bitonic_sort", in, out),
          cl::NDRange(count / 2),
          cl::NDRange(kKeys / 2),
          static_cast<double>(count),
          [=] { out.fetch(); },
          [=] {
            Values<uint32_t> sorted = in.values();
            for (auto row = sorted.begin(); row != sorted.end(); row += kKeys)
              std::sort(row, row + kKeys);
            compare(out, {}, [&](size_t i) { return sorted[i]; });
          },
          [=] { limits::bitonic_sort(in.data(), out.data(), count); }};
}

// Bytes of which some are much more frequent than others, as in pictures.
Problem histogram() {
  constexpr size_t kGroup = 128, kPerItem = 64;
  const size_t count = sized(16 << 20, 1 << 18);
  const Array<uint8_t> data = [=] {
    Values<uint8_t> values = random_integers<uint8_t>(count).values();
    for (uint8_t& value : values) value = static_cast<uint8_t>(value * value >> 8);
    return Array<uint8_t>(std::move(values));
  }();
  const Array<uint32_t> totals(256);
  return {kernel(histogram_source, "histogram", data, totals),
          cl::NDRange(count / kPerItem),
          cl::NDRange(kGroup),
          static_cast<double>(count),
          [=] { totals.fetch(); },
          [=] {
            std::vector<uint32_t> counts(256);
            for (const uint8_t value : data.values()) ++counts[value];
            compare(totals, {}, [&](size_t bin) { return counts[bin]; });
          },
          [=] { limits::histogram(data.data(), totals.data(), count); }};
}

// 5 n log2(n) operations, as is usual.
Problem fft() {
  constexpr size_t kPoints = limits::kFftPoints;
  const size_t rows = sized(4096, 32), count = rows * kPoints;
  const Array<float> in = random_floats(2 * count, -1, 1), out(2 * count);
  Values<float> values(kPoints);
  for (size_t k = 0; k < kPoints / 2; ++k) {
    const double angle = -2 * std::numbers::pi * static_cast<double>(k) / kPoints;
    values[2 * k] = static_cast<float>(std::cos(angle));
    values[2 * k + 1] = static_cast<float>(std::sin(angle));
  }
  const Array<float> roots(std::move(values));
  // The definition.
  const auto expected = [=](size_t element) {
    const size_t row = element / 2 / kPoints, frequency = element / 2 % kPoints;
    double sum = 0;
    for (size_t i = 0; i < kPoints; ++i) {
      const double angle =
          -2 * std::numbers::pi * static_cast<double>(i * frequency % kPoints) / kPoints;
      const double re = in[2 * (row * kPoints + i)], im = in[2 * (row * kPoints + i) + 1];
      sum += element % 2 == 0 ? re * std::cos(angle) - im * std::sin(angle)
                              : re * std::sin(angle) + im * std::cos(angle);
    }
    return sum;
  };
  return {kernel(fft_source, "fft", in, out, roots),
          cl::NDRange(count / 2),
          cl::NDRange(kPoints / 2),
          5.0 * static_cast<double>(count) * std::log2(kPoints),
          [=] { out.fetch(); },
          [=] { compare(out, {1e-4, 1009}, expected); },
          [=] {
            limits::fft(reinterpret_cast<const limits::Complex*>(in.data()),
                        reinterpret_cast<limits::Complex*>(out.data()),
                        reinterpret_cast<const limits::Complex*>(roots.data()), rows);
          }};
}

}  // namespace

KernelClass barrier_kernels() {
  return {"barriers",
          {{"reduce", "M items/s", reduce},
           {"scan", "M items/s", scan},
           {"bitonic_sort", "M items/s", bitonic_sort},
           {"histogram", "M items/s", histogram},
           {"fft", "GFLOP/s", fft}}};
}

}  // namespace bench
