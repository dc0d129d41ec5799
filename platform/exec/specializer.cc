// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/specializer.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "platform/base/background_thread.h"
#include "platform/base/config.h"
#include "platform/base/error.h"
#include "platform/base/log.h"
#include "platform/loader/compiler_client.h"

namespace conclave::specializer {
namespace {

// When to look into the cache: early, since code from there costs next to nothing, but not for
// programs that compute hardly anything.
constexpr uint64_t kLookAfterNs = 2'000'000;

uint64_t compile_after_ns() {
  return uint64_t{Config::get().specialize_after_ms} * 1'000'000;
}

std::string size_text(const std::array<size_t, 3>& size) {
  return std::to_string(size[0]) + "," + std::to_string(size[1]) + "," + std::to_string(size[2]);
}

// The formats up to the last one that is known.
std::string formats_text(const LaunchKind& kind) {
  std::string text, separator;
  size_t known = 0;
  for (uint8_t format : kind.image_formats) {
    text += separator;
    if (format == 0) {
      text += "any";
    } else {
      const ImageFormat& image = kImageFormats[format - 1];
      text += std::to_string(image.order) + "/" + std::to_string(image.data_type);
      known = text.size();
    }
    separator = ",";
  }
  return text.substr(0, known);
}

std::string describe(const KernelCode& code, const LaunchKindUse& use) {
  const LaunchKind kind = use.kind();
  std::string text = "kernel '" + code.info->name + "'";
  if (kind.has_size()) text += ", local size " + size_text(kind.local_size);
  const std::string formats = formats_text(kind);
  return formats.empty() ? text : text + ", image formats " + formats;
}

protocol::Request make_request(const KernelCode& code, const LaunchKindUse& use) {
  protocol::Request request;
  request.action = protocol::Action::kRebuild;
  request.background = Config::get().specialize == Config::Specialize::kBackground;
  request.options = code.binary->options();
  const LaunchKind kind = use.kind();
  if (kind.has_size())
    request.options +=
        " -cl-conclave-local-size=" + code.info->name + ":" + size_text(kind.local_size);
  const std::string formats = formats_text(kind);
  if (!formats.empty())
    request.options += " -cl-conclave-image-formats=" + code.info->name + ":" + formats;
  if (!kind.has_size() && formats.empty())
    request.options += " -cl-conclave-kernel=" + code.info->name;
  request.inputs.push_back(code.binary->bytes());
  return request;
}

// What the specialised code may need beyond the general code. Threads' stacks and the compute
// units' memory have room for that, whatever the launches under way were planned with.
constexpr size_t kMoreStackBytes = 4096, kMoreSpillBytes = 1024;

bool fits(const KernelInfo& special, const KernelInfo& general) {
  return special.name == general.name && special.arguments_bytes == general.arguments_bytes &&
         special.local_bytes <= general.local_bytes &&
         special.spill_bytes <= general.spill_bytes + kMoreSpillBytes &&
         special.private_bytes <= general.private_bytes + kMoreStackBytes;
}

void install(const KernelCode& code, LaunchKindUse& use, std::string bytes) {
  const auto binary = ProgramBinary::parse(std::move(bytes));
  if (binary->kernels().size() != 1 || !fits(binary->kernels()[0], *code.info))
    throw Error(CL_INVALID_BINARY, "the specialised code needs more memory than the general code");
  const auto loaded = LoadedCode::load(*binary);
  const KernelInfo& info = binary->kernels()[0];
  use.publish({loaded, loaded->function(info.symbol), info.spill_bytes, use.kind().has_size()});
  log::debug(describe(code, use) + ": runs specialised code from now on");
}

// Looks at a kind once. The kernel may go away while the compiler works.
void run(const std::weak_ptr<const KernelCode>& kernel, LaunchKindUse& use) {
  std::shared_ptr<const KernelCode> code = kernel.lock();
  if (!code) return;
  const protocol::Request request = make_request(*code, use);
  const bool look_only = request.background && use.spent_ns() < compile_after_ns();
  if (!code->launch_kinds->take_place()) return;
  code.reset();
  const std::optional<protocol::Response> response =
      look_only ? find_compiled(request) : compile(request);
  code = kernel.lock();
  if (!code) return;
  if (!response) {
    code->launch_kinds->give_place_back();
    return use.set_due(compile_after_ns());
  }
  try {
    if (response->status != protocol::Status::kSuccess) throw Error(CL_SUCCESS, response->log);
    install(*code, use, response->binary);
  } catch (const Error& error) {
    log::info(describe(*code, use) + ": keeps its general code: " + error.text());
  }
}

// If the code cannot be had, for lack of memory for example, the kernel does without it.
void try_run(const std::weak_ptr<const KernelCode>& kernel, LaunchKindUse& use) noexcept {
  try {
    run(kernel, use);
  } catch (const std::exception& error) {
    log::error(error.what());
  }
}

// The kinds that are due, and the thread that serves them.
class Background {
 public:
  void add(std::weak_ptr<const KernelCode> code, LaunchKindUse& use) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back({std::move(code), &use});
    if (working_) return;
    try {
      start_background_thread<&Background::work>("conclave-spec", this, {.stack_bytes = 0});
      working_ = true;
    } catch (const std::exception& error) {
      jobs_.clear();  // the machine has other problems
      log::debug(error.what());
    }
  }

 private:
  struct Job {
    std::weak_ptr<const KernelCode> code;  // owns `use`
    LaunchKindUse* use;
  };

  std::optional<Job> next() {
    const std::lock_guard lock(mutex_);
    if (jobs_.empty()) {
      working_ = false;
      return {};
    }
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    return job;
  }

  void work() {
    while (std::optional<Job> job = next()) try_run(job->code, *job->use);
  }

  std::mutex mutex_;
  std::deque<Job> jobs_;
  bool working_ = false;
};

// The one of this process: a forked child does not have the thread, and its mutex may be locked.
// Never freed: the thread may work while static objects are destroyed.
Background& background() {
  struct Owned {
    pid_t pid = getpid();
    Background background;
  };
  static std::atomic<Owned*> current{nullptr};
  Owned* owned = current.load(std::memory_order_acquire);
  while (!owned || owned->pid != getpid()) {
    auto fresh = std::make_unique<Owned>();
    if (current.compare_exchange_strong(owned, fresh.get())) return fresh.release()->background;
  }
  return owned->background;
}

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
  const Config::Specialize mode = Config::get().specialize;
  if (mode == Config::Specialize::kOff || !has_compiler()) return nullptr;
  // Required sizes are compiled at once, unless smaller groups are possible.
  const bool has_size = info.required_local_size[0] && info.uniform_work_groups;
  const bool by_size = !info.joins_groups && !has_size;
  const bool has_images = std::any_of(
      info.arguments.begin(), info.arguments.end(),
      [](const ArgumentInfo& argument) { return argument.kind == ArgumentKind::kImage; });
  if (!by_size && !has_images && !info.reduced) return nullptr;
  // Variables of C code exist once; specialised code would have its own.
  if (info.calls_native) return nullptr;
  if (binary.options().find("-cl-opt-disable") != std::string::npos) return nullptr;
  const uint64_t first = std::min(compile_after_ns(), kLookAfterNs);
  return std::make_unique<LaunchKinds>(
      by_size, mode == Config::Specialize::kNow ? 0 : std::max<uint64_t>(first, 1));
}

void see_to(const std::shared_ptr<const KernelCode>& code, LaunchKindUse& use) noexcept {
  if (Config::get().specialize == Config::Specialize::kNow) return try_run(code, use);
  try {
    background().add(code, use);
  } catch (const std::exception& error) {
    log::error(error.what());
  }
}

}  // namespace conclave::specializer
