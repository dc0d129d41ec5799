// SPDX-License-Identifier: Apache-2.0
// Makes the forms of kernels' code that compete (model/form_contest.h), and keeps in the disk cache
// which of them won.
//
//   before the first launch                        -> if the cache has a choice other than the
//                                                     compiler's, it counts
//   the kernel's launches have taken 5 ms, or the  -> what the cache has of the forms competes; the
//   first one is expected to take 50                  forms that it lacks are left to later processes
//   they have taken specialize-after-ms            -> the compiler makes the other forms, which are left
//                                                     to later processes as well; trials
//   something is known                             -> the cache keeps it; where a form of other lanes
//                                                     has won, later processes get what is beside it
//
// The compiler gets nearly no CPU time for that beside others, since its work may be useless.
#ifndef CONCLAVE_PLATFORM_EXEC_FORM_MAKER_H_
#define CONCLAVE_PLATFORM_EXEC_FORM_MAKER_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conclave/compile_protocol.h"
#include "platform/model/kernel.h"
#include "platform/model/launch_kinds.h"

namespace conclave::forms {

// Whether the kernel may have several forms: its results do not depend on them, and neither the
// user nor the source has fixed the number of lanes.
bool may_compete(const ProgramBinary& binary, const KernelInfo& info);

// Whether earlier processes found that another form is faster than the usual one, for launches of some
// size. Empty: they have not found out.
std::optional<bool> is_another_faster(const KernelCode& code, const LaunchKindUse& use);

// The other forms.
std::vector<protocol::Request> requests_for(const KernelCode& code, const LaunchKindUse& use);

// Lets launches of this kind run in the form that an earlier process found to be the fastest, or
// compares the forms if none has. Returns whether the cache has the code of those that have won, or of
// all if none has.
bool find(const std::shared_ptr<const KernelCode>& code, LaunchKindUse& use);

// Has the other forms made, in the background unless try-forms=now, and then compares them. The
// kernel may go away meanwhile.
void make(const std::shared_ptr<const KernelCode>& code, LaunchKindUse& use);

// Writes down, in the background, which forms have won.
void keep_choices(const std::shared_ptr<const KernelCode>& code, LaunchKindUse& use) noexcept;

// One line per choice that the cache has for the kernel: for logs of builds.
std::string remarks(const KernelCode& code);

}  // namespace conclave::forms

#endif  // CONCLAVE_PLATFORM_EXEC_FORM_MAKER_H_
