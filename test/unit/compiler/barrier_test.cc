// SPDX-License-Identifier: Apache-2.0
// Kernels whose barriers stand in every kind of uniform control flow, against a plain C++ model.
#include <gtest/gtest.h>

#include <numeric>

#include "test/unit/compiler/compiled_program.h"

namespace conclave::test {
namespace {

std::vector<int> numbers(size_t count) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

// Each kernel takes (global int* out, global const int* in, int n) and runs with groups of eight;
// the function says what out[i] becomes.
struct BarrierCase {
  const char* name;
  const char* body;
  int (*expected)(const std::vector<int>& in, size_t i, int n);
};

size_t group_of(size_t i) {
  return i / 8 * 8;
}

int reversed(const std::vector<int>& in, size_t i) {
  return in[group_of(i) + 7 - i % 8];
}

int rotated(const std::vector<int>& in, size_t i, int by) {
  return in[group_of(i) + (i % 8 + static_cast<size_t>(by)) % 8];
}

const BarrierCase kCases[] = {
    {"straight", "t[l] = in[g]; barrier(CLK_LOCAL_MEM_FENCE); out[g] = t[7 - l];",
     [](const std::vector<int>& in, size_t i, int) { return reversed(in, i); }},
    {"two_barriers",
     "t[l] = in[g]; barrier(CLK_LOCAL_MEM_FENCE); int v = t[7 - l]; barrier(CLK_LOCAL_MEM_FENCE);"
     "t[l] = v; barrier(CLK_LOCAL_MEM_FENCE); out[g] = t[7 - l];",
     [](const std::vector<int>& in, size_t i, int) { return in[i]; }},
    {"value_across",
     "int v = in[g] * in[g] + 3; t[l] = v; barrier(CLK_LOCAL_MEM_FENCE); out[g] = v - t[7 - l];",
     [](const std::vector<int>& in, size_t i, int) {
       int other = reversed(in, i);
       return in[i] * in[i] - other * other;
     }},
    {"loop",
     "int sum = 0; for (int k = 0; k < n; ++k) { t[l] = in[g] + k; barrier(CLK_LOCAL_MEM_FENCE);"
     "sum += t[7 - l]; barrier(CLK_LOCAL_MEM_FENCE); } out[g] = sum;",
     [](const std::vector<int>& in, size_t i, int n) {
       return n * reversed(in, i) + n * (n - 1) / 2;
     }},
    {"barrier_at_loop_end",
     "int v = in[g]; for (int k = 0; k < n; ++k) { t[l] = v; barrier(CLK_LOCAL_MEM_FENCE);"
     "v = t[(l + 1) % 8]; barrier(CLK_LOCAL_MEM_FENCE); } out[g] = v;",
     [](const std::vector<int>& in, size_t i, int n) { return rotated(in, i, n); }},
    {"nested_loops",
     "int v = in[g]; for (int a = 0; a < 2; ++a) { for (int b = 0; b < n; ++b) { t[l] = v;"
     "barrier(CLK_LOCAL_MEM_FENCE); v = t[(l + 1) % 8]; barrier(CLK_LOCAL_MEM_FENCE); }"
     "if (a == 0) { t[l] = v; barrier(CLK_LOCAL_MEM_FENCE); v = t[7 - l];"
     "barrier(CLK_LOCAL_MEM_FENCE); } } out[g] = v;",
     [](const std::vector<int>& in, size_t i, int n) {
       // rotate by n, reverse, rotate by n
       size_t lane = (i % 8 + static_cast<size_t>(n)) % 8;
       return rotated(in, group_of(i) + 7 - lane, n);
     }},
    {"uniform_branch",
     "int v = in[g]; if (n > 2) { t[l] = v; barrier(CLK_LOCAL_MEM_FENCE); v = t[7 - l]; }"
     "else v = -v; out[g] = v;",
     [](const std::vector<int>& in, size_t i, int n) { return n > 2 ? reversed(in, i) : -in[i]; }},
    {"both_branches",
     "int v = in[g]; if (n > 2) { t[l] = v; barrier(CLK_LOCAL_MEM_FENCE); v = t[7 - l]; }"
     "else { t[l] = v + 1; barrier(CLK_LOCAL_MEM_FENCE); v = t[(l + 1) % 8]; } out[g] = v;",
     [](const std::vector<int>& in, size_t i, int n) {
       return n > 2 ? reversed(in, i) : rotated(in, i, 1) + 1;
     }},
    {"early_return",
     "t[l] = in[g]; if (n == 0) { out[g] = 5; return; } barrier(CLK_LOCAL_MEM_FENCE);"
     "out[g] = t[7 - l];",
     [](const std::vector<int>& in, size_t i, int n) { return n == 0 ? 5 : reversed(in, i); }},
    {"return_between_barriers",
     "t[l] = in[g]; barrier(CLK_LOCAL_MEM_FENCE); int v = t[7 - l]; if (n == 3) { out[g] = v;"
     "return; } barrier(CLK_LOCAL_MEM_FENCE); t[l] = v; barrier(CLK_LOCAL_MEM_FENCE);"
     "out[g] = t[7 - l] * 10;",
     [](const std::vector<int>& in, size_t i, int n) {
       return n == 3 ? reversed(in, i) : in[i] * 10;
     }},
    {"break_out",
     "int v = in[g]; for (int k = 0;; ++k) { if (k == n) break; t[l] = v;"
     "barrier(CLK_LOCAL_MEM_FENCE); v = t[(l + 1) % 8] + 1; barrier(CLK_LOCAL_MEM_FENCE); }"
     "out[g] = v;",
     [](const std::vector<int>& in, size_t i, int n) { return rotated(in, i, n) + n; }},
    {"continue_around",
     "int v = in[g]; for (int k = 0; k < n; ++k) { if (k % 2) continue; t[l] = v;"
     "barrier(CLK_LOCAL_MEM_FENCE); v = t[(l + 1) % 8]; barrier(CLK_LOCAL_MEM_FENCE); }"
     "out[g] = v;",
     [](const std::vector<int>& in, size_t i, int n) { return rotated(in, i, (n + 1) / 2); }},
    {"several_exits",
     "int v = in[g]; int k = 0; while (true) { t[l] = v; barrier(CLK_LOCAL_MEM_FENCE);"
     "v = t[(l + 1) % 8]; if (++k >= n) break; barrier(CLK_LOCAL_MEM_FENCE);"
     "if (k == 5) { out[g] = -v; return; } } out[g] = v;",
     [](const std::vector<int>& in, size_t i, int n) {
       return n <= 5 ? rotated(in, i, n < 1 ? 1 : n) : -rotated(in, i, 5);
     }},
    {"do_while",
     "int v = in[g]; int k = 0; do { t[l] = v; barrier(CLK_LOCAL_MEM_FENCE); v = t[(l + 1) % 8];"
     "barrier(CLK_LOCAL_MEM_FENCE); } while (++k < n); out[g] = v;",
     [](const std::vector<int>& in, size_t i, int n) { return rotated(in, i, n < 1 ? 1 : n); }},
    {"switch",
     "int v = in[g]; t[l] = v; switch (n) { case 0: barrier(CLK_LOCAL_MEM_FENCE); v = t[7 - l];"
     "break; case 3: barrier(CLK_LOCAL_MEM_FENCE); v = t[(l + 1) % 8]; /* falls through */"
     "case 6: v += 100; break; default: barrier(CLK_LOCAL_MEM_FENCE); v = t[l] + 1; }"
     "out[g] = v;",
     [](const std::vector<int>& in, size_t i, int n) {
       if (n == 0) return reversed(in, i);
       if (n == 3) return rotated(in, i, 1) + 100;
       if (n == 6) return in[i] + 100;
       return in[i] + 1;
     }},
    {"divergent_between_barriers",
     "int v = in[g]; if (l & 1) v *= 2; t[l] = v; barrier(CLK_LOCAL_MEM_FENCE);"
     "for (int k = 0; k < l; ++k) v += t[k]; out[g] = v;",
     [](const std::vector<int>& in, size_t i, int) {
       auto value = [&](size_t j) { return j & 1 ? in[j] * 2 : in[j]; };
       int sum = value(i);
       for (size_t j = group_of(i); j < i; ++j) sum += value(j);
       return sum;
     }},
    {"private_array_across",
     "int a[16]; for (int k = 0; k < 16; ++k) a[k] = in[g] * k; t[l] = a[n & 15];"
     "barrier(CLK_LOCAL_MEM_FENCE); int s = 0; for (int k = 0; k <= (n & 15); ++k) s += a[k ^ 1];"
     "out[g] = s + t[7 - l];",
     [](const std::vector<int>& in, size_t i, int n) {
       int sum = 0;
       for (int k = 0; k <= (n & 15); ++k) sum += in[i] * (k ^ 1);
       return sum + reversed(in, i) * (n & 15);
     }},
    {"private_array_in_loop",
     "int s = 0; for (int k = 0; k < n; ++k) { int a[8]; for (int j = 0; j < 8; ++j)"
     "a[(j + l) & 7] = j * k; t[l] = a[k & 7]; barrier(CLK_LOCAL_MEM_FENCE); s += t[7 - l];"
     "barrier(CLK_LOCAL_MEM_FENCE); } out[g] = s;",
     [](const std::vector<int>&, size_t i, int n) {
       int sum = 0;
       int lane = 7 - static_cast<int>(i % 8);
       for (int k = 0; k < n; ++k) sum += ((k & 7) - lane + 8) % 8 * k;
       return sum;
     }},
    {"pointer_to_private_across",
     "int a[4] = {1, 2, 3, 4}; int b[4] = {10, 20, 30, 40}; int* p = in[g] & 1 ? a : b;"
     "p[1] += in[g]; t[l] = p[2]; barrier(CLK_LOCAL_MEM_FENCE); p[3] += t[7 - l];"
     "out[g] = p[1] + p[3] + a[3] + b[3];",
     [](const std::vector<int>& in, size_t i, int) {
       bool odd = in[i] & 1;
       int other = reversed(in, i) & 1 ? 3 : 30;
       int p1 = (odd ? 2 : 20) + in[i];
       int p3 = (odd ? 4 : 40) + other;
       return p1 + p3 + (odd ? p3 : 4) + (odd ? 40 : p3);
     }},
    {"phi_across",
     "int v; if (in[g] & 1) v = in[g] * 3; else v = in[g] / 2; t[l] = v;"
     "barrier(CLK_LOCAL_MEM_FENCE); out[g] = v + t[l ^ 1];",
     [](const std::vector<int>& in, size_t i, int) {
       auto value = [&](size_t j) { return in[j] & 1 ? in[j] * 3 : in[j] / 2; };
       return value(i) + value(i ^ 1);
     }},
    {"in_function", "out[g] = exchange(t, in[g], l, 7 - l) + exchange(t, in[g], l, (l + 1) % 8);",
     [](const std::vector<int>& in, size_t i, int) { return reversed(in, i) + rotated(in, i, 1); }},
    {"vectors_across",
     "int3 v = (int3)(in[g], in[g] + 1, in[g] + 2); float4 f = convert_float4((int4)(v, 1));"
     "t[l] = v.x; barrier(CLK_LOCAL_MEM_FENCE); out[g] = v.x + v.y + v.z + (int)f.w + t[7 - l];",
     [](const std::vector<int>& in, size_t i, int) { return 3 * in[i] + 4 + reversed(in, i); }},
    {"loop_then_loop",
     "int v = in[g]; for (int k = 0; k < n; ++k) { t[l] = v; barrier(CLK_LOCAL_MEM_FENCE);"
     "v = t[(l + 1) % 8]; barrier(CLK_LOCAL_MEM_FENCE); }"
     "for (int k = 0; k < n; ++k) { t[l] = v; barrier(CLK_LOCAL_MEM_FENCE); v = t[(l + 7) % 8];"
     "barrier(CLK_LOCAL_MEM_FENCE); } out[g] = v;",
     [](const std::vector<int>& in, size_t i, int) { return in[i]; }},
    {"goto_loop",
     "int v = in[g]; int k = 0; again: t[l] = v; barrier(CLK_LOCAL_MEM_FENCE);"
     "v = t[(l + 1) % 8]; barrier(CLK_LOCAL_MEM_FENCE); if (++k < n) goto again; out[g] = v;",
     [](const std::vector<int>& in, size_t i, int n) { return rotated(in, i, n < 1 ? 1 : n); }},
    {"first_items",
     "t[l] = in[g]; barrier(CLK_LOCAL_MEM_FENCE); if (l < 3) t[l] += t[l + 4];"
     "barrier(CLK_LOCAL_MEM_FENCE); if (l == 0) t[7] = n; barrier(CLK_LOCAL_MEM_FENCE);"
     "out[g] = t[l];",
     [](const std::vector<int>& in, size_t i, int n) {
       if (i % 8 == 7) return n;
       return in[i] + (i % 8 < 3 ? in[i + 4] : 0);
     }},
    {"first_items_and_what_all_do",
     "int v = in[g]; for (int s = 4; s > 0; s /= 2) { t[l] = v; barrier(CLK_LOCAL_MEM_FENCE);"
     "if (l < s) v += t[l + s]; barrier(CLK_LOCAL_MEM_FENCE); } out[g] = l == 0 ? v : in[g];",
     [](const std::vector<int>& in, size_t i, int) {
       return i % 8 == 0 ? std::accumulate(&in[i], &in[i] + 8, 0) : in[i];
     }},
    {"last_items_alone",
     "t[l] = 0; barrier(CLK_LOCAL_MEM_FENCE); if (l < 4) t[l] = in[g]; else t[7] = n;"
     "barrier(CLK_LOCAL_MEM_FENCE); out[g] = t[7];",
     [](const std::vector<int>&, size_t, int n) { return n; }},
    {"global_fence",
     "out[g] = in[g]; barrier(CLK_GLOBAL_MEM_FENCE); int v = out[g - l + 7 - l];"
     "barrier(CLK_GLOBAL_MEM_FENCE); out[g] = v;",
     [](const std::vector<int>& in, size_t i, int) { return reversed(in, i); }},
};

class BarrierTest : public testing::TestWithParam<BarrierCase> {};

std::string source_of(const BarrierCase& test) {
  return std::string(
             "int exchange(local int* t, int v, int l, int from) {"
             "  barrier(CLK_LOCAL_MEM_FENCE); t[l] = v; barrier(CLK_LOCAL_MEM_FENCE);"
             "  return t[from]; }\n"
             "kernel void k(global int* out, global const int* in, int n) {\n"
             "  local int t[8]; int g = get_global_id(0); int l = get_local_id(0);\n") +
         test.body + "\n}\n";
}

void check(const BarrierCase& test, const std::string& options) {
  CompiledProgram program(source_of(test), options);
  const std::vector<int> in = numbers(40);
  for (int n : {0, 1, 2, 3, 6, 7}) {
    std::vector<int> out(in.size(), -12345);
    program.run("k", Arguments().add(out.data()).add(in.data()).add(n), range1(40, 8));
    for (size_t i = 0; i < in.size(); ++i)
      ASSERT_EQ(out[i], test.expected(in, i, n)) << "work-item " << i << ", n = " << n;
  }
}

TEST_P(BarrierTest, Optimized) {
  check(GetParam(), "");
}
TEST_P(BarrierTest, WithoutOptimization) {
  check(GetParam(), "-cl-opt-disable");
}
TEST_P(BarrierTest, InPackets) {
  for (const char* width : {"1", "2", "4", "8"})
    check(GetParam(), std::string("-cl-conclave-width=") + width);
}
TEST_P(BarrierTest, OfKnownSize) {
  for (const char* width : {"1", "2", "4", "8"})
    check(GetParam(), std::string("-cl-conclave-local-size=k:8,1,1 -cl-conclave-width=") + width);
}
TEST_P(BarrierTest, WithDebugInformation) {
  check(GetParam(), "-g");
}

INSTANTIATE_TEST_SUITE_P(ControlFlow, BarrierTest, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace conclave::test
