// SPDX-License-Identifier: Apache-2.0
// Random statements: what a kernel's or a function's body is made of.
//
// Every statement has a number, in the order in which they are begun. Disabled ones are made like
// all others, so that the random numbers of the rest stay the same, and then left out.
#ifndef CONCLAVE_TEST_FUZZ_KERNELS_STATEMENTS_H_
#define CONCLAVE_TEST_FUZZ_KERNELS_STATEMENTS_H_

#include <set>
#include <string>
#include <vector>

#include "test/fuzz/kernels/expressions.h"

namespace conclave::fuzz {

// The flow of control that a statement stands in.
struct Flow {
  unsigned depth = 0;     // how many statements may stand within one another
  bool barriers = false;  // all work-items of the group are here, and loops around are uniform
  enum class Jumps : uint8_t { kNone, kUniform, kAny } loop = Jumps::kNone;  // break, continue
  // Text of the statement that returns; empty: none is allowed here.
  std::string result;
};

// What barriers order: arrays of local memory, kMaxGroup elements each.
struct LocalArray {
  std::string name;
  Type type;
  std::string qualifiers = "local ";
};
constexpr unsigned kMaxGroup = 128;

// The numbering goes on from one body to the next.
struct Numbering {
  std::set<unsigned> disabled;
  unsigned next = 0;
};

class Statements {
 public:
  Statements(Random& random, Scope& scope, Numbering& numbering)
      : random_(random), scope_(scope), numbering_(numbering), expressions_(random, scope) {}

  std::vector<LocalArray> local_arrays;  // in kernels with barriers
  std::vector<std::string> counters;     // names of global arrays of uint for atomics, 16 elements
  std::vector<Place> arrays, inputs;     // for pointers to them
  std::vector<Place> scalar_outputs;     // whose slots of a work-item are neighbours, "out0"

  bool generic_pointers = false;  // the language has them

  std::string list(const Flow& flow, unsigned least, unsigned most);
  // One numbered statement that assigns to `place`.
  std::string assignment_to(const Place& place);
  // Numbers the statement that `make` returns the text of.
  template <class Make>
  std::string numbered(Make make) {
    unsigned number = numbering_.next++;
    std::string text = make();
    return numbering_.disabled.contains(number) ? "" : text;
  }
  Expressions& expressions() { return expressions_; }

 private:
  std::string statement(const Flow& flow);
  std::string simple(const Flow& flow);
  std::string compound(const Flow& flow);

  std::string assignment();
  std::string component_assignment();
  std::string atomic();
  std::string private_pointer();
  std::string generic_pointer();
  std::string input_pointer();
  std::string vector_load();
  std::string row_walk();
  std::string window();
  std::string vector_store();
  std::string jump(const Flow& flow);

  std::string if_else(const Flow& flow);
  std::string loop(const Flow& flow);
  std::string switch_cases(const Flow& flow);

  std::string between_barriers();
  std::string boolean_across_barriers();
  std::string communication();
  std::string exchange();
  std::string reduction();
  std::string histogram();
  std::string vote();

  Flow inner(const Flow& flow, bool barriers);
  const Place& writable_place();
  std::vector<Place> scalar_inputs() const;
  std::string assign(const Place& place, const std::string& text, Type type);
  std::string local_index();
  std::string new_name(const char* prefix) { return prefix + std::to_string(names_++); }
  // Whether a statement of control flow is to be uniform.
  bool choose_uniform(const Flow& flow);

  Random& random_;
  Scope& scope_;
  Numbering& numbering_;
  Expressions expressions_;
  unsigned names_ = 0;
};

}  // namespace conclave::fuzz

#endif  // CONCLAVE_TEST_FUZZ_KERNELS_STATEMENTS_H_
