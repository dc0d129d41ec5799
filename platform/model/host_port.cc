// SPDX-License-Identifier: Apache-2.0
#include "platform/model/host_port.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "platform/base/error.h"
#include "platform/exec/engine.h"
#include "platform/exec/stream_watch.h"
#include "platform/model/stream_ports.h"
#include "platform/share/share.h"
#include "platform/share/stream_bell.h"

namespace conclave {
namespace {

using Finding = share::StreamEnd::Finding;

// How much is moved before other waiters of the stream watch's thread get their turn.
constexpr size_t kTurnBytes = 1 << 20;

constexpr const char* kClosed = "the array has been closed";

}  // namespace

HostPort::HostPort(std::shared_ptr<const Xclbin> xclbin, size_t stream)
    : xclbin_(std::move(xclbin)),
      stream_(stream),
      name_(xclbin_->layout().streams[stream].host_port()),
      side_(xclbin_->layout().streams[stream].is_from_host() ? Side::kWrite : Side::kRead) {}

HostPort::~HostPort() {
  // A forked child has copies of what its parent still uses.
  if (Engine::lost_in_fork()) (void)end_.release();
}

std::shared_ptr<HostPort::Transfer> HostPort::start(Ref<Memory> memory, size_t size,
                                                    size_t offset) {
  std::byte* data = memory->data() + offset;
  const auto transfer = std::make_shared<Transfer>(Transfer{std::move(memory), data, size, 0, {}});
  const std::lock_guard lock(mutex_);
  if (closed_.load()) throw Error(CL_INVALID_VALUE, kClosed, ENODEV);
  if (!end_) take_end();
  queue_.push_back(transfer);
  last_ = transfer;
  if (queue_.size() == 1) move();
  return transfer;
}

void HostPort::wait(const Transfer& transfer) {
  std::unique_lock lock(mutex_);
  change_.wait(lock, [&] { return transfer.left == 0 || transfer.has_failed(); });
  if (transfer.has_failed())
    throw Error(CL_INVALID_VALUE, "port '" + name_ + "': " + transfer.failure,
                transfer.error_number);
}

void HostPort::wait() {
  std::shared_ptr<const Transfer> last;
  {
    const std::lock_guard lock(mutex_);
    last = last_;
  }
  if (last) wait(*last);
}

void HostPort::close() noexcept {
  if (Engine::lost_in_fork()) return;
  closed_.store(true);
  const share::Membership& here = share::Share::get().membership();
  share::StreamBells(here.segment.layout()).ring(here.self);
  std::unique_lock lock(mutex_);
  change_.wait(lock, [&] { return queue_.empty(); });
}

// --- Under the lock ---

void HostPort::take_end() {
  pin_.open(xclbin_->uuid(), share::XclbinClient::kNoUnit, share::XclbinClient::Mode::kShared);
  try {
    prepare_streams(*xclbin_);
    const auto& stream = xclbin_->layout().streams[stream_];
    end_ = std::make_unique<share::StreamEnd>(share::Share::get().membership(), stream.name,
                                              xclbin_->plan().stream(stream_), stream.bytes, side_);
  } catch (...) {
    pin_.close_all();
    throw;
  }
}

void HostPort::leave_end() noexcept {
  end_.reset();
  pin_.close_all();
  change_.notify_all();
}

// Moves until everything has been moved, or until the stream watch has it.
void HostPort::move() noexcept {
  try {
    for (Step step = advance(); step != Step::kDone; step = advance()) {
      turn_is_over_ = step == Step::kTurnIsOver;
      if (StreamWatch::get().park(*this, [self = shared_from_this()] { self->go_on(); })) return;
    }
  } catch (const std::exception& error) {
    fail_all(EIO, error.what());
  }
  leave_end();
}

void HostPort::go_on() noexcept {
  const std::lock_guard lock(mutex_);
  move();
}

HostPort::Step HostPort::advance() {
  size_t moved = 0;
  while (!queue_.empty()) {
    if (closed_.load()) {
      fail_all(ENODEV, kClosed);
      break;
    }
    if (!end_->attached() && !end_->attach()) return Step::kHasToWait;
    const Finding finding = end_->look(1);
    if (finding == Finding::kBroken) {
      fail_all(EIO, "stream '" + end_->name() + "': " + end_->defect());
      break;
    }
    if (finding == Finding::kHasToWait) return Step::kHasToWait;
    if (moved >= kTurnBytes) return Step::kTurnIsOver;
    Transfer& transfer = *queue_.front();
    const size_t left = transfer.left;
    copy(transfer);
    moved += left - transfer.left;
    if (transfer.left > 0) continue;
    transfer.memory = {};
    queue_.pop_front();
    change_.notify_all();
  }
  return Step::kDone;
}

// Copies what the stream has room for, or has, at most to the end of its buffer, which is a ring.
void HostPort::copy(Transfer& transfer) {
  abi::Stream& view = end_->view();
  const uint64_t at = view.position & view.mask;
  const uint64_t size =
      std::min({view.limit - view.position, uint64_t{transfer.left}, view.mask + 1 - at});
  std::byte* inside = static_cast<std::byte*>(view.buffer) + at;
  if (side_ == Side::kWrite)
    std::memcpy(inside, transfer.next, size);
  else
    std::memcpy(transfer.next, inside, size);
  view.position += size;
  transfer.next += size;
  transfer.left -= size;
}

void HostPort::fail_all(int error_number, const std::string& why) {
  for (const auto& transfer : queue_) {
    transfer->error_number = error_number;
    transfer->failure = why;
    transfer->memory = {};
  }
  queue_.clear();
}

// --- For the stream watch ---

void HostPort::begin_wait() {
  if (end_->attached()) end_->begin_wait();
}

bool HostPort::is_over() {
  if (turn_is_over_ || closed_.load()) return true;
  if (!end_->attached()) return end_->attach();
  return end_->look(1) != Finding::kHasToWait;
}

// Nobody rings the bell when another process leaves the end, or for waiters that only let others
// have their turn.
bool HostPort::polls() const {
  return turn_is_over_ || !end_->attached();
}

}  // namespace conclave
