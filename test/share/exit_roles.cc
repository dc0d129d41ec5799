// SPDX-License-Identifier: Apache-2.0
#include "exit_roles.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>

#include "platform/share/share.h"
#include "test/common/spin_kernel.h"

namespace conclave::test {
namespace {

constexpr uint32_t kGroups = 4, kSteps = 1000;

uint32_t number(const Arguments& arguments, size_t i) {
  return static_cast<uint32_t>(std::stoul(arguments.at(i)));
}

// Kernels that are queued, and checked when all have run.
class Queued {
 public:
  explicit Queued(uint32_t count) : count_(count) {
    for (uint32_t seed = 1; seed <= count; ++seed) kernel_.enqueue({kGroups, kSteps, seed});
    kernel_.queue().flush();
  }
  void finish() {
    kernel_.queue().finish();
    kernel_.check({kGroups, kSteps, count_});
    if (const uint32_t ran = shared_page().progress; ran != count_ * kGroups)
      throw std::runtime_error(std::to_string(ran) + " work-groups ran");
  }

 private:
  // Counted from 0 by each kernel.
  static std::atomic<uint32_t>& fresh_progress() {
    shared_page().progress = 0;
    return shared_page().progress;
  }

  const uint32_t count_;
  SpinKernel kernel_{kGroups, fresh_progress()};
};

// For code that runs after main(): says what is wrong, and ends with status 1.
template <class Body>
void at_exit(Body body) {
  try {
    body();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "at exit: %s\n", error.what());
    _exit(1);
  }
}

struct LateFinish {
  std::unique_ptr<Queued> queued;
  ~LateFinish() {
    if (queued) at_exit([&] { queued->finish(); });
  }
};
LateFinish g_late;

void late_finish(const Arguments& arguments) {
  g_late.queued = std::make_unique<Queued>(number(arguments, 0));
}

void run_some(uint32_t count) {
  Queued(count).finish();
}

void exit_handler(const Arguments& arguments) {
  const bool before = arguments.at(0) == "before";
  const auto handler = [] { at_exit([] { run_some(200); }); };
  if (before) std::atexit(handler);
  run_some(50);
  if (!before) std::atexit(handler);
}

void short_program(const Arguments&) {
  run_some(20);
}

void stay(const Arguments& arguments) {
  run_some(number(arguments, 0));
  tell("ready");
  listen();
}

void stream(const Arguments& arguments) {
  const SpinKernel::Launch launch = {number(arguments, 0), number(arguments, 1), 5};
  SharedPage& page = shared_page();
  SpinKernel kernel(launch.groups, page.progress);
  tell("ready");
  while (page.stop == 0) {
    kernel.run(launch);
    kernel.check(launch);
  }
}

void stop_in_heap_lock(const Arguments&) {
  share::Share& share = share::Share::get();
  share.open_context();
  {
    const share::SegmentLock lock(share.layout().header().heap_lock);
    tell("ready");
    raise(SIGSTOP);
  }
  const auto block = share.heap().allocate_global(1000, share.self());
  share.heap().free(block, share.self());
}

}  // namespace

const std::map<std::string, Role>& exit_roles() {
  static const std::map<std::string, Role> all = {
      {"late-finish", late_finish}, {"exit-handler", exit_handler},
      {"short", short_program},     {"stay", stay},
      {"stream", stream},           {"stop-in-heap-lock", stop_in_heap_lock}};
  return all;
}

}  // namespace conclave::test
