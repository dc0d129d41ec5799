// SPDX-License-Identifier: Apache-2.0
#include "platform/base/background_thread.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

#include <string>

#include "platform/base/error.h"

namespace conclave {

void start_background_thread(const char* name, void* (*main)(void*), void* argument) {
  constexpr size_t kStackBytes = 256 << 10;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const int failed = pthread_create(&thread, &attributes, main, argument);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (failed)
    throw Error(CL_OUT_OF_RESOURCES,
                std::string("cannot start thread ") + name + ": " + strerror(failed));
  pthread_setname_np(thread, name);
}

}  // namespace conclave
