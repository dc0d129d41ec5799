// SPDX-License-Identifier: Apache-2.0
#include "test/fuzz/kernels/statements.h"

namespace conclave::fuzz {
namespace {

constexpr char kBarrier[] = "barrier(CLK_LOCAL_MEM_FENCE);\n";

std::string in_braces(const std::string& text) {
  return "{\n" + text + "}\n";
}

}  // namespace

std::string Statements::list(const Flow& flow, unsigned least, unsigned most) {
  std::string text;
  unsigned count = random_.between(least, most);
  for (unsigned i = 0; i < count; ++i) text += statement(flow);
  return text;
}

std::string Statements::statement(const Flow& flow) {
  return numbered([&] {
    if (flow.depth > 0 && random_.chance(40)) return compound(flow);
    return simple(flow);
  });
}

std::string Statements::simple(const Flow& flow) {
  if (flow.barriers && !local_arrays.empty() && random_.chance(40)) return between_barriers();
  unsigned kind = random_.below(100);
  if (kind < 50) return assignment();
  if (kind < 58) return component_assignment();
  if (kind < 62) return private_pointer();
  if (kind < 65) return generic_pointer();
  if (kind < 72) return input_pointer();
  if (kind < 79) return vector_load();
  if (kind < 85) return vector_store();
  if (kind < 88) return row_walk();
  if (kind < 91) return window();
  return kind < 95 ? atomic() : jump(flow);
}

std::string Statements::between_barriers() {
  if (random_.chance(20)) return boolean_across_barriers();
  return communication();
}

std::string Statements::communication() {
  unsigned kind = random_.below(12);
  if (kind < 7) return exchange();
  if (kind < 9) return reduction();
  return kind == 9 ? histogram() : vote();
}

std::string Statements::compound(const Flow& flow) {
  unsigned kind = random_.below(10);
  if (kind < 5) return if_else(flow);
  return kind < 8 ? loop(flow) : switch_cases(flow);
}

bool Statements::choose_uniform(const Flow& flow) {
  if (scope_.linear_id.empty()) return false;
  return random_.chance(flow.barriers ? 60 : 25);
}

Flow Statements::inner(const Flow& flow, bool barriers) {
  Flow result = flow;
  --result.depth;
  if (!flow.barriers || barriers) return result;
  result.barriers = false;
  // No work-item may miss a barrier by leaving the loops around, or the kernel, on its own.
  result.loop = Flow::Jumps::kNone;
  result.result.clear();
  return result;
}

const Place& Statements::writable_place() {
  std::vector<const Place*> places;
  for (const Place& place : scope_.places)
    if (place.writable) places.push_back(&place);
  return *random_.pick(places);
}

// The value of an expression, bounded if it is real.
std::string Statements::assign(const Place& place, const std::string& text, Type type) {
  std::string converted = expressions_.convert(text, type, place.type);
  if (place.type.real() && !type.real())
    converted = "clamp(" + converted + ", " + literal(place.type, -kBound) + ", " +
                literal(place.type, kBound) + ")";
  return expressions_.place(place, 1) + " = " + converted + ";\n";
}

std::string Statements::assignment_to(const Place& place) {
  return numbered([&] {
    std::string value = expressions_.stored(place.type, 1);
    return expressions_.place(place, 0) + " = " + value + ";\n";
  });
}

std::string Statements::assignment() {
  const Place& place = writable_place();
  std::string value = expressions_.stored(place.type, random_.between(1, 3));
  // Twice the same place: read, changed and written.
  if (!place.type.real() && place.index == Index::kNone && random_.chance(25))
    return place.before + " ^= " + value + ";\n";
  return expressions_.place(place, 2) + " = " + value + ";\n";
}

std::string Statements::component_assignment() {
  const Place& place = writable_place();
  if (place.type.width == 1) return assignment();
  unsigned kind = random_.below(4);
  std::string target = expressions_.place(place, 1);
  if (kind == 0 && place.type.width != 3) {
    Type half = {place.type.scalar, place.type.width / 2};
    std::string part = random_.chance(50) ? ".lo = " : ".odd = ";
    return target + part + expressions_.stored(half, 2) + ";\n";
  }
  if (kind == 1) {
    Type two = {place.type.scalar, 2};
    return target + ".s10 = " + expressions_.stored(two, 2) + ";\n";
  }
  std::string component = ".s" + std::to_string(random_.below(std::min(place.type.width, 10u)));
  return target + component + " = " + expressions_.stored({place.type.scalar, 1}, 2) + ";\n";
}

// Each element is changed in one commutative way only, so that the order does not matter.
std::string Statements::atomic() {
  if (counters.empty()) return assignment();
  struct Way {
    const char* before;
    unsigned first, last;  // elements
  };
  static const std::vector<Way> kWays = {
      {"atomic_add", 0, 3},   {"atomic_sub", 0, 3},  {"atomic_xor", 4, 7},  {"atomic_max", 8, 9},
      {"atomic_min", 10, 11}, {"atomic_or", 12, 12}, {"atomic_and", 13, 13}};
  const std::string& array = random_.pick(counters);
  if (random_.chance(20))
    return "atomic_add(&" + array + "[14], atomic_inc(&" + array + "[15]));\n";
  const Way& way = random_.pick(kWays);
  std::string choice = std::to_string(way.first);
  if (unsigned count = way.last - way.first + 1; count > 1)
    choice += " + " + expressions_.masked(count, 1);
  std::string value = expressions_.make({Scalar::kUint, 1}, 2).text;
  return std::string(way.before) + "(&" + array + "[" + choice + "], " + value + ");\n";
}

std::string Statements::private_pointer() {
  if (arrays.empty()) return assignment();
  const Place& first = random_.pick(arrays);
  std::vector<Place> alike;
  for (const Place& array : arrays)
    if (array.type == first.type) alike.push_back(array);
  const Place& second = random_.pick(alike);
  auto address = [&](const Place& array) {
    std::string offset = random_.chance(50) ? "0" : expressions_.masked(4, 1);
    return "&" + array.before + offset + array.after;
  };
  std::string q = new_name("q");
  std::string condition = expressions_.condition(1);
  std::string one = address(first);
  std::string text = first.type.name() + "* " + q + " = " + condition + " ? " + one + " : " +
                     address(second) + ";\n";
  std::string written = q + "[" + expressions_.masked(4, 1) + "]";
  text += written + " = " + expressions_.stored(first.type, 2) + ";\n";
  std::string element = q + "[" + expressions_.masked(4, 1) + "]";
  text += assign(writable_place(), element, first.type);
  return in_braces(text);
}

// For pointers without an address space of their own: to an input or to a private array.
std::string Statements::generic_pointer() {
  std::vector<std::pair<Place, Place>> pairs;
  for (const Place& input : inputs)
    for (const Place& array : arrays)
      if (input.type == array.type) pairs.emplace_back(input, array);
  if (!generic_pointers || pairs.empty()) return private_pointer();
  const auto& [input, array] = random_.pick(pairs);
  std::string type = "const " + input.type.name() + "*";
  std::string q = new_name("q");
  std::string condition = expressions_.condition(1);
  std::string from_input = "(" + type + ")&" + expressions_.place(input, 1);
  std::string from_array = "(" + type + ")&" + expressions_.place(array, 1);
  std::string text = type + " " + q + " = " + condition + " ? " + from_input + " : " + from_array;
  return in_braces(text + ";\n" + assign(writable_place(), "*" + q, input.type));
}

// A walk over an input with a pointer that moves.
std::string Statements::input_pointer() {
  if (inputs.empty()) return assignment();
  const Place& input = random_.pick(inputs);
  std::string q = new_name("q");
  std::string start = expressions_.place(input, 1);
  std::string text = "global const " + input.type.name() + "* " + q + " = &" + start + ";\n";
  // Down to the first element the walk is short enough; the length leaves room at the end.
  text += q + " += " + expressions_.masked(16, 1) + ";\n";
  text += "if (" + expressions_.condition(1) + ") ++" + q + ";\n";
  text += assign(writable_place(), "*" + q, input.type);
  std::string element = q + "[" + expressions_.masked(8, 1) + "]";
  text += assign(writable_place(), element, input.type);
  return in_braces(text);
}

std::vector<Place> Statements::scalar_inputs() const {
  std::vector<Place> scalars;
  for (const Place& input : inputs)
    if (input.type.width == 1) scalars.push_back(input);
  return scalars;
}

std::string Statements::vector_load() {
  const std::vector<Place> scalars = scalar_inputs();
  if (scalars.empty()) return assignment();
  const Place& input = random_.pick(scalars);
  std::string array = input.before.substr(0, input.before.find('['));
  static const std::vector<unsigned> kWidths = {2, 3, 4, 8, 16};
  unsigned width = random_.pick(kWidths);
  std::string index =
      random_.chance(50) && width <= 4 ? scope_.linear_id : expressions_.masked(128, 1);
  std::string text = "vload" + std::to_string(width) + "(" + index + ", " + array;
  if (width <= 4 && random_.chance(50)) text += " + m";
  return assign(writable_place(), text + ")", {input.type.scalar, width});
}

// Each work-item goes along a row of an input, and keeps what it finds in a variable or in memory.
std::string Statements::row_walk() {
  const std::vector<Place> scalars = scalar_inputs();
  if (scalars.empty() || scope_.linear_id.empty()) return assignment();
  const Place& input = random_.pick(scalars);
  static const std::vector<std::string> kRows = {"(uint)(g & 31)", "(int)(g & 31)", "(g & 31)"};
  static const std::vector<std::string> kCounters = {"int", "uint", "long"};
  std::string k = new_name("k");
  std::string found = new_name("f");
  std::string length;
  {
    Expressions::OnlyUniform mode(expressions_, random_.chance(80));
    length = random_.chance(40) ? std::to_string(random_.between(1, 40))
                                : expressions_.masked(32, 1) + " + 9";
  }
  std::string pitch = std::to_string(random_.between(9, 40));
  std::string element =
      input.before + random_.pick(kRows) + " * " + pitch + " + " + k + input.after;
  Type type = input.type;
  std::string target = found;
  for (const Place& output : scalar_outputs)
    if (output.type == type && random_.chance(60)) target = output.before + "[g * 4 + 1]";
  std::string step = type.real() ? target + " = fmax(" + target + ", " + element + ");\n"
                                 : target + " = (" + target + " >> 1) ^ " + element + ";\n";
  std::string text = type.name() + " " + found + " = 0;\n";
  text += "for (" + random_.pick(kCounters) + " " + k + " = 0; " + k + " < " + length + "; ++" + k +
          ") " + in_braces(step);
  return in_braces(text + assign(writable_place(), found, type));
}

// Each work-item goes through a window of an input around its own place, which ends at the input's ends.
std::string Statements::window() {
  const std::vector<Place> scalars = scalar_inputs();
  if (scalars.empty() || scope_.linear_id.empty()) return assignment();
  const Place& input = random_.pick(scalars);
  static const std::vector<std::string> kPlaces = {"(int)(g & 511)", "(int)(g & 511)",
                                                   "(int)(g & 511) % 37", "(int)(g & 511) / 3"};
  const std::string c = new_name("c"), k = new_name("k"), found = new_name("f");
  const auto number = [&](unsigned least, unsigned most) {
    return std::to_string(random_.between(least, most));
  };
  const std::string before = number(0, 9), least = number(0, 20), most = number(20, 500);
  const std::string first = random_.chance(50) ? "max(" + c + " - " + before + ", " + least + ")"
                            : random_.chance(50)
                                ? c + " > " + most + " ? " + c + " - " + most + " : 1"
                                : "max(" + least + ", " + before + " - " + c + ")";
  const std::string last = random_.chance(50)
                               ? "min(" + c + " + " + number(0, 9) + ", " + most + ")"
                               : "min(" + most + ", " + c + ") % 30";
  const std::vector<std::string> indices = {
      k, k, k + " - " + c + " + 512", c + " + 512 - " + k, k + " + 2 * " + c, k + " ^ 1"};
  const std::string element = input.before + random_.pick(indices) + input.after;
  const Type type = input.type;
  const std::string step = type.real() ? found + " = fmax(" + found + ", " + element + ");\n"
                                       : found + " = (" + found + " >> 1) ^ " + element + ";\n";
  std::string body = step;
  if (random_.chance(20)) body += "if (" + expressions_.condition(1) + ") break;\n";
  std::string text = "const int " + c + " = " + random_.pick(kPlaces) + ";\n";
  text += type.name() + " " + found + " = 0;\n";
  text += "for (int " + k + " = " + first + "; " + k + " <= " + last + "; " + k +
          " += " + (random_.chance(80) ? "1" : "2") + ") " + in_braces(body);
  return in_braces(text + assign(writable_place(), found, type));
}

std::string Statements::vector_store() {
  if (scalar_outputs.empty()) return assignment();
  const Place& output = random_.pick(scalar_outputs);
  unsigned width = random_.between(2, 4);
  std::string value = expressions_.stored({output.type.scalar, width}, 2);
  std::string text = "vstore" + std::to_string(width) + "(" + value + ", ";
  if (width == 4) return text + scope_.linear_id + ", " + output.before + ");\n";
  std::string first = random_.chance(50) ? "0" : "1";
  return text + "0, " + output.before + " + " + scope_.linear_id + " * 4 + " + first + ");\n";
}

std::string Statements::jump(const Flow& flow) {
  bool leave = !flow.result.empty() && random_.chance(30);
  if (!leave && flow.loop == Flow::Jumps::kNone) return assignment();
  Expressions::OnlyUniform mode(expressions_, flow.barriers || flow.loop == Flow::Jumps::kUniform);
  std::string condition = expressions_.condition(2);
  std::string what = leave ? flow.result : random_.chance(50) ? "break;\n" : "continue;\n";
  return "if (" + condition + ") " + what;
}

std::string Statements::if_else(const Flow& flow) {
  bool uniform = choose_uniform(flow);
  std::string condition;
  {
    Expressions::OnlyUniform mode(expressions_, uniform);
    condition = expressions_.condition(2);
  }
  Flow within = inner(flow, uniform);
  std::string text = "if (" + condition + ") " + in_braces(list(within, 1, 4));
  if (random_.chance(50)) text += "else " + in_braces(list(within, 1, 3));
  return text;
}

std::string Statements::loop(const Flow& flow) {
  static const std::vector<Scalar> kTypes = {Scalar::kInt,  Scalar::kInt,  Scalar::kUint,
                                             Scalar::kUint, Scalar::kLong, Scalar::kUchar};
  bool uniform = choose_uniform(flow);
  Flow within = inner(flow, uniform && random_.chance(70));
  within.loop = within.barriers ? Flow::Jumps::kUniform : Flow::Jumps::kAny;
  Type type = {random_.pick(kTypes), 1};
  std::string k = new_name("k");
  std::string limit, condition;
  {
    Expressions::OnlyUniform mode(expressions_, uniform);
    limit = random_.chance(30) ? std::to_string(random_.between(1, 6)) : expressions_.masked(8, 1);
    condition = expressions_.condition(1);
  }
  // The counter's end is the same for all where its limit is; jumps of some do not change it.
  scope_.places.push_back({k, "", type, Index::kNone, false, uniform && within.barriers});
  unsigned form = random_.below(5);
  std::string body = list(within, 1, 4);
  scope_.places.pop_back();
  std::string declaration = type.name() + " " + k + " = ";
  if (form == 0)
    return in_braces(declaration + "0;\nwhile (" + k + " < 5 && " + condition + ") " +
                     in_braces("++" + k + ";\n" + body));
  if (form == 1)
    return in_braces(declaration + "0;\ndo " + in_braces("++" + k + ";\n" + body) + "while (" + k +
                     " < 5 && " + condition + ");\n");
  if (form == 2)
    return "for (" + declaration + limit + "; " + k + " > 0; " + k + " >>= 1) " + in_braces(body);
  return "for (" + declaration + "0; " + k + " < " + limit + "; ++" + k + ") " + in_braces(body);
}

std::string Statements::switch_cases(const Flow& flow) {
  bool uniform = choose_uniform(flow);
  std::string chosen;
  {
    Expressions::OnlyUniform mode(expressions_, uniform);
    chosen = expressions_.masked(random_.chance(50) ? 4 : 8, 2);
  }
  Flow within = inner(flow, uniform);
  // A break would be the switch's.
  within.loop = Flow::Jumps::kNone;
  std::string text;
  unsigned cases = random_.between(2, 5);
  for (unsigned i = 0; i < cases; ++i) {
    bool is_default = i + 1 == cases && random_.chance(60);
    text += is_default ? "default:\n" : "case " + std::to_string(i) + ":\n";
    if (!is_default && random_.chance(20)) text += "case " + std::to_string(i + 5) + ":\n";
    text += list(within, 1, 2);
    unsigned end = random_.below(10);
    if (end == 0 && !within.barriers) text += "if (" + expressions_.condition(1) + ") break;\n";
    if (end > 3) text += "break;\n";
  }
  return "switch (" + chosen + ") " + in_braces(text);
}

// About the work-items of the group: l is the own index, and n_l their number.
std::string Statements::local_index() {
  static const std::vector<std::string> kForms = {"n_l - 1 - l", "(l ^ 1) < n_l ? (l ^ 1) : l",
                                                  "(uint)m % n_l", "l", "0"};
  unsigned kind = random_.below(3);
  if (kind == 0) return "(l + " + std::to_string(random_.between(1, 20)) + ") % n_l";
  if (kind == 1) return expressions_.make({Scalar::kUint, 1}, 1).text + " % n_l";
  return random_.pick(kForms);
}

std::string Statements::boolean_across_barriers() {
  const std::string b = new_name("b");
  std::string text = "bool " + b + " = " + expressions_.condition(2) + ";\n" + communication();
  text += "if (" + b + ") " + assignment();
  if (random_.chance(50)) {
    const std::string condition = expressions_.condition(1);
    text += b + " = " + b + (random_.chance(50) ? " && " : " != ") + "(bool)(" + condition + ");\n";
    text += communication() + "if (!" + b + ") " + assignment();
  }
  return in_braces(text);
}

std::string Statements::exchange() {
  const LocalArray& array = random_.pick(local_arrays);
  std::string own = random_.chance(70) ? "[l]" : "[n_l - 1 - l]";
  std::string text =
      kBarrier + array.name + own + " = " + expressions_.stored(array.type, 2) + ";\n";
  if (random_.chance(25)) {
    text += "if (" + expressions_.condition(1) + ") ";
    text += array.name + own + " = " + expressions_.stored(array.type, 1) + ";\n";
  }
  text += kBarrier;
  if (random_.chance(30)) {
    std::string q = new_name("q");
    text += array.qualifiers + array.type.name() + "* " + q + " = " + array.name + " + (" +
            local_index() + ");\n";
    return in_braces(text + assign(writable_place(), "*" + q, array.type));
  }
  unsigned reads = random_.between(1, 2);
  for (unsigned i = 0; i < reads; ++i) {
    std::string element = array.name + "[" + local_index() + "]";
    text += assign(writable_place(), element, array.type);
  }
  return text;
}

// A tree; of integers' bits, since sums could overflow.
std::string Statements::reduction() {
  const LocalArray& array = random_.pick(local_arrays);
  std::string combined = array.type.real()
                             ? " = fabs(" + array.name + "[l] - " + array.name + "[l + s]) * (" +
                                   name_of(array.type.scalar) + ")0.5f;\n"
                             : " ^= " + array.name + "[l + s];\n";
  std::string text = kBarrier + array.name + "[l] = " + expressions_.stored(array.type, 2) + ";\n";
  std::string first = std::to_string(1u << random_.between(3, 6));
  text += "for (uint s = " + first + "; s > 0; s >>= 1) " +
          in_braces(kBarrier + ("if (l < s && l + s < n_l) " + array.name + "[l]" + combined));
  text += kBarrier;
  return text + assign(writable_place(), array.name + "[0]", array.type);
}

// Bins are changed in one commutative way between two barriers.
std::string Statements::histogram() {
  static const std::vector<std::string> kWays = {"atomic_add", "atomic_add", "atomic_sub",
                                                 "atomic_min", "atomic_max", "atomic_or",
                                                 "atomic_and", "atomic_xor", "atomic_inc"};
  const std::string& way = random_.pick(kWays);
  const std::string first = random_.chance(50) ? "0" : "0x55aa55aau";
  std::string text = std::string(kBarrier) +
                     "for (uint i = l; i < 16; i += n_l) bins[i] = " + first + ";\n" + kBarrier;
  const bool is_masked = random_.chance(30);
  if (is_masked) text += "if (" + expressions_.condition(1) + ") ";
  text += way + "(&bins[" + expressions_.masked(random_.chance(50) ? 16 : 2, 2) + "]";
  if (way != "atomic_inc") {
    Expressions::OnlyUniform mode(expressions_, random_.chance(40));
    text += ", " + expressions_.make({Scalar::kUint, 1}, 1).text;
  }
  text += ");\n";
  text += kBarrier;
  std::string element = "bins[" + expressions_.masked(16, 1) + "]";
  return text + assign(writable_place(), element, {Scalar::kUint, 1});
}

// Work-items set flags that several of them share, all to one value and without atomic operations, as
// programs do.
std::string Statements::vote() {
  const std::string index = new_name("w"), flag = "bins[" + index + "]";
  std::string text =
      std::string(kBarrier) + "for (uint i = l; i < 16; i += n_l) bins[i] = 1;\n" + kBarrier;
  static const std::vector<std::string> kShared = {"0", "l / 8 & 15", "l & 3", "(uint)m & 15"};
  text += "const uint " + index + " = " +
          (random_.chance(60) ? random_.pick(kShared) : expressions_.masked(16, 1)) + ";\n";
  std::string found = "(bool)(" + expressions_.condition(2) + ")";
  const std::string set = flag + " = 0;\n";
  if (random_.chance(60)) {  // known before the flag is read
    const std::string known = new_name("b");
    text += "const bool " + known + " = " + found + ";\n";
    found = known;
  }
  switch (random_.below(3)) {
    case 0:
      text += "if (" + flag + " && " + found + ") " + set;
      break;
    case 1:
      text += "if (" + flag + ") " + in_braces("if (" + found + ") " + set);
      break;
    default:
      text += "if (" + found + ") " + set;
  }
  text += kBarrier;
  const std::string element = "bins[" + expressions_.masked(16, 1) + "]";
  return in_braces(text + assign(writable_place(), element, {Scalar::kUint, 1}));
}

}  // namespace conclave::fuzz
