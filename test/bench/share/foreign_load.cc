// SPDX-License-Identifier: Apache-2.0
#include "foreign_load.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "test/common/worker_process.h"

namespace bench {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// The CPUs that this process may use: their number, and the seconds that they were not idle.
struct CpuTime {
  unsigned count = 0;
  double busy = 0;
};

CpuTime cpu_time() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  sched_getaffinity(0, sizeof cpus, &cpus);
  const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  CpuTime all;
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
    std::istringstream words(line);
    std::string name;
    double user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, softirq = 0, steal = 0;
    words >> name >> user >> nice >> system >> idle >> wait >> irq >> softirq >> steal;
    if (name == "cpu" || !CPU_ISSET(std::atoi(name.c_str() + 3), &cpus)) continue;
    ++all.count;
    all.busy += (user + nice + system + irq + softirq + steal) * tick;
  }
  return all;
}

}  // namespace

ForeignLoad::Times ForeignLoad::read() {
  const CpuTime cpus = cpu_time();
  Times times = {static_cast<double>(conclave::test::now_ns()) * 1e-9 * cpus.count, cpus.busy, 0};
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage = {};
    getrusage(who, &usage);
    times.own += seconds(usage.ru_utime) + seconds(usage.ru_stime);
  }
  return times;
}

ForeignLoad::ForeignLoad() : begin_(read()) {}

double ForeignLoad::share() const {
  const Times end = read();
  const double foreign = (end.busy - begin_.busy) - (end.own - begin_.own);
  const double wall = end.wall - begin_.wall;
  return wall > 0 ? std::max(0.0, foreign / wall) : 0;
}

}  // namespace bench
