// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/json_tree.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>

namespace conclave {
namespace {

constexpr size_t kMaxDepth = 16;
constexpr size_t kMaxMembers = 1024;

const char* name_of(JsonValue::Kind kind) {
  switch (kind) {
    case JsonValue::Kind::kNull:
      return "null";
    case JsonValue::Kind::kFlag:
      return "true or false";
    case JsonValue::Kind::kNumber:
      return "a number";
    case JsonValue::Kind::kText:
      return "a string";
    case JsonValue::Kind::kList:
      return "a list";
    case JsonValue::Kind::kObject:
      return "an object";
  }
  return "";
}

// Goes through the text and tells how far the parser has read.
class Cursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Cursor(const char* at, const char** read) : at_(at), read_(read) {}
  const char& operator*() const { return *at_; }
  Cursor& operator++() {
    *read_ = ++at_;
    return *this;
  }
  Cursor operator++(int) {
    Cursor before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Cursor& other) const { return at_ == other.at_; }
  bool operator!=(const Cursor& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  const char** read_;
};

// Builds the tree from what the parser reports.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Builder(std::string_view text) : text_(text), read_(text.data()) {}

  Cursor begin() { return {text_.data(), &read_}; }
  Cursor end() { return {text_.data() + text_.size(), &read_}; }
  JsonValue take() { return std::move(root_); }

  bool null() override { return add(make(JsonValue::Kind::kNull, word_place())); }
  bool boolean(bool flag) override {
    JsonValue value = make(JsonValue::Kind::kFlag, word_place());
    value.flag = flag;
    return add(std::move(value));
  }
  bool number_integer(number_integer_t) override {
    return add(make(JsonValue::Kind::kNumber, word_place()));
  }
  bool number_unsigned(number_unsigned_t number) override {
    JsonValue value = make(JsonValue::Kind::kNumber, word_place());
    value.is_index = true;
    value.number = number;
    return add(std::move(value));
  }
  bool number_float(number_float_t, const string_t&) override {
    return add(make(JsonValue::Kind::kNumber, word_place()));
  }
  bool string(string_t& text) override {
    JsonValue value = make(JsonValue::Kind::kText, text_place());
    value.text = std::move(text);
    return add(std::move(value));
  }
  bool binary(binary_t&) override { return false; }
  bool key(string_t& key) override {
    auto& members = open_.back()->members;
    const TextPlace place = text_place();
    if (members.size() == kMaxMembers) throw JsonError(place, "object has too many keys");
    for (const JsonValue::Member& member : members)
      if (member.key == key) throw JsonError(place, "key \"" + key + "\" is here twice");
    members.push_back({std::move(key), place, {}});
    return true;
  }
  bool start_object(size_t) override { return open(JsonValue::Kind::kObject); }
  bool end_object() override { return close(); }
  bool start_array(size_t) override { return open(JsonValue::Kind::kList); }
  bool end_array() override { return close(); }
  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    const std::string what = error.what();
    const size_t said = what.find("syntax error");
    throw JsonError(place(position ? position - 1 : 0),
                    "is no valid JSON: " + what.substr(said == what.npos ? 0 : said));
  }

 private:
  static JsonValue make(JsonValue::Kind kind, TextPlace place) {
    JsonValue value;
    value.kind = kind;
    value.place = place;
    return value;
  }
  // Positions are asked for in the order of the text, by and large: lines are counted on from the
  // last one.
  TextPlace place(size_t position) {
    if (position < counted_) counted_ = line_begin_ = 0, lines_ = 1;
    for (; counted_ < position; ++counted_)
      if (text_[counted_] == '\n') {
        ++lines_;
        line_begin_ = counted_ + 1;
      }
    return {lines_, position - line_begin_ + 1};
  }
  size_t read() const { return static_cast<size_t>(read_ - text_.data()); }
  // Of the string that has just been read: of its opening quote.
  TextPlace text_place() {
    const auto escaped = [&](size_t quote) {
      size_t backslashes = 0;
      while (backslashes < quote && text_[quote - backslashes - 1] == '\\') ++backslashes;
      return backslashes % 2 == 1;
    };
    size_t quote = text_.rfind('"', read() - 2);
    while (quote != text_.npos && quote > 0 && escaped(quote)) quote = text_.rfind('"', quote - 1);
    return place(quote == text_.npos ? 0 : quote);
  }
  // Of the number or word that has just been read, and perhaps one character behind it.
  TextPlace word_place() {
    const auto in_word = [&](size_t i) {
      return std::isalnum(static_cast<unsigned char>(text_[i])) || text_[i] == '-' ||
             text_[i] == '+' || text_[i] == '.';
    };
    size_t at = read();
    if (at > 0 && !in_word(at - 1)) --at;
    while (at > 0 && in_word(at - 1)) --at;
    return place(at);
  }

  JsonValue& put(JsonValue value) {
    if (open_.empty()) return root_ = std::move(value);
    JsonValue& parent = *open_.back();
    if (parent.kind == JsonValue::Kind::kObject)
      return parent.members.back().value = std::move(value);
    return parent.items.emplace_back(std::move(value));
  }
  bool add(JsonValue value) {
    put(std::move(value));
    return true;
  }
  // A list grows only while none of its items is open, so the pointers stay good.
  bool open(JsonValue::Kind kind) {
    const TextPlace here = place(read() - 1);
    if (open_.size() == kMaxDepth) throw JsonError(here, "is nested too deep");
    open_.push_back(&put(make(kind, here)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view text_;
  const char* read_;
  size_t counted_ = 0, lines_ = 1, line_begin_ = 0;
  JsonValue root_;
  std::vector<JsonValue*> open_;
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view key) const {
  for (const Member& member : members)
    if (member.key == key) return &member.value;
  return nullptr;
}

void JsonValue::require(Kind wanted, const std::string& what) const {
  if (kind != wanted) bad(what + " is " + name_of(kind) + ", expected " + name_of(wanted));
}

const std::string& JsonValue::as_text(const std::string& what) const {
  require(Kind::kText, what);
  return text;
}

uint64_t JsonValue::as_index(const std::string& what) const {
  require(Kind::kNumber, what);
  if (!is_index) bad(what + " is no non-negative integer");
  return number;
}

const std::vector<JsonValue>& JsonValue::as_list(const std::string& what) const {
  require(Kind::kList, what);
  return items;
}

const std::vector<JsonValue::Member>& JsonValue::as_object(const std::string& what) const {
  require(Kind::kObject, what);
  return members;
}

JsonValue parse_json(std::string_view text) {
  Builder builder(text);
  nlohmann::json::sax_parse(builder.begin(), builder.end(), &builder);
  return builder.take();
}

}  // namespace conclave
