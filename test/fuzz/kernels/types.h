// SPDX-License-Identifier: Apache-2.0
// The arithmetic types of OpenCL C.
#ifndef CONCLAVE_TEST_FUZZ_KERNELS_TYPES_H_
#define CONCLAVE_TEST_FUZZ_KERNELS_TYPES_H_

#include <string>
#include <string_view>
#include <vector>

#include "test/fuzz/kernels/random.h"

namespace conclave::fuzz {

// Each signed type stands before its unsigned one.
enum class Scalar : uint8_t {
  kChar,
  kUchar,
  kShort,
  kUshort,
  kInt,
  kUint,
  kLong,
  kUlong,
  kHalf,
  kFloat,
  kDouble
};

std::string name_of(Scalar scalar);
unsigned bytes_of(Scalar scalar);
bool is_real(Scalar scalar);
bool is_signed(Scalar scalar);
Scalar signed_of(Scalar scalar);    // for a real one the integer of its size
Scalar unsigned_of(Scalar scalar);  // the same

struct Type {
  Scalar scalar = Scalar::kInt;
  unsigned width = 1;

  bool operator==(const Type&) const = default;
  bool real() const { return is_real(scalar); }
  std::string name() const { return name_of(scalar) + (width > 1 ? std::to_string(width) : ""); }
};

// int and uint more often than others.
Scalar random_scalar(Random& random);
Scalar random_integer(Random& random);
// Scalars more often than vectors.
Type random_type(Random& random);
Type random_vector(Random& random);
// One that has no padding: not of width 3.
Type random_packed_type(Random& random);

// A constant with exactly this type, mostly a small one; real ones are exact.
std::string random_literal(Random& random, Type type);
std::string literal(Type type, int value);

}  // namespace conclave::fuzz

#endif  // CONCLAVE_TEST_FUZZ_KERNELS_TYPES_H_
