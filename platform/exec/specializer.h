// SPDX-License-Identifier: Apache-2.0
// Builds code in the background for the local sizes and image formats with which a kernel is often
// launched.
//
//   an earlier process has told of the code          -> load it before the first launch
//   launches of one kind have taken 2 ms in all      -> look for its code in the disk cache
//   they have taken specialize-after-ms              -> have the code compiled
//   the code is loaded                               -> one atomic store; later work-groups run it
//
// A launch waits at most for code that the cache has. The source is the bitcode in the program's
// binary, so it works for programs from binaries too. A thread does it that exists while there is work to do. The
// compiler, a separate process, lets everybody else go first. Whatever goes wrong, the kernel keeps
// its general code.
#ifndef CONCLAVE_PLATFORM_EXEC_SPECIALIZER_H_
#define CONCLAVE_PLATFORM_EXEC_SPECIALIZER_H_

#include <memory>

#include "platform/model/kernel.h"
#include "platform/model/launch_kinds.h"

namespace conclave::specializer {

// What has to be watched of a kernel; null if nothing can be gained or the configuration forbids
// it.
std::unique_ptr<LaunchKinds> watch(const ProgramBinary& binary, const KernelInfo& info);

// Serves a kind of launches of `code` that is due before its first launch, in this call.
// `coming_ns`: what this launch is expected to take on one compute unit; 0: unknown.
void see_to_first(const std::shared_ptr<const KernelCode>& code, LaunchKindUse& use,
                  uint64_t coming_ns) noexcept;

// Serves one that is due after some launches: in the background, with specialize=now in this call.
void see_to(const std::shared_ptr<const KernelCode>& code, LaunchKindUse& use) noexcept;

}  // namespace conclave::specializer

#endif  // CONCLAVE_PLATFORM_EXEC_SPECIALIZER_H_
