// SPDX-License-Identifier: Apache-2.0
// Messages over Unix sockets that may carry a descriptor.
#ifndef CONCLAVE_PLATFORM_BASE_DESCRIPTOR_MESSAGE_H_
#define CONCLAVE_PLATFORM_BASE_DESCRIPTOR_MESSAGE_H_

#include <sys/types.h>

#include <cstddef>

#include "platform/base/descriptor.h"

namespace conclave {

// Sends `size` bytes, with a copy of `attached` unless it is -1. `flags` and result are those of
// sendmsg(2).
ssize_t send_message(int socket, const void* bytes, size_t size, int attached = -1, int flags = 0);

// Receives up to `size` bytes and, where one comes with them, a descriptor. Returns as recvmsg(2).
// Further descriptors are closed.
ssize_t receive_message(int socket, void* bytes, size_t size, Descriptor& attached);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_DESCRIPTOR_MESSAGE_H_
