// SPDX-License-Identifier: Apache-2.0
#include "platform/model/form_contest.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace conclave {
namespace {

// Long compared with reading the clock. A form whose time is not known yet runs for less.
constexpr double kTrialNs = 20'000, kFirstTrialNs = 5'000;
// Beside so much time it does not matter that the code is not in the caches yet.
constexpr double kLongFirstNs = 1e6;
// What a trial costs besides the time of a slower form: four readings of the clock, one more call.
constexpr double kOverheadNs = 1'500;
constexpr float kFasterBy = 0.95F, kMuchFasterBy = 0.85F, kOutFrom = 1.15F;
constexpr int kOutAfter = 3;
// A form that takes less than so much in each of its first comparisons needs no further ones.
constexpr float kFarAheadFrom = 0.6F;
constexpr int kFarAheadAfter = 3;
// A form's time by that of the chosen one, as it is taken to be before it has run. In programs of others
// 14 of 332 forms in packets took more, and 15 of 166 with work-items one by one.
constexpr float kExpectedInPackets = 2, kExpectedOneByOne = 4;
// Between trials the kernel runs for so many times what they take: neighbours in time would all see
// what the CPU happens to do at that moment. Short programs end before a first choice that takes long.
constexpr double kPause = 50, kFirstPause = 10;
// CPU time for which a new choice runs, and the former one as well, before they are compared: one part
// of the kernel's time, within these bounds, for each two compute units.
constexpr double kProofPart = 8, kLeastProofNs = 1e6, kMostProofNs = 10e6;
// Processes that run the kernel for longer need not hand on what they have not finished, unless it took
// long.
constexpr uint64_t kShortNs = 200'000'000;
constexpr double kLongComparisonNs = 1e6;
constexpr uint64_t kLeastHandedOnNs = 10'000'000;
// What no process has compared with a known winner is compared after so much of the kernel's time.
constexpr uint64_t kNewFormsAfterNs = 5'000'000;
// When a trial costs too much it is looked at again after so much of the kernel's time: the next chunk
// may be shorter.
constexpr uint64_t kLookAgainNs = 500'000;
// Turns of each. Each compute unit has several chunks of a turn, so that all run the same form for most
// of it. A chunk of each may have begun before: it does not count.
constexpr double kTurns = 4, kChunksInTurn = 4;

}  // namespace

float FormChoice::Record::median() const {
  std::array<float, kComparisons> sorted = quotients;
  std::fill(sorted.begin() + count, sorted.end(), std::numeric_limits<float>::infinity());
  std::sort(sorted.begin(), sorted.end());
  return sorted[static_cast<size_t>(count / 2)];
}

bool FormChoice::Record::is_clearly_slower() const {
  const auto end = quotients.begin() + count;
  return count == kOutAfter && *std::min_element(quotients.begin(), end) > kOutFrom;
}

bool FormChoice::Record::is_far_ahead() const {
  const auto end = quotients.begin() + count;
  return count >= kFarAheadAfter && *std::max_element(quotients.begin(), end) < kFarAheadFrom;
}

bool FormChoice::Record::is_faster() const {
  if (is_far_ahead()) return true;
  if (count < kComparisons || median() >= kFasterBy) return false;
  const int allowed = median() < kMuchFasterBy ? 2 : 1;
  return std::count_if(quotients.begin(), quotients.end(), [](float q) { return q < 1; }) >=
         kComparisons - allowed;
}

FormContest::FormContest(const SpecializedCode* usual, unsigned usual_lanes,
                         std::vector<SpecializedCode> others, size_t cus, bool is_free)
    : others_(std::move(others)),
      forms_{{usual, usual_lanes}},
      cus_(static_cast<double>(std::max<size_t>(cus, 1))),
      is_free_(is_free) {
  for (const SpecializedCode& other : others_)
    if (forms_.size() < FormChoice::kMostForms) forms_.push_back({&other, other.lanes});
  for (FormChoice& choice : choices_)
    for (size_t form = 0; form < forms_.size(); ++form)
      choice.records_[form].expected =
          forms_[form].lanes == 1 || usual_lanes == 1 ? kExpectedOneByOne : kExpectedInPackets;
}

std::optional<size_t> FormContest::form_with(unsigned lanes) const {
  for (size_t form = 0; form < forms_.size(); ++form)
    if (forms_[form].lanes == lanes) return form;
  return {};
}

bool FormContest::has_unknown_times(const FormChoice& choice) const {
  const auto end = choice.relative_.begin() + static_cast<std::ptrdiff_t>(forms_.size());
  return std::find(choice.relative_.begin(), end, 0.0F) != end;
}

template <class Is>
bool FormContest::has_record(const FormChoice& choice, Is is) const {
  return std::any_of(choice.records_.begin(),
                     choice.records_.begin() + static_cast<std::ptrdiff_t>(forms_.size()), is);
}

// The other form that is expected to take the least time, since what is faster costs nothing to try. Among equals
// the one with the fewest comparisons.
std::optional<size_t> FormContest::next_form(const FormChoice& choice) const {
  std::optional<size_t> next;
  const auto rank = [&](size_t form) {
    const FormChoice::Record& record = choice.records_[form];
    return std::pair(record.expected, record.count);
  };
  for (size_t form = 0; form < forms_.size(); ++form) {
    if (form == choice.chosen() || choice.records_[form].is_done()) continue;
    if (!next || rank(form) < rank(*next)) next = form;
  }
  return next;
}

std::optional<FormContest::Trial> FormContest::begin(FormChoice& choice, uint64_t spent_ns,
                                                     const Chunk& chunk) {
  if (!choice.may_be_due(spent_ns)) return {};
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || choice.proof_ || !choice.may_be_due(spent_ns) || chunk.group_ns <= 0) return {};
  // What others measure includes the time for which the thread did not run.
  const double group_ns = choice.group_ns_ > 0 ? choice.group_ns_ : chunk.group_ns;
  const uint64_t least = std::max<uint64_t>(chunk.least_groups, 1);
  const bool is_alone = chunk.groups < 2 * least;
  const double alone_ns = is_alone ? static_cast<double>(chunk.groups) * group_ns : 0;
  const std::optional<size_t> form = next_form(choice);
  if (!form) {
    // Earlier processes may have compared all.
    if (has_record(choice, [](const auto& record) { return record.count > 0; }))
      is_news_ |= decide(choice, spent_ns, alone_ns);
    else
      settle(choice, spent_ns);
    return {};
  }
  const FormChoice::Record& record = choice.records_[*form];
  Trial trial{{}, *form, chunk.groups, is_alone, record.count % 2 == 1, group_ns};
  if (!is_alone) {
    const double trial_ns = record.is_known ? kTrialNs : kFirstTrialNs;
    trial.groups = std::clamp(static_cast<uint64_t>(trial_ns / group_ns), least, chunk.groups / 2);
  } else if (choice.alone_ns_ > 0 && choice.alone_form_ == *form) {
    trial.form = choice.chosen();
  }
  const float quotient = trial.form == choice.chosen() ? 1 : record.expected;
  const double expected =
      static_cast<double>(trial.groups) * group_ns * std::max(quotient - 1, 0.0F) + kOverheadNs;
  const auto needed_ns =
      static_cast<uint64_t>((lost_ns_ + expected) * static_cast<double>(kMostCost));
  const bool costs_time = trial.form != choice.chosen();
  const uint64_t all_spent_ns = earlier_ns_ + spent_ns;
  if (!is_free_ && costs_time && all_spent_ns < needed_ns) {
    choice.due_ns_.store(std::min(needed_ns - earlier_ns_, spent_ns + kLookAgainNs),
                         std::memory_order_relaxed);
    is_too_dear_ = has_unknown_times(choice);
    const auto may_win = [](const auto& record) { return !record.is_barred && record.is_faster(); };
    if (needed_ns > 2 * all_spent_ns && has_record(choice, may_win))
      is_news_ |= decide(choice, spent_ns, alone_ns);
    return {};
  }
  is_too_dear_ = false;
  trial.lock = std::move(lock);
  return trial;
}

bool FormContest::end(FormChoice& choice, Trial trial, uint64_t spent_ns, double form_ns,
                      double chosen_ns) {
  const double usual_ns =
      trial.alone ? static_cast<double>(trial.groups) * trial.group_ns : chosen_ns;
  const double lost_ns = std::max(form_ns - usual_ns, 0.0);
  lost_ns_ += lost_ns + kOverheadNs;
  const double pause = choice.relative_[choice.chosen()] > 0 ? kPause : kFirstPause;
  if (!is_free_)
    choice.due_ns_.store(spent_ns + static_cast<uint64_t>(pause * (form_ns + chosen_ns)),
                         std::memory_order_relaxed);
  const bool ran_chosen = !trial.alone || trial.form == choice.chosen();
  if (ran_chosen)
    choice.group_ns_ = (trial.alone ? form_ns : chosen_ns) / static_cast<double>(trial.groups);
  size_t form = trial.form;
  auto quotient = static_cast<float>(std::max(form_ns, 1.0) / std::max(chosen_ns, 1.0));
  if (trial.alone) {
    const auto group_ns = static_cast<float>(form_ns / static_cast<double>(trial.groups));
    if (form != choice.chosen()) {
      choice.alone_form_ = form;
      choice.alone_ns_ = std::max(group_ns, 0.001F);
      choice.alone_groups_ = static_cast<double>(trial.groups);
      choice.alone_lost_ns_ = lost_ns;
      // The chosen one runs next, which costs nothing.
      choice.due_ns_.store(spent_ns, std::memory_order_relaxed);
      return false;
    }
    form = choice.alone_form_;
    quotient = choice.alone_ns_ / std::max(group_ns, 0.001F);
    // What the form has cost beside this one is known better now, and this one costs nothing.
    const double more_ns = std::max(choice.alone_ns_ - group_ns, 0.0F);
    lost_ns_ += more_ns * choice.alone_groups_ - choice.alone_lost_ns_ - lost_ns;
    choice.alone_ns_ = 0;
  }
  FormChoice::Record& record = choice.records_[form];
  record.expected = quotient;
  const bool is_first = !std::exchange(record.is_known, true);
  if (is_first && form_ns < kLongFirstNs) {
    choice.due_ns_.store(spent_ns, std::memory_order_relaxed);
    return false;
  }
  record.quotients[static_cast<size_t>(record.count++)] = quotient;
  record.is_out = record.is_clearly_slower();
  if (!next_form(choice)) return decide(choice, spent_ns, trial.alone ? form_ns : 0);
  const bool is_worth_keeping = spent_ns < kShortNs || form_ns + chosen_ns > kLongComparisonNs;
  return has_unknown_times(choice) && is_worth_keeping;
}

bool FormContest::should_hand_on(uint64_t spent_ns) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return false;
  if (std::exchange(is_news_, false)) return true;
  if (!is_too_dear_ || spent_ns < std::max(2 * handed_on_ns_, kLeastHandedOnNs)) return false;
  is_too_dear_ = false;
  handed_on_ns_ = spent_ns;
  return true;
}

// All forms have been compared, or one is faster and others would cost too much. `alone_ns`: what work-groups
// take that had a chunk to themselves, or 0. Returns whether something is new.
bool FormContest::decide(FormChoice& choice, uint64_t spent_ns, double alone_ns) {
  const size_t before = choice.chosen();
  const bool is_news = has_unknown_times(choice);
  size_t best = before;
  choice.relative_[before] = 1;
  for (size_t form = 0; form < forms_.size(); ++form) {
    if (form == before) continue;
    const FormChoice::Record& record = choice.records_[form];
    if (record.is_barred || record.count == 0) continue;  // its time stays what it was
    choice.relative_[form] = record.median();
    if (record.is_faster() && record.median() < choice.relative_[best]) best = form;
  }
  measure_by(choice, best);
  for (size_t form = 0; form < forms_.size(); ++form) {
    FormChoice::Record& record = choice.records_[form];
    record = {
        .is_known = record.is_known, .is_barred = record.is_barred, .expected = record.expected};
  }
  choice.alone_ns_ = 0;
  choice.chosen_.store(static_cast<uint8_t>(best), std::memory_order_relaxed);
  // The comparisons of so long work-groups are as good, and a process may end before a few more have run.
  const double proof_ns =
      std::clamp(static_cast<double>(spent_ns) / kProofPart, kLeastProofNs, kMostProofNs);
  if (best != before && alone_ns < proof_ns) {
    choice.proof_ = {{best}, {before}, proof_ns * std::max(cus_ / 2, 1.0)};
    choice.is_watched_.store(true, std::memory_order_relaxed);
    choice.due_ns_.store(std::numeric_limits<uint64_t>::max(), std::memory_order_relaxed);
    return false;
  }
  settle(choice, spent_ns);
  return is_news || best != before;
}

// All times become those by the time of `form`.
void FormContest::measure_by(FormChoice& choice, size_t form) const {
  const float time = choice.relative_[form];
  for (size_t other = 0; other < forms_.size(); ++other) {
    float &relative = choice.relative_[other], &expected = choice.records_[other].expected;
    relative /= time;
    expected = relative > 0 ? relative : expected / time;
  }
}

// Nothing is tried or watched until the choice is looked at again.
void FormContest::settle(FormChoice& choice, uint64_t spent_ns) {
  choice.proof_.reset();
  choice.is_watched_.store(false, std::memory_order_relaxed);
  choice.due_ns_.store(spent_ns + std::min(spent_ns, kLongestPauseNs), std::memory_order_relaxed);
}

bool FormContest::ran(FormChoice& choice, size_t form, uint64_t groups, double ns,
                      uint64_t spent_ns) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || !choice.proof_) return false;
  FormChoice::Proof& proof = *choice.proof_;
  if (form != choice.chosen() || static_cast<double>(++proof.turn_chunks) <= cus_) return false;
  FormChoice::Proof::Side& side = form == proof.now.form ? proof.now : proof.former;
  side.ns += ns;
  side.groups += static_cast<double>(groups);
  if (std::min(proof.now.ns, proof.former.ns) >= proof.side_ns) {
    conclude(choice, proof);
    settle(choice, spent_ns);
    return true;
  }
  proof.turn_ns += ns;
  if (proof.turn_ns >= std::max(proof.side_ns / kTurns, kChunksInTurn * cus_ * ns)) {
    const size_t next = choice.chosen() == proof.now.form ? proof.former.form : proof.now.form;
    choice.chosen_.store(static_cast<uint8_t>(next), std::memory_order_relaxed);
    proof.turn_ns = 0;
    proof.turn_chunks = 0;
  }
  return false;
}

// Both have run for long enough.
void FormContest::conclude(FormChoice& choice, const FormChoice::Proof& proof) {
  const auto group_ns = [](const FormChoice::Proof::Side& side) { return side.ns / side.groups; };
  const double quotient = group_ns(proof.now) / group_ns(proof.former);
  size_t winner = proof.now.form;
  if (quotient >= 1) {
    winner = proof.former.form;
    measure_by(choice, winner);
    choice.relative_[proof.now.form] = static_cast<float>(quotient);
    choice.records_[proof.now.form].expected = static_cast<float>(quotient);
    choice.records_[proof.now.form].is_barred = true;
    if (winner == 0 && has_unknown_times(choice)) reopen(choice);
  }
  choice.chosen_.store(static_cast<uint8_t>(winner), std::memory_order_relaxed);
}

// Back to the usual form, without a choice: some forms have not been compared with it.
void FormContest::reopen(FormChoice& choice) const {
  for (size_t form = 1; form < forms_.size(); ++form) {
    if (choice.relative_[form] == 0) continue;
    choice.records_[form].quotients.fill(choice.relative_[form]);
    choice.records_[form].count = FormChoice::kComparisons;
  }
  choice.relative_.fill(0);
}

void FormContest::adopt(const Result& result, uint64_t due_ns) {
  FormChoice* choice = choice_for(result.size_class);
  const std::optional<size_t> winner = form_with(result.lanes);
  if (!choice || !winner) return;
  const std::lock_guard lock(mutex_);
  const auto set = [&](size_t form, float relative) {
    choice->relative_[form] = choice->records_[form].expected = relative;
  };
  for (const Result::Other& other : result.others)
    if (const std::optional<size_t> form = form_with(other.lanes)) set(*form, other.relative);
  set(*winner, 1);
  choice->chosen_.store(static_cast<uint8_t>(*winner), std::memory_order_relaxed);
  const bool has_new_forms = has_unknown_times(*choice);
  for (size_t form = 0; form < forms_.size(); ++form)
    choice->records_[form].is_out = has_new_forms && choice->relative_[form] > 0;
  choice->due_ns_.store(has_new_forms ? std::min(due_ns, kNewFormsAfterNs) : due_ns,
                        std::memory_order_relaxed);
}

std::vector<FormContest::Result> FormContest::results() {
  const std::lock_guard lock(mutex_);
  std::vector<Result> results;
  for (const FormChoice& choice : choices_) {
    const SizeClass size_class{choice.size_class_.load(std::memory_order_relaxed)};
    const size_t chosen = choice.chosen();
    if (size_class.bits == 0 || choice.relative_[chosen] == 0 || choice.proof_) continue;
    Result& result = results.emplace_back(Result{size_class, forms_[chosen].lanes, {}});
    for (size_t form = 0; form < forms_.size(); ++form)
      if (form != chosen && choice.relative_[form] > 0)
        result.others.push_back({forms_[form].lanes, choice.relative_[form]});
  }
  return results;
}

void FormContest::take_over(const Account& account) {
  const std::lock_guard lock(mutex_);
  lost_ns_ = account.lost_ns;
  // Much time without trials is no reason for a dear one.
  earlier_ns_ =
      std::min(account.spent_ns, static_cast<uint64_t>(lost_ns_) * kMostCost + kLongestPauseNs);
}

FormContest::Account FormContest::account(uint64_t spent_ns) {
  const std::lock_guard lock(mutex_);
  return {earlier_ns_ + spent_ns, lost_ns_};
}

void FormContest::resume(const Unfinished& unfinished) {
  FormChoice* choice = choice_for(unfinished.size_class);
  if (!choice) return;
  const std::lock_guard lock(mutex_);
  if (!has_unknown_times(*choice)) return;
  for (const Unfinished::Form& known : unfinished.forms) {
    const std::optional<size_t> form = form_with(known.lanes);
    if (!form || known.quotients.empty()) continue;
    FormChoice::Record& record = choice->records_[*form];
    const size_t count = std::min<size_t>(known.quotients.size(), FormChoice::kComparisons);
    std::copy_n(known.quotients.begin(), count, record.quotients.begin());
    record.count = static_cast<int>(count);
    record.expected = record.median();
    record.is_out = record.is_clearly_slower();
  }
}

std::vector<FormContest::Unfinished> FormContest::unfinished() {
  const std::lock_guard lock(mutex_);
  std::vector<Unfinished> all;
  for (const FormChoice& choice : choices_) {
    const SizeClass size_class{choice.size_class_.load(std::memory_order_relaxed)};
    if (size_class.bits == 0 || !has_unknown_times(choice)) continue;
    Unfinished& unfinished = all.emplace_back(Unfinished{size_class, lanes(choice.chosen()), {}});
    for (size_t form = 0; form < forms_.size(); ++form) {
      const FormChoice::Record& record = choice.records_[form];
      if (record.count > 0)
        unfinished.forms.push_back(
            {forms_[form].lanes,
             {record.quotients.begin(), record.quotients.begin() + record.count}});
    }
    if (unfinished.forms.empty()) all.pop_back();
  }
  return all;
}

}  // namespace conclave
