// SPDX-License-Identifier: Apache-2.0
// Reads a layout: everything that names something is checked against what it names.
#include <algorithm>
#include <bit>
#include <cctype>
#include <map>
#include <optional>
#include <set>

#include "platform/loader/xclbin_layout.h"

namespace conclave {
namespace {

using Argument = LayoutKernel::Argument;

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

// Names of graphs, parameters and streams: "gr[0]".
bool is_printable(const std::string& name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return c > ' ' && c < 127; });
}

// The list's element with this name; null if there is none.
template <class List>
auto* named(List& list, const std::string& name) {
  const auto found =
      std::find_if(list.begin(), list.end(), [&](const auto& item) { return item.name == name; });
  return found == list.end() ? nullptr : &*found;
}

template <class List>
std::string names_of(const List& list) {
  std::vector<std::string> names;
  for (const auto& item : list) names.push_back(item.name);
  return joined(names);
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
  const JsonValue* find(const char* key) const { return value_.find(key); }
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
  explicit Reader(const std::vector<LayoutKernel>& kernels) : kernels_(kernels) {}

  XclbinLayout read(const JsonValue& root) {
    const Entry top(root, "the layout", {"compute-units", "graphs", "streams"});
    const JsonValue& units = top["compute-units"];
    for (const JsonValue& unit : units.as_list("'compute-units'")) read_compute_unit(unit);
    const JsonValue* graphs = top.find("graphs");
    if (graphs)
      for (const JsonValue& graph : graphs->as_list("'graphs'")) read_graph(graph);
    if (layout_.compute_units.empty() && layout_.graphs.empty())
      units.bad("'compute-units' is empty, and there are no graphs");
    if (const JsonValue* streams = top.find("streams")) {
      for (const JsonValue& stream : streams->as_list("'streams'")) read_stream(stream);
      refuse_loops(*streams);
    }
    if (graphs) require_connected(*graphs);
    return std::move(layout_);
  }

 private:
  // --- Compute units ---

  void read_compute_unit(const JsonValue& value) {
    const Entry entry(value, "a compute unit", {"kernel", "name", "units"});
    if (layout_.compute_units.size() == XclbinLayout::kMaxComputeUnits)
      value.bad("more than " + std::to_string(XclbinLayout::kMaxComputeUnits) + " compute units");
    XclbinLayout::ComputeUnit unit;
    unit.kernel = read_kernel(entry["kernel"]).name;
    unit.name = entry["name"].as_text("'name'");
    if (!is_word(unit.name))
      entry["name"].bad(in_quotes(unit.name) +
                        " is no name for a compute unit: letters, digits, _ and $");
    refuse_host(entry["name"], unit.name);
    check_length(entry["name"], unit.full_name());
    check_unique(entry["name"], unit.name);
    unit.units = read_units(entry, static_cast<uint32_t>(layout_.compute_units.size()));
    layout_.compute_units.push_back(std::move(unit));
  }

  const LayoutKernel& read_kernel(const JsonValue& value) const {
    const LayoutKernel* kernel = named(kernels_, value.as_text("'kernel'"));
    if (!kernel)
      value.bad("unknown kernel " + in_quotes(value.text) + "; the program has " +
                names_of(kernels_));
    return *kernel;
  }

  static std::vector<uint32_t> read_units(const Entry& entry, uint32_t by_default) {
    const JsonValue* list = entry.find("units");
    if (!list) return {by_default};
    std::set<uint32_t> units;
    for (const JsonValue& item : list->as_list("'units'")) {
      const uint64_t unit = item.as_index("a compute unit of the device");
      if (unit >= XclbinLayout::kMaxComputeUnits)
        item.bad("there is no compute unit " + std::to_string(unit) + ": a device has at most " +
                 std::to_string(XclbinLayout::kMaxComputeUnits));
      if (!units.insert(static_cast<uint32_t>(unit)).second)
        item.bad("compute unit " + std::to_string(unit) + " of the device is here twice");
    }
    if (units.empty()) list->bad("'units' is empty");
    return {units.begin(), units.end()};
  }

  // --- Graphs ---

  void read_graph(const JsonValue& value) {
    const Entry entry(value, "a graph", {"name", "kernels"});
    if (layout_.graphs.size() == XclbinLayout::kMaxGraphs)
      value.bad("more than " + std::to_string(XclbinLayout::kMaxGraphs) + " graphs");
    XclbinLayout::Graph graph;
    graph.name = read_name(entry["name"], "a graph");
    if (graph.name.find('.') != std::string::npos)
      entry["name"].bad(in_quotes(graph.name) + " is no name for a graph: it has a point");
    refuse_host(entry["name"], graph.name);
    check_unique(entry["name"], graph.name);
    for (const JsonValue& kernel : entry["kernels"].as_list("'kernels'"))
      graph.kernels.push_back(read_graph_kernel(kernel, graph));
    if (graph.kernels.empty()) entry["kernels"].bad("'kernels' is empty");
    layout_.graphs.push_back(std::move(graph));
  }

  XclbinLayout::GraphKernel read_graph_kernel(const JsonValue& value,
                                              const XclbinLayout::Graph& graph) {
    const Entry entry(value, "a kernel of a graph", {"name", "kernel", "units", "parameters"});
    XclbinLayout::GraphKernel kernel;
    const LayoutKernel& code = read_kernel(entry["kernel"]);
    kernel.kernel = code.name;
    kernel.name = entry["name"].as_text("'name'");
    if (!is_word(kernel.name))
      entry["name"].bad(in_quotes(kernel.name) +
                        " is no name for a kernel of a graph: letters, digits, _ and $");
    if (named(graph.kernels, kernel.name))
      entry["name"].bad("the graph has a kernel " + in_quotes(kernel.name) + " already");
    kernel.units = read_units(entry, static_cast<uint32_t>(graph.kernels.size()));
    if (const JsonValue* parameters = entry.find("parameters"))
      for (const JsonValue& parameter : parameters->as_list("'parameters'"))
        kernel.parameters.push_back(read_parameter(parameter, graph, kernel, code));
    for (const Argument& argument : code.arguments) {
      if (argument.is_stream() || has_argument(kernel, argument.name)) continue;
      if (argument.kind != Argument::Kind::kValue)
        value.bad("argument '" + argument.name + "' of kernel '" + code.name +
                  "' needs an entry in 'parameters'");
      kernel.parameters.push_back({argument.name, argument.name,
                                   XclbinLayout::Parameter::Direction::kIn, false, argument.bytes});
    }
    return kernel;
  }

  static bool has_argument(const XclbinLayout::GraphKernel& kernel, const std::string& argument) {
    return std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                       [&](const auto& parameter) { return parameter.argument == argument; });
  }

  XclbinLayout::Parameter read_parameter(const JsonValue& value, const XclbinLayout::Graph& graph,
                                         const XclbinLayout::GraphKernel& kernel,
                                         const LayoutKernel& code) const {
    const Entry entry(value, "a parameter",
                      {"name", "argument", "direction", "synchronous", "bytes"});
    XclbinLayout::Parameter parameter;
    parameter.argument = entry["argument"].as_text("'argument'");
    const Argument* argument = named(code.arguments, parameter.argument);
    if (!argument || argument->is_stream() || argument->kind == Argument::Kind::kOther)
      entry["argument"].bad("kernel '" + code.name + "' has no argument " +
                            in_quotes(parameter.argument) + " that is a value or a pointer");
    if (has_argument(kernel, parameter.argument))
      entry["argument"].bad("argument '" + parameter.argument + "' is a parameter already");
    const JsonValue* name = entry.find("name");
    parameter.name = name ? read_name(*name, "a parameter") : parameter.argument;
    if (named(kernel.parameters, parameter.name))
      value.bad("the kernel has a parameter " + in_quotes(parameter.name) + " already");
    check_length(value, graph.port(kernel, parameter.name));
    parameter.direction = read_direction(entry, *argument);
    parameter.bytes = read_parameter_bytes(value, entry, *argument);
    if (const JsonValue* synchronous = entry.find("synchronous")) {
      if (synchronous->kind != JsonValue::Kind::kFlag)
        synchronous->bad("'synchronous' is neither true nor false");
      parameter.synchronous = synchronous->flag;
    }
    return parameter;
  }

  static XclbinLayout::Parameter::Direction read_direction(const Entry& entry,
                                                           const Argument& argument) {
    using Direction = XclbinLayout::Parameter::Direction;
    const bool is_written = argument.kind == Argument::Kind::kPointer;
    const JsonValue* value = entry.find("direction");
    if (!value) return is_written ? Direction::kInOut : Direction::kIn;
    const std::string& text = value->as_text("'direction'");
    if (text == "in") return Direction::kIn;
    if (text != "out" && text != "inout")
      value->bad(in_quotes(text) + " is no direction: in, out, inout");
    if (!is_written) value->bad("the kernel cannot write argument '" + argument.name + "'");
    return text == "out" ? Direction::kOut : Direction::kInOut;
  }

  static uint64_t read_parameter_bytes(const JsonValue& value, const Entry& entry,
                                       const Argument& argument) {
    const JsonValue* given = entry.find("bytes");
    const bool is_value = argument.kind == Argument::Kind::kValue;
    if (!given && !is_value) value.bad("'bytes' is missing: how many '" + argument.name + "' has");
    const uint64_t bytes = given ? given->as_index("'bytes'") : argument.bytes;
    if (is_value && bytes != argument.bytes)
      given->bad("argument '" + argument.name + "' has " + std::to_string(argument.bytes) +
                 " bytes");
    if (bytes == 0 || bytes > XclbinLayout::kMaxParameterBytes)
      (given ? *given : value)
          .bad("a parameter has 1 to " + std::to_string(XclbinLayout::kMaxParameterBytes) +
               " bytes");
    return bytes;
  }

  // --- Streams ---

  void read_stream(const JsonValue& value) {
    const Entry entry(value, "a stream", {"name", "from", "to", "bytes"});
    XclbinLayout::Stream stream;
    stream.name = read_name(entry["name"], "a stream");
    check_unique(entry["name"], stream.name);
    stream.from = read_end(entry["from"], "'from'", Argument::Kind::kWriteStream);
    stream.to = read_end(entry["to"], "'to'", Argument::Kind::kReadStream);
    if (stream.is_from_host() && stream.is_to_host())
      value.bad("a stream leads from the host to the host");
    if (const JsonValue* bytes = entry.find("bytes")) {
      stream.bytes = bytes->as_index("'bytes'");
      if (!std::has_single_bit(stream.bytes) || stream.bytes < 64 ||
          stream.bytes > XclbinLayout::kMaxStreamBytes)
        bytes->bad("the buffer of a stream has 64 to " +
                   std::to_string(XclbinLayout::kMaxStreamBytes) + " bytes, a power of two");
      buffered_.insert(stream.name);
    }
    layout_.streams.push_back(std::move(stream));
  }

  // "vadd_1.out", "gr[0].k.in", "host.in"
  std::string read_end(const JsonValue& value, const std::string& what, Argument::Kind kind) {
    const std::string& end = value.as_text(what);
    if (end.size() > XclbinLayout::kMaxNameBytes || !is_printable(end) || end.find('.') == end.npos)
      value.bad(in_quotes(end) +
                " is no end of a stream, such as vadd_1.out, graph.kernel.out or host.out");
    const std::string_view host = XclbinLayout::Stream::kHost;
    if (!end.starts_with(host))
      check_argument(value, end, kind);
    else if (end.size() == host.size())
      value.bad("a port of the host has no name: " + in_quotes(end));
    if (!ends_.insert(end).second) value.bad("a stream ends at " + in_quotes(end) + " already");
    return end;
  }

  // Checks that the stream argument exists and goes in this direction.
  void check_argument(const JsonValue& value, const std::string& end, Argument::Kind kind) const {
    const size_t point = end.find('.'), last = end.rfind('.');
    const std::string owner = end.substr(0, point), argument = end.substr(last + 1);
    const std::string* code = nullptr;
    if (const auto* unit = named(layout_.compute_units, owner)) {
      if (point == last) code = &unit->kernel;
    } else if (const auto* graph = named(layout_.graphs, owner); graph && point != last) {
      const auto* kernel = named(graph->kernels, end.substr(point + 1, last - point - 1));
      if (kernel) code = &kernel->kernel;
    }
    if (!code)
      value.bad("there is no compute unit or kernel of a graph " + in_quotes(end.substr(0, last)));
    const Argument* found = named(named(kernels_, *code)->arguments, argument);
    if (!found || found->kind != kind)
      value.bad("kernel '" + *code + "' has no argument " + in_quotes(argument) +
                (kind == Argument::Kind::kReadStream ? " of type read_only pipe"
                                                     : " of type write_only pipe"));
  }

  // A kernel of a graph that waits for itself, directly or through others, waits for ever, unless
  // somebody has thought of how much lies in between. What goes through the host is the host's
  // business.
  void refuse_loops(const JsonValue& streams) const {
    std::map<std::string, std::set<std::string>> next;
    for (const XclbinLayout::Stream& stream : layout_.streams)
      if (!buffered_.contains(stream.name) && stream.host_port().empty())
        next[stream.from.substr(0, stream.from.rfind('.'))].insert(
            stream.to.substr(0, stream.to.rfind('.')));
    for (const auto& [start, unused] : next) {
      std::set<std::string> seen;
      std::vector<std::string> to_visit(next[start].begin(), next[start].end());
      while (!to_visit.empty()) {
        const std::string here = to_visit.back();
        to_visit.pop_back();
        if (here == start)
          streams.bad("the streams from " + in_quotes(start) +
                      " lead back to it, and none of them says how large its buffer is ('bytes')");
        if (seen.insert(here).second && next.contains(here))
          to_visit.insert(to_visit.end(), next[here].begin(), next[here].end());
      }
    }
  }

  void require_connected(const JsonValue& graphs) const {
    for (const XclbinLayout::Graph& graph : layout_.graphs)
      for (const XclbinLayout::GraphKernel& kernel : graph.kernels)
        for (const Argument& argument : named(kernels_, kernel.kernel)->arguments)
          if (argument.is_stream() && !ends_.contains(graph.port(kernel, argument.name)))
            graphs.bad("no stream ends at " + in_quotes(graph.port(kernel, argument.name)));
  }

  // --- Names ---

  static std::string read_name(const JsonValue& value, const std::string& of) {
    const std::string& name = value.as_text("'name'");
    if (!is_printable(name)) value.bad(in_quotes(name) + " is no name for " + of);
    check_length(value, name);
    return name;
  }

  static void check_length(const JsonValue& value, const std::string& name) {
    if (name.size() > XclbinLayout::kMaxNameBytes)
      value.bad(in_quotes(name) + " is longer than " + std::to_string(XclbinLayout::kMaxNameBytes) +
                " bytes");
  }

  // Its streams would look like the host's.
  static void refuse_host(const JsonValue& value, const std::string& name) {
    if (name + "." == XclbinLayout::Stream::kHost)
      value.bad(in_quotes(name) + " is where the host's ports are: nothing else has this name");
  }

  void check_unique(const JsonValue& value, const std::string& name) {
    const auto [found, is_new] = names_.emplace(name, value.place);
    if (!is_new)
      value.bad("the name " + in_quotes(name) + " is used already, in line " +
                std::to_string(found->second.line));
  }

  const std::vector<LayoutKernel>& kernels_;
  XclbinLayout layout_;
  std::map<std::string, TextPlace> names_;
  std::set<std::string> ends_;      // of streams
  std::set<std::string> buffered_;  // streams whose buffer's size is given
};

}  // namespace

XclbinLayout parse_layout(std::string_view json, const std::vector<LayoutKernel>& kernels) {
  return Reader(kernels).read(parse_json(json));
}

}  // namespace conclave
