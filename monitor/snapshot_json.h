// SPDX-License-Identifier: Apache-2.0
// What the tools show, for programs. Times are UTC in ISO 8601, sizes are bytes, durations are
// milliseconds.
#ifndef CONCLAVE_MONITOR_SNAPSHOT_JSON_H_
#define CONCLAVE_MONITOR_SNAPSHOT_JSON_H_

#include <nlohmann/json.hpp>
#include <string>

#include "monitor/snapshot.h"
#include "platform/base/config.h"

namespace conclave::monitor {

// Keys stay in the order in which they are written.
using Json = nlohmann::ordered_json;

Json to_json(const Device& device);
Json to_json(const ProcessUse& process);
Json to_json(const UnitUse& unit);
Json to_json(const HeapUse& heap);
Json to_json(const XclbinUse& xclbin);
Json to_json(const AccessUse& use);
// The entries with value and source.
Json to_json(const Config& config);

template <class T>
Json to_json(const std::vector<T>& list) {
  Json json = Json::array();
  for (const T& item : list) json.push_back(to_json(item));
  return json;
}

// A time as of realtime_ns(), "2026-11-21T08:15:00Z".
std::string utc(uint64_t realtime_ns);

// The text of a document; bytes that are not UTF-8 are replaced.
std::string to_text(const Json& json);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_SNAPSHOT_JSON_H_
