// SPDX-License-Identifier: Apache-2.0
// A matrix product whose rows are shared out to MPI ranks. Operands and results travel between mapped
// buffers of the ranks' devices: on a CPU these are memory of the host, so nothing is copied on the
// way.
#include <CL/opencl.hpp>
#include <cstdio>
#include <random>
#include <vector>

#include "common/blocked_product.h"
#include "common/command_line.h"
#include "common/example.h"
#include "common/matrices.h"
#include "common/mpi_ranks.h"

namespace {

constexpr char kUsage[] =
    "Usage: mpirun -n ranks mpi_sgemm [-M rows] [-K terms] [-N columns] [-u units] [-h]\n"
    "  C[M,N] = A[M,K] * B[K,N], shared out to the ranks by rows of A and C.\n"
    "  -M  rows: of all ranks for strong scaling, of each rank for weak scaling   (default 1024)\n"
    "  -K  columns of A, rows of B                                                (default 1024)\n"
    "  -N  columns of C and B                                                     (default 1024)\n"
    "  -u  compute units that each rank uses for itself (TI_OCL_COMPUTE_UNIT_LIST);\n"
    "      default: all ranks of a node share all of them\n"
    "  -h, --help  this text\n"
    "The exit status is 0 if all results are right.";

struct Options {
  size_t m = 1024, k = 1024, n = 1024, units = 0;
  bool help = false;
};

Options parse(int argc, char** argv) {
  Options options;
  examples::for_each_option(argc, argv, "M:K:N:u:h", [&](char option, const char* value) {
    switch (option) {
      case 'M':
        options.m = examples::parse_size(option, value);
        break;
      case 'K':
        options.k = examples::parse_size(option, value);
        break;
      case 'N':
        options.n = examples::parse_size(option, value);
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

// A buffer of the device, mapped while the host uses it.
class Matrix {
 public:
  Matrix(const examples::Accelerator& accelerator, size_t elements)
      : queue_(accelerator.queue),
        elements_(elements),
        buffer_(accelerator.context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                std::max<size_t>(elements, 1) * sizeof(float)) {}
  ~Matrix() {
    if (cells_) give_back();
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  // The memory of the buffer; kernels may not use it until give_back().
  float* cells() {
    if (!cells_)
      cells_ = static_cast<float*>(queue_.enqueueMapBuffer(
          buffer_, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, elements_ * sizeof(float)));
    return cells_;
  }
  const cl::Buffer& give_back() {
    if (cells_) queue_.enqueueUnmapMemObject(buffer_, cells_);
    cells_ = nullptr;
    return buffer_;
  }

 private:
  cl::CommandQueue queue_;
  size_t elements_;
  cl::Buffer buffer_;
  float* cells_ = nullptr;
};

// Small whole numbers: sums are exact in any order.
void fill(float* cells, size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> numbers(-8, 8);
  for (size_t i = 0; i < count; ++i) cells[i] = static_cast<float>(numbers(generator));
}

std::vector<double> times_vector(const float* matrix, size_t rows, size_t columns,
                                 const std::vector<double>& vector) {
  std::vector<double> result(rows);
  for (size_t i = 0; i < rows; ++i)
    for (size_t j = 0; j < columns; ++j)
      result[i] += static_cast<double>(matrix[i * columns + j]) * vector[j];
  return result;
}

// The number of rows of C that are not those of A * B: C * x and A * (B * x) have to be equal for any
// x, and a wrong element would have to be lucky four times.
size_t count_wrong_rows(const Options& options, size_t rows, const float* a, const float* b,
                        const float* c) {
  std::vector<bool> wrong(rows);
  std::mt19937 generator(5);
  std::uniform_int_distribution<int> numbers(-100, 100);
  for (int attempt = 0; attempt < 4; ++attempt) {
    std::vector<double> x(options.n);
    for (double& element : x) element = numbers(generator);
    const auto expected =
        times_vector(a, rows, options.k, times_vector(b, options.k, options.n, x));
    const auto found = times_vector(c, rows, options.n, x);
    for (size_t i = 0; i < rows; ++i)
      if (found[i] != expected[i]) wrong[i] = true;
  }
  return static_cast<size_t>(std::count(wrong.begin(), wrong.end(), true));
}

// Which rows each rank has, as MPI wants to know it: in rows of so many elements.
struct Shares {
  Shares(const examples::Ranks& ranks, size_t rows) {
    for (int i = 0; i < ranks.size; ++i) {
      begins.push_back(static_cast<int>(examples::part_begin(rows, i, ranks.size)));
      counts.push_back(static_cast<int>(examples::part_begin(rows, i + 1, ranks.size)) -
                       begins.back());
    }
  }
  std::vector<int> begins, counts;
};

class RowType {
 public:
  explicit RowType(size_t elements) {
    MPI_Type_contiguous(static_cast<int>(elements), MPI_FLOAT, &type_);
    MPI_Type_commit(&type_);
  }
  ~RowType() { MPI_Type_free(&type_); }
  RowType(const RowType&) = delete;
  RowType& operator=(const RowType&) = delete;
  operator MPI_Datatype() const { return type_; }

 private:
  MPI_Datatype type_;
};

// Rank 0 has the operands, shares them out, and collects the result.
examples::Measured multiply(const examples::Accelerator& accelerator,
                            examples::BlockedProduct<float>& product, const Options& options,
                            const examples::Ranks& ranks, size_t rows) {
  const Shares shares(ranks, rows);
  const int mine = shares.counts[static_cast<size_t>(ranks.rank)];
  const bool is_root = ranks.rank == 0;
  Matrix all_a(accelerator, is_root ? rows * options.k : 1),
      all_c(accelerator, is_root ? rows * options.n : 1);
  Matrix a(accelerator, static_cast<size_t>(mine) * options.k),
      b(accelerator, options.k * options.n);
  Matrix c(accelerator, static_cast<size_t>(mine) * options.n);
  if (is_root) {
    fill(all_a.cells(), rows * options.k, 1);
    fill(b.cells(), options.k * options.n, 2);
  }
  examples::Product<float> part{static_cast<size_t>(mine), options.n, options.k};
  part.row_major = true;
  product.reserve(accelerator.queue, part);
  const RowType row_a(options.k), row_b(options.n);

  examples::Measured measured;
  const auto share_out = [&] {
    MPI_Bcast(b.cells(), static_cast<int>(options.k), row_b, 0, ranks.communicator);
    MPI_Scatterv(all_a.cells(), shares.counts.data(), shares.begins.data(), row_a, a.cells(), mine,
                 row_a, 0, ranks.communicator);
  };
  const auto collect = [&] {
    MPI_Gatherv(c.cells(), mine, row_b, all_c.cells(), shares.counts.data(), shares.begins.data(),
                row_b, 0, ranks.communicator);
  };
  MPI_Barrier(ranks.communicator);
  measured.seconds = examples::seconds_of([&] {
    measured.exchange = examples::seconds_of(share_out);
    product.enqueue(accelerator.queue, part, a.give_back(), b.give_back(), c.give_back());
    accelerator.queue.finish();
    measured.exchange += examples::seconds_of(collect);
  });
  measured.operations = part.operations();
  if (is_root)
    measured.errors = count_wrong_rows(options, rows, all_a.cells(), b.cells(), all_c.cells());
  return examples::combine(ranks, measured);
}

size_t run(const Options& options, const examples::Ranks& all) {
  if (options.m < static_cast<size_t>(all.size))
    throw std::runtime_error("there are more ranks than rows");
  const examples::Accelerator accelerator{.device = examples::choose_device()};
  examples::BlockedProduct<float> product(accelerator.context, accelerator.device);
  if (all.rank == 0)
    std::printf("C[%zu,%zu] = A[%zu,%zu] * B[%zu,%zu], %u CUs for each rank\n\n", options.m,
                options.n, options.m, options.k, options.k, options.n,
                accelerator.device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>());
  // So that the first line does not pay for first builds and memory.
  multiply(accelerator, product, options, all, options.m);
  const auto scaling = [&](const char* what, bool more_rows) {
    return examples::print_scaling(all, what, "Gflops", 1e-9, [&](const examples::Ranks& ranks) {
      const size_t rows = options.m * static_cast<size_t>(more_rows ? ranks.size : 1);
      return multiply(accelerator, product, options, ranks, rows);
    });
  };
  const size_t errors = scaling("Strong scaling: the same rows for all", false) +
                        scaling("Weak scaling: as many rows for each rank", true);
  if (all.rank == 0) examples::report(errors, "PASS!");
  return errors;
}

}  // namespace

int main(int argc, char** argv) {
  return examples::run_example("mpi_sgemm", kUsage, [&]() -> size_t {
    const Options options = parse(argc, argv);
    if (options.help) {
      std::printf("%s\n", kUsage);
      return 0;
    }
    return examples::run_on_ranks(options.units,
                                  [&](const examples::Ranks& all) { return run(options, all); });
  });
}
