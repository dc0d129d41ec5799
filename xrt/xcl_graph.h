// SPDX-License-Identifier: Apache-2.0
// What an xclConclaveGraph stands for: a graph of the xclbin, open in an access mode.
#ifndef CONCLAVE_XRT_XCL_GRAPH_H_
#define CONCLAVE_XRT_XCL_GRAPH_H_

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "platform/model/graph.h"
#include "platform/model/graph_ports.h"
#include "platform/share/access_handles.h"

namespace conclave::xrt {

class XclDevice;

class XclGraph {
 public:
  // Throws Error as share::OpenGraph does.
  XclGraph(std::shared_ptr<XclDevice> device, std::shared_ptr<const Xclbin> xclbin, uint32_t number,
           share::AccessMode mode);

  // For exclusive or primary mode: makes its kernels.
  void drive(Context& context, Program& program);

  // The graph, for an operation that changes it. Throws Error{EPERM} if the mode does not permit
  // the operation.
  std::shared_ptr<Graph> to(share::Operation operation);
  // Throws as Graph::read() does, and EPERM.
  void read(const std::string& port, void* value, size_t bytes, bool wait);
  uint64_t timestamp() const;
  // Ends other threads' calls on it, which fail.
  void close();

 private:
  std::shared_ptr<Graph> driven() const;

  const std::shared_ptr<XclDevice> device_;
  const std::shared_ptr<const Xclbin> xclbin_;
  share::OpenGraph open_;
  GraphPorts ports_;
  std::shared_ptr<Graph> graph_;  // null in shared mode, and once it is closed; under the lock
  mutable std::mutex mutex_;
};

}  // namespace conclave::xrt

#endif  // CONCLAVE_XRT_XCL_GRAPH_H_
