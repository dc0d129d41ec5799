// SPDX-License-Identifier: Apache-2.0
#include "platform/base/json_tree.h"

#include <algorithm>
#include <cctype>
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

// Remembers how far the parser has read, and where the last token began that has a value.
class Progress {
 public:
  explicit Progress(const char* text) : text_(text), read_(text), token_(text), token_end_(text) {}

  bool in_string() const { return in_string_; }
  size_t read() const { return offset(read_); }
  size_t token() const { return offset(token_); }
  size_t token_end() const { return offset(token_end_); }

  // The parser takes the character at `at`. It takes each one once, also where it looks at the
  // character behind a number and then goes back.
  void pass(const char* at) {
    const bool begins_string = *at == '"' && !in_string_;
    const bool is_in_word = !in_string_ && is_word(*at);
    if (begins_string || (is_in_word && !in_word_) || (!in_string_ && (*at == '{' || *at == '[')))
      token_ = at;
    if (in_string_ || begins_string || is_in_word) token_end_ = at + 1;
    if (begins_string)
      in_string_ = true;
    else if (in_string_)
      in_string_ = escaped_ || *at != '"';
    escaped_ = in_string_ && !escaped_ && *at == '\\';
    in_word_ = is_in_word;
    read_ = at + 1;
  }

 private:
  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '+' || c == '.';
  }
  size_t offset(const char* at) const { return static_cast<size_t>(at - text_); }

  const char *text_, *read_, *token_, *token_end_;
  bool in_string_ = false, escaped_ = false, in_word_ = false;
};

// Gives the text to the parser.
class Cursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  Cursor(const char* at, const char* end, bool skips_commas, Progress* progress)
      : at_(at), end_(end), skips_commas_(skips_commas), progress_(progress) {}
  char operator*() const { return skips_commas_ && is_trailing_comma() ? ' ' : *at_; }
  Cursor& operator++() {
    progress_->pass(at_++);
    return *this;
  }
  bool operator==(const Cursor& other) const { return at_ == other.at_; }
  bool operator!=(const Cursor& other) const { return at_ != other.at_; }

 private:
  bool is_trailing_comma() const {
    if (*at_ != ',' || progress_->in_string()) return false;
    const std::string_view rest(at_ + 1, static_cast<size_t>(end_ - at_ - 1));
    const size_t next = rest.find_first_not_of(" \t\r\n");
    return next != rest.npos && (rest[next] == '}' || rest[next] == ']');
  }

  const char *at_, *end_;
  bool skips_commas_;
  Progress* progress_;
};

// Builds the tree from what the parser reports.
class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string_view text, TrailingCommas commas)
      : text_(text), commas_(commas), progress_(text.data()) {}

  Cursor begin() { return cursor(text_.data()); }
  Cursor end() { return cursor(text_.data() + text_.size()); }
  JsonValue take() { return std::move(root_); }

  bool null() override { return add(make(JsonValue::Kind::kNull)); }
  bool boolean(bool flag) override {
    JsonValue value = make(JsonValue::Kind::kFlag);
    value.flag = flag;
    return add(std::move(value));
  }
  bool number_integer(number_integer_t) override {
    JsonValue value = make(JsonValue::Kind::kNumber);
    value.is_integer = true;
    return add(std::move(value));
  }
  bool number_unsigned(number_unsigned_t number) override {
    JsonValue value = make(JsonValue::Kind::kNumber);
    value.is_integer = value.is_index = true;
    value.number = number;
    return add(std::move(value));
  }
  bool number_float(number_float_t, const string_t&) override {
    return add(make(JsonValue::Kind::kNumber));
  }
  bool string(string_t& text) override {
    JsonValue value = make(JsonValue::Kind::kText);
    value.text = std::move(text);
    return add(std::move(value));
  }
  bool binary(binary_t&) override { return false; }
  bool key(string_t& key) override {
    auto& members = open_.back()->members;
    const TextPlace place = this->place(progress_.token());
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
    throw JsonError(place(std::min(position ? position - 1 : 0, text_.size())),
                    "is no valid JSON: " + what.substr(said == what.npos ? 0 : said));
  }

 private:
  Cursor cursor(const char* at) {
    return {at, text_.data() + text_.size(), commas_ == TrailingCommas::kAllowed, &progress_};
  }
  // A value that begins with the last token and, unless it is a list or an object, ends with it.
  JsonValue make(JsonValue::Kind kind) {
    JsonValue value;
    value.kind = kind;
    value.place = place(progress_.token());
    value.begin = progress_.token();
    value.end = progress_.token_end();
    return value;
  }
  // The builder asks for positions mostly in the order of the text, so it counts lines on from the
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
    JsonValue value = make(kind);
    if (open_.size() == kMaxDepth) throw JsonError(value.place, "is nested too deep");
    open_.push_back(&put(std::move(value)));
    return true;
  }
  bool close() {
    open_.back()->end = progress_.read();
    open_.pop_back();
    return true;
  }

  std::string_view text_;
  TrailingCommas commas_;
  Progress progress_;
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

JsonValue parse_json(std::string_view text, TrailingCommas commas) {
  Builder builder(text, commas);
  nlohmann::json::sax_parse(builder.begin(), builder.end(), &builder);
  return builder.take();
}

JsonValue parse_json_quickly(std::string_view text) {
  Builder builder(text, TrailingCommas::kRefused);
  try {
    // Past the cursor that keeps count of places.
    nlohmann::json::sax_parse(text.data(), text.data() + text.size(), &builder);
    return builder.take();
  } catch (const JsonError&) {
    return parse_json(text);
  }
}

}  // namespace conclave
