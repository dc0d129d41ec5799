// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/specializer.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "platform/base/config.h"
#include "platform/base/error.h"
#include "platform/base/log.h"
#include "platform/exec/background_jobs.h"
#include "platform/exec/form_maker.h"
#include "platform/exec/later_processes.h"
#include "platform/exec/special_builds.h"
#include "platform/loader/compiler_client.h"

namespace conclave::specializer {
namespace {

// When to look into the cache: early, since code from there costs next to nothing, but not for
// programs that compute hardly anything.
constexpr uint64_t kLookAfterNs = 2'000'000;
// When to look for other forms of the code. To load them takes a millisecond of CPU time.
constexpr uint64_t kFormsAfterNs = 5'000'000;
// A first launch that is expected to take so long has them at once: there may be no other one.
constexpr uint64_t kLongLaunchNs = 10 * kFormsAfterNs;

// Whether the first launch of a kind waits for its code.
bool is_awaited() {
  return Config::get().specialize == Config::Specialize::kNow;
}

uint64_t compile_after_ns() {
  return uint64_t{Config::get().specialize_after_ms} * 1'000'000;
}

// When to serve a kind of launches for the first time.
uint64_t first_due_ns() {
  if (is_awaited()) return 0;
  return std::max<uint64_t>(std::min(compile_after_ns(), kLookAfterNs), 1);
}

uint64_t forms_after_ns() {
  return std::min(compile_after_ns(), kFormsAfterNs);
}

// How far one attempt to serve a kind of launches goes.
enum class Effort {
  kFirstLook,  // on the thread that launches: only what is in the cache
  kLook,       // the same in the background
  kCompile,    // what is missing is made; it is left to later processes besides, as it is by kLook
};

// Gives a kind of launches code of its own. Returns whether there is nothing more to do for it now:
// a later look may find more. The kernel may go away while the compiler works.
bool specialize(const std::weak_ptr<const KernelCode>& kernel, LaunchKindUse& use, Effort effort) {
  std::shared_ptr<const KernelCode> code = kernel.lock();
  if (!code) return false;
  protocol::Request request = special_builds::request_for(*code, use.kind());
  if (!is_awaited())
    request.urgency =
        code->info->reduced ? protocol::Urgency::kSoon : protocol::Urgency::kBackground;
  if (!code->launch_kinds->take_place()) return false;
  // The code should come even if this process ends meanwhile.
  if (effort == Effort::kCompile && !is_awaited()) later_processes::leave({request}, *code, use);
  code.reset();
  const std::optional<protocol::Response> response =
      effort == Effort::kCompile ? compile(request) : find_compiled(request);
  code = kernel.lock();
  if (!code) return false;
  if (!response) {
    code->launch_kinds->give_place_back();
    if (effort == Effort::kLook) {
      std::vector<protocol::Request> wanted{request};
      if (code->launch_kinds->hopes().forms && use.spent_ns() >= forms_after_ns())
        for (protocol::Request& form : forms::requests_for(*code, use))
          wanted.push_back(std::move(form));
      later_processes::leave(wanted, *code, use);
    }
    use.set_due(effort == Effort::kFirstLook ? first_due_ns() : compile_after_ns());
    return false;
  }
  const std::string description = special_builds::describe(*code, use.kind());
  try {
    if (response->status != protocol::Status::kSuccess) throw Error(CL_SUCCESS, response->log);
    use.publish(special_builds::load(*code, use.kind(), response->binary));
    log::debug(description + ": runs specialised code from " +
               (effort == Effort::kFirstLook ? "its first launch on" : "now on"));
  } catch (const Error& error) {
    log::info(description + ": keeps its general code: " + error.text());
    return false;
  }
  if (effort != Effort::kFirstLook && !is_awaited()) later_processes::tell_of_code(*code, use);
  return true;
}

// Other forms matter where the cache knows that one is faster, and after a while, if it does not know
// that none is. `coming_ns`: what the next launch is expected to take; 0: unknown.
void look_for_forms(const std::shared_ptr<const KernelCode>& code, LaunchKindUse& use,
                    Effort effort, uint64_t coming_ns) {
  if (effort != Effort::kCompile) {
    const std::optional<bool> is_another_faster = forms::is_another_faster(*code, use);
    if (is_another_faster == false) return use.set_due(compile_after_ns());
    if (!is_another_faster && use.spent_ns() < forms_after_ns() && coming_ns < kLongLaunchNs)
      return use.set_due(forms_after_ns());
  }
  if (forms::find(code, use)) return;
  // Even if this process ends meanwhile, the next one that needs them should have them.
  if (effort != Effort::kFirstLook && !is_awaited())
    later_processes::leave(forms::requests_for(*code, use), *code, use);
  if (effort == Effort::kCompile) return forms::make(code, use);
  use.set_due(effort == Effort::kFirstLook ? forms_after_ns() : compile_after_ns());
}

// Looks at a kind once: its own code comes first, then other forms of it.
void run(const std::weak_ptr<const KernelCode>& kernel, LaunchKindUse& use, Effort effort,
         uint64_t coming_ns) {
  std::shared_ptr<const KernelCode> code = kernel.lock();
  if (!code) return;
  const LaunchKinds::Hopes hopes = code->launch_kinds->hopes();
  if (hopes.specialized && !use.code()) {
    code.reset();
    if (!specialize(kernel, use, effort)) return;
    code = kernel.lock();
  }
  if (code && hopes.forms) look_for_forms(code, use, effort, coming_ns);
}

// If the code cannot be had, for lack of memory for example, the kernel does without it.
void try_run(const std::weak_ptr<const KernelCode>& kernel, LaunchKindUse& use, Effort effort,
             uint64_t coming_ns = 0) noexcept {
  try {
    run(kernel, use, effort, coming_ns);
  } catch (const std::exception& error) {
    log::error(error.what());
  }
}

BackgroundJobs jobs("conclave-spec");

bool has_compiler() {
  static const bool available = [] {
    const bool found = compiler_available();
    if (!found) log::info("no compiler is installed: kernels are not specialised");
    return found;
  }();
  return available;
}

}  // namespace

std::unique_ptr<LaunchKinds> watch(const ProgramBinary& binary, const KernelInfo& info) {
  if (Config::get().specialize == Config::Specialize::kOff || !has_compiler()) return nullptr;
  // Variables of C code exist once; specialised code would have its own.
  if (info.calls_native) return nullptr;
  if (binary.options().find("-cl-opt-disable") != std::string::npos) return nullptr;
  // Required sizes are compiled at once, unless smaller groups are possible.
  const bool has_size = info.required_local_size[0] && info.uniform_work_groups;
  LaunchKinds::Hopes hopes{};
  hopes.by_size = !info.joins_groups && !has_size;
  hopes.by_format = std::any_of(
      info.arguments.begin(), info.arguments.end(),
      [](const ArgumentInfo& argument) { return argument.kind == ArgumentKind::kImage; });
  hopes.specialized = hopes.by_size || hopes.by_format || info.reduced;
  hopes.forms = forms::may_compete(binary, info);
  if (!hopes.specialized && !hopes.forms) return nullptr;
  return std::make_unique<LaunchKinds>(hopes, first_due_ns());
}

void see_to_first(const std::shared_ptr<const KernelCode>& code, LaunchKindUse& use,
                  uint64_t coming_ns) noexcept {
  try_run(code, use, is_awaited() ? Effort::kCompile : Effort::kFirstLook, coming_ns);
}

void see_to(const std::shared_ptr<const KernelCode>& code, LaunchKindUse& use) noexcept {
  if (is_awaited()) return try_run(code, use, Effort::kCompile);
  const Effort effort = use.spent_ns() < compile_after_ns() ? Effort::kLook : Effort::kCompile;
  try {
    jobs.add([weak = std::weak_ptr(code), kind = &use, effort] { try_run(weak, *kind, effort); });
  } catch (const std::exception& error) {
    log::error(error.what());
  }
}

}  // namespace conclave::specializer
