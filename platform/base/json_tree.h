// SPDX-License-Identifier: Apache-2.0
// The one reader of JSON text: what nlohmann's parser reports, with the place of each value, for
// messages such as "layout.json:3:7: ...". Unlike the library's own tree this one is destroyed
// without more memory.
#ifndef CONCLAVE_PLATFORM_BASE_JSON_TREE_H_
#define CONCLAVE_PLATFORM_BASE_JSON_TREE_H_

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace conclave {

// Line and column, counted from 1; columns are bytes.
struct TextPlace {
  size_t line = 1, column = 1;
};

class JsonError : public std::runtime_error {
 public:
  JsonError(TextPlace place, const std::string& what) : std::runtime_error(what), place_(place) {}
  const TextPlace& place() const { return place_; }

 private:
  TextPlace place_;
};

struct JsonValue {
  enum class Kind { kNull, kFlag, kNumber, kText, kList, kObject };
  struct Member;

  Kind kind = Kind::kNull;
  TextPlace place;
  size_t begin = 0, end = 0;     // of the value, as offsets into the text
  std::string text;              // kText
  bool flag = false;             // kFlag
  bool is_integer = false;       // kNumber
  bool is_index = false;         // kNumber: a non-negative integer, `number`
  uint64_t number = 0;           // kNumber
  std::vector<JsonValue> items;  // kList
  std::vector<Member> members;   // kObject, in the order of the text

  // The value of this key; null if there is none, or this is no object.
  const JsonValue* find(std::string_view key) const;

  [[noreturn]] void bad(const std::string& what) const { throw JsonError(place, what); }
  // Throw JsonError "`what` is a number, expected a string" if it is not.
  const std::string& as_text(const std::string& what) const;
  uint64_t as_index(const std::string& what) const;
  const std::vector<JsonValue>& as_list(const std::string& what) const;
  const std::vector<Member>& as_object(const std::string& what) const;

 private:
  void require(Kind wanted, const std::string& what) const;
};

struct JsonValue::Member {
  std::string key;
  TextPlace place;  // of the key
  JsonValue value;
};

// Whether a comma may stand before a closing bracket.
enum class TrailingCommas { kRefused, kAllowed };

// Throws JsonError if `text` is no JSON, has two keys of one name in an object, or is nested
// more than a few levels deep.
JsonValue parse_json(std::string_view text, TrailingCommas commas = TrailingCommas::kRefused);

// The same in a third of the time, for texts that programs write and read: no value has a place. An
// error has one all the same.
JsonValue parse_json_quickly(std::string_view text);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_JSON_TREE_H_
