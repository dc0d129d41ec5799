// SPDX-License-Identifier: Apache-2.0
// The distribution function of the normal distribution (Abramowitz and Stegun, 26.2.17).
float normal_distribution(float x) {
  const float k = 1.0f / (1.0f + 0.2316419f * fabs(x));
  const float sum =
      k * (0.319381530f +
           k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  const float upper = 0.39894228040f * exp(-0.5f * x * x) * sum;
  return x > 0.0f ? 1.0f - upper : upper;
}

__kernel void black_scholes(__global const float* prices, __global const float* strikes,
                            __global const float* years, __global float* calls,
                            __global float* puts, const float interest, const float volatility) {
  const size_t i = get_global_id(0);
  const float price = prices[i], strike = strikes[i], time = years[i];
  const float deviation = volatility * sqrt(time);
  const float d1 =
      (log(price / strike) + (interest + 0.5f * volatility * volatility) * time) / deviation;
  const float d2 = d1 - deviation;
  const float discounted = strike * exp(-interest * time);
  const float n1 = normal_distribution(d1), n2 = normal_distribution(d2);
  calls[i] = price * n1 - discounted * n2;
  puts[i] = discounted * (1.0f - n2) - price * (1.0f - n1);
}
