// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/launch_notes.h"

#include <algorithm>
#include <sstream>
#include <utility>

namespace conclave {
namespace {

// The first line. Another number: another format.
constexpr std::string_view kHead = "conclave launch notes 1";
// No program has more; a text with more is none of ours.
constexpr size_t kMostNotes = 65'536;
constexpr std::string_view kSought = "sought", kHasCode = "has-code";

// "STATE KIND KERNEL"
std::optional<LaunchNotes::Note> parse_line(const std::string& line) {
  std::istringstream in(line);
  std::string state;
  LaunchNotes::Note note{};
  if (!(in >> state >> note.kind >> note.kernel) || (state != kSought && state != kHasCode))
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

bool LaunchNotes::put(const Note& note) {
  const auto of_kernel = [&](const Note& other) { return other.kernel == note.kernel; };
  for (Note& known : notes)
    if (of_kernel(known) && known.kind == note.kind)
      return std::exchange(known.state, note.state) != note.state;
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
        << note.kernel << "\n";
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
