// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/launch_notes.h"

#include <algorithm>
#include <sstream>

namespace conclave {
namespace {

// The first line. Another number: another format.
constexpr std::string_view kHead = "conclave launch notes 2";
// No program has more; a text with more is none of ours.
constexpr size_t kMostNotes = 65'536;
constexpr std::string_view kSought = "sought", kHasCode = "has-code";

// Whether a work-item may take so long. 0 stands for an unknown time.
bool is_time(float ns) {
  return ns == 0 || (ns >= 1e-6F && ns <= 1e12F);
}

// Whether a time is known now, or is another one.
bool is_news(float before, float now) {
  return now > 0 && (before == 0 || now > 2 * before || now < before / 2);
}

// "STATE KIND NS-PER-ITEM KERNEL"
std::optional<LaunchNotes::Note> parse_line(const std::string& line) {
  std::istringstream in(line);
  std::string state;
  LaunchNotes::Note note{};
  if (!(in >> state >> note.kind >> note.ns_per_item >> note.kernel) ||
      (state != kSought && state != kHasCode) || !is_time(note.ns_per_item))
    return {};
  note.state = state == kSought ? LaunchNotes::State::kSought : LaunchNotes::State::kHasCode;
  return note;
}

}  // namespace

std::optional<LaunchNotes::State> LaunchNotes::state_of(std::string_view kernel,
                                                        uint64_t kind) const {
  for (const Note& note : notes)
    if (note.kernel == kernel && note.kind == kind) return note.state;
  return {};
}

float LaunchNotes::ns_per_item(std::string_view kernel) const {
  const auto newest = std::find_if(notes.rbegin(), notes.rend(), [&](const Note& note) {
    return note.kernel == kernel && note.ns_per_item > 0;
  });
  return newest == notes.rend() ? 0 : newest->ns_per_item;
}

bool LaunchNotes::put(const Note& note) {
  const auto of_kernel = [&](const Note& other) { return other.kernel == note.kernel; };
  const auto is_same = [&](const Note& other) {
    return of_kernel(other) && other.kind == note.kind;
  };
  if (const auto known = std::find_if(notes.begin(), notes.end(), is_same); known != notes.end()) {
    if (known->state == note.state && !is_news(known->ns_per_item, note.ns_per_item)) return false;
    Note news = note;
    if (news.ns_per_item == 0) news.ns_per_item = known->ns_per_item;
    // The newest is the last.
    notes.erase(known);
    notes.push_back(news);
    return true;
  }
  if (std::count_if(notes.begin(), notes.end(), of_kernel) >= std::ptrdiff_t{kMostKinds})
    notes.erase(std::find_if(notes.begin(), notes.end(), of_kernel));
  if (notes.size() < kMostNotes) notes.push_back(note);
  return true;
}

std::string LaunchNotes::text() const {
  std::ostringstream out;
  out << kHead << "\n";
  for (const Note& note : notes)
    out << (note.state == State::kSought ? kSought : kHasCode) << " " << note.kind << " "
        << note.ns_per_item << " " << note.kernel << "\n";
  return out.str();
}

std::optional<LaunchNotes> LaunchNotes::parse(std::string_view text) {
  std::istringstream in{std::string(text)};
  LaunchNotes result;
  std::string line;
  if (!std::getline(in, line) || line != kHead) return {};
  while (std::getline(in, line)) {
    std::optional<Note> note = parse_line(line);
    if (!note || result.notes.size() == kMostNotes) return {};
    result.notes.push_back(std::move(*note));
  }
  return result;
}

}  // namespace conclave
