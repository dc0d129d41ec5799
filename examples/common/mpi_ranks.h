// SPDX-License-Identifier: Apache-2.0
// What the programs of several MPI ranks share: start and end, which rank uses which compute units, and
// the measurement on a growing number of ranks.
#ifndef CONCLAVE_EXAMPLES_COMMON_MPI_RANKS_H_
#define CONCLAVE_EXAMPLES_COMMON_MPI_RANKS_H_

#include <mpi.h>

#include <cstddef>
#include <functional>

namespace examples {

// The ranks that work together.
struct Ranks {
  MPI_Comm communicator;
  int rank, size;
};

// What a group of ranks did.
struct Measured {
  double operations = 0;  // of all ranks
  double seconds = 0;     // of the slowest rank
  double exchange = 0;    // the part of these seconds in which that rank exchanged data
  size_t errors = 0;      // of all ranks
};

// Calls body() between the start and the end of MPI and returns its result, which has to be the same on
// all ranks. An exception on one rank ends all of them. `units`: each rank uses that many compute units
// for itself, those of the node's ranks in turn; 0: all ranks share all that there are.
size_t run_on_ranks(size_t units, const std::function<size_t(const Ranks&)>& body);

// Part `i` of `whole` things that are shared out to `parts`: where it begins.
inline size_t part_begin(size_t whole, int i, int parts) {
  return whole * static_cast<size_t>(i) / static_cast<size_t>(parts);
}

// Calls measure() on 1, 2, 4, ... and on all ranks, while the others sleep, and prints a line for each:
// `what` says what they do, `unit` what operations_per_second * scale is. Returns the number of errors.
size_t print_scaling(const Ranks& all, const char* what, const char* unit, double scale,
                     const std::function<Measured(const Ranks&)>& measure);

// Makes a rank's own figures those of all ranks.
Measured combine(const Ranks& ranks, Measured mine);

}  // namespace examples

#endif  // CONCLAVE_EXAMPLES_COMMON_MPI_RANKS_H_
