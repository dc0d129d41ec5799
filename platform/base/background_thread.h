// SPDX-License-Identifier: Apache-2.0
// Threads of the platform's own that live as long as the process.
#ifndef CONCLAVE_PLATFORM_BASE_BACKGROUND_THREAD_H_
#define CONCLAVE_PLATFORM_BASE_BACKGROUND_THREAD_H_

namespace conclave {

// Starts a thread that runs `main(argument)` with a small stack and takes none of the host's
// signals. Throws Error{CL_OUT_OF_RESOURCES}.
void start_background_thread(const char* name, void* (*main)(void*), void* argument);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_BACKGROUND_THREAD_H_
