// SPDX-License-Identifier: Apache-2.0
#include <sched.h>

#include "figures.h"
#include "test/common/worker_process.h"

namespace bench {

void examine(Setting& setting) {
  conclave::test::WorkerProcess worker("examine", {}, setting.environment);
  setting.platform = worker.receive();
  setting.ours = setting.platform == "Conclave";
  setting.step_seconds = std::stod(worker.receive());
  worker.wait();
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof cpus, &cpus) == 0)
    setting.cpus = static_cast<unsigned>(CPU_COUNT(&cpus));
}

}  // namespace bench
