// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/later_processes.h"

#include <optional>
#include <string>

#include "platform/exec/special_builds.h"
#include "platform/loader/compiler_client.h"
#include "platform/loader/launch_notes.h"

namespace conclave::later_processes {
namespace {

using State = LaunchNotes::State;

LaunchNotes notes_of(const protocol::Request& program) {
  const std::optional<std::string> text = find_note(program);
  std::optional<LaunchNotes> notes = text ? LaunchNotes::parse(*text) : std::nullopt;
  return notes ? std::move(*notes) : LaunchNotes{};
}

}  // namespace

void expect_code(const std::vector<std::shared_ptr<const KernelCode>>& kernels) {
  std::optional<LaunchNotes> notes;
  for (const auto& kernel : kernels) {
    if (!kernel->launch_kinds) continue;
    if (!notes) notes = notes_of(special_builds::request_for(*kernel->binary));
    if (const float ns = notes->ns_per_item(kernel->info->name); ns > 0) kernel->timing.expect(ns);
    std::vector<uint64_t> kinds;
    for (const LaunchNotes::Note& note : notes->notes)
      if (note.state == State::kHasCode && note.kernel == kernel->info->name)
        kinds.push_back(note.kind);
    kernel->launch_kinds->expect(std::move(kinds));
  }
}

void tell_of_code(const KernelCode& code, const LaunchKindUse& use) {
  const protocol::Request program = special_builds::request_for(*code.binary);
  LaunchNotes notes = notes_of(program);
  if (notes.put({code.info->name, use.number(), State::kHasCode, code.timing.ns_per_item()}))
    keep_note(program, notes.text());
}

void order(const std::vector<protocol::Request>& requests) {
  for (const protocol::Request& request : requests)
    if (!find_compiled(request)) build_for_later(request);
}

void leave(const std::vector<protocol::Request>& requests, const KernelCode& code,
           LaunchKindUse& use) {
  const protocol::Request program = special_builds::request_for(*code.binary);
  LaunchNotes notes = notes_of(program);
  const std::string& kernel = code.info->name;
  const bool was_sought = notes.state_of(kernel, use.number()).has_value() && !use.is_new();
  if (!was_sought) use.set_new();
  if (was_sought) order(requests);
  const State state = was_sought ? State::kHasCode : State::kSought;
  if (notes.put({kernel, use.number(), state, code.timing.ns_per_item()}))
    keep_note(program, notes.text());
}

}  // namespace conclave::later_processes
