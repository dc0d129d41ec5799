// SPDX-License-Identifier: Apache-2.0
// Heat in a plate whose rows are shared out to MPI ranks. After each step neighbours exchange the rows
// at their borders, right out of and into mapped buffers of the device: on a CPU these are memory of
// the host, so nothing is copied on the way.
#include <CL/opencl.hpp>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "common/command_line.h"
#include "common/example.h"
#include "common/matrices.h"
#include "common/mpi_ranks.h"
#include "mpi_stencil.cl.h"

namespace {

constexpr char kUsage[] =
    "Usage: mpirun -n ranks mpi_stencil [-r rows] [-c columns] [-s steps] [-u units] [-h]\n"
    "  Heat in a plate of rows x columns cells, shared out to the ranks by rows.\n"
    "  -r  rows: of all ranks for strong scaling, of each rank for weak scaling   (default 1024)\n"
    "  -c  columns                                                                (default 1024)\n"
    "  -s  steps                                                                  (default 100)\n"
    "  -u  compute units that each rank uses for itself (TI_OCL_COMPUTE_UNIT_LIST);\n"
    "      default: all ranks of a node share all of them\n"
    "  -h, --help  this text\n"
    "The exit status is 0 if all results are right.";

struct Options {
  size_t rows = 1024, columns = 1024, steps = 100, units = 0;
  bool help = false;
};

Options parse(int argc, char** argv) {
  Options options;
  examples::for_each_option(argc, argv, "r:c:s:u:h", [&](char option, const char* value) {
    switch (option) {
      case 'r':
        options.rows = examples::parse_size(option, value);
        break;
      case 'c':
        options.columns = examples::parse_size(option, value);
        break;
      case 's':
        options.steps = examples::parse_size(option, value);
        break;
      case 'u':
        options.units = examples::parse_size(option, value);
        break;
      case 'h':
        options.help = true;
        break;
    }
  });
  return options;
}

// A wave that stands in the plate. Each step multiplies it by one factor, so that every rank knows the
// right result of its cells after any number of steps. It is short enough that a row of the step
// before, in place of a neighbour's new one, would be seen.
class Wave {
 public:
  static constexpr float kRate = 0.05f;
  Wave(size_t rows, size_t columns) : vertical_(angle(rows)), horizontal_(angle(columns)) {}

  double factor() const {
    const double v = std::sin(vertical_ / 2), h = std::sin(horizontal_ / 2);
    return 1 - 4 * static_cast<double>(kRate) * (v * v + h * h);
  }
  // Rows and columns count from 1.
  double cell(size_t row, size_t column) const {
    return std::sin(vertical_ * static_cast<double>(row)) *
           std::sin(horizontal_ * static_cast<double>(column));
  }

 private:
  // For about eight cells between two zeros.
  static double angle(size_t cells) {
    return std::numbers::pi * static_cast<double>(cells / 8 + 1) / static_cast<double>(cells + 1);
  }
  double vertical_, horizontal_;
};

// The rows of one rank, with a border.
class Part {
 public:
  Part(const examples::Accelerator& accelerator, const cl::Program& program,
       const examples::Ranks& ranks, size_t rows, size_t columns)
      : queue_(accelerator.queue),
        step_(program, "heat_step"),
        ranks_(ranks),
        first_row_(examples::part_begin(rows, ranks.rank, ranks.size)),
        rows_(examples::part_begin(rows, ranks.rank + 1, ranks.size) - first_row_),
        columns_(columns),
        wave_(rows, columns) {
    const size_t bytes = (rows_ + 2) * row_cells() * sizeof(float);
    for (cl::Buffer* buffer : {&from_, &to_}) {
      *buffer = cl::Buffer(accelerator.context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes);
      queue_.enqueueFillBuffer(*buffer, 0.0f, 0, bytes);
    }
    use_cells(from_, [&](float* cells) {
      for_each_cell([&](size_t i, double wave) { cells[i] = static_cast<float>(wave); });
    });
    exchange(from_);
    step_.setArg(2, Wave::kRate);
  }

  void step() {
    step_.setArg(0, from_);
    step_.setArg(1, to_);
    queue_.enqueueNDRangeKernel(step_, cl::NullRange, cl::NDRange(columns_, rows_));
    queue_.finish();
    exchange_seconds_ += examples::seconds_of([&] { exchange(to_); });
    std::swap(from_, to_);
  }

  size_t count_errors(size_t steps) {
    const double factor = std::pow(wave_.factor(), static_cast<double>(steps));
    size_t errors = 0;
    use_cells(from_, [&](const float* cells) {
      for_each_cell([&](size_t i, double wave) {
        if (!(std::abs(static_cast<double>(cells[i]) - factor * wave) <= 2e-6)) ++errors;
      });
    });
    return errors;
  }

  size_t cells() const { return rows_ * columns_; }
  double exchange_seconds() const { return exchange_seconds_; }

 private:
  size_t row_cells() const { return columns_ + 2; }

  // Calls visit(position, wave there) for the cells within the border.
  template <class Visit>
  void for_each_cell(const Visit& visit) const {
    for (size_t row = 1; row <= rows_; ++row)
      for (size_t column = 1; column <= columns_; ++column)
        visit(row * row_cells() + column, wave_.cell(first_row_ + row, column));
  }

  // Calls use() with the buffer's memory, which stays where it is.
  template <class Use>
  void use_cells(const cl::Buffer& buffer, const Use& use) {
    auto* cells = static_cast<float*>(queue_.enqueueMapBuffer(
        buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, (rows_ + 2) * row_cells() * sizeof(float)));
    use(cells);
    queue_.enqueueUnmapMemObject(buffer, cells);
  }

  void exchange(const cl::Buffer& buffer) {
    if (ranks_.size == 1) return;
    use_cells(buffer, [&](float* cells) {
      const int above = ranks_.rank > 0 ? ranks_.rank - 1 : MPI_PROC_NULL;
      const int below = ranks_.rank + 1 < ranks_.size ? ranks_.rank + 1 : MPI_PROC_NULL;
      swap_rows(cells, 1, above, rows_ + 1, below);
      swap_rows(cells, rows_, below, 0, above);
    });
  }
  void swap_rows(float* cells, size_t sent, int to, size_t received, int from) const {
    const auto count = static_cast<int>(row_cells());
    MPI_Sendrecv(cells + sent * row_cells(), count, MPI_FLOAT, to, 0,
                 cells + received * row_cells(), count, MPI_FLOAT, from, 0, ranks_.communicator,
                 MPI_STATUS_IGNORE);
  }

  cl::CommandQueue queue_;
  cl::Kernel step_;
  cl::Buffer from_, to_;
  examples::Ranks ranks_;
  size_t first_row_, rows_, columns_;
  Wave wave_;
  double exchange_seconds_ = 0;
};

size_t run(const Options& options, const examples::Ranks& all) {
  if (options.rows < static_cast<size_t>(all.size))
    throw std::runtime_error("there are more ranks than rows");
  const examples::Accelerator accelerator{.device = examples::choose_device()};
  const cl::Program program = accelerator.build(kMpiStencilSource);
  const auto measure = [&](const examples::Ranks& ranks, size_t rows) {
    Part part(accelerator, program, ranks, rows, options.columns);
    part.step();  // the first one touches the memory
    MPI_Barrier(ranks.communicator);
    const double before = part.exchange_seconds();
    examples::Measured measured;
    measured.seconds = examples::seconds_of([&] {
      for (size_t i = 1; i < options.steps; ++i) part.step();
    });
    measured.exchange = part.exchange_seconds() - before;
    measured.operations =
        static_cast<double>(part.cells()) * static_cast<double>(options.steps - 1);
    measured.errors = part.count_errors(options.steps);
    return examples::combine(ranks, measured);
  };

  measure(all, options.rows);  // so that the first line does not pay for first builds and memory
  if (all.rank == 0)
    std::printf("%zu x %zu cells, %zu steps, %u CUs for each rank\n\n", options.rows,
                options.columns, options.steps,
                accelerator.device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>());
  size_t errors = examples::print_scaling(
      all, "Strong scaling: the same rows for all", "Mcells/s", 1e-6,
      [&](const examples::Ranks& ranks) { return measure(ranks, options.rows); });
  errors += examples::print_scaling(all, "Weak scaling: as many rows for each rank", "Mcells/s",
                                    1e-6, [&](const examples::Ranks& ranks) {
                                      return measure(
                                          ranks, options.rows * static_cast<size_t>(ranks.size));
                                    });
  if (all.rank == 0) examples::report(errors, "PASS!");
  return errors;
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example("mpi_stencil", kUsage, [&]() -> size_t {
    const Options options = parse(argc, argv);
    if (options.help) {
      std::printf("%s\n", kUsage);
      return 0;
    }
    if (options.steps < 2) throw examples::UsageError("option -s: at least 2 steps");
    return examples::run_on_ranks(options.units,
                                  [&](const examples::Ranks& all) { return run(options, all); });
  });
}
