// SPDX-License-Identifier: Apache-2.0
#include "platform/base/json_tree.h"

#include <gtest/gtest.h>

namespace conclave {
namespace {

// "line:column written" for a value and all that is in it, in the order of the text.
void list_places(const JsonValue& value, const std::string& text, std::string& list) {
  list += std::to_string(value.place.line) + ":" + std::to_string(value.place.column) + " " +
          text.substr(value.begin, value.end - value.begin) + "\n";
  for (const JsonValue& item : value.items) list_places(item, text, list);
  for (const JsonValue::Member& member : value.members) {
    list += std::to_string(member.place.line) + ":" + std::to_string(member.place.column) + " " +
            member.key + ":\n";
    list_places(member.value, text, list);
  }
}

std::string places(const std::string& text, TrailingCommas commas = TrailingCommas::kRefused) {
  std::string list;
  list_places(parse_json(text, commas), text, list);
  return list;
}

// "line:column text" of the complaint; "" where there is none.
std::string complaint(const std::string& text) {
  try {
    parse_json(text);
    return "";
  } catch (const JsonError& error) {
    return std::to_string(error.place().line) + ":" + std::to_string(error.place().column) + " " +
           error.what();
  }
}

TEST(JsonTree, KnowsWhereEachValueIs) {
  EXPECT_EQ(places("  12"), "1:3 12\n");
  EXPECT_EQ(places("\n\"a\""), "2:1 \"a\"\n");
  EXPECT_EQ(places("[1,-2.5e3,true, null\n,false]"),
            "1:1 [1,-2.5e3,true, null\n,false]\n1:2 1\n1:4 -2.5e3\n1:11 true\n1:17 null\n2:2 "
            "false\n");
  EXPECT_EQ(places("{\"k\": {\"in\":[]},\n \"l\":3}"),
            "1:1 {\"k\": {\"in\":[]},\n \"l\":3}\n1:2 k:\n1:7 {\"in\":[]}\n1:8 in:\n1:13 []\n"
            "2:2 l:\n2:6 3\n");
}

// Quotes, brackets and backslashes in a string are no syntax.
TEST(JsonTree, StringsHideSyntax) {
  EXPECT_EQ(places(R"(["a\"[,]{", "\\", 7])"),
            "1:1 [\"a\\\"[,]{\", \"\\\\\", 7]\n1:2 \"a\\\"[,]{\"\n1:13 \"\\\\\"\n1:19 7\n");
  EXPECT_EQ(parse_json(R"("a\"[,]\u0041")").text, "a\"[,]A");
}

TEST(JsonTree, TakesTrailingCommasWhereTheyAreAllowed) {
  EXPECT_EQ(places("[[1,\n],]", TrailingCommas::kAllowed), "1:1 [[1,\n],]\n1:2 [1,\n]\n1:3 1\n");
  EXPECT_EQ(places("[\",]\",]", TrailingCommas::kAllowed), "1:1 [\",]\",]\n1:2 \",]\"\n");
  EXPECT_NE(complaint("[1,]").find("1:4 is no valid JSON"), std::string::npos) << complaint("[1,]");
  EXPECT_THROW(parse_json("[,1]", TrailingCommas::kAllowed), JsonError);
}

TEST(JsonTree, TellsNumbersApart) {
  EXPECT_TRUE(parse_json("18446744073709551615").is_index);
  EXPECT_EQ(parse_json("18446744073709551615").number, UINT64_MAX);
  EXPECT_TRUE(parse_json("-1").is_integer);
  EXPECT_FALSE(parse_json("-1").is_index);
  EXPECT_FALSE(parse_json("18446744073709551616").is_integer);
  EXPECT_FALSE(parse_json("1.0").is_integer);
}

TEST(JsonTree, SaysWhereTheTextIsWrong) {
  EXPECT_EQ(complaint("").substr(0, 21), "1:1 is no valid JSON:");
  EXPECT_EQ(complaint("{\"a\": 1,\n  2}").substr(0, 21), "2:3 is no valid JSON:");
  EXPECT_EQ(complaint("[1\n").substr(0, 21), "2:1 is no valid JSON:");
  EXPECT_EQ(complaint("{\"a\": 1,\n \"a\": 2}"), "2:2 key \"a\" is here twice");
  EXPECT_EQ(complaint(std::string(17, '[')), "1:17 is nested too deep");
  std::string many = "{";
  for (int i = 0; i <= 1024; ++i) many += "\"" + std::to_string(i) + "\": 0,\n";
  EXPECT_EQ(complaint(many), "1025:1 object has too many keys");
}

TEST(JsonTree, IsReadWithoutPlacesBySomeButErrorsHaveThem) {
  const JsonValue value = parse_json_quickly("{\"a\": [1, \"b\", null]}");
  ASSERT_EQ(value.members.size(), 1u);
  ASSERT_EQ(value.members[0].value.items.size(), 3u);
  EXPECT_EQ(value.members[0].value.items[0].number, 1u);
  EXPECT_EQ(value.members[0].value.items[1].text, "b");
  for (const std::string text : {"{\"a\": 1,\n \"a\": 2}", "[1,\n x]"}) try {
      parse_json_quickly(text);
      ADD_FAILURE() << text;
    } catch (const JsonError& error) {
      EXPECT_EQ(error.place().line, 2u) << text;
      EXPECT_EQ(error.place().column, 2u) << text;
    }
}

}  // namespace
}  // namespace conclave
