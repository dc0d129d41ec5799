// SPDX-License-Identifier: Apache-2.0
// Threads of the platform. They take none of the host's signals, and end by themselves or with the
// process.
#ifndef CONCLAVE_PLATFORM_BASE_BACKGROUND_THREAD_H_
#define CONCLAVE_PLATFORM_BASE_BACKGROUND_THREAD_H_

#include <cstddef>

namespace conclave {

struct ThreadOptions {
  size_t stack_bytes = 256 << 10;  // 0: the system's default
  size_t guard_bytes = 0;          // below the stack; 0: the system's default
  int cpu = -1;                    // that it is bound to; -1: any
  bool runs_kernels = false;       // it takes the signals of faults
};

// Starts a thread that calls `body(argument)`. `name`: at most 15 characters. Allocates none of the
// host's memory, so a thread may be had even if there is none. Throws Error{CL_OUT_OF_RESOURCES}.
void start_background_thread(const char* name, void* (*body)(void*), void* argument,
                             const ThreadOptions& options);

// The same for a member function, which throws nothing, of an object that outlives the thread.
template <auto kBody, class T>
void start_background_thread(const char* name, T* object, const ThreadOptions& options = {}) {
  constexpr auto kCall = [](void* self) -> void* {
    (static_cast<T*>(self)->*kBody)();
    return nullptr;
  };
  start_background_thread(name, kCall, object, options);
}

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_BACKGROUND_THREAD_H_
