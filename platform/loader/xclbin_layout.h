// SPDX-License-Identifier: Apache-2.0
// What an xclbin adds to its program: named compute units for the kernels, and where they are
// on the device; graphs, which are kernels that run iteration after iteration, with run-time
// parameters; and the streams that connect kernels. Written by a person as JSON
// (docs/xclbin.md has the format), and kept so in the xclbin.
#ifndef CONCLAVE_PLATFORM_LOADER_XCLBIN_LAYOUT_H_
#define CONCLAVE_PLATFORM_LOADER_XCLBIN_LAYOUT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "conclave/metadata.h"
#include "platform/base/json_tree.h"

namespace conclave {

// What a layout has to know of a kernel of the program.
struct LayoutKernel {
  struct Argument {
    enum class Kind { kValue, kPointer, kConstPointer, kReadStream, kWriteStream, kOther };
    std::string name;
    Kind kind = Kind::kOther;
    uint64_t bytes = 0;  // of a value

    bool is_stream() const { return kind == Kind::kReadStream || kind == Kind::kWriteStream; }
  };
  std::string name;
  std::vector<Argument> arguments;
};

struct XclbinLayout {
  static constexpr size_t kMaxComputeUnits = 256;
  static constexpr size_t kMaxNameBytes = 63;  // of "kernel:name"
  static constexpr size_t kMaxGraphs = 256;
  static constexpr uint64_t kStreamBytes = 64 << 10;  // of a stream's buffer, by default
  static constexpr uint64_t kMaxStreamBytes = 1 << 20;
  static constexpr uint64_t kMaxParameterBytes = 64 << 10;

  // A compute unit of the xclbin. Its number is its place in the list.
  struct ComputeUnit {
    std::string kernel;
    std::string name;
    std::vector<uint32_t> units;  // of the device, ascending

    std::string full_name() const { return kernel + ":" + name; }
  };

  // An argument of a graph's kernel that the host writes, or reads, while the graph runs.
  struct Parameter {
    enum class Direction { kIn, kOut, kInOut };
    std::string name;  // without the graph's and the kernel's
    std::string argument;
    Direction direction = Direction::kIn;
    bool synchronous = false;
    uint64_t bytes = 0;
  };
  struct GraphKernel {
    std::string name;
    std::string kernel;
    std::vector<uint32_t> units;  // of the device, ascending
    std::vector<Parameter> parameters;
  };
  struct Graph {
    std::string name;
    std::vector<GraphKernel> kernels;

    // "gr[0].k.in[1]"
    std::string port(const GraphKernel& kernel, const std::string& name_there) const {
      return name + "." + kernel.name + "." + name_there;
    }
  };
  // From one stream argument to another: "compute unit.argument" or "graph.kernel.argument". One of
  // the two may be a port of the host instead, "host.port": what XRT calls GMIO.
  struct Stream {
    static constexpr std::string_view kHost = "host.";

    std::string name, from, to;
    uint64_t bytes = kStreamBytes;  // of its buffer, a power of two

    bool is_from_host() const { return from.starts_with(kHost); }
    bool is_to_host() const { return to.starts_with(kHost); }
    // The name of the host's port; empty if both ends are kernels'.
    std::string host_port() const {
      return is_from_host() ? from.substr(kHost.size())
             : is_to_host() ? to.substr(kHost.size())
                            : std::string();
    }
  };

  std::vector<ComputeUnit> compute_units;
  std::vector<Graph> graphs;
  std::vector<Stream> streams;

  // `count` compute units for a kernel, kernel_1 to kernel_<count>, each on the unit of the device
  // that has its number.
  void add(const std::string& kernel, uint64_t count);
  std::string to_json() const;
};

// What layouts have to know of a program's kernels.
std::vector<LayoutKernel> for_layout(const std::vector<KernelInfo>& kernels);

// Throws JsonError, with the place, for anything but a layout for a program with these kernels.
XclbinLayout parse_layout(std::string_view json, const std::vector<LayoutKernel>& kernels);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_XCLBIN_LAYOUT_H_
