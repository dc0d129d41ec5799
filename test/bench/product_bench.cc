// SPDX-License-Identifier: Apache-2.0
// The examples' matrix products, and OpenBLAS with as many threads as the device has compute units.
#include <memory>
#include <string>
#include <thread>

#include "common/blocked_product.h"
#include "common/matrices.h"
#include "groups.h"
#include "session.h"

namespace bench {
namespace {

using examples::seconds_of;

template <class Real>
examples::Product<Real> problem() {
  return {1024, quick ? 100u : 1000u, quick ? 200u : 2000u, 1, 0, false, false, false};
}

// One product on the device and by OpenBLAS, with the result of the first one checked.
template <class Real>
class Contest {
 public:
  Contest() : product_(session().context, session().device), operands_(problem<Real>()) {
    examples::fill(operands_, true);
    const auto problem = bench::problem<Real>();
    a_ = buffer(operands_.a);
    b_ = buffer(operands_.b);
    c_ = buffer(operands_.c);
    device();
    reference();
    std::vector<Real> result(operands_.c.size());
    session().queue.enqueueReadBuffer(c_, CL_TRUE, 0, result.size() * sizeof(Real), result.data());
    for (size_t i = 0; i < result.size(); ++i)
      if (!examples::close_enough(problem, result[i], operands_.c[i]))
        wrong("element " + std::to_string(i) + " of the product is wrong");
    rest();
  }

  double device() {
    return seconds_of([&] {
      product_.enqueue(session().queue, problem<Real>(), a_, b_, c_);
      session().queue.finish();
    });
  }

  double reference() {
    const auto threads = session().device.template getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
    return seconds_of([&] {
      examples::reference_product(problem<Real>(), operands_.a.data(), operands_.b.data(),
                                  operands_.c.data(), static_cast<int>(threads));
    });
  }

  // OpenBLAS's idle threads spin for a while and would take the device's time.
  static void rest() { std::this_thread::sleep_for(std::chrono::milliseconds(100)); }

 private:
  cl::Buffer buffer(std::vector<Real>& matrix) {
    return {session().context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
            matrix.size() * sizeof(Real), matrix.data()};
  }

  examples::BlockedProduct<Real> product_;
  examples::Operands<Real> operands_;
  cl::Buffer a_, b_, c_;
};

template <class Real>
std::function<double()> product() {
  return [contest = std::make_shared<Contest<Real>>()] { return contest->device(); };
}

// OpenBLAS's time as a part of the device's: the speed relative to OpenBLAS.
template <class Real>
std::function<double()> relative() {
  return [contest = std::make_shared<Contest<Real>>()] {
    const double device = contest->device();
    const double reference = contest->reference();
    contest->rest();
    return reference / device;
  };
}

template <class Real>
double gflops(double seconds) {
  return problem<Real>().operations() / seconds * 1e-9;
}

double unchanged(double number) {
  return number;
}

}  // namespace

void add_product_benchmarks() {
  add({"sgemm", "GFLOP/s", 15, product<float>, gflops<float>});
  add({"sgemm_relative_to_openblas", "x", 15, relative<float>, unchanged});
  add({"dgemm", "GFLOP/s", 15, product<double>, gflops<double>});
  add({"dgemm_relative_to_openblas", "x", 15, relative<double>, unchanged});
}

}  // namespace bench
