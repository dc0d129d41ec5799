// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/metadata.h"

#include <algorithm>
#include <bit>
#include <set>
#include <string>

#include "platform/base/json_tree.h"

namespace conclave {
namespace {

constexpr uint64_t kPointerSize = 8;
constexpr uint64_t kSamplerSize = 4;

// A JSON value and the way to it, for messages such as "kernels[2].name is missing". It points to the
// field around it, which must live as long: the way is put into words only where something is bad.
class Field {
 public:
  explicit Field(const JsonValue& root) : Field(&root, nullptr, nullptr, 0) {}

  [[noreturn]] void bad(const std::string& what) const {
    const std::string way = this->way();
    throw MetadataError("metadata: " + way + (way.empty() ? "" : " ") + what);
  }

  // The value of a key; one that is absent is asked for nothing else.
  Field operator[](const char* key) const { return {value_->find(key), this, key, 0}; }
  bool is_absent() const { return !value_; }

  void require_object() const {
    if (value_->kind != JsonValue::Kind::kObject)
      bad(parent_ ? "is no object" : "is no JSON object");
  }
  size_t key_count() const { return value_->members.size(); }
  const std::string& key(size_t index) const { return value_->members[index].key; }

  // For a list of at most `most` entries: how many it has.
  size_t count(uint64_t most) const {
    if (value_->kind != JsonValue::Kind::kList) bad("is no list");
    const size_t count = value_->items.size();
    if (count > most)
      bad("has " + std::to_string(count) + " entries, at most " + std::to_string(most) +
          " are allowed");
    return count;
  }
  Field item(size_t index) const { return {&value_->items[index], this, nullptr, index}; }

  const std::string& text() const {
    if (value_->kind != JsonValue::Kind::kText) bad("is no string");
    if (value_->text.size() > metadata::kMaxTextBytes) bad("is too long");
    // Names end up in C strings.
    if (value_->text.find('\0') != std::string::npos) bad("has a zero byte");
    return value_->text;
  }

  bool flag() const {
    if (value_->kind != JsonValue::Kind::kFlag) bad("is neither true nor false");
    return value_->flag;
  }

  uint64_t number(uint64_t highest) const {
    if (!value_->is_index) bad("is no non-negative integer");
    if (value_->number > highest)
      bad("is " + std::to_string(value_->number) + ", at most " + std::to_string(highest) +
          " is allowed");
    return value_->number;
  }

 private:
  Field(const JsonValue* value, const Field* parent, const char* key, size_t index)
      : value_(value), parent_(parent), key_(key), index_(index) {}

  std::string way() const {
    if (!parent_) return "";
    const std::string above = parent_->way();
    if (!key_) return above + "[" + std::to_string(index_) + "]";
    return above.empty() ? key_ : above + "." + key_;
  }

  const JsonValue* value_;  // null: absent
  const Field* parent_;     // null: this is the root
  const char* key_;         // in an object
  size_t index_;            // in a list
};

template <class T>
T choose(const Field& field, std::span<const metadata::Word<T>> words) {
  if (const metadata::Word<T>* found = metadata::find_word(words, field.text()))
    return found->value;
  std::string allowed;
  for (const metadata::Word<T>& word : words)
    allowed += std::string(allowed.empty() ? "" : ", ") + word.word;
  field.bad("is \"" + field.text().substr(0, 100) + "\", expected one of " + allowed);
}

bool is_hash(const std::string& text) {
  return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// --- What no single key tells ---

void check(const Field&, const Dependency&) {}

// What an argument is alone is checked with its kernel, which knows the size of the block.
void check(const Field&, const ArgumentInfo&) {}

void check_argument(const Field& field, const ArgumentInfo& argument, uint64_t block_size) {
  const bool is_value = argument.kind == ArgumentKind::kValue;
  const uint64_t fixed = argument.kind == ArgumentKind::kSampler ? kSamplerSize : kPointerSize;
  if (!is_value && argument.size != fixed)
    field["size"].bad("is " + std::to_string(argument.size) + ", expected " +
                      std::to_string(fixed));
  // The alignment of a local argument is that of the memory it points to.
  if (argument.offset % (is_value ? argument.alignment : fixed) != 0)
    field["offset"].bad("is " + std::to_string(argument.offset) + ", which is not aligned");
  if (argument.offset + argument.size > block_size)
    field["offset"].bad("is " + std::to_string(argument.offset) + ", which with size " +
                        std::to_string(argument.size) + " exceeds arguments_bytes " +
                        std::to_string(block_size));
}

void check_overlap(const Field& kernel, const std::vector<ArgumentInfo>& arguments) {
  std::vector<const ArgumentInfo*> sorted;
  for (const ArgumentInfo& argument : arguments)
    if (argument.size != 0) sorted.push_back(&argument);
  std::sort(sorted.begin(), sorted.end(),
            [](const auto* a, const auto* b) { return a->offset < b->offset; });
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i - 1]->offset + sorted[i - 1]->size > sorted[i]->offset)
      kernel.bad("has arguments that overlap at offset " + std::to_string(sorted[i]->offset));
}

void check(const Field& field, const KernelInfo& kernel) {
  const auto zeros =
      std::count(kernel.required_local_size.begin(), kernel.required_local_size.end(), uint64_t{0});
  if (zeros != 0 && zeros != 3) field["required_local_size"].bad("is zero in some dimensions");
  const Field arguments = field["arguments"];
  for (size_t i = 0; i < kernel.arguments.size(); ++i)
    check_argument(arguments.item(i), kernel.arguments[i], kernel.arguments_bytes);
  check_overlap(field, kernel.arguments);
  if (kernel.check_uses.size() != (kernel.checked ? kernel.arguments.size() : 0))
    field["check_uses"].bad(kernel.checked ? "has not one letter for each argument"
                                           : "is not empty, and the kernel has no checks");
}

void check(const Field& root, const ProgramInfo& program) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    const KernelInfo& kernel = program.kernels[i];
    if (kernel.symbol.empty() && program.kind == ProgramKind::kExecutable)
      root["kernels"].item(i)["symbol"].bad("is empty");
    if (!names.insert(kernel.name).second)
      root["kernels"].item(i)["name"].bad("is \"" + kernel.name + "\", as another kernel's");
  }
}

// --- What each key tells ---

// Reads fields by their type and by what they may hold.
struct Reader {
  static void read(const Field& field, std::string& text, metadata::Text allowed) {
    using Form = metadata::Text::Form;
    text = field.text();
    if (allowed.form == Form::kNotEmpty && text.empty()) field.bad("is empty");
    if (allowed.form == Form::kAbsolutePath && !text.starts_with('/'))
      field.bad("is no absolute path");
    if (allowed.form == Form::kHash && !is_hash(text)) field.bad("is not 32 lower-case hex digits");
  }

  static void read(const Field& field, bool& value, metadata::Flag) { value = field.flag(); }

  template <class T>
  static void read(const Field& field, T& value, metadata::Number allowed) {
    using Form = metadata::Number::Form;
    const uint64_t number = field.number(allowed.highest);
    const bool may_be_anything =
        allowed.form == Form::kAny || (allowed.form == Form::kPowerOfTwoOrZero && number == 0);
    if (!may_be_anything && !std::has_single_bit(number)) field.bad("is no power of two");
    value = static_cast<T>(number);
  }

  static void read(const Field& field, Sizes& sizes, metadata::Triple allowed) {
    const size_t count = field.count(sizes.size());
    if (count != sizes.size()) field.bad("has " + std::to_string(count) + " entries, expected 3");
    for (size_t i = 0; i < count; ++i) sizes[i] = field.item(i).number(allowed.highest);
  }

  template <class T>
  static void read(const Field& field, T& value, metadata::OneOf<T> allowed) {
    value = choose(field, allowed.words);
  }

  template <class T>
  static void read(const Field& field, T& bits, metadata::AnyOf<T> allowed) {
    const size_t count = field.count(allowed.words.size());
    for (size_t i = 0; i < count; ++i) bits |= choose(field.item(i), allowed.words);
  }

  template <class T>
  static void read(const Field& field, std::vector<T>& list, metadata::List allowed) {
    const size_t count = field.count(allowed.most);
    list.reserve(count);
    for (size_t i = 0; i < count; ++i) read_element(field.item(i), list.emplace_back());
  }

  static void read_element(const Field& field, std::string& text) {
    read(field, text, metadata::any_text());
  }

  template <class Structure>
  static void read_element(const Field& field, Structure& structure) {
    field.require_object();
    size_t known = 0;
    const auto read_key = [&](const metadata::Key& key, auto member, const auto& allowed) {
      const Field value = field[key.name];
      if (!value.is_absent()) {
        read(value, structure.*member, allowed);
        ++known;
      } else if (!may_be_absent(allowed)) {
        value.bad("is missing");
      }
    };
    metadata::for_each_field(std::type_identity<Structure>(), read_key);
    if (known != field.key_count()) refuse_unknown_key<Structure>(field);
    check(field, structure);
  }

  // What has no value by default is always there.
  template <class Allowed>
  static bool may_be_absent(const Allowed&) {
    return true;
  }
  static bool may_be_absent(metadata::Text allowed) {
    return allowed.form == metadata::Text::Form::kAny;
  }

  template <class Structure>
  [[noreturn]] static void refuse_unknown_key(const Field& field) {
    std::set<std::string_view> known;
    metadata::for_each_field(
        std::type_identity<Structure>(),
        [&](const metadata::Key& key, auto, const auto&) { known.insert(key.name); });
    size_t index = 0;
    while (known.contains(field.key(index))) ++index;
    field[field.key(index).substr(0, 100).c_str()].bad("is unknown");
  }
};

}  // namespace

ProgramInfo parse_metadata(std::string_view json) {
  try {
    const JsonValue root = parse_json_quickly(json);
    ProgramInfo program;
    Reader::read_element(Field(root), program);
    return program;
  } catch (const JsonError& error) {
    throw MetadataError("metadata: is no JSON text: column " +
                        std::to_string(error.place().column) + ": " + error.what());
  }
}

}  // namespace conclave
