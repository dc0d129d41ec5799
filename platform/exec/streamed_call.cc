// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/streamed_call.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "CL/cl_ext_conclave.h"
#include "platform/base/clock.h"
#include "platform/base/futex.h"
#include "platform/loader/kernel_calls.h"
#include "platform/share/stream_bell.h"

namespace conclave {
namespace {

// What C code may need of a stack, and what the functions below a kernel need besides its private
// memory.
constexpr size_t kLeastStackBytes = 9u << 20;
constexpr size_t kOtherStackBytes = 1u << 20;

// How long a kernel watches whether the other end moves something before it gives up its compute
// unit: about what giving it up costs.
constexpr uint64_t kSpinNs = 10'000;

// How long it runs before others may have the compute unit although something can be moved.
constexpr uint64_t kTurnNs = 1'000'000;

}  // namespace

// Waits until no other kernel has one of the call's streams.
class StreamedCall::AllEnds : public Waiting {
 public:
  explicit AllEnds(StreamedCall& call) : call_(call) {}
  void begin_wait() override {}
  bool is_over() override { return call_.is_cancelled() || call_.attach(); }
  bool polls() const override { return true; }

 private:
  StreamedCall& call_;
};

// Waits until that many bytes can be moved.
class StreamedCall::Movement : public Waiting {
 public:
  Movement(StreamedCall& call, share::StreamEnd& end, uint64_t bytes)
      : call_(call), end_(end), bytes_(bytes) {}
  void begin_wait() override { end_.begin_wait(); }
  bool is_over() override {
    return call_.is_cancelled() || end_.look(bytes_) != share::StreamEnd::Finding::kHasToWait;
  }

 private:
  StreamedCall& call_;
  share::StreamEnd& end_;
  const uint64_t bytes_;
};

// Waits for nothing: others may have the compute unit in between.
class StreamedCall::Pause : public Waiting {
 public:
  void begin_wait() override {}
  bool is_over() override { return true; }
};

StreamedCall::StreamedCall(const std::vector<StreamPort>& ports, size_t local_bytes,
                           size_t spill_bytes, size_t private_bytes, uint32_t unit_number)
    : fiber_(std::max(kLeastStackBytes, private_bytes + kOtherStackBytes)),
      access_(services_.access(unit_number)) {
  share::Membership& here = share::Share::get().membership();
  for (const StreamPort& port : ports) ends_.emplace_back(*this, here, port);
  std::byte* block = local_.at_least(abi::kBlockAlignment + local_bytes);
  workspace_.local_memory = block + abi::kBlockAlignment;
  workspace_.spill = spill_.at_least(spill_bytes);
  *reinterpret_cast<abi::UnitAccess*>(block + abi::kBlockAlignment - abi::kUnitAccessBytes) =
      access_;
  *reinterpret_cast<abi::AddressRanges*>(block) =
      abi::address_ranges(workspace_, local_bytes, spill_bytes, nullptr);
}

StreamedCall::~StreamedCall() {
  finish();
}

abi::Stream* StreamedCall::argument(size_t i) {
  return &std::next(ends_.begin(), static_cast<ptrdiff_t>(i))->end.view();
}

void StreamedCall::start(std::function<void()> body) {
  body_ = std::move(body);
  started_ = true;
  fiber_.start(run_body, this);
}

void StreamedCall::run_body(void* self) {
  auto* call = static_cast<StreamedCall*>(self);
  if (!call->attach()) {
    AllEnds all(*call);
    call->wait_until(all);
  }
  call->body_();
}

bool StreamedCall::run() {
  waiting_ = nullptr;
  resumed_ns_ = now_ns();
  return fiber_.resume();
}

void StreamedCall::finish() {
  for (End& end : ends_) end.end.detach();
  started_ = false;
}

void StreamedCall::renew() {
  cancelled_.store(Cancel::kNot);
}

void StreamedCall::cancel(Cancel how) {
  cancelled_.store(std::max(cancelled_.load(), how));
  const share::Membership& here = share::Share::get().membership();
  share::StreamBells(here.segment.layout()).ring(here.self);
}

// Attaches all ends or none: two kernels that each had one of two common streams would wait for
// ever.
bool StreamedCall::attach() {
  if (std::all_of(ends_.begin(), ends_.end(), [](End& end) { return end.end.attach(); }))
    return true;
  for (End& end : ends_) end.end.detach();
  return false;
}

uint64_t StreamedCall::fill(uint64_t stream) {
  return reinterpret_cast<End*>(stream)->end.fill();
}

uint64_t StreamedCall::wait(uint64_t stream, uint64_t bytes) {
  auto* end = reinterpret_cast<End*>(stream);
  if (!end->call.wait_for(end->end, bytes)) kernel_calls::leave(CL_ERROR_STREAM_BROKEN_CONCLAVE, 0);
  return 1;
}

bool StreamedCall::wait_for(share::StreamEnd& end, uint64_t bytes) {
  using Finding = share::StreamEnd::Finding;
  Finding finding = end.look(bytes);
  if (finding == Finding::kCanMove) {
    pause_if_due();
    return true;
  }
  if (finding == Finding::kHasToWait) {
    // Others may wait for what this kernel has done on its other streams.
    for (End& other : ends_) other.end.look(0);
    for (const uint64_t until = now_ns() + kSpinNs;
         finding == Finding::kHasToWait && now_ns() < until; finding = end.look(bytes))
      spin_pause();
  }
  while (finding == Finding::kHasToWait) {
    Movement movement(*this, end, bytes);
    wait_until(movement);
    finding = end.look(bytes);
  }
  if (finding == Finding::kCanMove) return true;
  defect_ = "stream '" + end.name() + "': " + end.defect();
  return false;
}

void StreamedCall::pause_if_due() {
  if (now_ns() - resumed_ns_ < kTurnNs) return;
  Pause pause;
  suspend(pause, Cancel::kAnywhere);
}

void StreamedCall::wait_until(Waiting& waiting) {
  suspend(waiting, Cancel::kWhereItWaits);
}

// Leaves the body, before or after the wait, if it has been cancelled to that degree.
void StreamedCall::suspend(Waiting& waiting, Cancel least) {
  leave_if(least);
  waiting_ = &waiting;
  fiber_.suspend();
  leave_if(least);
}

void StreamedCall::leave_if(Cancel least) {
  if (cancelled_.load() < least) return;
  defect_ = "its graph has ended, failed or been closed";
  kernel_calls::leave(CL_ERROR_STREAM_BROKEN_CONCLAVE, 0);
}

}  // namespace conclave
