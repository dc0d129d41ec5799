// SPDX-License-Identifier: Apache-2.0
// Work-groups of a kernel whose code has several forms (model/form_contest.h).
#include <utility>

#include "platform/base/clock.h"
#include "platform/exec/form_maker.h"
#include "platform/exec/nd_range.h"

namespace conclave {

SizeClass NdRange::size_class() const {
  uint64_t bytes = 0;
  for (const Ref<Memory>& memory : keep_) bytes += memory->size();
  return SizeClass::of(work_groups_ * items_per_group_, bytes, launch_.global_size[0]);
}

void NdRange::run_in_forms(ComputeUnit& cu, uint64_t first, uint64_t count) {
  FormContest& contest = *kind_use_->contest();
  FormChoice* choice = contest.choice_for(size_class());
  if (!choice) return run_groups(cu, first, count, usual_code());
  uint64_t tried = 0;
  if (choice->may_be_due(kind_use_->spent_ns())) [[unlikely]]
    tried = try_form(cu, first, count, *choice);
  if (tried == count) return;
  const size_t form = choice->chosen();
  const bool is_watched = choice->is_watched();
  const uint64_t start = is_watched ? thread_cpu_ns() : 0;
  run_groups(cu, first + tried, count - tried, contest.code(form));
  if (is_watched &&
      contest.ran(*choice, form, count - tried, static_cast<double>(thread_cpu_ns() - start),
                  kind_use_->spent_ns()))
    forms::keep_choices(code_, *kind_use_);
}

// Returns how many groups it has run.
uint64_t NdRange::try_form(ComputeUnit& cu, uint64_t first, uint64_t count, FormChoice& choice) {
  FormContest& contest = *kind_use_->contest();
  const double group_ns =
      static_cast<double>(code_->timing.ns_per_item()) * static_cast<double>(items_per_group_);
  auto trial = contest.begin(choice, kind_use_->spent_ns(), {count, parts_at_least(), group_ns});
  if (!trial) {
    if (contest.should_hand_on(kind_use_->spent_ns())) forms::keep_choices(code_, *kind_use_);
    return 0;
  }
  uint64_t next = first;
  const auto time = [&](size_t form) {
    const uint64_t start = thread_cpu_ns();
    run_groups(cu, next, trial->groups, contest.code(form));
    next += trial->groups;
    return static_cast<double>(thread_cpu_ns() - start);
  };
  double form_ns = 0, chosen_ns = 0;
  if (!trial->alone && trial->chosen_first) chosen_ns = time(choice.chosen());
  form_ns = time(trial->form);
  if (!trial->alone && !trial->chosen_first) chosen_ns = time(choice.chosen());
  if (contest.end(choice, std::move(*trial), kind_use_->spent_ns(), form_ns, chosen_ns))
    forms::keep_choices(code_, *kind_use_);
  return next - first;
}

}  // namespace conclave
