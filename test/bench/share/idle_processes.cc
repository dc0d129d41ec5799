// SPDX-License-Identifier: Apache-2.0
// What processes cost that have used the device and do nothing.
#include "crew.h"
#include "figures.h"

namespace bench {
namespace {

using namespace conclave::test;

std::vector<Row> measure(const Setting& setting) {
  Crew crew(4, "idle", {}, setting);
  // Whatever runs on for a moment after the last kernel is no idle cost.
  sleep_until(now_ns() + 300'000'000);
  const Crew::Sample begin = crew.sample();
  sleep_until(now_ns() + (setting.quick ? 300'000'000 : 2'000'000'000));
  const Crew::Sample end = crew.sample();
  crew.go();
  crew.stop();
  return {{"idle_4_cpu", "us of CPU/s",
           (end.cpu_seconds - begin.cpu_seconds) / (end.seconds - begin.seconds) * 1e6}};
}

}  // namespace

Figure idle_figure() {
  return {"idle", "CPU time of four processes that have used the device and now sleep", false,
          measure};
}

}  // namespace bench
