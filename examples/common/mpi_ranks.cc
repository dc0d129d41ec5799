// SPDX-License-Identifier: Apache-2.0
#include "common/mpi_ranks.h"

#include <CL/opencl.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "common/command_line.h"
#include "common/device_choice.h"

namespace examples {
namespace {

Ranks ranks_of(MPI_Comm communicator) {
  Ranks ranks{communicator, 0, 0};
  MPI_Comm_rank(communicator, &ranks.rank);
  MPI_Comm_size(communicator, &ranks.size);
  return ranks;
}

// The number of this rank among those of its node, as Open MPI, MPICH and Slurm tell it.
size_t rank_of_node() {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"})
    if (const char* text = std::getenv(name)) return std::strtoul(text, nullptr, 10);
  throw UsageError("option -u: nobody says which rank of its node this is (SLURM_LOCALID)");
}

// Before the first OpenCL function, which reads the list. MPI_Init() may have called one: Open MPI looks
// at the machine with hwloc, and that at OpenCL's devices.
void take_compute_units(size_t units) {
  const size_t first = rank_of_node() * units;
  std::string list;
  for (size_t unit = first; unit < first + units; ++unit)
    list += (list.empty() ? "" : ",") + std::to_string(unit);
  setenv("TI_OCL_COMPUTE_UNIT_LIST", list.c_str(), 1);
}

// Waits for all ranks without the CPU time that MPI_Barrier() takes.
void sleep_until_all_are_here(MPI_Comm communicator) {
  MPI_Request request;
  MPI_Ibarrier(communicator, &request);
  for (int done = 0; !done;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

[[noreturn]] void end_all(const std::string& why) {
  std::fflush(stdout);
  std::fprintf(stderr, "rank %d: %s\n", ranks_of(MPI_COMM_WORLD).rank, why.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

}  // namespace

size_t run_on_ranks(size_t units, const std::function<size_t(const Ranks&)>& body) {
  if (units) take_compute_units(units);
  // Only the main thread calls MPI, the platform has threads besides.
  int granted;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &granted);
  size_t errors = 0;
  try {
    errors = body(ranks_of(MPI_COMM_WORLD));
  } catch (const cl::Error& error) {
    end_all(describe(error));
  } catch (const std::exception& error) {
    end_all(error.what());
  }
  MPI_Finalize();
  return errors;
}

size_t print_scaling(const Ranks& all, const char* what, const char* unit, double scale,
                     const std::function<Measured(const Ranks&)>& measure) {
  if (all.rank == 0)
    std::printf("%s\n  ranks   seconds  %10s  speed-up  exchange  result\n", what, unit);
  size_t errors = 0;
  double speed_of_one = 0;
  for (int size = 1;; size = size * 2 < all.size ? size * 2 : all.size) {
    const bool included = all.rank < size;
    MPI_Comm communicator;
    MPI_Comm_split(all.communicator, included ? 0 : MPI_UNDEFINED, all.rank, &communicator);
    if (included) {
      const Measured measured = measure(ranks_of(communicator));
      MPI_Comm_free(&communicator);
      errors += measured.errors;
      const double speed = measured.operations / measured.seconds;
      if (size == 1) speed_of_one = speed;
      if (all.rank == 0)
        std::printf("  %5d  %8.4f  %10.3f  %8.2f  %7.1f%%  %s\n", size, measured.seconds,
                    speed * scale, speed / speed_of_one, 100 * measured.exchange / measured.seconds,
                    measured.errors == 0 ? "right" : "WRONG");
      std::fflush(stdout);
    }
    sleep_until_all_are_here(all.communicator);
    if (size == all.size) break;
  }
  // Rank 0 took part in all of it.
  MPI_Bcast(&errors, 1, MPI_UNSIGNED_LONG, 0, all.communicator);
  return errors;
}

Measured combine(const Ranks& ranks, Measured mine) {
  struct {
    double seconds;
    int rank;
  } slowest{mine.seconds, ranks.rank};
  MPI_Allreduce(MPI_IN_PLACE, &slowest, 1, MPI_DOUBLE_INT, MPI_MAXLOC, ranks.communicator);
  mine.seconds = slowest.seconds;
  MPI_Bcast(&mine.exchange, 1, MPI_DOUBLE, slowest.rank, ranks.communicator);
  MPI_Allreduce(MPI_IN_PLACE, &mine.operations, 1, MPI_DOUBLE, MPI_SUM, ranks.communicator);
  MPI_Allreduce(MPI_IN_PLACE, &mine.errors, 1, MPI_UNSIGNED_LONG, MPI_SUM, ranks.communicator);
  return mine;
}

}  // namespace examples
