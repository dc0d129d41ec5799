// SPDX-License-Identifier: Apache-2.0
#include "test/fuzz/kernels/types.h"

namespace conclave::fuzz {
namespace {

Scalar scalar_at(unsigned index) {
  return static_cast<Scalar>(index);
}
unsigned index_of(Scalar scalar) {
  return static_cast<unsigned>(scalar);
}

// As C has it: all bits of an integer, whatever its sign.
std::string any_integer(Random& random, Scalar scalar) {
  uint64_t high = random.bits();
  uint64_t value = (high << 32 | random.bits()) >> (64 - 8 * bytes_of(scalar));
  return std::to_string(value) + (bytes_of(scalar) == 8 ? "ul" : "u");
}

std::string cast(Type type, const std::string& text) {
  return "((" + type.name() + ")(" + text + "))";
}

std::string real_text(Scalar scalar, const std::string& digits) {
  return digits + (scalar == Scalar::kHalf ? "h" : scalar == Scalar::kFloat ? "f" : "");
}

}  // namespace

std::string name_of(Scalar scalar) {
  static constexpr const char* kNames[] = {"char", "uchar", "short", "ushort", "int",   "uint",
                                           "long", "ulong", "half",  "float",  "double"};
  return kNames[index_of(scalar)];
}

unsigned bytes_of(Scalar scalar) {
  if (is_real(scalar)) return 2u << (index_of(scalar) - index_of(Scalar::kHalf));
  return 1u << (index_of(scalar) / 2);
}

bool is_real(Scalar scalar) {
  return scalar >= Scalar::kHalf;
}

bool is_signed(Scalar scalar) {
  return is_real(scalar) || index_of(scalar) % 2 == 0;
}

Scalar signed_of(Scalar scalar) {
  if (scalar == Scalar::kHalf) return Scalar::kShort;
  if (scalar == Scalar::kFloat) return Scalar::kInt;
  if (scalar == Scalar::kDouble) return Scalar::kLong;
  return scalar_at(index_of(scalar) & ~1u);
}

Scalar unsigned_of(Scalar scalar) {
  return scalar_at(index_of(signed_of(scalar)) + 1);
}

Scalar random_integer(Random& random) {
  if (random.chance(55)) return random.chance(50) ? Scalar::kInt : Scalar::kUint;
  return scalar_at(random.below(8));
}

Scalar random_scalar(Random& random) {
  if (random.chance(70)) return random_integer(random);
  if (random.chance(20)) return Scalar::kHalf;
  return random.chance(65) ? Scalar::kFloat : Scalar::kDouble;
}

Type random_vector(Random& random) {
  static const std::vector<unsigned> kWidths = {2, 2, 3, 4, 4, 4, 8, 16};
  Scalar scalar = random_scalar(random);
  return {scalar, random.pick(kWidths)};
}

Type random_type(Random& random) {
  if (random.chance(25)) return random_vector(random);
  return {random_scalar(random), 1};
}

Type random_packed_type(Random& random) {
  Type type = random_type(random);
  if (type.width == 3) type.width = 4;
  return type;
}

std::string literal(Type type, int value) {
  if (type == Type{Scalar::kInt, 1})
    return value < 0 ? cast(type, std::to_string(value)) : std::to_string(value);
  if (!type.real()) return cast(type, std::to_string(value));
  std::string digits = real_text(type.scalar, std::to_string(value) + ".0");
  return type.width == 1 && value >= 0 ? digits : cast(type, digits);
}

std::string random_literal(Random& random, Type type) {
  int small = static_cast<int>(random.below(20)) - (is_signed(type.scalar) ? 4 : 0);
  if (random.chance(70)) return literal(type, small);
  if (!type.real()) return cast(type, any_integer(random, type.scalar));
  std::string digits = std::to_string(small * 8) + (random.chance(50) ? ".25" : ".5");
  return cast(type, real_text(type.scalar, digits));
}

}  // namespace conclave::fuzz
