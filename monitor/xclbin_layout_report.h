// SPDX-License-Identifier: Apache-2.0
// The loaded xclbin under the names that XRT's tools give its parts: its dynamic region, with
// the compute units, and the array, with its graphs and streams.
#ifndef CONCLAVE_MONITOR_XCLBIN_LAYOUT_REPORT_H_
#define CONCLAVE_MONITOR_XCLBIN_LAYOUT_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "monitor/snapshot_json.h"
#include "platform/share/segment.h"

namespace conclave::monitor {

struct DynamicRegion {
  struct ComputeUnit {
    std::string name;  // "kernel:name"
    uint64_t base_address = 0;
    std::string status;   // "(START)" while its kernel runs, "(IDLE)"
    size_t contexts = 0;  // number of processes with contexts on it
  };
  std::string uuid;
  std::vector<ComputeUnit> compute_units;
};

// Nothing if no xclbin is loaded.
std::optional<DynamicRegion> read_dynamic_region(const share::Layout& layout);

// The content of the xclbin's file, which this user's processes have kept.
struct Array {
  struct Stream {
    std::string name, from, to;
  };
  std::string why;  // why there is nothing to tell; "" if there is
  std::vector<std::string> graphs;
  std::vector<Stream> streams;
};
Array read_array(const share::Segment& segment);
// Adds the xclbin's names of the graphs, if the array knows them.
void add_graph_names(std::vector<AccessUse>& uses, const Array& array);

std::string dynamic_region_text(const std::optional<DynamicRegion>& region);
std::string graphs_text(const Array& array);
std::string streams_text(const Array& array);

Json to_json(const DynamicRegion& region);
Json graphs_json(const Array& array);
Json streams_json(const Array& array);

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_XCLBIN_LAYOUT_REPORT_H_
