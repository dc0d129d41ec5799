// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/report.h"

#include <nlohmann/json.hpp>

namespace conclave::compiler {
namespace {

// Remarks that say the same of the same place, as unrolled loops bring them, are told once.
struct CountedRemark {
  Remark remark;
  unsigned count;

  std::string text() const {
    std::string text = remark.what + ": " + remark.how;
    return count == 1 ? text : text + " (" + std::to_string(count) + " times)";
  }
};

std::vector<CountedRemark> count_remarks(const PartRemarks& part) {
  std::vector<CountedRemark> counted;
  for (const Remark& remark : part.sorted()) {
    if (!counted.empty() && counted.back().remark == remark)
      ++counted.back().count;
    else
      counted.push_back({remark, 1});
  }
  return counted;
}

// "3:14", "3", or nothing.
std::string line_and_column(const SourcePlace& place) {
  if (place.line == 0) return "";
  std::string text = std::to_string(place.line);
  return place.column == 0 ? text : text + ":" + std::to_string(place.column);
}

// "program.cl:3:14: ", or nothing.
std::string prefix(const SourcePlace& place) {
  return place.line == 0 ? "" : place.file + ":" + line_and_column(place) + ": ";
}

// "part 2 of 3, lines 5 to 9: "; nothing of a kernel's only part.
std::string name_of(const KernelRemarks& kernel, size_t index) {
  if (kernel.parts.size() == 1) return "";
  const PartRemarks& part = kernel.parts[index];
  std::string name =
      "part " + std::to_string(index + 1) + " of " + std::to_string(kernel.parts.size());
  if (part.first_line != 0)
    name += ", lines " + std::to_string(part.first_line) + " to " + std::to_string(part.last_line);
  return name + ": ";
}

// Returns the line about a part as a whole.
std::string outcome(const PartRemarks& part) {
  if (!part.why_not.empty()) return "not vectorized: " + part.why_not;
  std::string text =
      std::to_string(part.lanes) + " lanes in dimension " + std::to_string(part.dimension);
  if (part.depends_on_size) text += " (0 where work-groups are too small for that)";
  if (part.rows > 1) text += ", " + std::to_string(part.rows) + " rows at once";
  return text;
}

nlohmann::ordered_json to_json(const SourcePlace& place) {
  nlohmann::ordered_json json;
  if (place.line == 0) return json;
  return {{"file", place.file}, {"line", place.line}, {"column", place.column}};
}

nlohmann::ordered_json to_json(const PartRemarks& part) {
  nlohmann::ordered_json json = {{"first_line", part.first_line},
                                 {"last_line", part.last_line},
                                 {"lanes", part.lanes},
                                 {"dimension", part.dimension},
                                 {"depends_on_size", part.depends_on_size},
                                 {"rows", part.rows}};
  if (!part.why_not.empty())
    json["not_vectorized"] = {{"why", part.why_not}, {"place", to_json(part.why_not_place)}};
  json["remarks"] = nlohmann::ordered_json::array();
  for (const auto& [remark, count] : count_remarks(part))
    json["remarks"].push_back({{"place", to_json(remark.place)},
                               {"what", remark.what},
                               {"how", remark.how},
                               {"count", count}});
  return json;
}

}  // namespace

std::string remarks_for_log(const std::vector<KernelRemarks>& kernels) {
  std::string log;
  for (const KernelRemarks& kernel : kernels) {
    const std::string subject = "remark: kernel '" + kernel.kernel + "': ";
    for (const Remark& remark : kernel.remarks)
      log += prefix(remark.place) + subject + remark.what + ": " + remark.how + "\n";
    for (size_t i = 0; i < kernel.parts.size(); ++i) {
      const PartRemarks& part = kernel.parts[i];
      const bool has_place = part.why_not_place.line != 0;
      log += prefix(has_place ? part.why_not_place : kernel.place) + subject + name_of(kernel, i) +
             outcome(part) + "\n";
      for (const CountedRemark& counted : count_remarks(part))
        log += prefix(counted.remark.place) + subject + counted.text() + "\n";
    }
  }
  return log;
}

std::string report_text(const std::vector<KernelRemarks>& kernels) {
  std::string text;
  for (const KernelRemarks& kernel : kernels) {
    text += prefix(kernel.place) + "kernel '" + kernel.kernel + "'\n";
    for (const Remark& remark : kernel.remarks)
      text += "  " + remark.what + ": " + remark.how + "\n";
    for (size_t i = 0; i < kernel.parts.size(); ++i) {
      const PartRemarks& part = kernel.parts[i];
      const bool has_place = part.why_not_place.line != 0;
      text += "  " + name_of(kernel, i) + outcome(part) +
              (has_place ? " (" + line_and_column(part.why_not_place) + ")" : "") + "\n";
      for (const CountedRemark& counted : count_remarks(part))
        text += "    " + prefix(counted.remark.place) + counted.text() + "\n";
    }
  }
  return text;
}

std::string report_json(const std::vector<KernelRemarks>& kernels) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const KernelRemarks& kernel : kernels) {
    nlohmann::ordered_json parts = nlohmann::ordered_json::array();
    for (const PartRemarks& part : kernel.parts) parts.push_back(to_json(part));
    nlohmann::ordered_json remarks = nlohmann::ordered_json::array();
    for (const Remark& remark : kernel.remarks)
      remarks.push_back({{"what", remark.what}, {"how", remark.how}});
    json.push_back({{"kernel", kernel.kernel},
                    {"place", to_json(kernel.place)},
                    {"remarks", remarks},
                    {"parts", parts}});
  }
  return json.dump(2) + "\n";
}

}  // namespace conclave::compiler
