// SPDX-License-Identifier: Apache-2.0
#include "platform/check/finding.h"

#include <nlohmann/json.hpp>

namespace conclave::check {
namespace {

std::string in_parentheses(const Triple& ids) {
  return "(" + std::to_string(ids[0]) + "," + std::to_string(ids[1]) + "," +
         std::to_string(ids[2]) + ")";
}

std::string place_of(const Finding& finding) {
  if (finding.line == 0) return "";
  return (finding.file.empty() ? "line " : finding.file + ":") + std::to_string(finding.line) +
         ":" + std::to_string(finding.column) + ": ";
}

// Says which access to which memory it was, if that is known.
std::string describe_access(const Finding& finding) {
  if (finding.access.empty()) return "";
  std::string text = finding.access + " of " + std::to_string(finding.bytes) +
                     (finding.bytes == 1 ? " byte" : " bytes");
  if (!finding.memory.empty()) text += " in " + finding.memory;
  if (finding.offset) text += " at offset " + std::to_string(*finding.offset);
  if (finding.size) text += " (its size: " + std::to_string(*finding.size) + ")";
  return text;
}

}  // namespace

const char* name_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::kOutOfBounds:
      return "out-of-bounds";
    case FindingKind::kUseAfterRelease:
      return "use-after-release";
    case FindingKind::kMisaligned:
      return "misaligned";
    case FindingKind::kUninitialized:
      return "uninitialized";
    case FindingKind::kDataRace:
      return "data-race";
    case FindingKind::kBarrierDivergence:
      return "barrier-divergence";
  }
  return "";
}

std::string to_text(const Finding& finding) {
  std::string text = place_of(finding) + name_of(finding.kind);
  const std::string access = describe_access(finding);
  if (!access.empty()) text += ": " + access;
  text += "\n  kernel '" + finding.kernel + "', work-item " +
          in_parentheses(finding.item.global_id) + " (local " +
          in_parentheses(finding.item.local_id) + ", group " +
          in_parentheses(finding.item.group_id) + ")";
  if (!finding.detail.empty()) text += "\n  " + finding.detail;
  return text;
}

std::string to_json(const Finding& finding) {
  nlohmann::json json = {{"class", name_of(finding.kind)},
                         {"kernel", finding.kernel},
                         {"file", finding.file},
                         {"line", finding.line},
                         {"column", finding.column},
                         {"global_id", finding.item.global_id},
                         {"local_id", finding.item.local_id},
                         {"group_id", finding.item.group_id},
                         {"text", to_text(finding)}};
  if (!finding.access.empty()) {
    json["access"] = finding.access;
    json["bytes"] = finding.bytes;
    json["memory"] = finding.memory;
  }
  if (finding.offset) json["offset"] = *finding.offset;
  if (finding.size) json["size"] = *finding.size;
  if (finding.other) json["other_global_id"] = *finding.other;
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace conclave::check
