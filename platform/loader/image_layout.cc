// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/image_layout.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace conclave {
namespace {

std::string in_quotes(const std::string& name) {
  return "'" + name.substr(0, 80) + "'";
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

bool is_word(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '$';
  });
}

// Names of graphs and streams: "gr[0]".
bool is_printable(const std::string& name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return c > ' ' && c < 127; });
}

// An object of the layout: what it must have and may have.
class Entry {
 public:
  Entry(const JsonValue& value, std::string what, std::initializer_list<const char*> keys)
      : value_(value), what_(std::move(what)) {
    for (const JsonValue::Member& member : value.as_object(what_)) {
      if (std::find(keys.begin(), keys.end(), member.key) == keys.end())
        throw JsonError(member.place, "unknown key " + in_quotes(member.key) + " in " + what_ +
                                          "; it has " + joined({keys.begin(), keys.end()}));
    }
  }
  const JsonValue* find(const char* key) const {
    for (const JsonValue::Member& member : value_.members)
      if (member.key == key) return &member.value;
    return nullptr;
  }
  const JsonValue& operator[](const char* key) const {
    const JsonValue* found = find(key);
    if (!found) value_.bad(what_ + " has no key '" + key + "'");
    return *found;
  }

 private:
  const JsonValue& value_;
  std::string what_;
};

class Reader {
 public:
  explicit Reader(const std::vector<std::string>& kernels) : kernels_(kernels) {}

  ImageLayout read(const JsonValue& root) {
    const Entry top(root, "the layout", {"compute-units", "graphs", "streams"});
    const JsonValue& units = top["compute-units"];
    for (const JsonValue& unit : units.as_list("'compute-units'")) read_compute_unit(unit);
    if (layout_.compute_units.empty()) units.bad("'compute-units' is empty");
    if (const JsonValue* graphs = top.find("graphs"))
      for (const JsonValue& graph : graphs->as_list("'graphs'")) read_graph(graph);
    if (const JsonValue* streams = top.find("streams"))
      for (const JsonValue& stream : streams->as_list("'streams'")) read_stream(stream);
    return std::move(layout_);
  }

 private:
  void read_compute_unit(const JsonValue& value) {
    const Entry entry(value, "a compute unit", {"kernel", "name", "units"});
    if (layout_.compute_units.size() == ImageLayout::kMaxComputeUnits)
      value.bad("more than " + std::to_string(ImageLayout::kMaxComputeUnits) + " compute units");
    ImageLayout::ComputeUnit unit;
    unit.kernel = entry["kernel"].as_text("'kernel'");
    if (std::find(kernels_.begin(), kernels_.end(), unit.kernel) == kernels_.end())
      entry["kernel"].bad("unknown kernel " + in_quotes(unit.kernel) + "; the program has " +
                          joined(kernels_));
    unit.name = entry["name"].as_text("'name'");
    if (!is_word(unit.name))
      entry["name"].bad(in_quotes(unit.name) +
                        " is no name for a compute unit: letters, digits, _ and $");
    check_length(entry["name"], unit.full_name());
    check_unique(entry["name"], unit.name);
    if (const JsonValue* units = entry.find("units"))
      unit.units = read_units(*units);
    else
      unit.units = {static_cast<uint32_t>(layout_.compute_units.size())};
    layout_.compute_units.push_back(std::move(unit));
  }

  static std::vector<uint32_t> read_units(const JsonValue& list) {
    std::set<uint32_t> units;
    for (const JsonValue& item : list.as_list("'units'")) {
      const uint64_t unit = item.as_index("a compute unit of the device");
      if (unit >= ImageLayout::kMaxComputeUnits)
        item.bad("there is no compute unit " + std::to_string(unit) + ": a device has at most " +
                 std::to_string(ImageLayout::kMaxComputeUnits));
      if (!units.insert(static_cast<uint32_t>(unit)).second)
        item.bad("compute unit " + std::to_string(unit) + " of the device is here twice");
    }
    if (units.empty()) list.bad("'units' is empty");
    return {units.begin(), units.end()};
  }

  void read_graph(const JsonValue& value) {
    const Entry entry(value, "a graph", {"name"});
    layout_.graphs.push_back({read_name(entry["name"], "a graph")});
  }

  void read_stream(const JsonValue& value) {
    const Entry entry(value, "a stream", {"name", "from", "to"});
    ImageLayout::Stream stream;
    stream.name = read_name(entry["name"], "a stream");
    stream.from = read_end(entry["from"], "'from'");
    stream.to = read_end(entry["to"], "'to'");
    layout_.streams.push_back(std::move(stream));
  }

  std::string read_name(const JsonValue& value, const std::string& of) {
    const std::string& name = value.as_text("'name'");
    if (!is_printable(name)) value.bad(in_quotes(name) + " is no name for " + of);
    check_length(value, name);
    check_unique(value, name);
    return name;
  }

  // "vadd_1.out", "gr[0].in"
  std::string read_end(const JsonValue& value, const std::string& what) const {
    const std::string& end = value.as_text(what);
    const std::string owner = end.substr(0, end.find('.'));
    const auto named = [&](const auto& item) { return item.name == owner; };
    if (end.size() > ImageLayout::kMaxNameBytes || !is_printable(end) || owner.size() == end.size())
      value.bad(in_quotes(end) + " is no end of a stream, such as vadd_1.out");
    if (std::none_of(layout_.compute_units.begin(), layout_.compute_units.end(), named) &&
        std::none_of(layout_.graphs.begin(), layout_.graphs.end(), named))
      value.bad("there is no compute unit or graph " + in_quotes(owner));
    return end;
  }

  static void check_length(const JsonValue& value, const std::string& name) {
    if (name.size() > ImageLayout::kMaxNameBytes)
      value.bad(in_quotes(name) + " is longer than " + std::to_string(ImageLayout::kMaxNameBytes) +
                " bytes");
  }

  void check_unique(const JsonValue& value, const std::string& name) {
    const auto [found, is_new] = names_.emplace(name, value.place);
    if (!is_new)
      value.bad("the name " + in_quotes(name) + " is used already, in line " +
                std::to_string(found->second.line));
  }

  const std::vector<std::string>& kernels_;
  ImageLayout layout_;
  std::map<std::string, TextPlace> names_;
};

}  // namespace

void ImageLayout::add(const std::string& kernel, uint64_t count) {
  for (uint64_t i = 1; i <= count; ++i)
    compute_units.push_back(
        {kernel, kernel + "_" + std::to_string(i), {static_cast<uint32_t>(compute_units.size())}});
}

std::string ImageLayout::to_json() const {
  using Json = nlohmann::ordered_json;
  Json root = {{"compute-units", Json::array()}};
  for (const ComputeUnit& unit : compute_units)
    root["compute-units"].push_back(
        {{"kernel", unit.kernel}, {"name", unit.name}, {"units", unit.units}});
  for (const Graph& graph : graphs) root["graphs"].push_back({{"name", graph.name}});
  for (const Stream& stream : streams)
    root["streams"].push_back({{"name", stream.name}, {"from", stream.from}, {"to", stream.to}});
  return root.dump(1);
}

ImageLayout parse_layout(std::string_view json, const std::vector<std::string>& kernels) {
  return Reader(kernels).read(parse_json(json));
}

}  // namespace conclave
