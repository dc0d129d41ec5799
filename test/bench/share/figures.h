// SPDX-License-Identifier: Apache-2.0
// The figures of conclave_share_bench. Each starts processes of its own; this process never uses
// OpenCL, only watches.
#ifndef CONCLAVE_TEST_BENCH_SHARE_FIGURES_H_
#define CONCLAVE_TEST_BENCH_SHARE_FIGURES_H_

#include <functional>
#include <string>
#include <vector>

namespace bench {

// What is measured on, and how thoroughly.
struct Setting {
  bool quick = false;  // --quick: only shows that everything works
  int kills = 100;     // --kills=N
  // NAME=value, for the environment of every process measured.
  std::vector<std::string> environment;

  std::string platform;
  bool ours = false;        // whether the platform is Conclave
  unsigned cpus = 1;        // that run work-groups at the same time
  double step_seconds = 0;  // of the spin kernel on an idle machine

  // Steps after which a work-group has computed for so long.
  unsigned steps(double seconds) const { return static_cast<unsigned>(seconds / step_seconds); }
};

// Fills in what the machine and the implementation are.
void examine(Setting& setting);

struct Row {
  std::string name;
  std::string unit;  // "us", "ns", "lost": the less the better; others: the more the better
  double value;
};

struct Figure {
  std::string name;
  std::string meaning;  // one line, for --list
  bool ours_only;       // needs Conclave's settings
  std::function<std::vector<Row>(const Setting&)> measure;
};

std::vector<Figure> equal_process_figures();
std::vector<Figure> short_launch_figures();
Figure alternation_figure();
Figure arbitration_figure();
Figure kill_figure();
Figure xclbin_figure();
Figure graph_figure();
Figure idle_figure();

}  // namespace bench

#endif  // CONCLAVE_TEST_BENCH_SHARE_FIGURES_H_
