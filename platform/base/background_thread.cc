// SPDX-License-Identifier: Apache-2.0
#include "platform/base/background_thread.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include <string>

#include "platform/base/error.h"
#include "platform/base/process_fence.h"

namespace conclave {
namespace {

class Attributes {
 public:
  explicit Attributes(const ThreadOptions& options) {
    pthread_attr_init(&attributes_);
    if (options.stack_bytes) pthread_attr_setstacksize(&attributes_, options.stack_bytes);
    if (options.guard_bytes) pthread_attr_setguardsize(&attributes_, options.guard_bytes);
    if (options.cpu < 0) return;
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(options.cpu, &cpus);
    pthread_attr_setaffinity_np(&attributes_, sizeof cpus, &cpus);
  }
  ~Attributes() { pthread_attr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;

  const pthread_attr_t* get() const { return &attributes_; }

 private:
  pthread_attr_t attributes_;
};

}  // namespace

void start_background_thread(const char* name, void* (*body)(void*), void* argument,
                             const ThreadOptions& options) {
  register_process_fence_at_once();
  const Attributes attributes(options);
  sigset_t all, before;
  sigfillset(&all);
  if (options.runs_kernels)
    for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&all, fault);
  // A new thread blocks what its creator blocks.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const int failed = pthread_create(&thread, attributes.get(), body, argument);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failed)
    throw Error(CL_OUT_OF_RESOURCES,
                std::string("cannot start thread ") + name + ": " + strerror(failed));
  // Detached last: a detached thread that has ended has no name that could be set.
  pthread_setname_np(thread, name);
  pthread_detach(thread);
}

}  // namespace conclave
