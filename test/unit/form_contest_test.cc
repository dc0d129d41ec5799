// SPDX-License-Identifier: Apache-2.0
// Forms of a kernel's code compete by the times that they take; here the times are made up.
#include "platform/model/form_contest.h"

#include <gtest/gtest.h>

#include <functional>

#include "platform/loader/form_choices.h"

namespace conclave {
namespace {

constexpr uint64_t kMs = 1'000'000;
const SizeClass kSmall = SizeClass::of(1 << 10, 1 << 12, 100),
                kLarge = SizeClass::of(1 << 20, 1 << 22, 100);

SpecializedCode form(unsigned lanes) {
  return {nullptr, nullptr, 0, false, lanes};
}

// A kernel of 16 lanes, whose forms take `group_ns` for a work-group, by lanes.
class FormContestTest : public ::testing::Test {
 protected:
  static constexpr unsigned kUsual = 16;

  FormContest make(bool is_free = false) {
    std::vector<SpecializedCode> others;
    for (unsigned lanes : {32u, 8u, 1u}) others.push_back(form(lanes));
    return {nullptr, kUsual, std::move(others), cus_, is_free};
  }

  double group_ns(FormContest& contest, size_t form) { return time_of(contest.lanes(form)); }

  // Runs a chunk. Returns whether a choice was made.
  bool run(FormContest& contest, FormChoice& choice, uint64_t groups, uint64_t least = 1) {
    const double chosen = group_ns(contest, choice.chosen());
    spent_ns_ += static_cast<double>(groups) * chosen;
    const auto spent = static_cast<uint64_t>(spent_ns_);
    auto trial = contest.begin(choice, spent, {groups, least, chosen});
    if (!trial) {
      const unsigned lanes = contest.lanes(choice.chosen());
      return choice.is_watched() &&
             contest.ran(choice, choice.chosen(), groups,
                         static_cast<double>(groups) * whole_time_of(lanes), spent);
    }
    ++trials_;
    const auto tried = static_cast<double>(trial->groups);
    const double ns = tried * group_ns(contest, trial->form);
    lost_ns_ += std::max(ns - tried * chosen, 0.0);
    spent_ns_ += std::max(ns - tried * chosen, 0.0);
    const double other = trial->alone ? 0 : tried * chosen;
    return contest.end(choice, std::move(*trial), spent, ns, other);
  }

  unsigned winner(FormContest& contest, FormChoice& choice, int chunks = 20'000,
                  uint64_t groups = 20, uint64_t least = 1) {
    for (int i = 0; i < chunks; ++i) run(contest, choice, groups, least);
    return contest.lanes(choice.chosen());
  }

  // What a process knows from earlier ones, and hands on.
  struct Handed {
    std::vector<FormContest::Result> results;
    FormContest::Account account;
    std::vector<FormContest::Unfinished> unfinished;
  };
  static void take_over(const Handed& handed, FormContest& contest) {
    for (const FormContest::Result& result : handed.results) contest.adopt(result, 200 * kMs);
    contest.take_over(handed.account);
    for (const FormContest::Unfinished& one : handed.unfinished) contest.resume(one);
  }
  Handed hand_on(FormContest& contest) const {
    return {contest.results(), contest.account(static_cast<uint64_t>(spent_ns_)),
            contest.unfinished()};
  }

  std::function<double(unsigned lanes)> time_of = [](unsigned) { return 1'000.0; };
  // Where all CPUs run that form.
  std::function<double(unsigned lanes)> whole_time_of = [this](unsigned n) { return time_of(n); };
  size_t cus_ = 2;
  double spent_ns_ = 100.0 * kMs, lost_ns_ = 0;
  int trials_ = 0;
};

TEST_F(FormContestTest, TheFastestWins) {
  for (unsigned fastest : {1u, 8u, 16u, 32u}) {
    FormContest contest = make();
    time_of = [&](unsigned lanes) { return lanes == fastest ? 700.0 : 1'000.0; };
    EXPECT_EQ(winner(contest, *contest.choice_for(kLarge)), fastest);
    const auto results = contest.results();
    ASSERT_EQ(results.size(), 1u);
    EXPECT_EQ(results[0].lanes, fastest);
    ASSERT_EQ(results[0].others.size(), 3u);
    EXPECT_NEAR(results[0].others[0].relative, 1.43, 0.01);
  }
}

// Alone beside the chosen form it is faster, but it gets into its own way.
TEST_F(FormContestTest, WhatIsFasterInTrialsOnlyIsGivenUp) {
  FormContest contest = make();
  FormChoice& choice = *contest.choice_for(kLarge);
  time_of = [](unsigned lanes) { return lanes == 1 ? 700.0 : 1'000.0; };
  whole_time_of = [](unsigned lanes) { return lanes == 1 ? 1'800.0 : 1'000.0; };
  bool was_chosen = false;
  for (int i = 0; i < 100'000; ++i) {
    run(contest, choice, 20);
    was_chosen |= contest.lanes(choice.chosen()) == 1;
  }
  EXPECT_TRUE(was_chosen);
  EXPECT_EQ(contest.lanes(choice.chosen()), kUsual);
  const auto results = contest.results();
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].lanes, kUsual);
  EXPECT_EQ(results[0].others[2].lanes, 1u);
  EXPECT_NEAR(results[0].others[2].relative, 1.8, 0.01);
}

// The later launches of a program do more for each work-group than the earlier ones.
TEST_F(FormContestTest, WhatIsFasterProvesItselfWhileLaunchesChange) {
  FormContest contest = make();
  FormChoice& choice = *contest.choice_for(kLarge);
  const auto work = [&] { return 1'000.0 * (1 + (spent_ns_ - 100 * kMs) / (50 * kMs)); };
  time_of = [&](unsigned lanes) { return lanes == 1 ? 0.8 * work() : work(); };
  EXPECT_EQ(winner(contest, choice), 1u);
  ASSERT_EQ(contest.results().size(), 1u);
  EXPECT_EQ(contest.results()[0].lanes, 1u);
}

TEST_F(FormContestTest, ProgramsOfTwentyMillisecondsFindOut) {
  FormContest contest = make();
  FormChoice& choice = *contest.choice_for(kLarge);
  time_of = [](unsigned lanes) { return lanes == 1 ? 600.0 : lanes == 8 ? 1'400.0 : 1'000.0; };
  spent_ns_ = 0;
  while (spent_ns_ < 20 * kMs && contest.results().empty()) run(contest, choice, 100);
  EXPECT_FALSE(contest.results().empty());
  EXPECT_EQ(contest.lanes(choice.chosen()), 1u);
  EXPECT_LE(lost_ns_, spent_ns_ / FormContest::kMostCost);
}

// Nobody waits for what would cost much more time to try than there has been.
TEST_F(FormContestTest, WhatIsFasterDoesNotWaitForDearTrials) {
  FormContest contest = make();
  FormChoice& choice = *contest.choice_for(kLarge);
  time_of = [](unsigned lanes) { return lanes == 32 ? 4e6 : lanes == 1 ? 50e6 : 5e6; };
  spent_ns_ = 0;
  while (contest.results().empty() && spent_ns_ < 10'000.0 * kMs) run(contest, choice, 1);
  ASSERT_EQ(contest.results().size(), 1u);
  EXPECT_EQ(contest.results()[0].lanes, 32u);
  EXPECT_LT(spent_ns_, 2'000.0 * kMs);
  // The others follow.
  EXPECT_EQ(winner(contest, choice, 20'000, 1), 32u);
  EXPECT_EQ(contest.results()[0].others.size(), 3u);
}

TEST_F(FormContestTest, WhatIsFarAheadNeedsFewComparisons) {
  FormContest contest = make();
  FormChoice& choice = *contest.choice_for(kLarge);
  time_of = [](unsigned lanes) { return lanes == 1 ? 200.0 : lanes == 16 ? 1'000.0 : 3'000.0; };
  while (choice.chosen() == 0 && trials_ < 100) run(contest, choice, 20);
  EXPECT_EQ(contest.lanes(choice.chosen()), 1u);
  // Three for each form, after the first ones, which do not count.
  EXPECT_EQ(trials_, 3 * 4);
}

TEST_F(FormContestTest, WhatIsHardlyFasterDoesNotWin) {
  FormContest contest = make();
  time_of = [](unsigned lanes) { return lanes == 1 ? 970.0 : 1'000.0; };
  EXPECT_EQ(winner(contest, *contest.choice_for(kLarge)), kUsual);
  EXPECT_GE(trials_, 2 * FormChoice::kComparisons);
}

// Chunks that cannot be divided run in one form each.
TEST_F(FormContestTest, LongWorkGroupsCompeteToo) {
  FormContest contest = make();
  time_of = [](unsigned lanes) { return lanes == 1 ? 300'000.0 : 500'000.0; };
  EXPECT_EQ(winner(contest, *contest.choice_for(kLarge), 20'000, 1), 1u);
  FormContest joined = make();
  time_of = [](unsigned lanes) { return lanes == 8 ? 3'000.0 : 5'000.0; };
  EXPECT_EQ(winner(joined, *joined.choice_for(kLarge), 20'000, 16, 16), 8u);
}

TEST_F(FormContestTest, TrialsCostAHundredth) {
  for (double slow_ns : {1'100.0, 5'000.0, 100'000.0}) {
    FormContest contest = make();
    time_of = [&](unsigned lanes) { return lanes == kUsual ? 1'000.0 : slow_ns; };
    lost_ns_ = 0;
    spent_ns_ = 100.0 * kMs;
    const double begin = spent_ns_;
    EXPECT_EQ(winner(contest, *contest.choice_for(kLarge), 100'000), kUsual);
    EXPECT_GT(spent_ns_, begin);
    EXPECT_LE(lost_ns_, spent_ns_ / FormContest::kMostCost);
  }
}

TEST_F(FormContestTest, ShortKernelsAreNotTried) {
  FormContest contest = make();
  spent_ns_ = 0;
  winner(contest, *contest.choice_for(kLarge), 40, 12);  // 0.5 ms
  EXPECT_EQ(trials_, 0);
}

TEST_F(FormContestTest, SizesHaveChoicesOfTheirOwn) {
  FormContest contest = make();
  FormChoice &small = *contest.choice_for(kSmall), &large = *contest.choice_for(kLarge);
  EXPECT_NE(&small, &large);
  time_of = [](unsigned lanes) { return lanes == 1 ? 500.0 : 1'000.0; };
  EXPECT_EQ(winner(contest, small), 1u);
  time_of = [](unsigned lanes) { return lanes == 8 ? 500.0 : 1'000.0; };
  EXPECT_EQ(winner(contest, large), 8u);
  EXPECT_EQ(contest.lanes(small.chosen()), 1u);
  EXPECT_EQ(contest.results().size(), 2u);
  EXPECT_NE(SizeClass::of(1000, 1 << 20, 256), SizeClass::of(1000, 1 << 20, 250));
  for (uint64_t items = 1; items < 1 << 20; items *= 4)
    contest.choice_for(SizeClass::of(items, 1, 1));
  EXPECT_EQ(contest.choice_for(SizeClass::of(uint64_t{1} << 40, 1, 1)), nullptr);
}

TEST_F(FormContestTest, AnotherMixIsNoticed) {
  FormContest contest = make();
  FormChoice& choice = *contest.choice_for(kLarge);
  time_of = [](unsigned lanes) { return lanes == 1 ? 500.0 : 1'000.0; };
  EXPECT_EQ(winner(contest, choice), 1u);
  time_of = [](unsigned lanes) { return lanes == 1 ? 2'000.0 : 1'000.0; };
  EXPECT_NE(winner(contest, choice, 100'000), 1u);
}

TEST_F(FormContestTest, GoesOnWithWhatIsKnown) {
  FormContest contest = make();
  contest.adopt({kLarge, 8, {{16, 1.5F}, {32, 1.2F}, {1, 3.0F}}}, 500 * kMs);
  FormChoice& choice = *contest.choice_for(kLarge);
  EXPECT_EQ(contest.lanes(choice.chosen()), 8u);
  run(contest, choice, 20);
  EXPECT_EQ(trials_, 0);
  spent_ns_ = 600.0 * kMs;
  time_of = [](unsigned lanes) { return lanes == 1 ? 500.0 : 1'000.0; };
  EXPECT_EQ(winner(contest, choice), 1u);
}

// An earlier process did not have the form that is the fastest.
TEST_F(FormContestTest, ComparesWhatIsNewWithWhatIsKnown) {
  time_of = [](unsigned lanes) { return lanes == 32 ? 500.0 : lanes == 8 ? 1'000.0 : 1'500.0; };
  FormContest contest = make();
  contest.adopt({kLarge, 8, {{16, 1.5F}, {1, 3.0F}}}, 1'000 * kMs);
  FormChoice& choice = *contest.choice_for(kLarge);
  EXPECT_EQ(contest.lanes(choice.chosen()), 8u);
  spent_ns_ = 4.0 * kMs;
  run(contest, choice, 20);
  EXPECT_EQ(trials_, 0);
  spent_ns_ = 500.0 * kMs;
  EXPECT_EQ(winner(contest, choice, 6'000), 32u);
  EXPECT_LT(spent_ns_, 1'000.0 * kMs);
  // The times of the others are those of the earlier process, by that of the new winner.
  const std::vector<FormContest::Result> results = contest.results();
  for (const FormContest::Result::Other& other : results[0].others)
    EXPECT_NEAR(other.relative, other.lanes == 8 ? 2.0F : other.lanes == 16 ? 3.0F : 6.0F, 0.1F);
  // Later, all are compared again.
  spent_ns_ = 3'000.0 * kMs;
  time_of = [](unsigned lanes) { return lanes == 1 ? 400.0 : 1'000.0; };
  EXPECT_EQ(winner(contest, choice), 1u);
}

// Later processes need not compare it again.
TEST_F(FormContestTest, TellsThatWhatIsNewIsSlower) {
  time_of = [](unsigned lanes) { return lanes == 8 ? 1'000.0 : 1'500.0; };
  FormContest contest = make();
  contest.adopt({kLarge, 8, {{16, 1.5F}, {1, 3.0F}}}, 1'000 * kMs);
  FormChoice& choice = *contest.choice_for(kLarge);
  spent_ns_ = 500.0 * kMs;
  bool is_told = false;
  while (!is_told && spent_ns_ < 1'000.0 * kMs) is_told = run(contest, choice, 20);
  EXPECT_TRUE(is_told);
  EXPECT_EQ(contest.results()[0].lanes, 8u);
  EXPECT_EQ(contest.results()[0].others.size(), 3u);
}

TEST_F(FormContestTest, ForgetsAWinnerWhoseCodeIsMissing) {
  FormContest contest = make();
  contest.adopt({kLarge, 64, {{16, 1.5F}, {32, 1.2F}, {8, 2.0F}, {1, 3.0F}}}, 500 * kMs);
  EXPECT_EQ(contest.lanes(contest.choice_for(kLarge)->chosen()), kUsual);
  EXPECT_TRUE(contest.results().empty());
}

// Each process computes for 12 ms, in which its work-groups of 0.1 ms leave time for few comparisons.
TEST_F(FormContestTest, ShortProcessesFindOutTogether) {
  time_of = [](unsigned lanes) { return lanes == 1 ? 40'000.0 : 100'000.0; };
  Handed handed;
  int processes = 0;
  for (bool is_kept = false; !is_kept && processes < 30; ++processes) {
    FormContest contest = make();
    take_over(handed, contest);
    spent_ns_ = 2 * kMs;
    FormChoice& choice = *contest.choice_for(kLarge);
    while (spent_ns_ < 12 * kMs)
      if (run(contest, choice, 4)) is_kept = !contest.results().empty();
    handed = hand_on(contest);
    if (is_kept) {
      EXPECT_EQ(contest.results()[0].lanes, 1u);
    }
  }
  EXPECT_GT(processes, 1);
  EXPECT_LT(processes, 20);
  EXPECT_LE(lost_ns_, static_cast<double>(handed.account.spent_ns) / FormContest::kMostCost);
}

// Each process computes for 2.6 s, in which its work-groups take 18 ms: a trial may cost more than a
// hundredth of that. What is kept is what the runtime keeps. Chunks have one group or two.
TEST_F(FormContestTest, ProcessesOfLongWorkGroupsFindOutTogether) {
  time_of = [](unsigned lanes) { return lanes == 1 ? 14e6 : lanes == 8 ? 27e6 : 18e6; };
  Handed handed;
  unsigned winner = kUsual;
  int processes = 0;
  for (; winner == kUsual && processes < 40; ++processes) {
    FormContest contest = make();
    take_over(handed, contest);
    spent_ns_ = 0;
    FormChoice& choice = *contest.choice_for(kLarge);
    for (int chunk = 0; spent_ns_ < 2600.0 * kMs; ++chunk) {
      const bool is_kept = run(contest, choice, chunk % 3 == 2 ? 2 : 1, 2);
      if (is_kept || contest.should_hand_on(static_cast<uint64_t>(spent_ns_)))
        handed = hand_on(contest);
    }
    if (!contest.results().empty()) winner = contest.results()[0].lanes;
  }
  EXPECT_EQ(winner, 1u);
  EXPECT_GT(processes, 2);
  EXPECT_LE(lost_ns_, 2600.0 * kMs * processes / FormContest::kMostCost);
}

// The form that is chosen before the others are known does not prove itself.
TEST_F(FormContestTest, NothingIsChosenWhereTheFirstWinnerIsGivenUp) {
  FormContest contest = make();
  FormChoice& choice = *contest.choice_for(kLarge);
  time_of = [](unsigned lanes) {
    return lanes == 32 ? 0.7e6 : lanes == 8 ? 10e6 : lanes == 1 ? 0.4e6 : 1e6;
  };
  whole_time_of = [&](unsigned lanes) { return lanes == 32 ? 1.8e6 : time_of(lanes); };
  spent_ns_ = 0;
  bool was_chosen = false;
  while (!was_chosen || contest.lanes(choice.chosen()) == 32 || choice.is_watched()) {
    run(contest, choice, 4);
    was_chosen |= contest.lanes(choice.chosen()) == 32;
  }
  EXPECT_EQ(contest.lanes(choice.chosen()), kUsual);
  EXPECT_TRUE(contest.results().empty());
  const auto unfinished = contest.unfinished();
  ASSERT_EQ(unfinished.size(), 1u);
  EXPECT_EQ(unfinished[0].forms.size(), 2u);
  EXPECT_EQ(unfinished[0].forms[0].lanes, 32u);
  EXPECT_NEAR(unfinished[0].forms[0].quotients[0], 1.8, 0.01);
  // What is not known is still taken to be dear.
  while (contest.lanes(choice.chosen()) != 1 && spent_ns_ < 10'000.0 * kMs) run(contest, choice, 4);
  EXPECT_EQ(contest.lanes(choice.chosen()), 1u);
  EXPECT_GT(spent_ns_, 1'150.0 * kMs);
}

// Each process computes for 100 ms, in work-groups of 5 ms. The first form to win is not the fastest, which
// costs most to try.
TEST_F(FormContestTest, WhatWasTooDearIsComparedWithTheFirstWinner) {
  time_of = [](unsigned lanes) {
    return lanes == 1 ? 1e6 : lanes == 32 ? 4.4e6 : lanes == 8 ? 6e6 : 5e6;
  };
  Handed handed;
  std::vector<unsigned> winners{kUsual};
  for (int processes = 0; processes < 200; ++processes) {
    FormContest contest = make();
    take_over(handed, contest);
    spent_ns_ = 0;
    FormChoice& choice = *contest.choice_for(kLarge);
    while (spent_ns_ < 100.0 * kMs)
      if (run(contest, choice, 1) || contest.should_hand_on(static_cast<uint64_t>(spent_ns_)))
        handed = hand_on(contest);
    const unsigned lanes = contest.lanes(choice.chosen());
    if (lanes != winners.back()) winners.push_back(lanes);
  }
  EXPECT_EQ(winners, (std::vector<unsigned>{kUsual, 32, 1}));
  ASSERT_EQ(handed.results.size(), 1u);
  EXPECT_EQ(handed.results[0].others.size(), 3u);
}

// A process computes for 200 ms, in ten work-groups: too short for a pause between a form's group and
// the one that it is compared with, or for many more of them. A form takes longer than expected.
TEST_F(FormContestTest, ProcessesOfTenWorkGroupsFindOutTogether) {
  for (size_t cus : {2u, 4u, 16u}) {
    cus_ = cus;
    lost_ns_ = 0;
    time_of = [](unsigned lanes) {
      return lanes == 32 ? 14e6 : lanes == kUsual ? 20e6 : lanes == 8 ? 45e6 : 100e6;
    };
    Handed handed;
    unsigned winner = kUsual;
    int processes = 0;
    for (; winner == kUsual && processes < 250; ++processes) {
      FormContest contest = make();
      take_over(handed, contest);
      spent_ns_ = 0;
      FormChoice& choice = *contest.choice_for(kLarge);
      for (int chunk = 0; chunk < 10; ++chunk) {
        const bool is_kept = run(contest, choice, 1, 2);
        if (is_kept || contest.should_hand_on(static_cast<uint64_t>(spent_ns_)))
          handed = hand_on(contest);
      }
      if (!contest.results().empty()) winner = contest.results()[0].lanes;
    }
    EXPECT_EQ(winner, 32u) << cus;
    EXPECT_GT(lost_ns_, 0);
    // Once more than was expected.
    EXPECT_LE(lost_ns_, 250.0 * kMs * processes / FormContest::kMostCost + 80e6);
  }
}

// Two of seven work-groups have much more to do than others.
TEST_F(FormContestTest, WorkGroupsMayDiffer) {
  FormContest contest = make(/*is_free=*/true);
  FormChoice& choice = *contest.choice_for(kLarge);
  int calls = 0;
  time_of = [&](unsigned lanes) {
    if (lanes != 1) return 20e6;
    return ++calls % 7 < 2 ? 30e6 : 14e6;
  };
  EXPECT_EQ(winner(contest, choice, 200, 1), 1u);
}

TEST_F(FormContestTest, WhatWasSpentIsHandedOnOnceEachTimeItHasDoubled) {
  FormContest contest = make();
  FormChoice& choice = *contest.choice_for(kLarge);
  const auto wait = [&](uint64_t spent_ms) {
    EXPECT_FALSE(contest.begin(choice, spent_ms * kMs, {1, 1, 18e6}));
    return contest.should_hand_on(spent_ms * kMs);
  };
  EXPECT_FALSE(contest.should_hand_on(100 * kMs));  // nothing has been too dear
  EXPECT_FALSE(wait(9));
  EXPECT_TRUE(wait(12));
  EXPECT_FALSE(contest.should_hand_on(100 * kMs));
  EXPECT_FALSE(wait(23));
  EXPECT_TRUE(wait(24));
}

TEST(FormChoices, AreReadAsTheyWereWritten) {
  FormChoices choices{"walk", {}};
  EXPECT_TRUE(choices.put({"local size 64,1,1", kLarge.bits, 1, {{16, 2.5F}, {8, 1.25F}}}));
  EXPECT_TRUE(choices.put({"", kSmall.bits, 16, {}}));
  EXPECT_FALSE(choices.put({"", kSmall.bits, 16, {{8, 1.5F}}}));
  EXPECT_TRUE(choices.put({"", kSmall.bits, 8, {{16, 1.5F}}}));
  choices.put(FormChoices::Account{"", 30'000'000, 1'500.5});
  choices.put(
      FormChoices::Unfinished{"local size 8,8,1", kLarge.bits, {{8, {1.5F, 0.75F}}, {1, {}}}}, 16);
  const auto read = FormChoices::parse(choices.text());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->text(), choices.text());
  ASSERT_EQ(read->accounts.size(), 1u);
  EXPECT_EQ(read->accounts[0].spent_ns, 30'000'000u);
  ASSERT_EQ(read->unfinished.size(), 1u);
  EXPECT_EQ(read->unfinished[0].kind, "local size 8,8,1");
  EXPECT_EQ(read->unfinished[0].comparisons, choices.unfinished[0].comparisons);
  EXPECT_EQ(read->choices[0].text(),
            "1 work-item at a time; 16 lanes take 2.50 times as long, 8 lanes 1.25 times (2^20 "
            "work-items, 2^22 bytes)");
}

// Where there is a choice, only comparisons of forms whose times it lacks are of use.
TEST(FormChoices, AChoiceTakesThePlaceOfWhatWasUnfinished) {
  FormChoices choices{"walk", {}};
  choices.put(FormChoices::Unfinished{"", kLarge.bits, {{8, {1.5F}}}}, 16);
  choices.put(FormChoices::Unfinished{"", kLarge.bits, {{8, {1.5F, 1.5F}}}}, 16);
  choices.put(FormChoices::Unfinished{"", kSmall.bits, {{8, {1.5F}}}}, 16);
  ASSERT_EQ(choices.unfinished.size(), 2u);
  choices.put(FormChoices::Choice{"", kLarge.bits, 1, {}});
  ASSERT_EQ(choices.unfinished.size(), 1u);
  EXPECT_EQ(choices.unfinished[0].size_class, kSmall.bits);
  choices.put(FormChoices::Unfinished{"", kLarge.bits, {{8, {1.5F}}}}, 16);
  EXPECT_EQ(choices.unfinished.size(), 1u);
  choices.put(FormChoices::Unfinished{"", kLarge.bits, {{8, {1.5F}}}}, 1);
  EXPECT_EQ(choices.unfinished.size(), 2u);
  choices.put(FormChoices::Choice{"", kLarge.bits, 1, {{8, 1.5F}}});
  choices.put(FormChoices::Unfinished{"", kLarge.bits, {{8, {1.5F}}}}, 1);
  EXPECT_EQ(choices.unfinished.size(), 1u);
}

TEST(FormChoices, NonsenseIsRefused) {
  const std::string head = "conclave form choices 2\nk\n";
  EXPECT_TRUE(FormChoices::parse(head));
  for (const std::string text : {"", "\177ELF", "conclave form choices 1\nk\n"})
    EXPECT_FALSE(FormChoices::parse(text)) << text;
  for (const std::string line :
       {"choice 0 8 0 ", "choice 5 3 0 ", "choice 5 8 9 ", "choice 5 8 1 8 -1 ", "choice 5 8 1 8",
        "choice 5 128 0 ", "nonsense", "5 8 0 ", "spent", "spent -1 ", "spent 5 -1 ",
        "unfinished 0 0 ", "unfinished 5 9 ", "unfinished 5 1 3 0 ", "unfinished 5 1 8 17 ",
        "unfinished 5 1 8 2 1.5 ", "unfinished 5 1 8 1 0 ", "unfinished 5 1 8 99999999999 "})
    EXPECT_FALSE(FormChoices::parse(head + line + "\n")) << line;
}

}  // namespace
}  // namespace conclave
