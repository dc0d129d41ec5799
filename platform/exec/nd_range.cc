// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/nd_range.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "CL/cl_ext_conclave.h"
#include "platform/base/align.h"
#include "platform/base/clock.h"
#include "platform/base/config.h"
#include "platform/base/error.h"
#include "platform/exec/compute_unit.h"
#include "platform/exec/disjoint_arguments.h"
#include "platform/exec/engine.h"
#include "platform/exec/full_groups.h"
#include "platform/exec/openmp_team.h"
#include "platform/exec/print.h"
#include "platform/exec/trace_run.h"
#include "platform/exec/unit_of_thread.h"
#include "platform/model/command_queue.h"
#include "platform/model/context.h"
#include "platform/model/program.h"
#include "platform/share/share.h"

namespace conclave {
namespace {

// printf text is held back until the launch ends, or until there is this much of it.
constexpr size_t kPrintBufferBytes = 64 << 10;

// Reading the clock costs as much as a small launch, so only every 16th of these is timed.
constexpr uint32_t kTimedOneIn = 16;

// Longer launches are always timed: the clock does not matter to them.
constexpr uint64_t kAlwaysTimedNs = 5'000;

// A hundred years, a number with which others can still calculate.
constexpr float kLongestEstimateNs = 3e18F;

// Private memory for which a worker's stack has room, and what the functions below a kernel need of
// a stack of its own.
constexpr size_t kWorkerPrivateBytes = 8 << 20;
constexpr size_t kOtherStackBytes = 8 << 20;

void write_out(std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
  text.clear();
}

[[noreturn, gnu::cold]] void throw_cannot_run(const KernelInfo& kernel) {
  throw Error(CL_OUT_OF_RESOURCES, "kernel '" + kernel.name + "' cannot run: " + kernel.cannot_run);
}

[[noreturn, gnu::cold]] void throw_released(const ArgumentInfo& argument) {
  throw Error(CL_INVALID_KERNEL_ARGS,
              "argument '" + argument.name + "' is a memory object that has been released");
}

}  // namespace

void NdRange::FreeAligned::operator()(std::byte* memory) const {
  std::free(memory);
}

NdRange::NdRange(const Kernel& kernel, std::shared_ptr<const KernelCode> code,
                 const IndexSpace& space, Iterations* iterations,
                 std::shared_ptr<StreamedCall> call)
    : code_(std::move(code)), bound_units_(kernel.bound_units()) {
  if (!code_->info->cannot_run.empty()) throw_cannot_run(*code_->info);
  work_groups_ = 1;
  for (int d = 0; d < 3; ++d) {
    launch_.global_offset[d] = space.offset[d];
    launch_.global_size[d] = space.global[d];
    launch_.local_size[d] = space.local[d];
    launch_.num_groups[d] = space.groups(d);
    work_groups_ *= launch_.num_groups[d];
    items_per_group_ *= space.local[d];
    has_smaller_groups_ |= launch_.num_groups[d] * space.local[d] != space.global[d];
  }
  launch_.work_dim = space.dimensions;
  launch_.print = &print;
  launch_.check = nullptr;
  spill_bytes_ = code_->info->spill_bytes * items_per_group_;

  const std::vector<std::byte>& block = kernel.block();
  if (block.size() > small_block_.size()) {
    size_t rounded = align_up(block.size(), abi::kBlockAlignment);
    large_block_.reset(static_cast<std::byte*>(std::aligned_alloc(abi::kBlockAlignment, rounded)));
    if (!large_block_) throw std::bad_alloc();
  }
  if (!block.empty()) std::memcpy(arguments(), block.data(), block.size());
  place_memory_arguments(kernel);
  // The parameters of further iterations are not known yet.
  launch_.facts = 0;
  if (code_->info->asks_if_disjoint && !iterations && has_disjoint_arguments(kernel, *code_->info))
    launch_.facts |= abi::kIsDisjoint;
  const Context& context = kernel.program().context();
  zeroes_local_memory_ = context.zeroes_local_memory() && local_bytes_ > 0;
  can_be_left_ = context.termination() != nullptr;
  if (iterations || code_->has_streams) [[unlikely]]
    connect(kernel.ports(), iterations, std::move(call));
  if (code_->info->checked) [[unlikely]]
    add_checks(kernel);
  else if (code_->launch_kinds)
    watch_kind(kernel, space);

  static constinit thread_local uint32_t launches = 0;
  estimate_ns_ = estimate_ns();
  if (code_->has_sums && !streaming_) [[unlikely]] {
    sums_ = PrivateSums::make(kernel, *code_->info, Engine::get().compute_units(), work_groups_,
                              estimate_ns_);
    if (sums_) launch_.facts |= abi::kHasPrivateSums;
  }
  timed_ = estimate_ns_ == kUnknown || estimate_ns_ > kAlwaysTimedNs || streaming_ ||
           launches++ % kTimedOneIn == 0;
  if (timed_) kernel_calls::guard_handlers();
}

// Keeps the memory objects for as long as the command needs them. Local arguments follow the
// kernel's own local variables; the code gets their byte offsets.
void NdRange::place_memory_arguments(const Kernel& kernel) {
  CheckedSize bytes = code_->info->local_bytes;
  const auto& arguments = kernel.arguments();
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].memory) {
      Memory* memory = Memory::from(arguments[i].memory);
      if (!memory) throw_released(code_->info->arguments[i]);
      keep_.emplace_back(memory);
    }
    if (!arguments[i].local_bytes) continue;
    bytes = bytes.aligned(abi::kBlockAlignment);
    const uint64_t offset = bytes.saturated();
    std::memcpy(this->arguments() + code_->info->arguments[i].offset, &offset, sizeof offset);
    bytes = bytes + arguments[i].local_bytes;
  }
  local_bytes_ = bytes.value_or(CL_OUT_OF_RESOURCES, "local arguments too large for any memory");
}

// The host may keep memory that it got from the kernel's arguments' objects.
void NdRange::add_checks(const Kernel& kernel) {
  using check::CheckedArgument;
  std::vector<CheckedArgument> arguments;
  for (size_t i = 0; i < kernel.arguments().size(); ++i) {
    const ArgumentInfo& info = code_->info->arguments[i];
    CheckedArgument& argument = arguments.emplace_back();
    argument.name = info.name;
    argument.use = code_->info->check_uses[i];
    if (info.kind == ArgumentKind::kLocal) {
      argument.kind = CheckedArgument::Kind::kLocal;
      argument.size = kernel.arguments()[i].local_bytes;
    }
    if (const void* address = kernel.arguments()[i].address) argument.set_address(address);
    Memory* memory = Memory::from(kernel.arguments()[i].memory);
    if (!memory) continue;
    const bool is_image = info.kind == ArgumentKind::kImage;
    argument.kind = is_image ? CheckedArgument::Kind::kImage : CheckedArgument::Kind::kMemory;
    const auto begin = reinterpret_cast<uint64_t>(memory->data());
    argument.base = begin;
    if (!is_image)
      std::memcpy(&argument.base, this->arguments() + info.offset, sizeof argument.base);
    argument.size = begin + memory->size() - argument.base;
    const Memory& whole = memory->whole();
    argument.object = reinterpret_cast<uint64_t>(whole.data());
    argument.object_size = whole.size();
  }
  launch_.local_bytes = local_bytes_;
  launch_.check = &check_unit;
  launch_.checked = std::make_unique<check::CheckedLaunch>(
      launch_, std::move(arguments),
      check::CheckedLaunch::Granules{code_->info->check_granule, code_->info->check_local_granule,
                                     code_->info->check_races},
      [context = Ref<Context>(&kernel.program().context())](const std::string& text) {
        context->report(text.c_str());
      });
}

abi::CheckUnit* NdRange::check_unit(const abi::Launch* launch) {
  const auto* self = static_cast<const OwnLaunch*>(launch);
  return self->checked->unit(self->local_bytes);
}

// What checks find should be of the first work-items that do wrong.
Dealing::Turn NdRange::deal() {
  const KernelInfo& info = *code_->info;
  return info.keeps_order || info.checked ? Command::deal() : code_->dealing.next();
}

void NdRange::dealt(Dealing::Way way, float ns) {
  code_->dealing.took(way, ns);
}

// Work-groups that are narrower than the kernel's packets fill a packet together, if nothing tells
// them apart. One by one they would be slow, and would go on being dealt out one by one.
uint64_t NdRange::parts_at_least() const {
  const KernelInfo& info = *code_->info;
  const uint64_t row = std::max<uint64_t>(launch_.local_size[info.dimension], 1);
  return info.joins_groups ? (info.lanes + row - 1) / row : 1;
}

// Launches of the same kernel that have run since may have told what this one takes.
uint64_t NdRange::estimate_ns() const {
  if (estimate_ns_ != kUnknown) return estimate_ns_;
  float ns = code_->timing.ns_per_item();
  if (ns == 0) return kUnknown;
  return static_cast<uint64_t>(
      std::min(ns * static_cast<float>(work_groups_ * items_per_group_), kLongestEstimateNs));
}

void NdRange::measured(uint64_t work_groups, uint64_t ns) {
  if (streaming_) return;  // its time depends on others
  if (kind_use_ && timed_) add_use(ns);
  code_->timing.add(std::max(0.001f, static_cast<float>(ns)) /
                    static_cast<float>(work_groups * items_per_group_));
}

void NdRange::limit_time(uint64_t ns) {
  limit_ = std::make_unique<TimeLimit>(ns, std::vector<uint64_t>(Engine::get().compute_units()));
}

bool NdRange::team() const {
  return code_->binary->uses_openmp() && code_->info->calls_native && !code_->info->gang;
}

// The needs of C code are unknown, and a host thread has signals of its own, which must not leave
// code.
size_t NdRange::stack_bytes() const {
  const bool needs_worker = code_->info->calls_native || limit_ || can_be_left_ || streaming_;
  return needs_worker ? SIZE_MAX : code_->info->private_bytes;
}

void NdRange::run(ComputeUnit& cu, uint64_t first, uint64_t count) {
  if (streaming_) [[unlikely]]
    return run_streamed(cu);
  if (kind_use_ && kind_use_->contest()) [[unlikely]]
    return run_in_forms(cu, first, count);
  run_groups(cu, first, count, usual_code());
}

void NdRange::run_groups(ComputeUnit& cu, uint64_t first, uint64_t count,
                         const SpecializedCode* special) {
  CodeCall code_call = prepare(cu, first, count, special);
  Departure departure;
  if (!call_contained(cu, code_call, nullptr, departure)) [[unlikely]]
    throw_error(departure, cu, code_call);
}

void NdRange::connect(const std::vector<StreamPort>& ports, Iterations* iterations,
                      std::shared_ptr<StreamedCall> call) {
  if (work_groups_ != 1 || items_per_group_ != 1)
    throw Error(CL_INVALID_GLOBAL_WORK_SIZE,
                "kernel '" + code_->info->name + "' has streams, and so a single work-item",
                EINVAL);
  const uint32_t unit = bound_units_ ? bound_units_->first_from(0) : 0;
  if (call) call->renew();
  if (!call)
    call = std::make_shared<StreamedCall>(ports, local_bytes_, spill_bytes_,
                                          code_->info->private_bytes, unit);
  streaming_ = std::make_unique<Streaming>(std::move(call), iterations);
  for (size_t i = 0; i < ports.size(); ++i) {
    const abi::Stream* stream = streaming_->call->argument(i);
    std::memcpy(arguments() + code_->info->arguments[ports[i].argument].offset, &stream,
                sizeof stream);
  }
}

void NdRange::run_streamed(ComputeUnit& cu) {
  StreamedCall& streamed = *streaming_->call;
  CodeCall code_call{nullptr, streamed.workspace(), 0, 1, 1};
  if (!streamed.started())
    streamed.start([this, &streamed] {
      if (zeroes_local_memory_) std::memset(streamed.workspace().local_memory, 0, local_bytes_);
      const auto call = [&] {
        code_->function(&launch_, arguments(), &streamed.workspace(), 0, 1);
      };
      Iterations* iterations = streaming_->iterations;
      if (!iterations) return call();
      for (; iterations->begin(arguments(), streamed); streamed.pause_if_due()) {
        call();
        iterations->end();
      }
    });
  kernel_calls::Site site{.launch = calls_, .code = code_->code->code_range()};
  UnitOfThread::set(streamed.access());
  bool& has_ended = streaming_->has_ended;
  Departure departure;
  if (call_in_time(site, cu, [&] { has_ended = streamed.run(); }, departure)) {
    if (has_ended) streamed.finish();
    return;
  }
  has_ended = true;
  streamed.finish();
  if (departure.status == CL_ERROR_STREAM_BROKEN_CONCLAVE)
    throw Error(departure.status, "kernel '" + code_->info->name + "': " + streamed.defect());
  throw_error(departure, cu, code_call);
}

Waiting* NdRange::waiting() {
  return streaming_ && !streaming_->has_ended ? streaming_->call->waiting() : nullptr;
}

bool NdRange::cancel() {
  kernel_calls::leave_launch(calls_, CL_CONTEXT_TERMINATED_KHR);
  if (streaming_) streaming_->call->cancel(StreamedCall::Cancel::kAnywhere);
  return true;
}

void NdRange::run_team(const std::vector<ComputeUnit*>& team) {
  ComputeUnit& cu = *team.front();
  CodeCall code_call = prepare(cu, 0, work_groups_, usual_code());
  const Departure departure = OpenMpTeam::run(code_->code, team, [&](TeamThreads& threads) {
    Departure how;
    call_contained(cu, code_call, &threads, how);
    return how;
  });
  if (departure) throw_error(departure, cu, code_call);
}

// A call that is left cleans up nothing, so everything that may throw is done before.
NdRange::CodeCall NdRange::prepare(ComputeUnit& cu, uint64_t first, uint64_t count,
                                   const SpecializedCode* special) {
  const size_t spill_bytes =
      special ? std::max(spill_bytes_, special->spill_bytes * items_per_group_) : spill_bytes_;
  std::unique_ptr<Fiber> stack;
  if (code_->info->private_bytes > kWorkerPrivateBytes) [[unlikely]]
    stack = std::make_unique<Fiber>(code_->info->private_bytes + kOtherStackBytes);
  const void* stack_end = stack ? nullptr : __builtin_frame_address(0);
  const void* block = sums_ ? sums_->arguments(cu.index(), arguments()) : arguments();
  return {
      special,         cu.workspace(local_bytes_, spill_bytes, stack_end), block, first, count, 0,
      std::move(stack)};
}

// False if the call was left; `departure` then tells how.
bool NdRange::call_contained(ComputeUnit& cu, CodeCall& code_call, TeamThreads* team,
                             Departure& departure) {
  kernel_calls::Site site{.launch = calls_, .code = code_->code->code_range(), .team = team};
  if (code_call.special) site.special_code = &code_call.special->code->code_range();
  UnitOfThread::set(cu.access());
  auto body = [&] { call(code_call); };
  if (!code_call.stack) [[likely]]
    return call_in_time(site, cu, body, departure);
  code_call.stack->start([](void* code) { (*static_cast<decltype(body)*>(code))(); }, &body);
  return call_in_time(site, cu, [&] { code_call.stack->resume(); }, departure);
}

template <class Body>
bool NdRange::call_in_time(kernel_calls::Site& site, ComputeUnit& cu, Body&& body,
                           Departure& departure) {
  if (!limit_) [[likely]]
    return kernel_calls::run(site, body, departure);
  uint64_t& used = limit_->used_ns[cu.index()];
  if (used >= limit_->ns) {
    departure.status = CL_ERROR_KERNEL_TIMEOUT_TI;
    return false;
  }
  site.limit_ns = limit_->ns - used;
  const uint64_t start = now_ns();
  const bool is_complete = kernel_calls::run(site, body, departure);
  used += now_ns() - start;
  return is_complete;
}

void NdRange::call(CodeCall& code_call) {
  const SpecializedCode* special = code_call.special;
  const auto call_once = [&](abi::GroupFunction function, uint64_t begin, uint64_t groups) {
    code_call.end = begin + groups;
    code_call.workspace.groups_left = groups;
    function(&launch_, code_call.arguments, &code_call.workspace, begin, groups);
  };
  const auto call = [&](abi::GroupFunction function, uint64_t begin, uint64_t groups) {
    if (!zeroes_local_memory_) [[likely]]
      return call_once(function, begin, groups);
    for (uint64_t i = 0; i < groups; ++i) {
      std::memset(code_call.workspace.local_memory, 0, local_bytes_);
      call_once(function, begin + i, 1);
    }
  };
  if (!special || !special->has_size || !has_smaller_groups_)
    call(special ? special->function : code_->function, code_call.first, code_call.count);
  else
    split_by_fullness(launch_, code_call.first, code_call.count,
                      [&](uint64_t begin, uint64_t groups, bool full) {
                        call(full ? special->function : code_->function, begin, groups);
                      });
}

void NdRange::throw_error(const Departure& departure, const ComputeUnit& cu,
                          const CodeCall& code_call) {
  const std::string kernel = "kernel '" + code_->info->name + "' ";
  switch (departure.status) {
    case CL_ERROR_KERNEL_ABORT_TI:
      throw Error(departure.status, kernel + "called abort()");
    case CL_ERROR_KERNEL_EXIT_TI:
      throw Error(departure.status,
                  kernel + "called exit(" + std::to_string(departure.exit_code) + ")");
    case CL_ERROR_KERNEL_FAULT_CONCLAVE:
      if (departure.fault.signal) {
        share::Share::get().entry().faults.fetch_add(1, std::memory_order_relaxed);
        if (share::trace::is_on()) trace_fault(cu, code_->info->name.c_str());
      }
      // Without a text if the fault is another work-group's, which reports it.
      throw Error(departure.status,
                  departure.fault.signal
                      ? describe(departure.fault, scene_of(departure.fault, cu, code_call))
                      : "");
    case CL_CONTEXT_TERMINATED_KHR:
      throw Error(departure.status, "");
    case CL_OUT_OF_RESOURCES:
      throw Error(departure.status, kernel + "has a time limit, and no thread is to be had for it");
    default:
      throw Error(departure.status,
                  kernel + "did not end within " + std::to_string(limit_->ns / 1'000'000) + " ms");
  }
}

// What the launch was doing when the fault came.
FaultScene NdRange::scene_of(const KernelFault& fault, const ComputeUnit& cu,
                             const CodeCall& code_call) {
  FaultScene scene;
  scene.kernel = code_->info->name;
  scene.may_be_a_later_group = code_->info->joins_groups;
  const size_t fast = code_->info->joins_groups ? code_->info->dimension : 0;
  uint64_t rest = code_call.end - code_call.workspace.groups_left;
  scene.group.emplace();
  for (const size_t d : {fast, size_t{fast == 0}, size_t{fast == 2 ? 1u : 2u}}) {
    (*scene.group)[d] = rest % launch_.num_groups[d];
    rest /= launch_.num_groups[d];
  }
  if (local_bytes_ || spill_bytes_) {
    const abi::AddressRanges& ranges = cu.address_ranges();
    if (local_bytes_)
      scene.memory.push_back({"local memory", ranges.local_begin, ranges.local_end});
    if (spill_bytes_)
      scene.memory.push_back({"private memory", ranges.spill_begin, ranges.spill_end});
  }
  for (const Ref<Memory>& memory : keep_) {
    const auto begin = reinterpret_cast<uint64_t>(memory->data());
    scene.memory.push_back({memory_name(*memory), begin, begin + memory->size()});
  }
  const bool is_special =
      code_call.special && code_call.special->code->code_range().has(fault.instruction);
  scene.source_line =
      (is_special ? *code_call.special->code : *code_->code).source_line(fault.instruction);
  return scene;
}

// "the buffer of argument 'x'".
std::string NdRange::memory_name(const Memory& memory) {
  const std::string kind = memory.image() ? "the image" : "the buffer";
  for (const ArgumentInfo& argument : code_->info->arguments) {
    if (argument.kind != ArgumentKind::kPointer) continue;
    const std::byte* value = nullptr;
    std::memcpy(&value, arguments() + argument.offset, sizeof value);
    if (value && value >= memory.data() && value < memory.data() + memory.size())
      return kind + " of argument '" + argument.name + "'";
  }
  return kind + " of an argument";
}

void NdRange::finish() {
  if (kind_use_ && !timed_) add_use(estimate_ns_);
  if (sums_) [[unlikely]]
    sums_->add_up();
  if (launch_.printed) write_out(*launch_.printed);
  // Done before anybody can see that the launch has ended: a host that then releases the kernel
  // finds its contexts closed.
  bound_units_.reset();
}

int32_t NdRange::print(const abi::Launch* launch, const char* format,
                       const abi::PrintArgument* descriptors, const void* values) {
  const kernel_calls::Hold hold;
  static std::mutex mutex;
  auto* self = const_cast<OwnLaunch*>(static_cast<const OwnLaunch*>(launch));
  try {
    std::string text = format_print(format, descriptors, values);
    if (Config::get().printf_core_id)
      text.insert(0, "[core " + std::to_string(UnitOfThread::number()) + "] ");
    std::lock_guard lock(mutex);
    if (!self->printed) self->printed = std::make_unique<std::string>();
    *self->printed += text;
    if (self->printed->size() >= kPrintBufferBytes) write_out(*self->printed);
    return 0;
  } catch (const std::bad_alloc&) {
    return -1;
  }
}

namespace {

// TI's limit, the kernel's or the general one, counts in queues that ask for it; the watchdog's
// counts in all.
uint64_t time_limit_ms(const CommandQueue& queue, const Kernel& kernel) {
  const Config& config = Config::get();
  uint64_t limit = 0;
  if (queue.properties() & CL_QUEUE_KERNEL_TIMEOUT_COMPUTE_UNIT_TI)
    limit = kernel.timeout_ms() ? kernel.timeout_ms() : config.kernel_timeout_ms;
  if (config.watchdog_ms && (limit == 0 || config.watchdog_ms < limit)) limit = config.watchdog_ms;
  return limit;
}

}  // namespace

std::unique_ptr<NdRange> make_launch(const CommandQueue& queue, const Kernel& kernel,
                                     std::shared_ptr<const KernelCode> code,
                                     const IndexSpace& space) {
  auto launch = std::make_unique<NdRange>(kernel, std::move(code), space);
  if (const uint64_t limit = time_limit_ms(queue, kernel)) launch->limit_time(limit * 1'000'000);
  return launch;
}

}  // namespace conclave
