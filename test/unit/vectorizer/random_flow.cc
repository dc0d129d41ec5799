// SPDX-License-Identifier: Apache-2.0
#include "test/unit/vectorizer/random_flow.h"

#include <random>
#include <vector>

namespace conclave::test {
namespace {

constexpr unsigned kVariables = 6;  // the first half are the same for all lanes as far as possible

// Writes blocks; a name is made for each value and each label.
class Writer {
 public:
  explicit Writer(uint64_t seed) : random_(seed) {
    text_ = "define i32 @f(i64 %lane.x, i64 %n, ptr %memory) {\nentry:\n";
    for (unsigned i = 0; i < kVariables; ++i) {
      line("%var" + std::to_string(i) + " = alloca i32");
      std::string initial = i < kVariables / 2 ? "%n" : "%lane.x";
      std::string value = define("trunc i64 " + initial + " to i32");
      set(i, define("mul i32 " + value + ", " + std::to_string(2 * below(50) + 1)));
    }
  }

  unsigned below(unsigned limit) { return random_() % limit; }
  bool chance(unsigned percent) { return below(100) < percent; }

  void line(const std::string& code) { text_ += "  " + code + "\n"; }
  void label(const std::string& name) { text_ += name + ":\n"; }
  std::string define(const std::string& code) {
    std::string name = "%v" + std::to_string(values_++);
    line(name + " = " + code);
    return name;
  }
  std::string new_label() { return "b" + std::to_string(labels_++); }
  void go(const std::string& label) { line("br label %" + label); }
  void branch(const std::string& condition, const std::string& yes, const std::string& no) {
    line("br i1 " + condition + ", label %" + yes + ", label %" + no);
  }
  void ret() { line("ret i32 " + variable()); }

  std::string get(unsigned i) { return define("load i32, ptr %var" + std::to_string(i)); }
  void set(unsigned i, const std::string& value) {
    line("store i32 " + value + ", ptr %var" + std::to_string(i));
  }
  std::string counter() {
    std::string name = "%counter" + std::to_string(counters_++);
    size_t begin = text_.find("entry:\n") + 7;
    text_.insert(begin, "  " + name + " = alloca i32\n  store i32 0, ptr " + name + "\n");
    return name;
  }
  // Counts and says whether there is more to do.
  std::string count(const std::string& counter, unsigned limit) {
    std::string old = define("load i32, ptr " + counter);
    std::string next = define("add i32 " + old + ", 1");
    line("store i32 " + next + ", ptr " + counter);
    return define("icmp ult i32 " + next + ", " + std::to_string(limit));
  }

  // The same for all lanes, or else perhaps not.
  std::string variable() { return get(below(kVariables)); }
  std::string variable(bool same) {
    return get(below(kVariables / 2) + (same ? 0 : kVariables / 2));
  }

  std::string expression(bool same) {
    static const char* const kOperations[] = {"add", "sub", "xor", "mul", "and"};
    std::string first = variable(same);
    std::string second = chance(50) ? variable(same) : std::to_string(below(100));
    return define(kOperations[below(5)] + std::string(" i32 ") + first + ", " + second);
  }

  std::string condition(bool same) {
    // As kernels guard against ids that are out of range.
    if (!same && chance(25)) return define("icmp ult i64 %lane.x, " + std::to_string(below(10)));
    std::string value = expression(same);
    std::string bits = define("and i32 " + value + ", " + std::to_string(1 + below(7)));
    return define("icmp ult i32 " + bits + ", " + std::to_string(1 + below(4)));
  }

  std::string address(bool same) {
    std::string value = define("and i32 " + variable(same) + ", 63");
    return define("getelementptr i32, ptr %memory, i32 " + value);
  }

  void statement() {
    const bool same = chance(40);
    switch (below(4)) {
      case 0:
        return line("store i32 " + variable() + ", ptr " + address(chance(30)));
      case 1:
        return set(below(kVariables / 2) + (same ? 0 : kVariables / 2),
                   define("load i32, ptr " + address(same)));
      default:
        return set(below(kVariables / 2) + (same ? 0 : kVariables / 2), expression(same));
    }
  }
  void statements() {
    for (unsigned i = below(3); i > 0; --i) statement();
  }

  std::string finish() { return text_ + "}\n"; }

 private:
  std::mt19937_64 random_;
  std::string text_;
  unsigned values_ = 0, labels_ = 0, counters_ = 0;
};

class Structured {
 public:
  explicit Structured(uint64_t seed) : writer_(seed) {}

  std::string write() {
    sequence(0);
    writer_.statements();
    writer_.ret();
    return writer_.finish();
  }

 private:
  struct Loop {
    std::string next, end;
  };

  void sequence(unsigned depth) {
    for (unsigned i = 1 + writer_.below(3); i > 0; --i) construct(depth);
  }

  void construct(unsigned depth) {
    writer_.statements();
    if (depth >= 4) return;
    const bool same = writer_.chance(40);
    switch (writer_.below(8)) {
      case 0:
      case 1:
      case 2:
        return if_statement(depth, same);
      case 3:
      case 4:
        return loop(depth, same);
      case 5:
        return choice(depth, same);
      case 6:
        return leave(same);
      default:
        return;
    }
  }

  void if_statement(unsigned depth, bool same) {
    std::string yes = writer_.new_label(), no = writer_.new_label(), end = writer_.new_label();
    const bool has_else = writer_.chance(50);
    writer_.branch(writer_.condition(same), yes, has_else ? no : end);
    writer_.label(yes);
    sequence(depth + 1);
    writer_.go(end);
    if (has_else) {
      writer_.label(no);
      sequence(depth + 1);
      writer_.go(end);
    }
    writer_.label(end);
  }

  void loop(unsigned depth, bool same) {
    std::string begin = writer_.new_label(), next = writer_.new_label(), end = writer_.new_label(),
                body = writer_.new_label(), counter = writer_.counter();
    writer_.line("store i32 0, ptr " + counter);
    loops_.push_back({next, end});
    writer_.go(begin);
    writer_.label(begin);
    writer_.statements();
    if (writer_.chance(50)) {
      writer_.branch(writer_.condition(same), body, end);
      writer_.label(body);
    }
    sequence(depth + 1);
    writer_.go(next);
    writer_.label(next);
    writer_.statements();
    std::string more = writer_.count(counter, 2 + writer_.below(3));
    if (writer_.chance(50))
      more = writer_.define("and i1 " + more + ", " + writer_.condition(same));
    writer_.branch(more, begin, end);
    loops_.pop_back();
    writer_.label(end);
  }

  void choice(unsigned depth, bool same) {
    std::string end = writer_.new_label();
    std::string value = writer_.define("and i32 " + writer_.variable(same) + ", 3");
    std::string labels[3];
    std::string cases;
    for (unsigned i = 0; i < 3; ++i) {
      labels[i] = writer_.new_label();
      cases += " i32 " + std::to_string(i) + ", label %" + labels[i];
    }
    writer_.line("switch i32 " + value + ", label %" + end + " [" + cases + " ]");
    for (unsigned i = 0; i < 3; ++i) {
      writer_.label(labels[i]);
      if (writer_.chance(50)) sequence(depth + 2);
      writer_.statements();
      writer_.go(i < 2 && writer_.chance(30) ? labels[i + 1] : end);
    }
    writer_.label(end);
  }

  // A break, a continue, out of several loops at once perhaps, or a return.
  void leave(bool same) {
    std::string yes = writer_.new_label(), no = writer_.new_label();
    writer_.branch(writer_.condition(same), yes, no);
    writer_.label(yes);
    writer_.statements();
    if (loops_.empty() || writer_.chance(15)) {
      writer_.ret();
    } else {
      const Loop& loop = loops_[writer_.below(loops_.size())];
      writer_.go(writer_.chance(50) ? loop.next : loop.end);
    }
    writer_.label(no);
  }

  Writer writer_;
  std::vector<Loop> loops_;
};

std::string write_unstructured(uint64_t seed) {
  Writer writer(seed);
  const unsigned count = 3 + writer.below(12);
  auto name = [](unsigned i) { return "n" + std::to_string(i); };
  writer.go(name(0));
  for (unsigned i = 0; i < count; ++i) {
    writer.label(name(i));
    writer.statements();
    const unsigned near = i + 1 + writer.below(std::min(3u, count - i));
    const unsigned far = i + 1 + writer.below(count - i);
    const bool same = writer.chance(40);
    if (i > 0 && writer.chance(30)) {
      std::string back = name(writer.below(i + 1));
      std::string more = writer.count(writer.counter(), 2 + writer.below(4));
      if (writer.chance(70)) more = writer.define("and i1 " + more + ", " + writer.condition(same));
      writer.branch(more, back, name(near));
    } else if (writer.chance(80)) {
      writer.branch(writer.condition(same), name(near), name(far));
    } else {
      writer.go(name(near));
    }
  }
  writer.label(name(count));
  writer.ret();
  return writer.finish();
}

}  // namespace

std::string structured_flow(uint64_t seed) {
  return Structured(seed).write();
}

std::string unstructured_flow(uint64_t seed) {
  return write_unstructured(seed);
}

}  // namespace conclave::test
