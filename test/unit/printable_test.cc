// SPDX-License-Identifier: Apache-2.0
#include "platform/base/printable.h"

#include <gtest/gtest.h>

namespace conclave {
namespace {

TEST(Printable, TextStays) {
  for (const char* text : {"", "./vadd 3", "größe 1 µs", "計算", "🙂~"})
    EXPECT_EQ(text, printable(text));
}

TEST(Printable, ControlCharactersGo) {
  EXPECT_EQ("?[2J?]0;title?", printable("\x1b[2J\x1b]0;title\a"));
  EXPECT_EQ("a?b?c??d", printable("a\nb\tc\r\x7f"
                                  "d"));
  EXPECT_EQ("??31m", printable("\xc2\x9b"
                               "31m"));  // CSI as one character
}

TEST(Printable, WhatIsNotUtf8Goes) {
  EXPECT_EQ("?31m", printable("\x9b"
                              "31m"));
  EXPECT_EQ("??", printable("\xc0\x9b"));       // an escape, written longer than need be
  EXPECT_EQ("???", printable("\xe0\x82\x9b"));  // likewise
  EXPECT_EQ("a?", printable("a\xc3"));          // cut off
  EXPECT_EQ("????", printable("\xf5\x80\x80\x80"));
}

}  // namespace
}  // namespace conclave
