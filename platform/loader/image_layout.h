// SPDX-License-Identifier: Apache-2.0
// What a device image adds to its program: named compute units for the kernels, and where they are
// on the device; graphs and streams. Written by a person as JSON (docs/device-images.md has the
// format), and kept so in the image.
#ifndef CONCLAVE_PLATFORM_LOADER_IMAGE_LAYOUT_H_
#define CONCLAVE_PLATFORM_LOADER_IMAGE_LAYOUT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platform/loader/json_tree.h"

namespace conclave {

struct ImageLayout {
  static constexpr size_t kMaxComputeUnits = 256;
  static constexpr size_t kMaxNameBytes = 63;  // of "kernel:name"

  // A compute unit of the image. Its number is its place in the list.
  struct ComputeUnit {
    std::string kernel;
    std::string name;
    std::vector<uint32_t> units;  // of the device, ascending

    std::string full_name() const { return kernel + ":" + name; }
  };
  struct Graph {
    std::string name;
  };
  // From one port to another: "compute unit or graph.port".
  struct Stream {
    std::string name, from, to;
  };

  std::vector<ComputeUnit> compute_units;
  std::vector<Graph> graphs;
  std::vector<Stream> streams;

  // `count` compute units for a kernel, kernel_1 to kernel_<count>, each on the unit of the device
  // that has its number.
  void add(const std::string& kernel, uint64_t count);
  std::string to_json() const;
};

// Throws JsonError, with the place, for anything but a layout for a program with these kernels.
ImageLayout parse_layout(std::string_view json, const std::vector<std::string>& kernels);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_IMAGE_LAYOUT_H_
