// SPDX-License-Identifier: Apache-2.0
// What processes tell later ones about the launches of a program's kernels, as the disk cache keeps
// it: a text of lines, in one entry per program, beside those of programs.
#ifndef CONCLAVE_PLATFORM_LOADER_LAUNCH_NOTES_H_
#define CONCLAVE_PLATFORM_LOADER_LAUNCH_NOTES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace conclave {

struct LaunchNotes {
  enum class State {
    kSought,   // a process has looked for code of their own in vain
    kHasCode,  // the cache has it, or will soon
  };
  struct Note {
    std::string kernel;
    uint64_t kind;  // LaunchKindUse::number()
    State state;
    float ns_per_item;  // what a work-item took; 0: unknown
  };
  // A kernel has at most so many notes. A new one takes the place of its oldest.
  static constexpr size_t kMostKinds = 8;

  std::vector<Note> notes;

  // Nothing if there is no note.
  std::optional<State> state_of(std::string_view kernel, uint64_t kind) const;
  // Nanoseconds per work-item by the newest note about the kernel; 0: unknown.
  float ns_per_item(std::string_view kernel) const;
  // Puts it in the place of the note about the same launches. Returns whether anything has changed
  // that is worth keeping: times count from a factor of two on.
  bool put(const Note& note);

  std::string text() const;
  // Nothing if it is no such text.
  static std::optional<LaunchNotes> parse(std::string_view text);
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_LAUNCH_NOTES_H_
