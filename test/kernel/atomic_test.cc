// SPDX-License-Identifier: Apache-2.0
// Atomic functions of OpenCL C 1.x and of 2.0/3.0 on global and local memory, and async copies.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "test/kernel/builtin_table.h"
#include "test/kernel/kernel_test.h"

namespace conclave::test {
namespace {

using std::string_literals::operator""s;

constexpr size_t kItems = 4096, kLocal = 64;

constexpr const char* kAtomicExtensions =
    "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
    "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n";

// Every work-item applies each function once; `prefix` is atomic or atom. The cells begin at fixed
// values and end at values that do not depend on the order.
template <class T>
void check_legacy(const std::string& prefix, const std::string& space) {
  std::string type = type_name<T>();
  std::string begin = space == "local" ? "local " + type +
                                             " cells[10]; if (get_local_id(0) == 0) "
                                             "for (int c = 0; c < 10; ++c) cells[c] = out[c];\n"
                                             "  barrier(CLK_LOCAL_MEM_FENCE);\n"
                                       : "global " + type + "* cells = out;\n";
  std::string end = space == "local"
                        ? "  barrier(CLK_LOCAL_MEM_FENCE);\n  if (get_local_id(0) == 0) "
                          "for (int c = 0; c < 10; ++c) out[c] = cells[c];\n"
                        : "";
  Program program(std::string(kAtomicExtensions) + "kernel void k(global " + type + "* out) {\n  " +
                  begin + "  " + type + " i = get_global_id(0);\n  " + prefix +
                  "_add(&cells[0], 3); " + prefix + "_sub(&cells[1], 2); " + prefix +
                  "_inc(&cells[2]); " + prefix + "_dec(&cells[3]);\n  " + prefix +
                  "_min(&cells[4], i + 1); " + prefix + "_max(&cells[5], i);\n  " + prefix +
                  "_and(&cells[6], ~((" + type + ")1 << (i & 7))); " + prefix + "_or(&cells[7], (" +
                  type + ")1 << (i & 15)); " + prefix + "_xor(&cells[8], i);\n  " + type +
                  " seen = cells[9], old;\n  while ((old = " + prefix +
                  "_cmpxchg(&cells[9], seen, seen + i)) != seen) seen = old;\n" + end + "}\n");
  size_t items = space == "local" ? kLocal : kItems;
  std::vector<T> cells = {0, T(100000), 5, T(100000), T(100000), 0, T(-1), 0, 0, 7};
  Buffer<T> out(cells);
  program.run("k", {{items}, {kLocal}}, out);
  T sum = T(7) + T(items * (items - 1) / 2), parity = 0;
  for (size_t i = 0; i < items; ++i) parity ^= T(i);
  std::vector<T> expected = {T(3 * items),
                             T(100000 - 2 * items),
                             T(5 + items),
                             T(100000 - items),
                             1,
                             T(items - 1),
                             T(-256),
                             T(0xffff),
                             parity,
                             sum};
  EXPECT_EQ(out.read(), expected) << prefix << " on " << space << " " << type;
}

TEST(Atomics, Legacy) {
  for (const char* space : {"global", "local"}) {
    for (const char* prefix : {"atomic", "atom"}) {
      check_legacy<cl_int>(prefix, space);
      check_legacy<cl_uint>(prefix, space);
    }
    check_legacy<cl_long>("atom", space);
    check_legacy<cl_ulong>("atom", space);
  }
}

// Work-items change one cell of which all have the address; packets do that once. What they find, in
// any order, is what they would find one after the other. `found` ends with what the last one leaves.
template <class T>
void check_one_cell(const std::string& call, std::vector<T> found, int every,
                    const std::string& options) {
  const std::string type = type_name<T>();
  const size_t changes = found.size() - 1, items = changes * static_cast<size_t>(every);
  constexpr size_t kGroups = 4;
  for (const std::string space : {"global", "local"}) {
    const bool is_local = space == "local";
    const std::string barrier = "  barrier(CLK_LOCAL_MEM_FENCE);\n";
    Program program(
        kAtomicExtensions + "kernel void k(global "s + type + "* cells, global " + type +
            "* old) {\n  int i = get_global_id(0), every = " + std::to_string(every) + ";\n" +
            (is_local ? "  local " + type + " in_group;\n  local " + type +
                            "* cell = &in_group;\n  if (get_local_id(0) == 0) "
                            "in_group = cells[get_group_id(0)];\n" +
                            barrier
                      : "  global " + type + "* cell = cells + get_group_id(0);\n") +
            "  " + (every > 1 ? "if (i % every == 0) " : "") + "old[i / every] = " + call + ";\n" +
            (is_local ? barrier + "  if (get_local_id(0) == 0) cells[get_group_id(0)] = in_group;\n"
                      : "") +
            "}\n",
        options);
    Buffer<T> cells(std::vector<T>(kGroups, found.front()));
    Buffer<T> old(std::vector<T>(kGroups * changes, T(-77)));
    program.run("k", {{kGroups * items}, {items}}, cells, old);
    EXPECT_EQ(cells.read(), std::vector<T>(kGroups, found.back())) << call << options;
    std::vector<T> expected(found.begin(), found.end() - 1);
    std::sort(expected.begin(), expected.end());
    const std::vector<T> all = old.read();
    for (auto begin = all.begin(); begin != all.end(); begin += static_cast<ptrdiff_t>(changes)) {
      std::vector<T> of_group(begin, begin + static_cast<ptrdiff_t>(changes));
      std::sort(of_group.begin(), of_group.end());
      EXPECT_EQ(of_group, expected) << call << " " << space << every << options;
    }
  }
}

TEST(Atomics, OldValuesOfOneCell) {
  constexpr cl_int kChanges = 32;
  const auto steps = [](auto first, cl_int step) {
    std::vector<decltype(first)> found = {first};
    for (cl_int i = 0; i < kChanges; ++i) found.push_back(found.back() + step);
    return found;
  };
  const auto once = [](auto first, auto then) {
    std::vector<decltype(first)> found(kChanges + 1, then);
    found.front() = first;
    return found;
  };
  for (const char* options :
       {"-cl-conclave-width=1", "-cl-conclave-width=2", "-cl-conclave-width=8",
        "-cl-conclave-width=32", "-cl-conclave-width=64", ""}) {
    for (int every : {1, 3}) {
      check_one_cell<cl_int>("atomic_inc(cell)", steps(5, 1), every, options);
      check_one_cell<cl_int>("atomic_sub(cell, 2)", steps(1, -2), every, options);
      check_one_cell<cl_int>("atomic_xchg(cell, 9)", once(4, 9), every, options);
      check_one_cell<cl_int>("atomic_and(cell, 6)", once(13, 4), every, options);
      check_one_cell<cl_int>("atomic_or(cell, 6)", once(9, 15), every, options);
      check_one_cell<cl_int>("atomic_min(cell, -8)", once(3, -8), every, options);
      check_one_cell<cl_uint>("atomic_max(cell, -8)", once(3u, cl_uint(-8)), every, options);
      check_one_cell<cl_long>("atom_add(cell, 7)", steps(cl_long{1} << 40, 7), every, options);
    }
  }
}

// Operands differ, and some work-items have none: those of a packet make one.
TEST(Atomics, OperandsOfOneCell) {
  constexpr size_t kCount = 512;
  for (const std::string width : {"1", "2", "8", "16", "32", "64"}) {
    Program program(R"(
      kernel void k(global int* cells, global const int* in) {
        int i = get_global_id(0), v = in[i];
        if (i % 5 == 1) {
          atomic_add(&cells[0], v);
          atomic_sub(&cells[1], v);
          atomic_and(&cells[2], v);
          atomic_or(&cells[3], v);
          atomic_xor(&cells[4], v);
          atomic_min(&cells[5], v);
          atomic_max(&cells[6], v);
          atomic_min((global uint*)&cells[7], v);
          atomic_max((global uint*)&cells[8], v);
        }
      })",
                    "-cl-conclave-width=" + width);
    std::vector<cl_int> in(kCount), cells = {1, 2, -1, 0, 5, 100, -100, -1, 0}, expected = cells;
    for (size_t i = 0; i < kCount; ++i) in[i] = static_cast<cl_int>(i * 2654435761u >> 7) - 999;
    for (size_t i = 1; i < kCount; i += 5) {
      const cl_int v = in[i];
      const auto u = static_cast<cl_uint>(v);
      expected[0] += v, expected[1] -= v, expected[2] &= v, expected[3] |= v, expected[4] ^= v;
      expected[5] = std::min(expected[5], v), expected[6] = std::max(expected[6], v);
      expected[7] = static_cast<cl_int>(std::min(static_cast<cl_uint>(expected[7]), u));
      expected[8] = static_cast<cl_int>(std::max(static_cast<cl_uint>(expected[8]), u));
    }
    Buffer<cl_int> out(cells), input(in);
    program.run("k", {{kCount}, {64}}, out, input);
    EXPECT_EQ(out.read(), expected) << width;
  }
}

// Results of each function on one cell by one work-item: the old value, then the new one.
TEST(Atomics, LegacyOldValues) {
  Program program(R"(
    kernel void k(global int* cell, global int* old, global float* real) {
      int n = 0;
      old[n++] = atomic_add(cell, 5);
      old[n++] = atomic_sub(cell, 2);
      old[n++] = atomic_xchg(cell, -4);
      old[n++] = atomic_inc(cell);
      old[n++] = atomic_dec(cell);
      old[n++] = atomic_min(cell, -10);
      old[n++] = atomic_max(cell, 9);
      old[n++] = atomic_and(cell, 12);
      old[n++] = atomic_or(cell, 3);
      old[n++] = atomic_xor(cell, 1);
      old[n++] = atomic_cmpxchg(cell, 10, 77);
      old[n++] = atomic_cmpxchg(cell, 10, 78);
      old[n++] = *cell;
      real[1] = atomic_xchg(real, 2.5f);
    })");
  Buffer<cl_int> cell({1}), old(13);
  Buffer<cl_float> real({-1.5f, 0});
  program.run("k", {{1}}, cell, old, real);
  EXPECT_EQ(old.read(), (std::vector<cl_int>{1, 6, 4, -4, -3, -4, -10, 9, 8, 11, 10, 77, 77}));
  EXPECT_EQ(real.read(), (std::vector<cl_float>{2.5f, -1.5f}));
}

std::string modern_source(const std::string& type, const std::string& space) {
  std::string pointer = space + " atomic_" + type + "* cells";
  std::string begin = space == "local"
                          ? "local atomic_" + type + " own[8]; " + pointer +
                                " = own; if (get_local_id(0) == 0) for (int c = 0; c < 8; ++c) "
                                "atomic_init(&own[c], out[c]);\n  work_group_barrier("
                                "CLK_LOCAL_MEM_FENCE);\n"
                          : pointer + " = (" + space + " atomic_" + type + "*)out;\n";
  std::string end =
      space == "local"
          ? "  work_group_barrier(CLK_LOCAL_MEM_FENCE);\n  if (get_local_id(0) == 0) for "
            "(int c = 0; c < 8; ++c) out[c] = atomic_load_explicit(&own[c], "
            "memory_order_relaxed, memory_scope_work_group);\n"
          : "";
  return std::string(kAtomicExtensions) + "kernel void k(global " + type + "* out) {\n  " + begin +
         "  " + type + " i = get_global_id(0);\n" + "  atomic_fetch_add_explicit(&cells[0], (" +
         type +
         ")3, memory_order_relaxed, memory_scope_device);\n"
         "  atomic_fetch_sub_explicit(&cells[1], (" +
         type +
         ")2, memory_order_acq_rel, memory_scope_device);\n"
         "  atomic_fetch_min_explicit(&cells[2], i + 1, memory_order_seq_cst, "
         "memory_scope_device);\n"
         "  atomic_fetch_max(&cells[3], i);\n"
         "  atomic_fetch_and(&cells[4], ~((" +
         type +
         ")1 << (i & 7)));\n"
         "  atomic_fetch_or(&cells[5], (" +
         type +
         ")1 << (i & 15));\n"
         "  atomic_fetch_xor(&cells[6], i);\n  " +
         type + " seen = atomic_load(&cells[7]);\n" +
         "  while (!atomic_compare_exchange_weak(&cells[7], &seen, seen + i)) ;\n" + end + "}\n";
}

template <class T>
void check_modern(const std::string& space, const std::string& options) {
  Program program(modern_source(type_name<T>(), space), options);
  size_t items = space == "local" ? kLocal : kItems;
  Buffer<T> out(std::vector<T>{0, T(100000), T(100000), 0, T(-1), 0, 0, 7});
  program.run("k", {{items}, {kLocal}}, out);
  T parity = 0;
  for (size_t i = 0; i < items; ++i) parity ^= T(i);
  std::vector<T> expected = {
      T(3 * items), T(100000 - 2 * items),         1, T(items - 1), T(-256), T(0xffff),
      parity,       T(7 + items * (items - 1) / 2)};
  EXPECT_EQ(out.read(), expected) << space << " " << type_name<T>() << " " << options;
}

TEST(Atomics, Modern) {
  for (const char* space : {"global", "local"}) {
    check_modern<cl_int>(space, "-cl-std=CL3.0");
    check_modern<cl_uint>(space, "-cl-std=CL3.0");
    check_modern<cl_long>(space, "-cl-std=CL3.0");
    check_modern<cl_ulong>(space, "-cl-std=CL3.0");
  }
}

TEST(Atomics, ModernOnGenericPointers) {
  check_modern<cl_int>("", "-cl-std=CL2.0");
  check_modern<cl_ulong>("", "-cl-std=CL2.0");
}

TEST(Atomics, ModernAccesses) {
  Program program(R"(
    kernel void k(global atomic_int* cell, global atomic_float* real, global atomic_flag* flag,
                  global int* out, global float* reals) {
      int expected = 100;
      out[0] = atomic_exchange(cell, 5);
      atomic_store(cell, 6);
      out[1] = atomic_load(cell);
      atomic_store_explicit(cell, 7, memory_order_release, memory_scope_device);
      out[2] = atomic_load_explicit(cell, memory_order_acquire, memory_scope_device);
      out[3] = atomic_compare_exchange_strong(cell, &expected, 8);
      out[4] = expected;
      out[5] = atomic_compare_exchange_strong_explicit(cell, &expected, 9, memory_order_acq_rel,
                                                       memory_order_relaxed, memory_scope_device);
      out[6] = atomic_load(cell);
      out[7] = atomic_flag_test_and_set(flag);
      out[8] = atomic_flag_test_and_set_explicit(flag, memory_order_acq_rel, memory_scope_device);
      atomic_flag_clear(flag);
      out[9] = atomic_flag_test_and_set(flag);
      atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);
      reals[0] = atomic_exchange(real, 2.5f);
      reals[1] = atomic_load(real);
      atomic_store(real, -0.5f);
      reals[2] = atomic_load(real);
    })",
                  "-cl-std=CL3.0");
  Buffer<cl_int> cell({4}), flag({0}), out(10);
  Buffer<cl_float> real({1.5f}), reals(3);
  program.run("k", {{1}}, cell, real, flag, out, reals);
  EXPECT_EQ(out.read(), (std::vector<cl_int>{4, 6, 7, 0, 7, 1, 9, 0, 1, 0}));
  EXPECT_EQ(reals.read(), (std::vector<cl_float>{1.5f, 2.5f, -0.5f}));
}

// The last group to finish, found by an atomic counter, sees what the others wrote before a fence.
TEST(Atomics, FencesPublish) {
  Program program(R"(
    kernel void k(global int* partial, global int* counter, global int* result) {
      partial[get_group_id(0)] = get_group_id(0) + 1;
      mem_fence(CLK_GLOBAL_MEM_FENCE);
      if (atomic_inc(counter) == (int)get_num_groups(0) - 1) {
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        int sum = 0;
        for (size_t i = 0; i < get_num_groups(0); ++i) sum += ((volatile global int*)partial)[i];
        *result = sum;
      }
    })");
  for (int repetition = 0; repetition < 20; ++repetition) {
    Buffer<cl_int> partial(500), counter(1), result(1);
    program.run("k", {{500}, {1}}, partial, counter, result);
    EXPECT_EQ(result.read()[0], 500 * 501 / 2);
  }
}

std::string async_source(const std::string& type, const std::string& width) {
  std::string t = type + width;
  return "kernel void k" + width + "(global " + t + "* in, global " + t + "* out, local " + t +
         "* shared, uint n) {\n"
         "  event_t e = async_work_group_copy(shared, in + get_group_id(0) * n, n, 0);\n"
         "  wait_group_events(1, &e);\n"
         "  event_t two[2];\n"
         "  two[0] = async_work_group_copy(out + get_group_id(0) * 3 * n, shared, n, 0);\n"
         "  two[1] = async_work_group_strided_copy(out + get_group_id(0) * 3 * n + n, shared, n, "
         "2, 0);\n"
         "  prefetch(in, n);\n"
         "  wait_group_events(2, two);\n"
         "  barrier(CLK_LOCAL_MEM_FENCE);\n"
         "  e = async_work_group_strided_copy(shared, in, n / 2, 3, 0);\n"
         "  wait_group_events(1, &e);\n"
         "  if (get_local_id(0) < n / 2)\n"
         "    out[get_group_id(0) * 3 * n + n + 1 + 2 * get_local_id(0)] = "
         "shared[get_local_id(0)];\n}\n";
}

// With `bytes` per element and `elements` per group, by groups of different sizes.
void check_async(const Program& program, const std::string& width, size_t bytes, size_t local) {
  constexpr size_t kElements = 10, kGroups = 3;
  std::vector<cl_uchar> values(kElements * kGroups * bytes);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<cl_uchar>(i * 7 + i / 256);
  Buffer<cl_uchar> in(values), out(3 * values.size());
  program.run(("k" + width).c_str(), {{local * kGroups}, {local}}, in, out,
              Local{kElements * bytes}, cl_uint{kElements});
  std::vector<cl_uchar> results = out.read(), expected(3 * values.size());
  for (size_t g = 0; g < kGroups; ++g)
    for (size_t i = 0; i < kElements; ++i) {
      auto put = [&](size_t to, size_t from) {
        std::copy_n(values.begin() + from * bytes, bytes,
                    expected.begin() + (g * 3 * kElements + to) * bytes);
      };
      put(i, g * kElements + i);
      put(kElements + 2 * i, g * kElements + i);
      if (i < kElements / 2 && i < local) put(kElements + 1 + 2 * i, 3 * i);
    }
  EXPECT_EQ(results, expected) << bytes << " bytes, local size " << local;
}

TEST(AsyncCopies, EveryType) {
  const std::pair<const char*, size_t> types[] = {
      {"char", 1}, {"uchar", 1}, {"short", 2}, {"ushort", 2}, {"int", 4},
      {"uint", 4}, {"long", 8},  {"ulong", 8}, {"float", 4},  {"double", 8}};
  for (const auto& [type, size] : types) {
    if (!tries(type)) continue;
    std::string source;
    for (const char* width : {"", "2", "4", "8", "16"}) source += async_source(type, width);
    Program program(source);
    for (size_t width : {1, 2, 4, 8, 16})
      for (size_t local : {1, 7, 16})
        check_async(program, width == 1 ? "" : std::to_string(width), size * width, local);
  }
}

}  // namespace
}  // namespace conclave::test
