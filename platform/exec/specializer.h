// SPDX-License-Identifier: Apache-2.0
// Code for the local sizes and the formats of images that a kernel is often launched with, made in
// the background.
//
//   launches of one kind have taken 2 ms in all      -> is its code in the disk cache?
//   they have taken specialize-after-ms              -> have it compiled
//   the code is loaded                               -> one atomic store; later work-groups run it
//
// No launch waits for any of that. The source is the bitcode in the program's binary, so that a
// program from a binary is no exception. A thread does it that is there while there is work to do;
// the compiler, a process of its own, lets everybody else go first. Whatever goes wrong, the
// kernel's general code stays.
#ifndef CONCLAVE_PLATFORM_EXEC_SPECIALIZER_H_
#define CONCLAVE_PLATFORM_EXEC_SPECIALIZER_H_

#include <memory>

#include "platform/model/kernel.h"
#include "platform/model/launch_kinds.h"

namespace conclave::specializer {

// What is to be watched of a kernel; null where nothing is to be gained or the configuration says
// no.
std::unique_ptr<LaunchKinds> watch(const ProgramImage& image, const KernelInfo& info);

// Sees to a kind of launches of `code` that is due: here and now before its first launch, with
// specialize=now, otherwise in the background.
void see_to(const std::shared_ptr<const KernelCode>& code, LaunchKindUse& use) noexcept;

}  // namespace conclave::specializer

#endif  // CONCLAVE_PLATFORM_EXEC_SPECIALIZER_H_
