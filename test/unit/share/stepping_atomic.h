// SPDX-License-Identifier: Apache-2.0
// The words of the shared segment for tests that want to act at each access to them: to kill the
// process there, or to let another one go on. Code under test is compiled with
// CONCLAVE_SHARE_ATOMIC_HEADER="test/unit/share/stepping_atomic.h".
#ifndef CONCLAVE_TEST_UNIT_SHARE_STEPPING_ATOMIC_H_
#define CONCLAVE_TEST_UNIT_SHARE_STEPPING_ATOMIC_H_

#include <atomic>

namespace conclave::share {

// Called before each access, if it is not null.
inline void (*step_hook)() = nullptr;
// The word that the access is to.
inline const void* step_word = nullptr;

template <class T>
class Atomic {
 public:
  using value_type = T;

  constexpr Atomic() = default;
  constexpr Atomic(T value) : word_(value) {}
  Atomic(const Atomic&) = delete;

  T load(std::memory_order order = std::memory_order_seq_cst) const {
    step();
    return word_.load(order);
  }
  void store(T value, std::memory_order order = std::memory_order_seq_cst) {
    step();
    word_.store(value, order);
  }
  operator T() const { return load(); }
  T operator=(T value) {
    store(value);
    return value;
  }
  T exchange(T value, std::memory_order order = std::memory_order_seq_cst) {
    step();
    return word_.exchange(value, order);
  }
  // The orders after the first are those of std::atomic. Never fails without a reason, so that the
  // number of steps is the same in each run.
  template <class... Orders>
  bool compare_exchange_strong(T& expected, T desired, Orders... orders) {
    step();
    return word_.compare_exchange_strong(expected, desired, orders...);
  }
  template <class... Orders>
  bool compare_exchange_weak(T& expected, T desired, Orders... orders) {
    return compare_exchange_strong(expected, desired, orders...);
  }
  T fetch_add(T value, std::memory_order order = std::memory_order_seq_cst) {
    step();
    return word_.fetch_add(value, order);
  }
  T fetch_sub(T value, std::memory_order order = std::memory_order_seq_cst) {
    step();
    return word_.fetch_sub(value, order);
  }
  T fetch_or(T value, std::memory_order order = std::memory_order_seq_cst) {
    step();
    return word_.fetch_or(value, order);
  }
  T fetch_and(T value, std::memory_order order = std::memory_order_seq_cst) {
    step();
    return word_.fetch_and(value, order);
  }

 private:
  void step() const {
    if (!step_hook) return;
    step_word = &word_;
    step_hook();
  }

  std::atomic<T> word_{};
};
static_assert(sizeof(Atomic<unsigned>) == 4 && sizeof(Atomic<unsigned long>) == 8);

}  // namespace conclave::share

#endif  // CONCLAVE_TEST_UNIT_SHARE_STEPPING_ATOMIC_H_
