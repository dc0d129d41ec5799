// SPDX-License-Identifier: Apache-2.0
#include "test/fuzz/kernels/reduce.h"

#include <chrono>

namespace conclave::fuzz {
namespace {

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// Builds fail for many reasons, of which another one must not take the place of the first.
bool same_way(const Failure& one, const Failure& other) {
  if (one.kind != other.kind) return false;
  return one.kind != Failure::Kind::kBuild || first_line(one.text) == first_line(other.text);
}

class Reducer {
 public:
  Reducer(uint32_t seed, const Failure& failure, unsigned seconds)
      : seed_(seed),
        smallest_(make_kernel(seed)),
        failure_(failure),
        end_(std::chrono::steady_clock::now() + std::chrono::seconds(seconds)) {
    if (failure.options != kReferenceOptions) options_.push_back(failure.options);
  }

  // A statement is numbered before those within it, so that a range of numbers is a piece of code.
  void reduce() {
    for (unsigned length = smallest_.statements / 2; length > 1; length /= 2) leave_out(length);
    // Repeats, since leaving something out may allow to leave out more.
    while (leave_out(1)) {
    }
  }

  const Kernel& smallest() const { return smallest_; }
  const Failure& failure() const { return failure_; }

 private:
  // Tries it with each range of numbers of this length. Returns whether one went.
  bool leave_out(unsigned length) {
    bool smaller = false;
    for (unsigned first = 0; first < smallest_.statements; first += length) {
      if (std::chrono::steady_clock::now() > end_) return false;
      std::set<unsigned> disabled = disabled_;
      for (unsigned i = 0; i < length; ++i) disabled.insert(first + i);
      smaller |= still_fails(disabled);
    }
    return smaller;
  }

  bool still_fails(const std::set<unsigned>& disabled) {
    Kernel candidate = make_kernel(seed_, disabled);
    // Nothing new, or within a statement that is left out already.
    if (candidate.source == smallest_.source) return false;
    std::optional<Failure> now = run_all(candidate, options_, seed_);
    if (!now || !same_way(failure_, *now)) return false;
    failure_ = *now;
    smallest_ = std::move(candidate);
    disabled_ = disabled;
    return true;
  }

  uint32_t seed_;
  Kernel smallest_;
  Failure failure_;
  std::chrono::steady_clock::time_point end_;
  std::vector<std::string> options_;
  std::set<unsigned> disabled_;
};

}  // namespace

Kernel reduce(uint32_t seed, Failure& failure, unsigned seconds) {
  Reducer reducer(seed, failure, seconds);
  reducer.reduce();
  failure = reducer.failure();
  return reducer.smallest();
}

}  // namespace conclave::fuzz
