// SPDX-License-Identifier: Apache-2.0
// Kernels expect the default floating-point environment: round to nearest, no traps, denormals
// kept. A host thread that runs commands may have another one. This guard sets the default and
// restores the former one.
#ifndef CONCLAVE_PLATFORM_BASE_FLOAT_ENVIRONMENT_H_
#define CONCLAVE_PLATFORM_BASE_FLOAT_ENVIRONMENT_H_

#if defined(__x86_64__)
#include <xmmintrin.h>
#else
#include <cfenv>
#endif

namespace conclave {

class FloatEnvironment {
 public:
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

#if defined(__x86_64__)
  FloatEnvironment() : saved_(_mm_getcsr()) {
    if (saved_ != kDefault) _mm_setcsr(kDefault);
  }
  ~FloatEnvironment() {
    if (saved_ != kDefault) _mm_setcsr(saved_);
  }
  // For a thread that has such an object, if somebody may have changed its environment since.
  static void set_default() { _mm_setcsr(kDefault); }

 private:
  static constexpr unsigned kDefault = 0x1f80;  // all exceptions masked, nothing else
  unsigned saved_;
#else
  FloatEnvironment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~FloatEnvironment() { std::fesetenv(&saved_); }
  static void set_default() { std::fesetenv(FE_DFL_ENV); }

 private:
  std::fenv_t saved_;
#endif
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_FLOAT_ENVIRONMENT_H_
