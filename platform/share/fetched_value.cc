// SPDX-License-Identifier: Apache-2.0
#include "platform/share/fetched_value.h"

#include "platform/share/graph_area.h"
#include "platform/share/other_users.h"

namespace conclave::share {
namespace {

// The daemon copies a bounded number of bytes at a time, also for others of this user.
constexpr int kMostQuestions = 50;

}  // namespace

bool fetch_value(const Layout& layout, size_t part) {
  if (part >= kGraphParts) return true;
  Atomic<uint64_t>& wanted = reinterpret_cast<GraphHeader*>(layout.graphs)->wanted[part / 64];
  const uint64_t bit = uint64_t{1} << part % 64;
  const OtherUsers others(layout);
  for (int i = 0; i < kMostQuestions; ++i) {
    if (!others.are_there()) return true;
    // Set for each question: somebody else may have got the former answer in between.
    wanted.fetch_or(bit);
    others.consult();
    if (!(wanted.load() & bit)) return true;
  }
  return false;
}

}  // namespace conclave::share
