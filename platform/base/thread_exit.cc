// SPDX-License-Identifier: Apache-2.0
#include "platform/base/thread_exit.h"

#include <pthread.h>

namespace conclave {
namespace {

void run_all(void* first) {
  for (auto* exit = static_cast<ThreadExit*>(first); exit;) {
    ThreadExit* next = exit->next;  // an action may free this, or be registered again
    exit->run();
    exit = next;
  }
}

struct Key {
  pthread_key_t key = 0;
  const bool exists = pthread_key_create(&key, run_all) == 0;
};

}  // namespace

bool at_thread_exit(ThreadExit& exit) noexcept {
  static const Key list = {};
  if (!list.exists) return false;
  exit.next = static_cast<ThreadExit*>(pthread_getspecific(list.key));
  return pthread_setspecific(list.key, &exit) == 0;
}

}  // namespace conclave
