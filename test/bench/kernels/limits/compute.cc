// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "limits.h"
#include "pack.h"
#include "parallel.h"

namespace bench::limits {

// Three packs of items at once: twelve chains hide the latency of a multiply-add.
void multiply_add(float* out, float factor, int iterations, size_t count) {
  constexpr size_t kPacks = 3, kChains = 4;
  parallel(count, kPacks * kLanes * 64, [=](size_t begin, size_t end) {
    for (size_t i = begin; i < end; i += kPacks * kLanes) {
      Floats x[kPacks][kChains];
      for (size_t p = 0; p < kPacks; ++p)
        for (size_t c = 0; c < kChains; ++c)
          x[p][c] = to_floats(lane_numbers<Ints>() + static_cast<int>(i + p * kLanes)) * 1e-6f +
                    0.25f * static_cast<float>(c);
      for (int k = 0; k < iterations; ++k)
#pragma GCC unroll 3
        for (size_t p = 0; p < kPacks; ++p)
#pragma GCC unroll 4
          for (size_t c = 0; c < kChains; ++c)
            x[p][c] = x[p][c] * factor + 0.125f * static_cast<float>(c + 1);
      for (size_t p = 0; p < kPacks; ++p) {
        const Floats sum = x[p][0] + x[p][1] + x[p][2] + x[p][3];
        for (size_t lane = 0; lane < kLanes && i + p * kLanes + lane < end; ++lane)
          out[i + p * kLanes + lane] = sum[lane];
      }
    }
  });
}

// Two packs of bodies against one other body at a time.
void nbody(const Body* bodies, Body* accelerations, size_t count, float softening) {
  constexpr size_t kPacks = 2;
  parallel(count, kPacks * kLanes, [=](size_t begin, size_t) {
    Floats x[kPacks], y[kPacks], z[kPacks], ax[kPacks]{}, ay[kPacks]{}, az[kPacks]{};
    for (size_t p = 0; p < kPacks; ++p)
      for (size_t lane = 0; lane < kLanes; ++lane) {
        const Body& body = bodies[begin + p * kLanes + lane];
        x[p][lane] = body.x;
        y[p][lane] = body.y;
        z[p][lane] = body.z;
      }
    for (size_t j = 0; j < count; ++j) {
      const Body other = bodies[j];
#pragma GCC unroll 2
      for (size_t p = 0; p < kPacks; ++p) {
        const Floats dx = other.x - x[p], dy = other.y - y[p], dz = other.z - z[p];
        const Floats inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening);
        const Floats pull = other.mass * inverse * inverse * inverse;
        ax[p] += dx * pull;
        ay[p] += dy * pull;
        az[p] += dz * pull;
      }
    }
    for (size_t p = 0; p < kPacks; ++p)
      for (size_t lane = 0; lane < kLanes; ++lane)
        accelerations[begin + p * kLanes + lane] = {ax[p][lane], ay[p][lane], az[p][lane], 0};
  });
}

namespace {

inline float normal_distribution(float x) {
  const float k = 1 / (1 + 0.2316419f * std::fabs(x));
  const float sum =
      k * (0.319381530f +
           k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float upper = 0.39894228040f * std::exp(-0.5f * x * x) * sum;
  return x > 0 ? 1 - upper : upper;
}

}  // namespace

// The compiler makes vectors of this, with glibc's vector functions (libmvec).
void black_scholes(const float* prices, const float* strikes, const float* years, float* calls,
                   float* puts, float interest, float volatility, size_t count) {
  parallel(count, 4096, [=](size_t begin, size_t end) {
#pragma omp simd
    for (size_t i = begin; i < end; ++i) {
      const float deviation = volatility * std::sqrt(years[i]);
      const float d1 = (std::log(prices[i] / strikes[i]) +
                        (interest + 0.5f * volatility * volatility) * years[i]) /
                       deviation;
      const float discounted = strikes[i] * std::exp(-interest * years[i]);
      const float n1 = normal_distribution(d1), n2 = normal_distribution(d1 - deviation);
      calls[i] = prices[i] * n1 - discounted * n2;
      puts[i] = discounted * (1 - n2) - prices[i] * (1 - n1);
    }
  });
}

// Eight packs at once hide the latency of a multiply-add.
void polynomial(const float* x, float* y, const float* coefficients, int degree, size_t count) {
  constexpr size_t kPacks = 8;
  parallel(count, kPacks * kLanes * 64, [=](size_t begin, size_t end) {
    for (size_t i = begin; i < end; i += kPacks * kLanes) {
      Floats value[kPacks], sum[kPacks];
#pragma GCC unroll 8
      for (size_t p = 0; p < kPacks; ++p) {
        value[p] = load<Floats>(x + i + p * kLanes);
        sum[p] = Floats{} + coefficients[degree];
      }
      for (int k = degree - 1; k >= 0; --k)
#pragma GCC unroll 8
        for (size_t p = 0; p < kPacks; ++p) sum[p] = sum[p] * value[p] + coefficients[k];
#pragma GCC unroll 8
      for (size_t p = 0; p < kPacks; ++p) store(y + i + p * kLanes, sum[p]);
    }
  });
}

// The inner loop becomes vectors, with glibc's vector functions (libmvec).
void sin_exp(float* out, float step, int iterations, size_t count) {
  constexpr size_t kBlock = 64;
  parallel(count, kBlock, [=](size_t begin, size_t) {
    float x[kBlock], sum[kBlock] = {};
    for (size_t i = 0; i < kBlock; ++i) x[i] = static_cast<float>(begin + i) * 1e-6f;
    for (int k = 0; k < iterations; ++k)
#pragma omp simd
      for (size_t i = 0; i < kBlock; ++i) {
        sum[i] += std::sin(x[i]) * std::exp(-x[i]) + std::sqrt(x[i]);
        x[i] += step;
      }
    for (size_t i = 0; i < kBlock; ++i) out[begin + i] = sum[i];
  });
}

}  // namespace bench::limits
