// SPDX-License-Identifier: Apache-2.0
// Finds out which form of a kernel's code is the fastest for launches of one kind: packets as the
// compiler chose them, wider or narrower packets, or work-items one by one.
//
//   begin()  a chunk of work-groups is about to run: now and then it tells the caller to run some
//            of the groups by another form and as many by the chosen one, and to time both
//   end()    takes the times; when all forms have been compared it chooses
//   ran()    takes the times of whole chunks while a new choice has to prove itself
//
// Another form is chosen if it was faster in six of seven comparisons, and by at least a twentieth
// in the middle one, or in five and by 15 % there: work-groups are not all alike. Three are enough if it
// takes less than 0.6 of the time in each. It does not wait for forms that would cost too much to try
// before the kernel's time has doubled. Then it has to prove itself, unless work-groups are long: a trial
// shows what a form takes beside the chosen one, not what several CPUs take that all run it and contend
// for the same cache lines. The new choice and the former one run whole chunks by turns, since a
// program's launches are not all alike. If the new one takes longer, the former comes back for good.
// Launches of different sizes have choices of their own. A choice is looked at again when the kernel's
// time has doubled since, at the latest after kLongestPauseNs of it. What trials cost is at most
// kMostCost of the time of all launches.
#ifndef CONCLAVE_PLATFORM_MODEL_FORM_CONTEST_H_
#define CONCLAVE_PLATFORM_MODEL_FORM_CONTEST_H_

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "platform/model/specialized_code.h"

namespace conclave {

// What launches have in common that may be faster in the same form.
struct SizeClass {
  uint32_t bits = 0;  // 0: no class

  // `items`: work-items; `bytes`: of all memory objects among the arguments; `row`: the work-items
  // of a row, which often is the pitch of a matrix. Numbers count by powers of four. Rows of a
  // multiple of 256 are told from others: what lies in a column shares few sets of a cache.
  static SizeClass of(uint64_t items, uint64_t bytes, uint64_t row) {
    constexpr uint32_t kUsed = 1u << 31;
    const auto power_of_four = [](uint64_t number) {
      return static_cast<uint32_t>(std::bit_width(number) + 1) / 2;
    };
    return {kUsed | power_of_four(items) << 16 | power_of_four(bytes) << 8 |
            uint32_t{row % 256 == 0}};
  }
  bool operator==(const SizeClass&) const = default;
};

// The forms of a kernel's code for launches of one size class, and how long they take.
class FormChoice {
 public:
  static constexpr size_t kMostForms = 8;
  static constexpr int kComparisons = 7;

  // The index of the form that is to run.
  size_t chosen() const { return chosen_.load(std::memory_order_relaxed); }
  // Whether a trial may be due when the kernel's launches have taken `spent_ns`.
  bool may_be_due(uint64_t spent_ns) const {
    return spent_ns >= due_ns_.load(std::memory_order_relaxed);
  }
  // Whether ran() is to be told of chunks.
  bool is_watched() const { return is_watched_.load(std::memory_order_relaxed); }

 private:
  friend class FormContest;

  struct Record {
    // The form's time by that of the chosen one.
    std::array<float, kComparisons> quotients{};
    int count = 0;
    // It has run once. If briefly, that is not counted: its code was not in the caches.
    bool is_known = false;
    bool is_out = false;     // clearly slower, or an earlier process has compared it
    bool is_barred = false;  // has not proved itself
    float expected = 0;      // quotient
    bool is_done() const { return is_barred || is_out || is_far_ahead() || count == kComparisons; }
    float median() const;
    bool is_clearly_slower() const;
    bool is_far_ahead() const;
    bool is_faster() const;
  };

  std::atomic<uint32_t> size_class_{0};  // 0: not used yet
  std::atomic<uint8_t> chosen_{0};
  std::atomic<uint64_t> due_ns_{0};
  std::atomic<bool> is_watched_{false};
  // The rest is guarded by the contest's mutex.
  std::array<Record, kMostForms> records_;
  std::array<float, kMostForms> relative_{};  // times by that of the chosen form; 0: unknown
  double group_ns_ = 0;  // CPU time of a work-group by the chosen form; 0: not measured yet
  float alone_ns_ = 0;   // of a work-group, by the form that ran alone; 0: none waits for its pair
  size_t alone_form_ = 0;
  double alone_groups_ = 0;   // that it ran
  double alone_lost_ns_ = 0;  // that it was taken to have cost
  struct Proof {
    struct Side {
      size_t form;
      // CPU time and number of the work-groups of whole chunks.
      double ns = 0, groups = 0;
    };
    Side now, former;    // the new choice, and the one before
    double side_ns;      // that each is to run for
    double turn_ns = 0;  // for which the one whose turn it is has run
    size_t turn_chunks = 0;
  };
  std::optional<Proof> proof_;  // that a new choice has to give
};

class FormContest {
 public:
  static constexpr size_t kMostClasses = 8;
  static constexpr uint64_t kMostCost = 100;  // one part in
  static constexpr uint64_t kLongestPauseNs = 10'000'000'000;

  // The chunk of work-groups that is about to run.
  struct Chunk {
    uint64_t groups;
    uint64_t least_groups;  // that should run together
    double group_ns;        // expected time of one; 0: unknown
  };
  // What to run of a chunk by which form. Nobody else tries while it lives.
  struct Trial {
    std::unique_lock<std::mutex> lock;
    size_t form;
    uint64_t groups;    // by the form, and as many again by the chosen one unless `alone`
    bool alone;         // the chunk is too small for both: the next trial runs the other one
    bool chosen_first;  // the chosen form runs first
    double group_ns;    // expected
  };
  // What is known of a size class.
  struct Result {
    SizeClass size_class;
    unsigned lanes;  // of the chosen form
    struct Other {
      unsigned lanes;
      float relative;  // its time by that of the chosen form
    };
    std::vector<Other> others;
  };

  // What processes hand on to each other until the times of all forms are known: what all of them have spent,
  // and comparisons.
  struct Account {
    uint64_t spent_ns = 0;  // by launches
    double lost_ns = 0;     // by trials
  };
  struct Unfinished {
    SizeClass size_class;
    unsigned chosen_lanes;  // not read by resume()
    struct Form {
      unsigned lanes;
      std::vector<float> quotients;  // its times by those of the chosen form
    };
    std::vector<Form> forms;
  };

  // `usual`: what the compiler chose; null code is the kernel's general one. `cus`: compute units that
  // may run the kernel at once. `is_free`: trials may cost anything and need no pauses.
  FormContest(const SpecializedCode* usual, unsigned usual_lanes,
              std::vector<SpecializedCode> others, size_t cus, bool is_free);

  // The code of a form; null: the kernel's general code.
  const SpecializedCode* code(size_t form) const { return forms_[form].code; }
  unsigned lanes(size_t form) const { return forms_[form].lanes; }

  // The choice for launches of this class; null if there have been too many other classes.
  FormChoice* choice_for(SizeClass size_class) {
    for (FormChoice& choice : choices_) {
      uint32_t seen = choice.size_class_.load(std::memory_order_relaxed);
      if (seen == size_class.bits) return &choice;
      if (seen != 0) continue;
      if (choice.size_class_.compare_exchange_strong(seen, size_class.bits,
                                                     std::memory_order_relaxed) ||
          seen == size_class.bits)
        return &choice;
    }
    return nullptr;
  }

  // What to try with the next chunk; mostly nothing. `spent_ns`: what all launches have taken.
  std::optional<Trial> begin(FormChoice& choice, uint64_t spent_ns, const Chunk& chunk);
  // `form_ns`, `chosen_ns`: CPU time of the trial's groups by the form and by the chosen one (0 if
  // alone). Returns whether something is known now that should be kept.
  bool end(FormChoice& choice, Trial trial, uint64_t spent_ns, double form_ns, double chosen_ns);

  // Whether later processes should know what has been found out or what launches have taken here, since a
  // trial would have cost too much for that. True once each time when that has doubled.
  bool should_hand_on(uint64_t spent_ns);

  // Takes the CPU time of work-groups that ran by `form`, all in a row. Returns whether something is
  // known now that should be kept.
  bool ran(FormChoice& choice, size_t form, uint64_t groups, double ns, uint64_t spent_ns);

  // Begins with what an earlier process found out. The forms that it has compared are compared again from
  // `due_ns` on, others after a few milliseconds.
  void adopt(const Result& result, uint64_t due_ns);
  // What has been found out.
  std::vector<Result> results();

  // Go on where an earlier process ended.
  void take_over(const Account& account);
  void resume(const Unfinished& unfinished);
  // Those of earlier processes and this one.
  Account account(uint64_t spent_ns);
  std::vector<Unfinished> unfinished();

 private:
  struct Form {
    const SpecializedCode* code;
    unsigned lanes;
  };

  std::optional<size_t> form_with(unsigned lanes) const;
  // Whether a form's record is so.
  template <class Is>
  bool has_record(const FormChoice& choice, Is is) const;
  // Whether the time of some form is not known yet.
  bool has_unknown_times(const FormChoice& choice) const;
  std::optional<size_t> next_form(const FormChoice& choice) const;
  bool decide(FormChoice& choice, uint64_t spent_ns, double alone_ns);
  void conclude(FormChoice& choice, const FormChoice::Proof& proof);
  void reopen(FormChoice& choice) const;
  void measure_by(FormChoice& choice, size_t form) const;
  void settle(FormChoice& choice, uint64_t spent_ns);

  const std::vector<SpecializedCode> others_;
  std::vector<Form> forms_;  // the usual one and the others
  const double cus_;
  const bool is_free_;
  std::mutex mutex_;
  // Guarded by mutex_.
  double lost_ns_ = 0;
  uint64_t earlier_ns_ = 0;    // that launches have taken in earlier processes
  bool is_too_dear_ = false;   // a trial of a form whose time is not known
  bool is_news_ = false;       // a choice that has not been handed on
  uint64_t handed_on_ns_ = 0;  // that launches had taken when it was last handed on
  std::array<FormChoice, kMostClasses> choices_;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_FORM_CONTEST_H_
