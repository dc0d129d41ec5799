// SPDX-License-Identifier: Apache-2.0
#include "test/fuzz/kernels/expressions.h"

#include <algorithm>
#include <cmath>

namespace conclave::fuzz {
namespace {

// In the patterns: $1 $2 $3 are operands of the expression's type $T; $U is the unsigned type to
// compute in, $I the signed integer type with as many bits and components, $V its unsigned one;
// $b is a condition, $c a small positive constant, $l a literal, $0 the type's zero, $n a number
// that is below the type's bits.
const std::vector<std::string> kIntegerScalar = {
    "(($T)(($U)$1 + ($U)$2))",
    "(($T)(($U)$1 + ($U)$2))",
    "(($T)(($U)$1 - ($U)$2))",
    "(($T)(($U)$1 * ($U)$2))",
    "(($T)(($U)$1 * ($U)$2 + ($U)$3))",
    "(($T)(($U)$1 << $n))",
    "(($T)($1 >> $n))",
    "(($T)(($U)$1 << (($U)$2 & 7u)))",
    "(($T)($1 >> (($U)$2 & 7u)))",
    "(($T)($1 / (($2 & 15) + 1)))",
    "(($T)($1 % (($2 & 15) + 1)))",
    "(($T)($1 % $c))",
    "(($T)(($U)$1 / (($U)$2 | 1u)))",
    "(($T)($1 & $2))",
    "(($T)($1 | $2))",
    "(($T)($1 ^ $2))",
    "(($T)~$1)",
    "(($T)(0u - ($U)$1))",
    "(($T)($1 < $2))",
    "(($T)!$1)",
    "(($T)($b ? $1 : $2))",
    "(($T)($b ? $1 : $l))",
    "(($T)($1 < $2 ? $1 : $3))",
    "select($1, $2, ($I)$b)",
    "(($T)($b && $b))",
};
const std::vector<std::string> kIntegerVector = {
    "as_$T(as_$U($1) + as_$U($2))",
    "as_$T(as_$U($1) - as_$U($2))",
    "as_$T(as_$U($1) * as_$U($2))",
    "as_$T(as_$U($1) << (as_$U($2) & ($U)(7)))",
    "($1 >> ($2 & ($T)(7)))",
    "($1 / (($2 & ($T)(15)) + ($T)(1)))",
    "($1 % (($2 & ($T)(7)) + ($T)(1)))",
    "($1 & $2)",
    "($1 ^ ~$2)",
    "as_$T($1 < $2)",
    "as_$T($1 == $2)",
    "($1 > $2 ? $1 : $3)",
    "select($1, $2, $1 <= $3)",
    "select($1, $2, as_$V($3))",
    "($b ? $1 : $2)",
};
const std::vector<std::string> kIntegerBuiltin = {
    "min($1, $2)",
    "max($1, $2)",
    "clamp($1, min($2, $3), max($2, $3))",
    "mul_hi($1, $2)",
    "rotate($1, $2)",
    "popcount($1)",
    "clz($1)",
    "add_sat($1, $2)",
    "sub_sat($1, $2)",
    "hadd($1, $2)",
    "rhadd($1, $2)",
    "as_$T(abs($1))",
    "mad_hi($1, $2, $3)",
    "as_$T(abs_diff($1, $2))",
    "mad_sat($1, $2, $3)",
};
const std::vector<std::string> kInteger32 = {
    "mad24($1 & ($T)(0x7fff), $2 & ($T)(0xfff), $3 / ($T)(2))",
    "mul24($1 & ($T)(0x7fff), $2 & ($T)(0xfff))",
};

struct RealPattern {
  std::string text;
  double (*bound)(double a, double b, double c);
};
double sum(double a, double b, double) {
  return a + b;
}
double product(double a, double b, double c) {
  return a * b + c;
}
double largest(double a, double b, double c) {
  return std::max({a, b, c, 20.0});
}
double scaled(double a, double, double) {
  return 16 * a + 16;
}
// The signs of zero results are left open in min and max: so no operand is -0.
const std::vector<RealPattern> kReal = {
    {"($1 + $2)", sum},
    {"($1 - $2)", sum},
    {"($1 * $2)", product},
    {"($1 * $2 + $3)", product},
    {"fma($1, $2, $3)", product},
    {"(-$1)", largest},
    {"fabs($1)", largest},
    {"floor($1)", scaled},
    {"ceil($1)", scaled},
    {"trunc($1)", scaled},
    {"rint($1)", scaled},
    {"sqrt(fabs($1))", scaled},
    {"ldexp($1, 3)", scaled},
    {"fmin($1 + $0, $2 + $0)", largest},
    {"fmax($1 + $0, $2 + $0)", largest},
    {"min($1 + $0, $2 + $0)", largest},
    {"max($1 + $0, $2 + $0)", largest},
    {"step($1, $2)", largest},
    {"($b ? $1 : $2)", largest},
    {"($1 < $2 ? $1 : $3)", largest},
    {"select($1, $2, isgreater($1, $3))", largest},
    {"select($1, $2, isequal($2, $3))", largest},
};
const std::vector<std::string> kComparisons = {"<", "<=", ">", ">=", "==", "!="};
const std::vector<std::string> kRealComparisons = {"isequal", "isnotequal", "isless",
                                                   "isgreaterequal"};

// The type that arithmetic on integers of type `type` is done in: no narrower than int for scalars,
// which would be promoted to the signed int.
Type arithmetic_type(Type type) {
  Scalar scalar = unsigned_of(type.scalar);
  if (type.width == 1 && bytes_of(scalar) < 4) scalar = Scalar::kUint;
  return {scalar, type.width};
}

std::string component(unsigned index) {
  return {"0123456789abcdef"[index]};
}

// What is below it is no infinity, and no operand becomes one or NaN.
double limit_of(Type type) {
  return type.scalar == Scalar::kHalf ? 6e4 : 1e12;
}

std::string clamped(Type type, const std::string& text) {
  return "clamp(" + text + ", " + literal(type, -kBound) + ", " + literal(type, kBound) + ")";
}

}  // namespace

std::string random_swizzle(Random& random, unsigned from, unsigned to) {
  std::string result = ".s";
  for (unsigned i = 0; i < to; ++i) result += component(random.below(from));
  return result;
}

Value Expressions::make(Type type, unsigned depth) {
  if (depth == 0 || random_.chance(12)) return leaf(type, depth);
  unsigned kind = random_.below(100);
  if (kind < 12) return converted(type, depth);
  if (kind < 30 && type.width > 1) return {vector(type, depth), kBound};
  if (kind < 18 && !uniform_ && !scope_.callees.empty()) {
    const Callee& callee = random_.pick(scope_.callees);
    Value value = call(callee, depth);
    std::string text = convert(value.text, callee.result, type);
    return {type.real() ? clamped(type, text) : text, kBound};
  }
  Value value = type.real() ? real(type, depth) : integer(type, depth);
  if (type.real() && value.bound > limit_of(type)) value = {clamped(type, value.text), kBound};
  return value;
}

std::string Expressions::stored(Type type, unsigned depth) {
  Value value = make(type, depth);
  return type.real() && value.bound > kBound ? clamped(type, value.text) : value.text;
}

Value Expressions::integer(Type type, unsigned depth) {
  unsigned kind = random_.below(10);
  const std::vector<std::string>* list = type.width == 1 ? &kIntegerScalar : &kIntegerVector;
  if (kind < 3) list = &kIntegerBuiltin;
  if (kind == 3 && bytes_of(type.scalar) == 4) list = &kInteger32;
  std::map<char, Value> operands;
  return {expand(random_.pick(*list), type, depth, operands)};
}

Value Expressions::real(Type type, unsigned depth) {
  if (random_.chance(6)) return real_from_bits(type, depth);
  const RealPattern& pattern = random_.pick(kReal);
  // A condition of a vector chooses whole components; scalars' select() wants the integer's size.
  if (type.width == 1 && pattern.text.starts_with("select")) return converted(type, depth);
  std::map<char, Value> operands;
  std::string text = expand(pattern.text, type, depth, operands);
  return {text, pattern.bound(operands['1'].bound, operands['2'].bound, operands['3'].bound)};
}

// In [1, 2), made of random bits.
Value Expressions::real_from_bits(Type type, unsigned depth) {
  Type bits = {unsigned_of(type.scalar), type.width};
  const bool single = type.scalar == Scalar::kFloat, half = type.scalar == Scalar::kHalf;
  std::string fraction = half ? "0x3ffu" : single ? "0x7fffffu" : "0xffffffffffffful";
  std::string one = half ? "0x3c00u" : single ? "0x3f800000u" : "0x3ff0000000000000ul";
  std::string text = make(bits, depth - 1).text;
  return {"as_" + type.name() + "((" + bits.name() + ")((" + text + " & (" + bits.name() + ")(" +
              fraction + ")) | (" + bits.name() + ")(" + one + ")))",
          2};
}

Value Expressions::converted(Type type, unsigned depth) {
  Type from = random_type(random_);
  // The bits of a real number.
  if (!type.real() && random_.chance(20) && bytes_of(type.scalar) >= 2) {
    const unsigned bytes = bytes_of(type.scalar);
    Scalar real = bytes == 2 ? Scalar::kHalf : bytes == 4 ? Scalar::kFloat : Scalar::kDouble;
    return {"as_" + type.name() + "(" + stored({real, type.width}, depth - 1) + ")"};
  }
  if (type.real() && !from.real()) {
    std::string mask = literal(from, 127);
    std::string text = "((" + from.name() + ")(" + make(from, depth - 1).text + " & " + mask + "))";
    return {convert(text, from, type), 128};
  }
  std::string text = stored(from, depth - 1);
  return {convert(text, from, type), kBound};
}

Value Expressions::call(const Callee& callee, unsigned depth) {
  std::string text = callee.name + "(";
  for (size_t i = 0; i < callee.parameters.size(); ++i)
    text += (i == 0 ? "" : ", ") + stored(callee.parameters[i], depth / 2);
  return {text + ")", kBound};
}

std::string Expressions::vector(Type type, unsigned depth) {
  if (random_.chance(40)) {
    std::string text = stored(type, depth - 1);
    return "(" + text + ")" + random_swizzle(random_, type.width, type.width);
  }
  if (random_.chance(25) && type.width != 3) {
    Type mask = {unsigned_of(type.scalar), type.width};
    std::string text = stored(type, depth - 1);
    std::string second = stored(type, depth - 1);
    return "shuffle2(" + text + ", " + second + ", " + make(mask, depth - 1).text + ")";
  }
  std::string text = "((" + type.name() + ")(";
  for (unsigned i = 0; i < type.width;) {
    unsigned width = type.width % 2 == 0 && i % 2 == 0 && random_.chance(50) ? 2 : 1;
    text += (i == 0 ? "" : ", ") + stored({type.scalar, width}, depth > 2 ? 1 : 0);
    i += width;
  }
  return text + "))";
}

Value Expressions::leaf(Type type, unsigned depth) {
  std::vector<const Place*> usable, exact;
  for (const Place& place : scope_.places) {
    if (uniform_ && !place.uniform) continue;
    usable.push_back(&place);
    if (place.type == type) exact.push_back(&place);
  }
  if (usable.empty() || random_.chance(20)) return {random_literal(random_, type), 200};
  const Place& from = *random_.pick(!exact.empty() && random_.chance(75) ? exact : usable);
  std::string text = convert(place(from, depth), from.type, type);
  if (!type.real()) return {text};
  if (from.type.real()) return {text, kBound};
  // The longest integers' squares are out of a float's range, most integers out of a half's.
  const unsigned most_bytes = type.scalar == Scalar::kHalf ? 1 : 4;
  if (bytes_of(from.type.scalar) > most_bytes) return {clamped(type, text), kBound};
  return {text, 0x1p32};
}

std::string Expressions::condition(unsigned depth) {
  unsigned kind = random_.below(depth > 0 ? 12 : 6);
  Type type = {random_scalar(random_), 1};
  if (kind >= 10) {
    std::string first = condition(depth - 1);
    std::string second = condition(depth - 1);
    return "(" + first + (kind == 10 ? " && " : " || ") + second + ")";
  }
  if (kind >= 8 && depth > 0) {
    Type vector = random_vector(random_);
    std::string first = make(vector, depth - 1).text;
    std::string second = make(vector, depth - 1).text;
    return (kind == 8 ? "any(" : "all(") + first + " " + random_.pick(kComparisons) + " " + second +
           ")";
  }
  if (kind < 4) {
    std::string mask = std::to_string(random_.between(1, 7));
    Type integer = {random_integer(random_), 1};
    return "((" + make(integer, depth).text + " & " + mask + ") != 0)";
  }
  unsigned below = depth > 0 ? depth - 1 : 0;
  std::string first = make(type, below).text;
  std::string second = make(type, below).text;
  if (type.real() && random_.chance(40))
    return random_.pick(kRealComparisons) + "(" + first + ", " + second + ")";
  return "(" + first + " " + random_.pick(kComparisons) + " " + second + ")";
}

std::string Expressions::masked(unsigned power_of_two, unsigned depth) {
  Type type = {random_integer(random_), 1};
  std::string mask =
      std::to_string(std::min(power_of_two, bytes_of(type.scalar) == 1 ? 128u : power_of_two) - 1);
  return "(" + make(type, depth).text + " & " + mask + ")";
}

// Now and then a neighbour's index that is kept inside. Its numbers are a copy's, so that kernels
// of old seeds stay what they were but for that.
std::string Expressions::clamped_index() {
  static const std::vector<std::string> kForms = {
      "clamp((int)$ - #, 0, 511)",           "clamp((int)$ + # - 3, 0, n & 511)",
      "min(max((int)$ + # - m, m), 2000)",   "min((uint)$ - #, 511u)",
      "min((ulong)$ + #, (ulong)(n & 511))", "max(2 * (int)$ - #, m)",
      "((int)$ < # ? 0 : (int)$ - #)",       "max(min((long)$ + m - #, 300L), 1L)",
  };
  Random random = random_;
  if (!random.chance(10)) return {};
  std::string text = random.pick(kForms);
  const std::string number = std::to_string(random.below(5));
  const std::string id =
      scope_.linear_id.empty() || random.chance(50) ? "get_global_id(0)" : scope_.linear_id;
  for (size_t hole; (hole = text.find_first_of("$#")) != std::string::npos;)
    text.replace(hole, 1, text[hole] == '$' ? id : number);
  return text;
}

std::string Expressions::input_index(unsigned depth) {
  static const std::vector<std::string> kForms = {
      "$", "$", "$ + m", "$ + 1", "511 - $", "511 + m - $", "$ * 2", "$ * 3 + m", "$ * 4 + 2", "m",
  };
  if (uniform_) return random_.chance(50) ? "m" : std::to_string(random_.below(kMaxItems));
  if (const std::string neighbour = clamped_index(); !neighbour.empty()) return neighbour;
  unsigned kind = random_.below(10);
  if (kind < 2 && depth > 0) return masked(kMaxItems << random_.below(3), depth - 1);
  if (kind < 4) return std::to_string(random_.below(8)) + " + get_global_id(0)";
  if (scope_.linear_id.empty()) return "get_local_id(0)";
  std::string form = random_.pick(kForms);
  size_t hole = form.find('$');
  return hole == std::string::npos ? form : form.replace(hole, 1, scope_.linear_id);
}

std::string Expressions::place(const Place& place, unsigned depth) {
  unsigned below = depth > 0 ? depth - 1 : 0;
  auto element = [&](unsigned length) {
    bool constant = random_.chance(50);
    return constant ? std::to_string(random_.below(length)) : masked(length, below);
  };
  switch (place.index) {
    case Index::kNone:
      return place.before;
    case Index::kArray:
      return place.before + element(kArrayLength) + place.after;
    case Index::kTable:
      return place.before + element(kTableLength) + place.after;
    case Index::kInput:
      return place.before + input_index(depth) + place.after;
    case Index::kSlot:
      return place.before + element(kSlots) + place.after;
  }
  return {};
}

std::string Expressions::expand(const std::string& pattern, Type type, unsigned depth,
                                std::map<char, Value>& operands) {
  std::string result;
  Type bits = {signed_of(type.scalar), type.width};
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '$') {
      result += pattern[i];
      continue;
    }
    char what = pattern[++i];
    if (what >= '1' && what <= '3') {
      if (!operands.contains(what)) operands[what] = make(type, depth - 1);
      result += operands[what].text;
    } else if (what == 'T') {
      result += type.name();
    } else if (what == 'U') {
      result += arithmetic_type(type).name();
    } else if (what == 'I') {
      result += bits.name();
    } else if (what == 'V') {
      result += Type{unsigned_of(type.scalar), type.width}.name();
    } else if (what == 'b') {
      result += condition(depth - 1);
    } else if (what == 'c') {
      result += literal(type, static_cast<int>(random_.between(1, 12)));
    } else if (what == 'n') {
      result += std::to_string(random_.below(size_t{8} * bytes_of(type.scalar)));
    } else if (what == '0') {
      result += literal(type, 0);
    } else {
      result += random_literal(random_, type);
    }
  }
  return result;
}

std::string Expressions::convert(const std::string& text, Type from, Type to) {
  if (from == to) return text;
  if (from.width == to.width) return convert_scalars(text, from, to);
  if (to.width == 1 || from.width > to.width) {
    // Not only of variables: any expression has components.
    std::string parts = "(" + text + ")" + random_swizzle(random_, from.width, to.width);
    return convert_scalars(parts, {from.scalar, to.width}, to);
  }
  std::string one =
      from.width == 1 ? text : "(" + text + ")" + random_swizzle(random_, from.width, 1);
  std::string scalar = convert_scalars(one, {from.scalar, 1}, {to.scalar, 1});
  return "((" + to.name() + ")(" + scalar + "))";
}

std::string Expressions::convert_scalars(const std::string& text, Type from, Type to) {
  static const std::vector<std::string> kRoundings = {"", "", "_rte", "_rtz", "_rtp", "_rtn"};
  if (from.scalar == to.scalar) return text;
  if (to.real()) return "convert_" + to.name() + "(" + text + ")";
  if (from.real())
    return "convert_" + to.name() + "_sat" + random_.pick(kRoundings) + "(" + text + ")";
  unsigned kind = random_.below(6);
  if (kind == 0) return "convert_" + to.name() + "_sat(" + text + ")";
  if (kind == 1 && bytes_of(from.scalar) == bytes_of(to.scalar))
    return "as_" + to.name() + "(" + text + ")";
  if (kind < 4 || to.width > 1) return "convert_" + to.name() + "(" + text + ")";
  return "((" + to.name() + ")(" + text + "))";
}

}  // namespace conclave::fuzz
