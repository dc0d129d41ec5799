// SPDX-License-Identifier: Apache-2.0
// Which forms of a kernel's code have won, and what is known where none has yet
// (model/form_contest.h), as the disk cache keeps it: a text of lines, in an entry beside those of
// programs.
#ifndef CONCLAVE_PLATFORM_LOADER_FORM_CHOICES_H_
#define CONCLAVE_PLATFORM_LOADER_FORM_CHOICES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace conclave {

struct FormChoices {
  // That the compiler makes.
  static constexpr unsigned kMostLanes = 64;

  struct Choice {
    std::string kind;     // of launches, in words; "" for all
    uint32_t size_class;  // SizeClass::bits
    unsigned lanes;       // of the form that won; 1: work-items run one by one
    // The lanes of the others, and their time by that of the winner.
    std::vector<std::pair<unsigned, float>> others;

    // "1 work-item at a time; 16 lanes take 1.52 times as long, 8 lanes 1.31 times (2^20
    // work-items, 2^22 bytes)". The sizes are the least of the class.
    std::string text() const;
  };

  struct Account {
    std::string kind;
    uint64_t spent_ns;  // by the launches of this kind
    double lost_ns;     // by their trials
  };
  // Launches some of whose forms have not been compared.
  struct Unfinished {
    std::string kind;
    uint32_t size_class;
    // Lanes of forms, and their times by those of the winner, if there is one, or of the compiler's choice.
    std::vector<std::pair<unsigned, std::vector<float>>> comparisons;
  };

  // A kind of launches has at most so many: a new one takes the place of the oldest.
  static constexpr std::ptrdiff_t kMostUnfinished = 4;

  std::string kernel;
  std::vector<Choice> choices{};
  std::vector<Account> accounts{};
  std::vector<Unfinished> unfinished{};

  // Puts it in the place of what is there about the same launches, with what was unfinished. Returns whether
  // another form wins now, or whether nothing was known.
  bool put(const Choice& choice);
  void put(const Account& account);
  // `chosen_lanes`: of the form with which the others were compared. Changes nothing if another has won, or
  // if the times of all of them are known.
  void put(const Unfinished& unfinished, unsigned chosen_lanes);

  std::string text() const;
  // Nothing if it is no such text.
  static std::optional<FormChoices> parse(std::string_view text);
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_FORM_CHOICES_H_
