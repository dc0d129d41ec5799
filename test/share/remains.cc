// SPDX-License-Identifier: Apache-2.0
#include "remains.h"

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace conclave::test {
namespace {

using nlohmann::json;

json run_tool(const std::string& command) {
  return json::parse(tool_output(command));
}

// Keys under which the tools show numbers of processes.
bool names_processes(const std::string& key) {
  return key == "pid" || key == "guest" || key == "waiting" || key == "exclusive";
}

// Adds the places in `document` that name one of `processes`, one line each.
void find(const json& document, const std::string& place, bool is_process,
          const std::set<pid_t>& processes, std::string& found) {
  if (document.is_object()) {
    for (const auto& [key, value] : document.items())
      find(value, place + "/" + key, names_processes(key), processes, found);
  } else if (document.is_array()) {
    for (size_t i = 0; i < document.size(); ++i)
      find(document[i], place + "/" + std::to_string(i), is_process, processes, found);
  } else if (is_process && document.is_number() && processes.contains(document.get<pid_t>())) {
    found += place + ": " + document.dump() + "\n";
  }
}

json examine(const std::string& segment) {
  return run_tool("conclave examine --json --segment " + segment);
}

json check_heaps(const std::string& segment) {
  return run_tool("ti-mct-heap-check --json --segment " + segment);
}

}  // namespace

std::string tool_output(const std::string& command) {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::string line = "'" + folder.string() + "'/" + command;
  std::FILE* pipe = popen(line.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + line);
  std::string text;
  char block[4096];
  while (const size_t size = std::fread(block, 1, sizeof block, pipe)) text.append(block, size);
  if (const int status = pclose(pipe); status != 0)
    throw std::runtime_error(line + " ended with status " + std::to_string(status));
  return text;
}

std::string remains_of(const std::set<pid_t>& processes, const std::string& segment) {
  std::string found;
  find(examine(segment), "examine", false, processes, found);
  find(check_heaps(segment), "heap-check", false, processes, found);
  return found;
}

std::string all_remains(const std::string& segment) {
  const json device = examine(segment), heaps = check_heaps(segment);
  std::string found;
  for (const json& context : device.at("contexts")) found += context.dump() + "\n";
  for (const json& unit : device.at("compute-units"))
    if (unit.at("state") != "free" || !unit.at("guest").is_null() || !unit.at("waiting").empty())
      found += unit.dump() + "\n";
  for (const json& heap : heaps.at("heaps"))
    if (heap.at("available") != heap.at("size")) found += heap.dump() + "\n";
  return found;
}

}  // namespace conclave::test
