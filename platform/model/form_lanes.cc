// SPDX-License-Identifier: Apache-2.0
#include "platform/model/form_lanes.h"

#include <algorithm>
#include <bit>

#include "platform/loader/form_choices.h"
#include "platform/model/form_contest.h"

namespace conclave {
namespace {

// Packets for kernels that have none.
constexpr unsigned kLanesInstead = 8;

}  // namespace

std::vector<unsigned> lanes_to_compare(unsigned usual, uint64_t row,
                                       const std::vector<unsigned>& winners) {
  const unsigned longest =
      row == 0
          ? FormChoices::kMostLanes
          : static_cast<unsigned>(std::bit_ceil(std::min<uint64_t>(row, FormChoices::kMostLanes)));
  std::vector<unsigned> others;
  const auto add = [&](unsigned lanes) {
    lanes = std::min(lanes, longest);
    const bool is_there = std::find(others.begin(), others.end(), lanes) != others.end();
    if (lanes != usual && !is_there) others.push_back(lanes);
  };
  const auto add_neighbours = [&](unsigned lanes) {
    if (lanes > 1) add(2 * lanes);
    if (lanes > 2) add(lanes / 2);
  };
  for (unsigned lanes : winners) add(lanes);
  add_neighbours(usual);
  add(usual == 1 ? kLanesInstead : 1);
  for (unsigned lanes : winners) add_neighbours(lanes);
  others.resize(std::min(others.size(), FormChoice::kMostForms - 1));
  return others;
}

}  // namespace conclave
