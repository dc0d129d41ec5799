// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/form_maker.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "platform/base/config.h"
#include "platform/base/error.h"
#include "platform/base/log.h"
#include "platform/exec/background_jobs.h"
#include "platform/exec/later_processes.h"
#include "platform/exec/special_builds.h"
#include "platform/loader/compiler_client.h"
#include "platform/loader/form_choices.h"
#include "platform/model/form_contest.h"
#include "platform/model/form_lanes.h"
#include "platform/model/stream_ports.h"

namespace conclave::forms {
namespace {

BackgroundJobs jobs("conclave-forms");

bool in_background() {
  return Config::get().try_forms == Config::Specialize::kBackground;
}

unsigned usual_lanes(const KernelCode& code, const LaunchKindUse& use) {
  return use.code() ? use.code()->lanes : code.info->lanes;
}

protocol::Request request_for(const KernelCode& code, const LaunchKind& kind, unsigned lanes) {
  protocol::Request request = special_builds::request_for(code, kind);
  request.options += " -cl-conclave-width=" + std::to_string(lanes);
  request.urgency = in_background() ? protocol::Urgency::kTrial : protocol::Urgency::kAwaited;
  return request;
}

// Under which the choices for a kernel are kept.
protocol::Request request_for_all(const KernelCode& code) {
  return special_builds::request_for(code, {});
}

FormChoices choices_of(const KernelCode& code) {
  const std::optional<std::string> text = find_note(request_for_all(code));
  if (std::optional<FormChoices> choices = text ? FormChoices::parse(*text) : std::nullopt)
    return std::move(*choices);
  return {.kernel = code.info->name};
}

// Whether there are launches of the kind that have no choice, as far as is known.
bool is_undecided(const FormChoices& known, const std::string& kind) {
  const auto is_ours = [&](const auto& one) { return one.kind == kind; };
  return std::none_of(known.choices.begin(), known.choices.end(), is_ours) ||
         std::any_of(known.unfinished.begin(), known.unfinished.end(), is_ours);
}

// Each once, without the usual one.
std::vector<unsigned> winners_in(const FormChoices& known, const std::string& kind,
                                 unsigned usual) {
  std::vector<unsigned> winners;
  for (const FormChoices::Choice& choice : known.choices) {
    const bool is_there = std::find(winners.begin(), winners.end(), choice.lanes) != winners.end();
    if (choice.kind == kind && choice.lanes != usual && !is_there) winners.push_back(choice.lanes);
  }
  return winners;
}

struct OtherForms {
  std::vector<protocol::Request> requests;
  // How many of them, from the first one on, are worth having without the others: what has won.
  size_t winners;
};

OtherForms other_forms(const KernelCode& code, const LaunchKindUse& use, const FormChoices& known) {
  const LaunchKind kind = use.kind();
  const uint64_t row = kind.has_size() ? kind.local_size[code.info->dimension] : 0;
  const unsigned usual = usual_lanes(code, use);
  const auto winners = winners_in(known, special_builds::text_of(kind), usual);
  OtherForms forms{{}, winners.size()};
  for (unsigned lanes : lanes_to_compare(usual, row, winners))
    forms.requests.push_back(request_for(code, kind, lanes));
  return forms;
}

// Begins the contest. `binaries`: the other forms.
void install(const KernelCode& code, LaunchKindUse& use, std::vector<std::string> binaries,
             const FormChoices& known) {
  const LaunchKind kind = use.kind();
  const std::string kind_text = special_builds::text_of(kind);
  std::vector<SpecializedCode> others;
  const unsigned usual = usual_lanes(code, use);
  for (std::string& binary : binaries) {
    try {
      SpecializedCode other = special_builds::load(code, kind, std::move(binary));
      // Some kernels do not take every number of lanes.
      const bool is_there = std::any_of(others.begin(), others.end(),
                                        [&](const auto& one) { return one.lanes == other.lanes; });
      if (other.lanes != usual && !is_there) others.push_back(std::move(other));
    } catch (const Error& error) {
      log::debug(special_builds::describe(code, kind) + ": a form less: " + error.text());
    }
  }
  if (others.empty()) return;
  auto contest = std::make_unique<FormContest>(use.code(), usual, std::move(others),
                                               Config::get().compute_units, !in_background());
  const uint64_t due_ns =
      2 * std::max(use.spent_ns(), Config::get().specialize_after_ms * 1'000'000ul);
  for (const FormChoices::Choice& choice : known.choices) {
    if (choice.kind != kind_text) continue;
    FormContest::Result result{{choice.size_class}, choice.lanes, {}};
    for (const auto& [lanes, relative] : choice.others) result.others.push_back({lanes, relative});
    contest->adopt(result, due_ns);
    log::debug(special_builds::describe(code, kind) + ": known from the cache: " + choice.text());
  }
  for (const FormChoices::Account& account : known.accounts)
    if (account.kind == kind_text) contest->take_over({account.spent_ns, account.lost_ns});
  for (const FormChoices::Unfinished& unfinished : known.unfinished) {
    if (unfinished.kind != kind_text) continue;
    FormContest::Unfinished one{{unfinished.size_class}, 0, {}};
    for (const auto& [lanes, quotients] : unfinished.comparisons)
      one.forms.push_back({lanes, quotients});
    contest->resume(one);
  }
  use.publish(std::move(contest));
}

// What a later look at this kind of launches finds in the cache.
void write_choices(const KernelCode& code, LaunchKindUse& use) {
  const std::string kind = special_builds::text_of(use.kind());
  FormChoices choices = choices_of(code);
  const FormContest::Account account = use.contest()->account(use.spent_ns());
  choices.put(FormChoices::Account{kind, account.spent_ns, account.lost_ns});
  bool is_new = false;
  for (const FormContest::Result& result : use.contest()->results()) {
    FormChoices::Choice choice{kind, result.size_class.bits, result.lanes, {}};
    for (const auto& [lanes, relative] : result.others) choice.others.push_back({lanes, relative});
    if (!choices.put(choice)) continue;
    is_new = true;
    log::debug(special_builds::describe(code, use.kind()) + ": " + choice.text());
  }
  for (const FormContest::Unfinished& unfinished : use.contest()->unfinished()) {
    FormChoices::Unfinished one{kind, unfinished.size_class.bits, {}};
    for (const auto& [lanes, quotients] : unfinished.forms)
      one.comparisons.emplace_back(lanes, quotients);
    choices.put(one, unfinished.chosen_lanes);
  }
  keep_note(request_for_all(code), choices.text());
  later_processes::tell_of_code(code, use);
  // What is beside a new winner may be faster still.
  if (is_new && in_background()) later_processes::order(other_forms(code, use, choices).requests);
}

// If something is missing, memory for example, the kernel keeps the form that it has.
template <class Body>
void contain(Body&& body) noexcept {
  try {
    body();
  } catch (const std::exception& error) {
    log::error(error.what());
  }
}

template <class Body>
void in_turn(Body&& body) {
  if (!in_background()) return contain(body);
  contain([&] { jobs.add([body] { contain(body); }); });
}

}  // namespace

bool may_compete(const ProgramBinary& binary, const KernelInfo& info) {
  if (Config::get().try_forms == Config::Specialize::kOff) return false;
  if (info.lanes_matter || info.required_sub_group_size || info.gang || info.calls_native ||
      info.checked || has_streams(info))
    return false;
  return binary.options().find("-cl-conclave-width=") == std::string::npos;
}

std::optional<bool> is_another_faster(const KernelCode& code, const LaunchKindUse& use) {
  const std::string kind = special_builds::text_of(use.kind());
  const FormChoices known = choices_of(code);
  if (!winners_in(known, kind, usual_lanes(code, use)).empty()) return true;
  return is_undecided(known, kind) ? std::nullopt : std::optional(false);
}

std::vector<protocol::Request> requests_for(const KernelCode& code, const LaunchKindUse& use) {
  return other_forms(code, use, choices_of(code)).requests;
}

bool find(const std::shared_ptr<const KernelCode>& code, LaunchKindUse& use) {
  const FormChoices known = choices_of(*code);
  const std::string kind = special_builds::text_of(use.kind());
  const OtherForms forms = other_forms(*code, use, known);
  std::vector<std::string> binaries;
  for (size_t k = 0; k < forms.requests.size(); ++k) {
    std::optional<protocol::Response> response = find_compiled(forms.requests[k]);
    const bool is_needed = forms.winners == 0 || k < forms.winners;
    if (!response && is_needed) return false;
    if (response) binaries.push_back(std::move(response->binary));
  }
  install(*code, use, std::move(binaries), known);
  // That this process has come so far counts for later ones, whatever it still finds out.
  if (use.contest() && is_undecided(known, kind)) keep_choices(code, use);
  return true;
}

void make(const std::shared_ptr<const KernelCode>& kernel, LaunchKindUse& kind_use) {
  in_turn([weak = std::weak_ptr(kernel), use = &kind_use] {
    std::vector<protocol::Request> requests;
    if (const auto code = weak.lock()) requests = requests_for(*code, *use);
    std::vector<std::string> binaries;
    for (const protocol::Request& request : requests) {
      protocol::Response response = compile(request);
      if (response.status == protocol::Status::kSuccess)
        binaries.push_back(std::move(response.binary));
      else
        log::info("a form of a kernel could not be made: " + response.log);
    }
    if (const auto code = weak.lock()) install(*code, *use, std::move(binaries), choices_of(*code));
  });
}

void keep_choices(const std::shared_ptr<const KernelCode>& kernel,
                  LaunchKindUse& kind_use) noexcept {
  // Always on one thread: what it finds in the cache must not change before it has written.
  contain([&] {
    jobs.add([weak = std::weak_ptr(kernel), use = &kind_use] {
      contain([&] {
        if (const auto code = weak.lock()) write_choices(*code, *use);
      });
    });
  });
}

std::string remarks(const KernelCode& code) {
  std::string text;
  if (may_compete(*code.binary, *code.info))
    for (const FormChoices::Choice& choice : choices_of(code).choices)
      text += "kernel '" + code.info->name + "'" + (choice.kind.empty() ? "" : ", " + choice.kind) +
              ": " + choice.text() + "\n";
  return text;
}

}  // namespace conclave::forms
