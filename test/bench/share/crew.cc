// SPDX-License-Identifier: Apache-2.0
#include "crew.h"

#include <stdexcept>

namespace bench {

using namespace conclave::test;

Crew::Crew(unsigned count, const std::string& role, const std::vector<std::string>& arguments,
           const Setting& setting) {
  for (unsigned i = 0; i < count; ++i)
    workers_.push_back(std::make_unique<WorkerProcess>(role, arguments, setting.environment));
  for (const auto& worker : workers_) worker->receive();
}

void Crew::go(const std::string& line) {
  for (const auto& worker : workers_) worker->send(line);
}

Crew::Sample Crew::sample() const {
  Sample sample = {static_cast<double>(now_ns()) * 1e-9, {}, 0};
  for (const auto& worker : workers_) sample.progress.push_back(worker->page().progress);
  for (const auto& worker : workers_) sample.cpu_seconds += worker->cpu_seconds();
  return sample;
}

void Crew::stop() {
  for (const auto& worker : workers_) worker->page().stop = 1;
  for (const auto& worker : workers_)
    if (const int status = worker->wait(120); status != 0)
      throw std::runtime_error("a worker ended with status " + std::to_string(status));
}

double work(const Crew::Sample& begin, const Crew::Sample& end) {
  double sum = 0;
  for (size_t i = 0; i < begin.progress.size(); ++i) sum += end.progress[i] - begin.progress[i];
  return sum;
}

double fairness(const Crew::Sample& begin, const Crew::Sample& end) {
  double sum = 0, squares = 0;
  for (size_t i = 0; i < begin.progress.size(); ++i) {
    const double done = end.progress[i] - begin.progress[i];
    sum += done;
    squares += done * done;
  }
  return squares > 0 ? sum * sum / (static_cast<double>(begin.progress.size()) * squares) : 0;
}

}  // namespace bench
