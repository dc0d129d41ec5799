// SPDX-License-Identifier: Apache-2.0
// Writes into the shared memory of graphs and streams (platform/share/graph_area.h) what no honest
// process would: garbage, and words that look right.
#ifndef CONCLAVE_TEST_SHARE_GRAPH_VANDAL_H_
#define CONCLAVE_TEST_SHARE_GRAPH_VANDAL_H_

#include <cstdint>
#include <vector>

#include "platform/loader/xclbin.h"
#include "platform/share/graph_area.h"
#include "vandal.h"

namespace conclave::test {

class GraphVandal : Vandal {
 public:
  // `xclbin`: the one that is resident. `bystanders`: processes that it names.
  GraphVandal(uint32_t seed, std::vector<uint32_t> bystanders, const share::Layout& layout,
              const Xclbin& xclbin);

  // One attack of a random kind, which takes up to some ten milliseconds.
  void attack();

 private:
  using Attack = void (GraphVandal::*)();

  share::GraphHeader& header() { return *reinterpret_cast<share::GraphHeader*>(layout_.graphs); }
  Word some_word_of_graphs();

  void garbage();
  void sides();
  void parameters();
  void states();
  void lock();
  void bells();
  void xclbin();
  void hammer();

  const share::Layout& layout_;
  std::vector<share::Stream*> streams_;
  std::vector<uint64_t> stream_bytes_;
  std::vector<share::GraphState*> graphs_;
  std::vector<share::Parameter*> parameters_;
  std::vector<share::Atomic<uint64_t>*> words_;  // all of these, word by word
};

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_SHARE_GRAPH_VANDAL_H_
