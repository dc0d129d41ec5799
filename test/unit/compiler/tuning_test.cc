// SPDX-License-Identifier: Apache-2.0
#include "compiler/base/tuning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace conclave::compiler {
namespace {

std::string error_of(const std::string& text) {
  Tuning tuning;
  try {
    tuning.apply(text);
  } catch (const TuningError& error) {
    return error.what();
  }
  return "";
}

TEST(Tuning, ChangesWhatIsNamed) {
  Tuning tuning;
  tuning.apply("row_jam=off,packet_gain=1.25,min_lanes=2,region_blocks=7");
  EXPECT_FALSE(tuning.row_jam);
  EXPECT_EQ(tuning.packet_gain, 1.25);
  EXPECT_EQ(tuning.min_lanes, 2U);
  EXPECT_EQ(tuning.region_blocks, 7U);
  EXPECT_TRUE(tuning.group_rows);
  tuning.apply("row_jam=on");
  EXPECT_TRUE(tuning.row_jam);
  EXPECT_EQ(tuning.min_lanes, 2U);
}

TEST(Tuning, TakesTheLastValueOfSeveral) {
  Tuning tuning;
  tuning.apply("min_lanes=2,min_lanes=3");
  EXPECT_EQ(tuning.min_lanes, 3U);
}

TEST(Tuning, NamesWhatIsWrong) {
  EXPECT_EQ(error_of("row_jam"), "'row_jam': expected NAME=VALUE");
  EXPECT_EQ(error_of(""), "'': expected NAME=VALUE");
  EXPECT_EQ(error_of("row_jam=off,"), "'': expected NAME=VALUE");
  EXPECT_EQ(error_of("row_jams=off"),
            "'row_jams=off': there is nothing of that name to tune (clocl --tune=list)");
  EXPECT_EQ(error_of("row_jam=0"), "'row_jam=0': expected on or off");
  EXPECT_EQ(error_of("min_lanes=5"), "'min_lanes=5': expected an integer from 2 to 4");
  EXPECT_EQ(error_of("min_lanes=2.5"), "'min_lanes=2.5': expected an integer from 2 to 4");
  EXPECT_EQ(error_of("min_lanes=1e300"), "'min_lanes=1e300': expected an integer from 2 to 4");
  EXPECT_EQ(error_of("min_lanes=2x"), "'min_lanes=2x': expected an integer from 2 to 4");
  EXPECT_EQ(error_of("packet_gain=nan"), "'packet_gain=nan': expected a number from 0 to 100");
  EXPECT_EQ(error_of("packet_gain=-1"), "'packet_gain=-1': expected a number from 0 to 100");
}

TEST(Tuning, LeavesEverythingWhereSomethingIsWrong) {
  Tuning tuning;
  EXPECT_THROW(tuning.apply("row_jam=off,min_lanes=99"), TuningError);
  EXPECT_TRUE(tuning.row_jam);
}

// Each entry takes its own default, its bounds and what switches it off, as the table prints them.
TEST(Tuning, TableHasValuesThatAreAllowed) {
  const std::string table = tuning_table();
  size_t entries = 0;
  for (size_t at = 0; at < table.size(); ++entries) {
    const size_t end = table.find('\n', at);
    std::string columns[8];
    for (std::string& column : columns) {
      const size_t stop = std::min(table.find('\t', at), end);
      column = table.substr(at, stop - at);
      at = stop + 1;
    }
    at = end + 1;
    for (int i = 2; i <= 5; ++i) {
      if (columns[i] == "-") continue;
      EXPECT_EQ(error_of(columns[1] + "=" + columns[i]), "");
    }
    EXPECT_EQ(columns[5] == "-", columns[0] == "limit") << columns[1];
    EXPECT_NE(columns[2], columns[5]) << columns[1] << " is off by default";
    EXPECT_GT(columns[7].size(), 10U) << columns[1] << " has no reason";
  }
  EXPECT_GT(entries, 50U);
}

}  // namespace
}  // namespace conclave::compiler
