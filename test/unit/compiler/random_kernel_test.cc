// SPDX-License-Identifier: Apache-2.0
// Random kernels with barriers in random uniform control flow, against an interpreter of the same
// random program.
//
// A program is generated twice from the same random numbers: once as OpenCL C, once executed, all
// work-items of a group statement by statement. Statements with barriers stand only under
// conditions that are the same for all work-items.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <sstream>

#include "test/unit/compiler/compiled_program.h"

namespace conclave::test {
namespace {

constexpr unsigned kItems = 6;      // of a group
constexpr unsigned kVariables = 4;  // a, b, c, d
constexpr unsigned kArray = 8;

struct ItemState {
  uint32_t variables[kVariables];
  uint32_t array[kArray];
};

// What a statement did to the flow of control of the whole group.
enum class Flow { kNext, kBreak, kContinue, kReturn };

struct Group {
  ItemState items[kItems];
  uint32_t n;                      // the kernel's argument
  std::vector<uint32_t> counters;  // of the loops around, outermost first
};

struct Statement {
  virtual ~Statement() = default;
  virtual void write(std::ostream& out, unsigned depth) const = 0;
  virtual Flow execute(Group& group) const = 0;
};
using StatementPointer = std::unique_ptr<Statement>;

// (x * multiplier + y) ^ constant, with x and y variables.
struct Expression {
  unsigned x, y;
  uint32_t multiplier, constant;
  uint32_t value(const ItemState& item) const {
    return (item.variables[x] * multiplier + item.variables[y]) ^ constant;
  }
  friend std::ostream& operator<<(std::ostream& out, const Expression& e) {
    return out << "((" << char('a' + e.x) << " * " << e.multiplier << "u + " << char('a' + e.y)
               << ") ^ " << e.constant << "u)";
  }
};

// The same for all work-items: ((n + counter of a loop + constant) % modulus == 0).
struct UniformCondition {
  int loop;  // -1: none
  uint32_t constant, modulus;
  bool value(const Group& group) const {
    uint32_t counter = loop < 0 ? 0 : group.counters[static_cast<size_t>(loop)];
    return (group.n + counter + constant) % modulus == 0;
  }
  friend std::ostream& operator<<(std::ostream& out, const UniformCondition& c) {
    out << "(n + ";
    if (c.loop >= 0) out << "k" << c.loop << " + ";
    return out << c.constant << "u) % " << c.modulus << "u == 0";
  }
};

struct Block : Statement {
  std::vector<StatementPointer> statements;
  void write(std::ostream& out, unsigned depth) const override {
    out << "{\n";
    for (const StatementPointer& statement : statements) statement->write(out, depth);
    out << "}\n";
  }
  Flow execute(Group& group) const override {
    for (const StatementPointer& statement : statements)
      if (Flow flow = statement->execute(group); flow != Flow::kNext) return flow;
    return Flow::kNext;
  }
};

struct Assign : Statement {
  unsigned target;
  Expression expression;
  void write(std::ostream& out, unsigned) const override {
    out << char('a' + target) << " = " << expression << ";\n";
  }
  Flow execute(Group& group) const override {
    for (ItemState& item : group.items) item.variables[target] = expression.value(item);
    return Flow::kNext;
  }
};

struct ArrayAccess : Statement {
  unsigned target;
  Expression index, stored;
  void write(std::ostream& out, unsigned) const override {
    out << "p[" << index << " & 7] += " << stored << "; " << char('a' + target) << " += p["
        << stored << " & 7];\n";
  }
  Flow execute(Group& group) const override {
    for (ItemState& item : group.items) {
      item.array[index.value(item) & 7] += stored.value(item);
      item.variables[target] += item.array[stored.value(item) & 7];
    }
    return Flow::kNext;
  }
};

struct Exchange : Statement {
  unsigned target, distance;
  Expression sent;
  void write(std::ostream& out, unsigned) const override {
    out << "barrier(CLK_LOCAL_MEM_FENCE); t[l] = " << sent << "; barrier(CLK_LOCAL_MEM_FENCE); "
        << char('a' + target) << " ^= t[(l + " << distance << ") % " << kItems << "];\n";
  }
  Flow execute(Group& group) const override {
    uint32_t t[kItems];
    for (unsigned i = 0; i < kItems; ++i) t[i] = sent.value(group.items[i]);
    for (unsigned i = 0; i < kItems; ++i)
      group.items[i].variables[target] ^= t[(i + distance) % kItems];
    return Flow::kNext;
  }
};

// Each work-item goes its own way, without barriers.
struct Divergent : Statement {
  unsigned target;
  Expression condition, in_loop, otherwise;
  void write(std::ostream& out, unsigned) const override {
    out << "if (" << condition << " & 1) { for (uint j = 0; j < (" << condition
        << " >> 4 & 3); ++j) " << char('a' + target) << " += " << in_loop << "; } else "
        << char('a' + target) << " = " << otherwise << ";\n";
  }
  Flow execute(Group& group) const override {
    for (ItemState& item : group.items) {
      if (condition.value(item) & 1) {
        for (uint32_t j = 0; j < (condition.value(item) >> 4 & 3); ++j)
          item.variables[target] += in_loop.value(item);
      } else {
        item.variables[target] = otherwise.value(item);
      }
    }
    return Flow::kNext;
  }
};

struct UniformIf : Statement {
  UniformCondition condition;
  StatementPointer then, otherwise;
  void write(std::ostream& out, unsigned depth) const override {
    out << "if (" << condition << ") ";
    then->write(out, depth);
    out << "else ";
    otherwise->write(out, depth);
  }
  Flow execute(Group& group) const override {
    return (condition.value(group) ? then : otherwise)->execute(group);
  }
};

struct Jump : Statement {
  UniformCondition condition;
  Flow flow;
  void write(std::ostream& out, unsigned) const override {
    out << "if (" << condition << ") "
        << (flow == Flow::kBreak      ? "break;\n"
            : flow == Flow::kContinue ? "continue;\n"
                                      : "{ FINISH return; }\n");
  }
  Flow execute(Group& group) const override { return condition.value(group) ? flow : Flow::kNext; }
};

struct Loop : Statement {
  uint32_t modulus, least;
  bool test_at_end;
  StatementPointer body;
  uint32_t count(const Group& group) const { return group.n % modulus + least; }
  void write(std::ostream& out, unsigned depth) const override {
    std::string k = "k" + std::to_string(depth);
    if (test_at_end)
      out << "{ uint " << k << " = ~0u; do { ++" << k << "; ";
    else
      out << "for (uint " << k << " = 0; " << k << " < n % " << modulus << "u + " << least
          << "u; ++" << k << ") ";
    body->write(out, depth + 1);
    if (test_at_end)
      out << "} while (" << k << " + 1 < n % " << modulus << "u + " << least << "u); }\n";
  }
  Flow execute(Group& group) const override {
    Flow result = Flow::kNext;
    group.counters.push_back(0);
    for (uint32_t k = 0; test_at_end ? (k == 0 || k < count(group)) : k < count(group); ++k) {
      group.counters.back() = k;
      Flow flow = body->execute(group);
      if (flow == Flow::kReturn) result = flow;
      if (flow == Flow::kReturn || flow == Flow::kBreak) break;
    }
    group.counters.pop_back();
    return result;
  }
};

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  StatementPointer block(unsigned depth, unsigned loops, unsigned length) {
    auto result = std::make_unique<Block>();
    for (unsigned i = 0; i < length; ++i) result->statements.push_back(statement(depth, loops));
    return result;
  }

 private:
  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  unsigned variable() { return below(kVariables); }
  Expression expression() { return {variable(), variable(), below(7), below(1000)}; }
  UniformCondition condition(unsigned loops) {
    return {static_cast<int>(below(loops + 1)) - 1, below(5), 2 + below(3)};
  }

  StatementPointer statement(unsigned depth, unsigned loops) {
    unsigned kind = below(depth > 0 ? 12 : 7);
    if (kind == 0) {
      auto result = std::make_unique<Assign>();
      result->target = variable();
      result->expression = expression();
      return result;
    }
    if (kind == 1) {
      auto result = std::make_unique<ArrayAccess>();
      result->target = variable();
      result->index = expression();
      result->stored = expression();
      return result;
    }
    if (kind == 2) {
      auto result = std::make_unique<Divergent>();
      result->target = variable();
      result->condition = expression();
      result->in_loop = expression();
      result->otherwise = expression();
      return result;
    }
    if (kind == 3) {
      auto result = std::make_unique<Jump>();
      result->condition = condition(loops);
      unsigned flow = below(loops > 0 ? 5 : 1);
      result->flow = flow == 0 ? Flow::kReturn : flow < 3 ? Flow::kBreak : Flow::kContinue;
      return result;
    }
    if (kind < 7) {
      auto result = std::make_unique<Exchange>();
      result->target = variable();
      result->distance = below(kItems);
      result->sent = expression();
      return result;
    }
    if (kind < 9) {
      auto result = std::make_unique<UniformIf>();
      result->condition = condition(loops);
      result->then = block(depth - 1, loops, 1 + below(4));
      result->otherwise = block(depth - 1, loops, below(4));
      return result;
    }
    auto result = std::make_unique<Loop>();
    result->modulus = 1 + below(4);
    result->least = below(2);
    result->test_at_end = below(3) == 0;
    result->body = block(depth - 1, loops + 1, 2 + below(4));
    return result;
  }

  std::mt19937 random_;
};

std::string source_of(const Statement& program) {
  std::ostringstream out;
  out << "#define FINISH out[g] = a + 3 * b + 5 * c + 7 * d + p[0] + p[5];\n"
         "kernel void k(global uint* out, uint n) {\n"
         "uint g = get_global_id(0), l = get_local_id(0); local uint t["
      << kItems
      << "];\nuint a = g, b = l * 3, c = 1, d = n; uint p[8] = {0, 1, 2, 3, 4, 5, 6, 7};\n";
  program.write(out, 0);
  out << "FINISH }\n";
  return out.str();
}

std::vector<uint32_t> run_model(const Statement& program, unsigned groups, uint32_t n) {
  std::vector<uint32_t> out;
  for (unsigned g = 0; g < groups; ++g) {
    Group group = {{}, n, {}};
    for (unsigned l = 0; l < kItems; ++l)
      group.items[l] = {{g * kItems + l, l * 3, 1, n}, {0, 1, 2, 3, 4, 5, 6, 7}};
    program.execute(group);
    for (const ItemState& item : group.items) {
      const uint32_t* v = item.variables;
      out.push_back(v[0] + 3 * v[1] + 5 * v[2] + 7 * v[3] + item.array[0] + item.array[5]);
    }
  }
  return out;
}

class RandomKernel : public testing::TestWithParam<unsigned> {};

TEST_P(RandomKernel, DoesWhatTheModelDoes) {
  StatementPointer program = Generator(GetParam()).block(3, 0, 6);
  std::string source = source_of(*program);
  // With 4 lanes two of the 6 work-items are run one by one.
  for (const char* options : {"", "-cl-opt-disable", "-cl-conclave-width=4"}) {
    CompiledProgram compiled(source, options);
    for (uint32_t n : {0u, 1u, 2u, 3u, 7u}) {
      std::vector<uint32_t> out(3 * kItems);
      compiled.run("k", Arguments().add(out.data()).add(n), range1(3 * kItems, kItems));
      ASSERT_EQ(out, run_model(*program, 3, n)) << "n = " << n << " " << options << "\n" << source;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomKernel, testing::Range(1u, 21u));

}  // namespace
}  // namespace conclave::test
