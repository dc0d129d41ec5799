// SPDX-License-Identifier: Apache-2.0
// Random expressions of OpenCL C with one defined value each.
//
// Signed arithmetic is done in unsigned types; divisors are positive; shift counts are below the
// bits. Real numbers stay finite: each expression carries a bound of its magnitude, and is clamped
// where the bound grows. What remains is exact in IEEE arithmetic without contraction.
#ifndef CONCLAVE_TEST_FUZZ_KERNELS_EXPRESSIONS_H_
#define CONCLAVE_TEST_FUZZ_KERNELS_EXPRESSIONS_H_

#include <map>
#include <string>
#include <vector>

#include "test/fuzz/kernels/random.h"
#include "test/fuzz/kernels/types.h"

namespace conclave::fuzz {

// Elements of private arrays and of constant tables, slots that a work-item owns in each output.
constexpr unsigned kArrayLength = 8;
constexpr unsigned kTableLength = 16;
constexpr unsigned kSlots = 4;
// Work-items have linear ids below this; inputs have more than four times as many elements.
constexpr unsigned kMaxItems = 512;
constexpr unsigned kInputLength = 4 * kMaxItems + 64;
// The bound of all real numbers in memory and in variables.
constexpr int kBound = 1024;

struct Value {
  std::string text;
  double bound = 0;  // of the magnitude, real numbers only
};

// How a place is told from its neighbours.
enum class Index : uint8_t { kNone, kArray, kTable, kInput, kSlot };

// Something that is read, and perhaps written, like "v3", "in0[...]" or "r0.f2".
struct Place {
  std::string before, after;  // of the index
  Type type;
  Index index = Index::kNone;
  bool writable = false;
  bool uniform = false;  // the same for all work-items of a group
};

struct Callee {
  std::string name;
  Type result;
  std::vector<Type> parameters;
};

// What an expression may use.
struct Scope {
  std::vector<Place> places;
  std::vector<Callee> callees;
  // Work-items' linear id; empty in functions other than the kernel.
  std::string linear_id;
};

class Expressions {
 public:
  Expressions(Random& random, Scope& scope) : random_(random), scope_(scope) {}

  // `depth` bounds the operators above one another.
  Value make(Type type, unsigned depth);
  // Real ones bounded, so that they can be stored.
  std::string stored(Type type, unsigned depth);
  // An expression of type int or bool.
  std::string condition(unsigned depth);
  // An integer in [0, 2^n).
  std::string masked(unsigned power_of_two, unsigned depth);
  // The place with an index inside of it.
  std::string place(const Place& place, unsigned depth);
  std::string convert(const std::string& text, Type from, Type to);
  // A literal, a variable, an element: no operator.
  Value leaf(Type type, unsigned depth);

  // While one exists, expressions are the same for all work-items of a group.
  class OnlyUniform {
   public:
    OnlyUniform(Expressions& expressions, bool uniform)
        : expressions_(expressions), before_(expressions.uniform_) {
      expressions_.uniform_ |= uniform;
    }
    OnlyUniform(const OnlyUniform&) = delete;
    OnlyUniform& operator=(const OnlyUniform&) = delete;
    ~OnlyUniform() { expressions_.uniform_ = before_; }

   private:
    Expressions& expressions_;
    bool before_;
  };

 private:
  Value integer(Type type, unsigned depth);
  Value real(Type type, unsigned depth);
  Value real_from_bits(Type type, unsigned depth);
  Value converted(Type type, unsigned depth);
  Value call(const Callee& callee, unsigned depth);
  std::string vector(Type type, unsigned depth);
  std::string input_index(unsigned depth);
  std::string clamped_index();
  std::string expand(const std::string& pattern, Type type, unsigned depth,
                     std::map<char, Value>& operands);
  std::string convert_scalars(const std::string& text, Type from, Type to);

  Random& random_;
  Scope& scope_;
  bool uniform_ = false;
};

// A different component order of `to` elements from a vector of `from`: ".s1032".
std::string random_swizzle(Random& random, unsigned from, unsigned to);

}  // namespace conclave::fuzz

#endif  // CONCLAVE_TEST_FUZZ_KERNELS_EXPRESSIONS_H_
