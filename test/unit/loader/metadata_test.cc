// SPDX-License-Identifier: Apache-2.0
// What follows from the list of the metadata's keys (conclave/metadata.def): the reader looks for
// each key, the documentation shows each key, and the version changes with them.
#include "platform/loader/metadata.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>

#include "conclave/program_binary.h"
#include "platform/loader/content_hash.h"
#include "test_support.h"

namespace conclave {
namespace {

using Json = nlohmann::json;

// "" if the metadata are accepted.
std::string refusal(const Json& all) {
  try {
    parse_metadata(all.dump());
    return "";
  } catch (const MetadataError& error) {
    return error.what();
  }
}

// The sample's metadata with something in each list, so that each structure is in it.
Json full_metadata() {
  Json all = Json::parse(test::sample_metadata());
  all["native_features"] = {"avx2"};
  all["dependencies"] = {{{"path", "/a/b.h"}, {"hash", "0123456789abcdef0123456789abcdef"}}};
  return all;
}

// Gives each key in turn a value of a type that no key has, and takes it away: only what has no
// value by default is missed.
template <class Structure>
void check_each_key(const std::string& path, const std::set<std::string>& needed) {
  const Json::json_pointer place(path);
  metadata::for_each_field(
      std::type_identity<Structure>(), [&](const metadata::Key& key, auto, const auto&) {
        Json all = full_metadata();
        ASSERT_EQ(refusal(all), "");
        all[place][key.name] = nullptr;
        EXPECT_NE(refusal(all).find(std::string(key.name) + " is n"), std::string::npos)
            << path << " " << key.name << ": " << refusal(all);
        all[place].erase(key.name);
        EXPECT_EQ(refusal(all).ends_with(std::string(key.name) + " is missing"),
                  needed.contains(key.name))
            << path << " " << key.name << ": " << refusal(all);
      });
}

TEST(Metadata, EveryKeyHasItsType) {
  check_each_key<ProgramInfo>("", {});
  check_each_key<Dependency>("/dependencies/0", {"path", "hash"});
  check_each_key<KernelInfo>("/kernels/1", {"name"});
  check_each_key<ArgumentInfo>("/kernels/0/arguments/2", {});
}

TEST(Metadata, WhatIsAbsentHasItsDefault) {
  EXPECT_EQ(parse_metadata("{}"), ProgramInfo());
  EXPECT_EQ(parse_metadata("{}").abi, 0u);  // no code has that version
  KernelInfo kernel;
  kernel.name = "k";
  kernel.arguments.emplace_back();
  const ProgramInfo program = parse_metadata(R"({"kernels": [{"name": "k", "arguments": [{}]}]})");
  ASSERT_EQ(program.kernels.size(), 1u);
  EXPECT_EQ(program.kernels[0], kernel);
}

TEST(Metadata, UnknownKeysAreRefused) {
  Json all = full_metadata();
  all["kernels"][1]["gnag"] = true;
  EXPECT_EQ(refusal(all), "metadata: kernels[1].gnag is unknown");
}

TEST(Metadata, ReadsWhatIsThere) {
  const ProgramInfo program = parse_metadata(full_metadata().dump());
  EXPECT_EQ(program.compiler, "sample");
  EXPECT_EQ(program.native_features, std::vector<std::string>{"avx2"});
  ASSERT_EQ(program.dependencies.size(), 1u);
  EXPECT_EQ(program.dependencies[0].hash, "0123456789abcdef0123456789abcdef");
  EXPECT_EQ(program.kernels[0].dimension, 1u);
  EXPECT_TRUE(program.kernels[1].gang);
  EXPECT_TRUE(program.kernels[1].calls_native);
}

// --- The documentation ---

std::string number_text(uint64_t number) {
  const bool is_long = std::has_single_bit(number) && number >= 1 << 16;
  return is_long ? "2^" + std::to_string(std::countr_zero(number)) : std::to_string(number);
}

template <class T>
std::string words_text(std::span<const metadata::Word<T>> words) {
  std::string text;
  for (const metadata::Word<T>& word : words)
    text += std::string(text.empty() ? "`" : ", `") + word.word + "`";
  return text;
}

std::string holds(const metadata::Key&, metadata::Text allowed) {
  switch (allowed.form) {
    case metadata::Text::Form::kAny:
      return "a text";
    case metadata::Text::Form::kNotEmpty:
      return "a text, not empty";
    case metadata::Text::Form::kAbsolutePath:
      return "an absolute path";
    case metadata::Text::Form::kHash:
      return "32 lower-case hexadecimal digits";
  }
  return "";
}

std::string holds(const metadata::Key&, metadata::Flag) {
  return "true or false";
}

std::string holds(const metadata::Key&, metadata::Number allowed) {
  using Form = metadata::Number::Form;
  return (allowed.form == Form::kAny          ? "a number, at most "
          : allowed.form == Form::kPowerOfTwo ? "a power of two, at most "
                                              : "0 or a power of two, at most ") +
         number_text(allowed.highest);
}

std::string holds(const metadata::Key&, metadata::Triple allowed) {
  return "3 numbers, each at most " + number_text(allowed.highest);
}

std::string holds(const metadata::Key& key, metadata::List allowed) {
  const std::string type = key.type;  // "std::vector<KernelInfo>"
  const std::string element = type.substr(12, type.size() - 13);
  return "a list of at most " + number_text(allowed.most) +
         (element == "std::string" ? " texts" : " objects, `" + element + "` below");
}

template <class T>
std::string holds(const metadata::Key&, metadata::OneOf<T> allowed) {
  return "one of " + words_text(allowed.words);
}

template <class T>
std::string holds(const metadata::Key&, metadata::AnyOf<T> allowed) {
  return "a list of any of " + words_text(allowed.words);
}

template <class Structure>
std::string table(const std::string& structure, const std::string& what) {
  std::string text =
      "\n### `" + structure + "`: " + what + "\n\n| Key | It holds | Meaning |\n|---|---|---|\n";
  metadata::for_each_field(std::type_identity<Structure>(),
                           [&](const metadata::Key& key, auto, const auto& allowed) {
                             text += std::string("| `") + key.name + "` | " + holds(key, allowed) +
                                     " | " + key.text + " |\n";
                           });
  return text;
}

std::string tables() {
  std::string text;
  // The list has what is inside before what is around it; a reader wants it the other way.
#define METADATA_BEGIN(Structure, what) text = table<Structure>(#Structure, what) + text;
#include "conclave/metadata.def"
  return "\nThis is version " + std::to_string(binary::kNoteType) + ".\n" + text + "\n";
}

TEST(Metadata, DocumentationShowsTheList) {
  const std::string begin = "<!-- from include/conclave/metadata.def -->\n", end = "<!-- end -->";
  const std::string page = test::read_text(METADATA_PAGE);
  const size_t from = page.find(begin), to = page.find(end);
  ASSERT_TRUE(from != page.npos && to != page.npos && from < to) << METADATA_PAGE;
  const std::string there = page.substr(from + begin.size(), to - from - begin.size());
  if (there != tables() && std::getenv("CONCLAVE_WRITE_DOCS"))
    test::write_text(METADATA_PAGE,
                     page.substr(0, from + begin.size()) + tables() + page.substr(to));
  EXPECT_EQ(there, tables()) << "With CONCLAVE_WRITE_DOCS=1 this test writes the page anew.";
}

// --- The version ---

// A default, as text. Lists are empty by default.
std::string default_text(const std::string& text) {
  return text;
}
template <class T>
std::string default_text(const std::vector<T>& list) {
  return std::to_string(list.size());
}
std::string default_text(const Sizes& sizes) {
  return std::to_string(sizes[0]) + " " + std::to_string(sizes[1]) + " " + std::to_string(sizes[2]);
}
template <class T>
std::string default_text(T value) {
  return std::to_string(static_cast<uint64_t>(value));
}

template <class Structure>
std::string format() {
  const Structure usual;
  std::string text;
  metadata::for_each_field(std::type_identity<Structure>(),
                           [&](const metadata::Key& key, auto member, const auto& allowed) {
                             text += std::string(key.name) + ": " + holds(key, allowed) + ", " +
                                     default_text(usual.*member) + "\n";
                           });
  return text;
}

TEST(Metadata, VersionChangesWithTheFormat) {
  const std::string all =
      format<ArgumentInfo>() + format<KernelInfo>() + format<Dependency>() + format<ProgramInfo>();
  EXPECT_EQ(binary::kNoteType, 9u);
  EXPECT_EQ(content_hash(all), "ee49d871af7a19d6d18b0b4a9f51e172")
      << "The format has changed: raise METADATA_VERSION in include/conclave/metadata.def, then "
         "put the new version and hash here.";
}

}  // namespace
}  // namespace conclave
