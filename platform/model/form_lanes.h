// SPDX-License-Identifier: Apache-2.0
// Which numbers of lanes the forms of a kernel's code have (form_contest.h).
//
// Nobody knows beforehand how the time of a kernel depends on them, but it mostly falls towards one
// number and rises behind it. So a process looks at both sides of the compiler's choice, and the next one
// at both sides of what has won there.
#ifndef CONCLAVE_PLATFORM_MODEL_FORM_LANES_H_
#define CONCLAVE_PLATFORM_MODEL_FORM_LANES_H_

#include <cstdint>
#include <vector>

namespace conclave {

// The numbers to compare with the usual one: first the winners, then what is beside the usual one, one
// work-item at a time, and what is beside the winners. At most FormChoice::kMostForms - 1 of these.
//
// `usual`: the compiler's choice; 1: it made no packets. `row`: work-items in a row of a work-group; 0:
// any number. `winners`: lanes that were the fastest for launches of some size, each once, without the
// usual ones.
std::vector<unsigned> lanes_to_compare(unsigned usual, uint64_t row,
                                       const std::vector<unsigned>& winners);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_FORM_LANES_H_
