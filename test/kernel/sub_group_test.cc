// SPDX-License-Identifier: Apache-2.0
// Sub-group functions of every type, where all work-items call them and where some do, against a
// reference on the host. How a work-group is divided is the implementation's choice: the kernels
// tell.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <type_traits>

#include "test/kernel/half.h"
#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

// Which work-items call a function together with the one with linear global id `g`.
enum Flow { kAll, kBranch, kLoop };
bool calls_with(Flow flow, size_t g, size_t other) {
  if (flow == kBranch) return (other % 3 != 0) == (g % 3 != 0);
  return flow == kAll || other % 4 >= g % 4;
}

// One call, as one of its work-items sees it.
template <class T>
struct Call {
  std::vector<T> values;  // by sub-group local id
  std::vector<bool> active;
  size_t lane;
  size_t size;  // get_max_sub_group_size()
};

// The result that the work-item must have; nothing if it is undefined.
template <class T>
using Reference = std::function<std::optional<T>(const Call<T>&)>;

template <class T>
struct Case {
  std::string expression;  // of x, and of `lane`
  Reference<T> reference;
  bool in_all_flows = true;
};

template <class T>
using Operation = T (*)(T, T);

// The unsigned detour wraps as OpenCL C does.
template <class T, class Combine>
T wrapping(T a, T b, Combine combine) {
  if constexpr (kIsReal<T>)
    return T(combine(a, b));
  else
    return static_cast<T>(combine(static_cast<cl_ulong>(a), static_cast<cl_ulong>(b)));
}

template <class T>
struct Combination {
  std::string name;
  T identity;
  Operation<T> combine;
};

template <class T>
std::vector<Combination<T>> combinations() {
  using Limits = std::numeric_limits<T>;
  const T most = Limits::has_infinity ? Limits::infinity() : Limits::max();
  const T least = Limits::has_infinity ? T(-Limits::infinity()) : Limits::lowest();
  std::vector<Combination<T>> list = {
      {"add", T(0), [](T a, T b) { return wrapping(a, b, [](auto x, auto y) { return x + y; }); }},
      {"mul", T(1), [](T a, T b) { return wrapping(a, b, [](auto x, auto y) { return x * y; }); }},
      {"min", most, [](T a, T b) { return std::min(a, b); }},
      {"max", least, [](T a, T b) { return std::max(a, b); }}};
  if constexpr (std::is_integral_v<T>) {
    list.push_back({"and", T(-1), [](T a, T b) { return static_cast<T>(a & b); }});
    list.push_back({"or", T(0), [](T a, T b) { return static_cast<T>(a | b); }});
    list.push_back({"xor", T(0), [](T a, T b) { return static_cast<T>(a ^ b); }});
  }
  return list;
}

// Over the active work-items from `begin` to `end`.
template <class T>
T combine(const Combination<T>& with, const Call<T>& call, size_t begin, size_t end) {
  T result = with.identity;
  for (size_t i = begin; i < end && i < call.values.size(); ++i)
    if (call.active[i]) result = with.combine(result, call.values[i]);
  return result;
}

template <class T>
void add_combinations(std::vector<Case<T>>& cases) {
  for (const Combination<T>& c : combinations<T>()) {
    const auto reduce = [c](const Call<T>& call) {
      return std::optional(combine(c, call, 0, call.values.size()));
    };
    const auto inclusive = [c](const Call<T>& call) {
      return std::optional(combine(c, call, 0, call.lane + 1));
    };
    const auto exclusive = [c](const Call<T>& call) {
      return std::optional(combine(c, call, 0, call.lane));
    };
    const auto clustered = [c](const Call<T>& call) -> std::optional<T> {
      if (call.size < 4) return std::nullopt;
      return combine(c, call, call.lane & ~size_t{3}, (call.lane | 3) + 1);
    };
    cases.push_back({"sub_group_non_uniform_reduce_" + c.name + "(x)", reduce});
    cases.push_back({"sub_group_non_uniform_scan_inclusive_" + c.name + "(x)", inclusive});
    cases.push_back({"sub_group_non_uniform_scan_exclusive_" + c.name + "(x)", exclusive});
    cases.push_back({"sub_group_clustered_reduce_" + c.name + "(x, 4)", clustered});
    if (c.name != "add" && c.name != "min" && c.name != "max") continue;
    cases.push_back({"sub_group_reduce_" + c.name + "(x)", reduce, false});
    cases.push_back({"sub_group_scan_inclusive_" + c.name + "(x)", inclusive, false});
    cases.push_back({"sub_group_scan_exclusive_" + c.name + "(x)", exclusive, false});
  }
}

// The value of another work-item.
template <class T>
Case<T> exchange(const std::string& expression, std::function<size_t(const Call<T>&)> from,
                 bool in_all_flows = true) {
  return {expression,
          [from](const Call<T>& call) -> std::optional<T> {
            const size_t other = from(call);
            if (other >= call.values.size() || !call.active[other]) return std::nullopt;
            return call.values[other];
          },
          in_all_flows};
}

template <class T>
size_t first(const Call<T>& call) {
  return std::find(call.active.begin(), call.active.end(), true) - call.active.begin();
}

template <class T>
void add_exchanges(std::vector<Case<T>>& cases) {
  using C = Call<T>;
  cases.push_back(exchange<T>("sub_group_broadcast(x, 1)", [](const C&) { return 1; }, false));
  cases.push_back(exchange<T>("sub_group_non_uniform_broadcast(x, 2)", [](const C&) { return 2; }));
  cases.push_back(exchange<T>("sub_group_broadcast_first(x)", first<T>));
  cases.push_back(exchange<T>("sub_group_shuffle(x, (lane * 5 + 3) & 7)",
                              [](const C& call) { return (call.lane * 5 + 3) & 7; }));
  cases.push_back(
      exchange<T>("sub_group_shuffle_xor(x, 3)", [](const C& call) { return call.lane ^ 3; }));
  cases.push_back(
      exchange<T>("sub_group_shuffle_up(x, 1)", [](const C& call) { return call.lane - 1; }));
  cases.push_back(
      exchange<T>("sub_group_shuffle_down(x, 2)", [](const C& call) { return call.lane + 2; }));
  cases.push_back(exchange<T>("sub_group_rotate(x, 3)",
                              [](const C& call) { return (call.lane + 3) % call.size; }));
  cases.push_back(exchange<T>("sub_group_rotate(x, -1)", [](const C& call) {
    return (call.lane + call.size - 1) % call.size;
  }));
  cases.push_back(exchange<T>("sub_group_clustered_rotate(x, 1, 2)", [](const C& call) {
    return call.size < 2 ? size_t{9999} : call.lane ^ 1;
  }));
  if (from_spirv()) return;  // which does not know the functions below
  cases.push_back(exchange<T>("intel_sub_group_shuffle(x, (lane * 5 + 3) & 7)",
                              [](const C& call) { return (call.lane * 5 + 3) & 7; }));
  cases.push_back(exchange<T>("intel_sub_group_shuffle_xor(x, 3)",
                              [](const C& call) { return call.lane ^ 3; }));
}

// Values of a neighbouring sub-group go on where those of this one end.
template <class T>
void add_two_sided_shuffles(std::vector<Case<T>>& cases) {
  if (from_spirv()) return;
  const auto twice = [](const Call<T>& call, size_t other) -> std::optional<T> {
    if (other >= call.values.size() || !call.active[other]) return std::nullopt;
    return T(call.values[other] + call.values[other]);
  };
  const auto once = [](const Call<T>& call, size_t other) -> std::optional<T> {
    if (other >= call.values.size() || !call.active[other]) return std::nullopt;
    return call.values[other];
  };
  cases.push_back({"intel_sub_group_shuffle_up((T)(x + x), x, 1)", [=](const Call<T>& call) {
                     return call.lane < 1 ? twice(call, call.size - 1) : once(call, call.lane - 1);
                   }});
  cases.push_back({"intel_sub_group_shuffle_down(x, (T)(x + x), 1)", [=](const Call<T>& call) {
                     return call.lane + 1 < call.size ? once(call, call.lane + 1) : twice(call, 0);
                   }});
}

template <class T>
void add_votes(std::vector<Case<T>>& cases) {
  // Not T, which may be too small for numbers of work-items.
  using C = Call<T>;
  const auto count = [](const C& call, auto wanted, size_t end) {
    size_t result = 0;
    for (size_t i = 0; i < call.values.size() && i < end; ++i)
      result += call.active[i] && wanted(call.values[i]);
    return result;
  };
  const auto is_odd = [](T value) { return static_cast<cl_long>(value) % 2 != 0; };
  const auto is_even = [](T value) { return static_cast<cl_long>(value) % 2 == 0; };
  const std::string odd = "((long)x & 1)";
  const size_t all = 9999;
  auto add = [&](const std::string& expression, auto reference) {
    cases.push_back({expression, [=](const C& call) { return std::optional(T(reference(call))); }});
  };
  add("sub_group_elect() != 0", [](const C& call) { return call.lane == first(call); });
  add("sub_group_non_uniform_all(" + odd + ") != 0",
      [=](const C& call) { return count(call, is_even, all) == 0; });
  add("sub_group_non_uniform_any(" + odd + ") != 0",
      [=](const C& call) { return count(call, is_odd, all) != 0; });
  add("sub_group_non_uniform_all_equal(x) != 0", [=](const C& call) {
    const T one = call.values[call.lane];
    return count(call, [=](T value) { return value != one; }, all) == 0;
  });
  const std::string ballot = "sub_group_ballot(" + odd + ")";
  add("sub_group_ballot_bit_count(" + ballot + ")",
      [=](const C& call) { return count(call, is_odd, all); });
  add("sub_group_ballot_inclusive_scan(" + ballot + ")",
      [=](const C& call) { return count(call, is_odd, call.lane + 1); });
  add("sub_group_ballot_exclusive_scan(" + ballot + ")",
      [=](const C& call) { return count(call, is_odd, call.lane); });
  add("sub_group_inverse_ballot(" + ballot + ") != 0",
      [=](const C& call) { return is_odd(call.values[call.lane]); });
  add("sub_group_ballot_bit_extract(" + ballot + ", 0) != 0",
      [=](const C& call) { return call.active[0] && is_odd(call.values[0]); });
  add("sub_group_ballot_find_lsb(sub_group_ballot(1))", [](const C& call) { return first(call); });
  add("sub_group_ballot_find_msb(sub_group_ballot(1))", [](const C& call) {
    size_t last = call.lane;
    for (size_t i = 0; i < call.active.size(); ++i)
      if (call.active[i]) last = i;
    return last;
  });
  const std::string lower = "(popcount(get_sub_group_lt_mask().x | get_sub_group_eq_mask().x) - ";
  add(lower + "popcount(get_sub_group_le_mask().x))", [](const C&) { return 0; });
  add("popcount(get_sub_group_lt_mask().xy).x + popcount(get_sub_group_lt_mask().xy).y",
      [](const C& call) { return call.lane; });
  add("popcount(get_sub_group_ge_mask().xy).x - popcount(get_sub_group_gt_mask().xy).x + "
      "popcount(get_sub_group_ge_mask().xy).y - popcount(get_sub_group_gt_mask().xy).y",
      [](const C&) { return 1; });
}

template <class T>
void add_logic(std::vector<Case<T>>& cases) {
  const auto logic = [&](const std::string& name, const std::string& arguments, auto begin,
                         auto end) {
    for (const std::string op : {"and", "or", "xor"})
      cases.push_back({name + "_logical_" + op + "(" + arguments + ") != 0",
                       [=](const Call<T>& call) -> std::optional<T> {
                         size_t set = 0, unset = 0;
                         for (size_t i = begin(call); i < end(call) && i < call.values.size(); ++i)
                           if (call.active[i]) ++(call.values[i] > T(3) ? set : unset);
                         return T(op == "and" ? unset == 0 : op == "or" ? set != 0 : set % 2 == 1);
                       }});
  };
  const auto none = [](const Call<T>&) { return size_t{0}; };
  const auto own = [](const Call<T>& call) { return call.lane; };
  const auto behind = [](const Call<T>& call) { return call.lane + 1; };
  const auto all = [](const Call<T>& call) { return call.values.size(); };
  logic("sub_group_non_uniform_reduce", "x > 3", none, all);
  logic("sub_group_non_uniform_scan_inclusive", "x > 3", none, behind);
  logic("sub_group_non_uniform_scan_exclusive", "x > 3", none, own);
  logic("sub_group_clustered_reduce", "x > 3, 1", own, behind);
}

constexpr char kKernel[] = R"(
  #pragma OPENCL EXTENSION cl_khr_fp16 : enable
  kernel void test(global const T* in, global T* out, global uint* places) {
    uint n = get_global_size(0) * get_global_size(1), g = get_global_linear_id();
    uint lane = get_sub_group_local_id();
    places[4 * g] = get_group_id(0) + get_num_groups(0) * get_group_id(1);
    places[4 * g + 1] = get_sub_group_id();
    places[4 * g + 2] = lane;
    places[4 * g + 3] = get_max_sub_group_size();
    T x = in[g];
    FLOW { RESULTS }
  })";
constexpr const char* kFlows[] = {"", "if (g % 3 != 0)", "for (uint k = 0; k <= g % 4; ++k)"};

// The position of a work-item.
struct Place {
  cl_uint group, sub_group, lane, size;
};

template <class T>
class SubGroupCheck {
 public:
  SubGroupCheck(std::string type, std::vector<Case<T>> cases, Flow flow, const std::string& options)
      : flow_(flow) {
    std::string results;
    for (Case<T>& c : cases) {
      if (!c.in_all_flows && flow != kAll) continue;
      results += "out[" + std::to_string(cases_.size()) + " * n + g] = " + c.expression + "; ";
      cases_.push_back(std::move(c));
    }
    std::string source = kKernel;
    source.replace(source.find("RESULTS"), 7, results);
    program_ = std::make_unique<Program>(
        source, "-cl-std=CL3.0 -DT=" + type + " \"-DFLOW=" + kFlows[flow] + "\" " + options);
  }

  void run(const Range& range) {
    const size_t n = range.global[0] * range.global[1];
    std::vector<T> values(n);
    // Sums and products of them are exact in every order.
    for (size_t g = 0; g < n; ++g) values[g] = T(g % 11 == 5 ? 4 : g % 7 == 3 ? 2 : 1);
    Buffer<T> in(values), out(n * cases_.size());
    Buffer<Place> places(n);
    program_->run("test", range, in, out, places);
    compare(values, out.read(), places.read());
  }

 private:
  void compare(const std::vector<T>& values, const std::vector<T>& out,
               const std::vector<Place>& places) {
    std::map<std::pair<cl_uint, cl_uint>, std::vector<size_t>> sub_groups;
    for (size_t g = 0; g < values.size(); ++g) {
      auto& lanes = sub_groups[{places[g].group, places[g].sub_group}];
      ASSERT_LT(places[g].lane, places[g].size);
      lanes.resize(std::max<size_t>(lanes.size(), places[g].lane + 1), SIZE_MAX);
      ASSERT_EQ(lanes[places[g].lane], SIZE_MAX) << "two work-items in one place";
      lanes[places[g].lane] = g;
    }
    for (size_t g = 0; g < values.size(); ++g) {
      if (flow_ == kBranch && g % 3 == 0) continue;
      Call<T> call;
      call.lane = places[g].lane;
      call.size = places[g].size;
      for (size_t other : sub_groups[{places[g].group, places[g].sub_group}]) {
        ASSERT_NE(other, SIZE_MAX) << "a sub-group with a gap";
        call.values.push_back(values[other]);
        call.active.push_back(calls_with(flow_, g, other));
      }
      for (size_t i = 0; i < cases_.size(); ++i) {
        const std::optional<T> expected = cases_[i].reference(call);
        if (!expected) continue;
        ASSERT_EQ(out[i * values.size() + g], *expected)
            << cases_[i].expression << " of " << g << ", lane " << call.lane << " of "
            << call.values.size() << ", " << kFlows[flow_];
      }
    }
  }

  Flow flow_;
  std::vector<Case<T>> cases_;
  std::unique_ptr<Program> program_;
};

// Whole sub-groups; one that is not; rows of whole ones; rows of none; a last group that is
// smaller.
const Range kRanges[] = {{{128, 1}, {64, 1}}, {{15, 1}, {5, 1}}, {{74, 2}, {37, 1}},
                         {{32, 6}, {16, 3}},  {{12, 4}, {6, 2}}, {{50, 1}, {20, 1}},
                         {{35, 2}, {32, 2}}};

template <class T>
void check(const std::string& type, const std::vector<Case<T>>& cases) {
  std::vector<std::string> builds = {""};
  // Not for every type, since it takes its time.
  // Through SPIR-V they are built the same way.
  if (Device::get().is_conclave() && !from_spirv() && (type == "int" || type == "double"))
    builds = {"-cl-conclave-width=4", "-cl-conclave-width=8", "-cl-conclave-width=16",
              "-cl-opt-disable"};
  for (const std::string& options : builds) {
    for (Flow flow : {kAll, kBranch, kLoop}) {
      SubGroupCheck<T> test(type, cases, flow, options);
      for (const Range& range : kRanges) {
        SCOPED_TRACE(type + " " + options + ", local size " + std::to_string(range.local[0]) +
                     " x " + std::to_string(range.local[1]));
        test.run(range);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

template <class T>
void check_arithmetic(const std::string& type) {
  std::vector<Case<T>> cases;
  add_combinations(cases);
  check(type, cases);
}

template <class T>
void check_exchanges(const std::string& type) {
  std::vector<Case<T>> cases;
  add_exchanges(cases);
  add_two_sided_shuffles(cases);
  add_votes(cases);
  check(type, cases);
}

#define TYPE_TESTS(name, type, T)           \
  TEST(SubGroup, name##Arithmetic) {        \
    check_arithmetic<T>(type);              \
  }                                         \
  TEST(SubGroup, name##ExchangesAndVotes) { \
    check_exchanges<T>(type);               \
  }
TYPE_TESTS(Char, "char", cl_char)
TYPE_TESTS(Uchar, "uchar", cl_uchar)
TYPE_TESTS(Short, "short", cl_short)
TYPE_TESTS(Ushort, "ushort", cl_ushort)
TYPE_TESTS(Int, "int", cl_int)
TYPE_TESTS(Uint, "uint", cl_uint)
TYPE_TESTS(Long, "long", cl_long)
TYPE_TESTS(Ulong, "ulong", cl_ulong)
TYPE_TESTS(Half, "half", Half)
TYPE_TESTS(Float, "float", cl_float)
TYPE_TESTS(Double, "double", cl_double)

TEST(SubGroup, Logic) {
  std::vector<Case<cl_int>> cases;
  add_logic(cases);
  check("int", cases);
}

// Vectors are broadcast as a whole.
TEST(SubGroup, BroadcastOfVectors) {
  Program program(R"(
    kernel void test(global const float4* in, global float4* out, global short3* shorts) {
      size_t g = get_global_id(0);
      out[g] = sub_group_broadcast(in[g], get_sub_group_size() - 1);
      shorts[g] = sub_group_non_uniform_broadcast((short3)(g, g + 1, g + 2), 0);
    })",
                  "-cl-std=CL3.0");
  constexpr size_t kItems = 21;
  std::vector<cl_float4> values(kItems);
  for (size_t i = 0; i < kItems; ++i)
    for (size_t c = 0; c < 4; ++c) values[i].s[c] = cl_float(10 * i + c);
  Buffer<cl_float4> in(values), out(kItems);
  Buffer<cl_short4> shorts(kItems);
  program.run("test", {{kItems}, {kItems}}, in, out, shorts);
  const std::vector<cl_float4> results = out.read();
  const std::vector<cl_short4> firsts = shorts.read();
  for (size_t i = 0; i < kItems; ++i) {
    const size_t last = static_cast<size_t>(results[i].s[0]) / 10;
    EXPECT_GE(last, i);
    for (size_t c = 0; c < 4; ++c) EXPECT_EQ(results[i].s[c], cl_float(10 * last + c));
    for (size_t c = 0; c < 3; ++c) EXPECT_EQ(firsts[i].s[c], firsts[last].s[0] + cl_short(c));
  }
}

// Work-items of a sub-group see what the others wrote before a sub_group_barrier.
TEST(SubGroup, BarrierOrdersLocalMemory) {
  Program program(R"(
    kernel void test(global int* out) {
      local int shared[64];
      int l = get_local_id(0), lane = get_sub_group_local_id(), size = get_sub_group_size();
      int begin = l - lane, sum = 0;
      for (int round = 0; round < 3; ++round) {
        shared[l] = l * 10 + round;
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        sum += shared[begin + size - 1 - lane];
        sub_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
      }
      out[l] = sum - 30 * (begin + size - 1 - lane);
    })",
                  "-cl-std=CL3.0");
  for (size_t local : {64, 30}) {
    Buffer<cl_int> out(local);
    program.run("test", {{local}, {local}}, out);
    for (cl_int value : out.read()) ASSERT_EQ(value, 0 + 1 + 2);
  }
}

// Sub-groups of a kernel with several parts: the parts agree on what a sub-group is.
TEST(SubGroup, PartsBetweenBarriers) {
  Program program(R"(
    kernel void sum(global const double* in, global double* out) {
      local double partial[128];
      double x = sub_group_reduce_add(in[get_global_id(0)]);
      partial[get_sub_group_id()] = x;
      barrier(CLK_LOCAL_MEM_FENCE);
      float f = 0;
      for (uint i = 0; i < get_num_sub_groups(); ++i) f += partial[i];
      if (get_local_id(0) == 0) out[get_group_id(0)] = f;
    })",
                  "-cl-std=CL3.0");
  for (size_t local : {1, 7, 32, 100}) {
    std::vector<cl_double> values(3 * local, 2.0);
    Buffer<cl_double> in(values), out(3);
    program.run("sum", {{3 * local}, {local}}, in, out);
    for (cl_double sum : out.read()) ASSERT_EQ(sum, 2.0 * local);
  }
}

}  // namespace
}  // namespace conclave::test
