// SPDX-License-Identifier: Apache-2.0
// Commands that wait for semaphores and signal them. A wait keeps neither a compute unit nor a
// thread while it lasts.
#ifndef CONCLAVE_PLATFORM_EXEC_SEMAPHORE_COMMANDS_H_
#define CONCLAVE_PLATFORM_EXEC_SEMAPHORE_COMMANDS_H_

#include <memory>
#include <vector>

#include "platform/base/object.h"
#include "platform/exec/command.h"
#include "platform/model/semaphore.h"

namespace conclave {

// Takes the signals of the semaphores, one after the other.
std::unique_ptr<Command> make_semaphore_wait(std::vector<Ref<Semaphore>> semaphores);

std::unique_ptr<Command> make_semaphore_signal(std::vector<Ref<Semaphore>> semaphores);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_SEMAPHORE_COMMANDS_H_
