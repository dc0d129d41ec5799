// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/launch_notes.h"

#include <gtest/gtest.h>

#include <string>

#include "platform/model/launch_kinds.h"

namespace conclave {
namespace {

using State = LaunchNotes::State;

TEST(LaunchNotes, AreReadAsTheyWereWritten) {
  LaunchNotes notes;
  EXPECT_FALSE(notes.state_of("walk", 7));
  EXPECT_TRUE(notes.put({"walk", 7, State::kSought, 0}));
  EXPECT_FALSE(notes.put({"walk", 7, State::kSought, 0}));
  EXPECT_TRUE(notes.put({"walk", UINT64_MAX, State::kHasCode, 0}));
  EXPECT_TRUE(notes.put({"walk", 7, State::kHasCode, 0}));
  const auto read = LaunchNotes::parse(notes.text());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->text(), notes.text());
  EXPECT_EQ(read->state_of("walk", 7), State::kHasCode);
  EXPECT_EQ(read->state_of("walk", UINT64_MAX), State::kHasCode);
  EXPECT_FALSE(read->state_of("run", 7));
}

TEST(LaunchNotes, TellTheNewestTimeOfAKernel) {
  LaunchNotes notes;
  EXPECT_TRUE(notes.put({"walk", 1, State::kHasCode, 0}));
  EXPECT_EQ(notes.ns_per_item("walk"), 0);
  EXPECT_TRUE(notes.put({"walk", 1, State::kHasCode, 3.5F}));
  EXPECT_FALSE(notes.put({"walk", 1, State::kHasCode, 5}));
  EXPECT_FALSE(notes.put({"walk", 1, State::kHasCode, 0}));
  EXPECT_TRUE(notes.put({"walk", 2, State::kHasCode, 0}));
  EXPECT_TRUE(notes.put({"run", 2, State::kHasCode, 9}));
  const auto read = LaunchNotes::parse(notes.text());
  ASSERT_TRUE(read);
  EXPECT_EQ(read->ns_per_item("walk"), 3.5F);
  EXPECT_TRUE(notes.put({"walk", 2, State::kHasCode, 20}));
  EXPECT_EQ(notes.ns_per_item("walk"), 20);
}

TEST(LaunchNotes, TheOldestOfAKernelGo) {
  LaunchNotes notes;
  notes.put({"other", 0, State::kSought, 0});
  for (uint64_t kind = 0; kind <= LaunchNotes::kMostKinds; ++kind)
    EXPECT_TRUE(notes.put({"walk", kind, State::kSought, 0}));
  EXPECT_EQ(notes.notes.size(), LaunchNotes::kMostKinds + 1);
  EXPECT_TRUE(notes.state_of("other", 0));
  EXPECT_FALSE(notes.state_of("walk", 0));
  EXPECT_TRUE(notes.state_of("walk", 1));
}

TEST(LaunchNotes, NonsenseIsRefused) {
  const std::string head = "conclave launch notes 2\n";
  EXPECT_TRUE(LaunchNotes::parse(head));
  for (const std::string& text :
       {std::string(), std::string("\177ELF"), std::string("conclave launch notes 1\n"),
        head + "sought\n", head + "sought 7 1\n", head + "found 7 1 walk\n",
        head + "sought x 1 walk\n", head + "sought 7 walk\n", head + "sought 7 -1 walk\n"})
    EXPECT_FALSE(LaunchNotes::parse(text)) << text;
}

TEST(LaunchKinds, WhatIsExpectedIsDueBeforeItsFirstLaunch) {
  constexpr uint64_t kDueNs = 1'000;
  const LaunchKinds::Hopes hopes{true, false, true, false};
  const LaunchKind expected{{64, 1, 1}, {}}, other{{32, 1, 1}, {}};
  LaunchKinds earlier(hopes, kDueNs);
  LaunchKinds kinds(hopes, kDueNs);
  kinds.expect({earlier.find(expected)->number()});
  EXPECT_FALSE(kinds.find(other)->take_due());
  EXPECT_TRUE(kinds.find(expected)->take_due());
  EXPECT_FALSE(kinds.find(expected)->take_due());
  EXPECT_FALSE(kinds.find(other)->add(kDueNs - 1));
  EXPECT_TRUE(kinds.find(other)->add(1));
}

}  // namespace
}  // namespace conclave
