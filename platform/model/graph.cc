// SPDX-License-Identifier: Apache-2.0
#include "platform/model/graph.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <set>

#include "CL/cl_ext_conclave.h"
#include "platform/base/clock.h"
#include "platform/base/error.h"
#include "platform/base/host_cpus.h"
#include "platform/model/device.h"
#include "platform/share/share.h"
#include "platform/share/stream_bell.h"

namespace conclave {
namespace {

using Cancel = StreamedCall::Cancel;
using Direction = XclbinLayout::Parameter::Direction;

[[noreturn]] void fail(int error_number, const std::string& text) {
  throw Error(CL_INVALID_VALUE, text, error_number);
}

template <class T>
T& at(size_t offset) {
  return *reinterpret_cast<T*>(share::Share::get().layout().graphs + offset);
}

// The time that a graph that ends gives its kernels for data that is on its way to them.
constexpr std::chrono::milliseconds kLastArrivals{20};

// A year; longer times overflow clocks.
constexpr uint64_t kMostMs = uint64_t{366} * 24 * 3600 * 1000;

uint64_t cycles_in_ms(uint64_t cycles) {
  return cycles / (uint64_t{host_cpu_mhz()} * 1000) + 1;
}

}  // namespace

Graph::Graph(std::shared_ptr<const Xclbin> xclbin, size_t number, Context& context,
             Program& program)
    : ports_(xclbin, number),
      queue_(new CommandQueue(context, Device::root(), CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, {})),
      shown_(at<share::GraphState>(xclbin->plan().graph(number))) {
  for (size_t k = 0; k < ports_.graph().kernels.size(); ++k)
    kernels_.emplace_back(*this, *xclbin, ports_.graph().kernels[k], ports_.of_kernel(k), context,
                          program);
  shown_.driver.store(share::Share::get().self().bits());
  // What a former driver has not taken holds up nobody.
  for (GraphPort& port : ports_.all()) port.slot.begin();
}

void Graph::close() noexcept {
  std::unique_lock lock(mutex_);
  if (closed_) return;
  closed_ = true;
  set_state(State::kEnded);
  cancel(Cancel::kAnywhere);
  change_.wait(lock, [&] { return running_ == 0; });
  shown_.driver.store(0);
}

void Graph::refuse(const std::string& what) const {
  constexpr const char* kStates[] = {"has been reset", "is running", "has stopped", "is suspended",
                                     "has ended"};
  fail(EINVAL, "graph '" + name() + "' " + kStates[static_cast<uint32_t>(state_)] +
                   ", so that it cannot " + what);
}

void Graph::set_state(State state) {
  state_ = state;
  shown_.state.store(static_cast<uint32_t>(state));
  change_.notify_all();
  ring();
}

// Makes those of its kernels that wait for it look again.
void Graph::ring() const {
  const share::Membership& here = share::Share::get().membership();
  share::StreamBells(here.segment.layout()).ring(here.self);
}

// An iteration or a parameter has made progress. The lock is held.
void Graph::changed() {
  uint64_t least = UINT64_MAX;
  for (const GraphKernel& kernel : kernels_) least = std::min(least, kernel.done());
  shown_.iterations.store(least, std::memory_order_relaxed);
  change_.notify_all();
}

void Graph::require_no_failure() {
  if (!failure_.empty()) fail(EIO, failure_);
}

void Graph::cancel(StreamedCall::Cancel how) {
  for (GraphKernel& kernel : kernels_) kernel.cancel(how);
}

void Graph::kernel_ended(GraphKernel& kernel, cl_int status) {
  const std::lock_guard lock(mutex_);
  if (status < 0 && failure_.empty() && state_ != State::kEnded) {
    failure_ = "kernel '" + kernel.description().name + "' of graph '" + name() +
               "' has failed with status " + std::to_string(status) +
               (status == CL_ERROR_STREAM_BROKEN_CONCLAVE ? ": one of its streams is broken" : "");
    // The others may wait for what this one would have sent.
    cancel(Cancel::kAnywhere);
  }
  --running_;
  if (running_ == 0 && state_ == State::kRunning) set_state(State::kStopped);
  change_.notify_all();
}

template <class Condition>
void Graph::wait_until(std::unique_lock<std::recursive_mutex>& lock, uint64_t ms,
                       Condition condition) {
  if (ms == kForever)
    change_.wait(lock, condition);
  else if (!change_.wait_for(lock, std::chrono::milliseconds(std::min(ms, kMostMs)), condition))
    fail(ETIME,
         "graph '" + name() + "' has not come to its end within " + std::to_string(ms) + " ms");
}

void Graph::reset() {
  const std::lock_guard lock(mutex_);
  if (running_ != 0 || closed_) refuse("be reset");
  for (GraphPort& port : ports_.all()) port.reset();
  for (GraphKernel& kernel : kernels_) kernel.reset();
  empty_inner_streams();
  limit_ = 0;
  failure_.clear();
  shown_.iterations.store(0);
  shown_.started_ns.store(0);
  set_state(State::kReset);
}

// Empties the streams from one of its kernels to another; none of them runs.
void Graph::empty_inner_streams() {
  using Side = share::StreamEnd::Side;
  std::set<size_t> written;
  for (const GraphKernel& kernel : kernels_)
    for (const StreamPort& port : kernel.streams())
      if (port.side == Side::kWrite) written.insert(port.offset);
  for (const GraphKernel& kernel : kernels_)
    for (const StreamPort& port : kernel.streams())
      if (port.side == Side::kRead && written.contains(port.offset))
        at<share::Stream>(port.offset).empty();
}

void Graph::run(uint64_t iterations) {
  const std::lock_guard lock(mutex_);
  require_no_failure();
  if (state_ != State::kReset && state_ != State::kStopped) refuse("run: already running or ended");
  is_endless_ = iterations == kForever;
  limit_ += iterations;
  started_cycles_ = device_cycles();
  if (shown_.started_ns.load() == 0) shown_.started_ns.store(now_ns());
  set_state(State::kRunning);
  running_ = kernels_.size();
  size_t started = 0;
  try {
    for (GraphKernel& kernel : kernels_) {
      kernel.start();
      ++started;
    }
  } catch (const std::exception& error) {
    running_ -= kernels_.size() - started;
    failure_ = error.what();
    set_state(State::kEnded);
    cancel(Cancel::kAnywhere);
    throw;
  }
  queue_->flush();
}

void Graph::wait(uint64_t ms) {
  std::unique_lock lock(mutex_);
  if (state_ != State::kRunning && state_ != State::kStopped) refuse("be waited for");
  wait_until(lock, ms, [&] { return running_ == 0 || state_ == State::kSuspended; });
  require_no_failure();
  if (running_ != 0 || closed_) refuse("be waited for");
}

void Graph::wait_for_cycles(uint64_t cycles) {
  if (cycles == 0) return wait(kForever);
  std::unique_lock lock(mutex_);
  if (state_ != State::kRunning && state_ != State::kStopped) refuse("be waited for");
  const uint64_t passed = device_cycles() - started_cycles_;
  if (passed < cycles)
    change_.wait_for(lock,
                     std::chrono::milliseconds(std::min(cycles_in_ms(cycles - passed), kMostMs)),
                     [&] { return running_ == 0 || state_ != State::kRunning; });
  require_no_failure();
  if (state_ == State::kRunning) set_state(State::kSuspended);
}

void Graph::suspend() {
  const std::lock_guard lock(mutex_);
  if (state_ != State::kRunning) refuse("be suspended");
  set_state(State::kSuspended);
}

void Graph::resume() {
  const std::lock_guard lock(mutex_);
  if (state_ != State::kSuspended) refuse("be resumed");
  set_state(running_ ? State::kRunning : State::kStopped);
}

void Graph::end(uint64_t cycles) {
  std::unique_lock lock(mutex_);
  const bool permitted =
      state_ == State::kRunning || state_ == (cycles ? State::kSuspended : State::kStopped);
  if (!permitted) refuse(cycles ? "be ended after cycles" : "be ended");
  if (cycles && state_ == State::kRunning) {
    lock.unlock();
    wait_for_cycles(cycles);
    lock.lock();
  } else if (state_ == State::kRunning && !is_endless_) {
    wait_until(lock, kForever, [&] { return running_ == 0 || state_ != State::kRunning; });
  }
  set_state(State::kEnded);
  const auto is_over = [&] { return running_ == 0; };
  // The other end of a stream, even another kernel of this graph, may never move anything more.
  if (!change_.wait_for(lock, kLastArrivals, is_over)) cancel(Cancel::kWhereItWaits);
  wait_until(lock, kForever, is_over);
  require_no_failure();
}

void Graph::update(const std::string& name, const void* value, size_t bytes, bool block) {
  std::unique_lock lock(mutex_);
  GraphPort& port = ports_.find(name, bytes);
  if (port.parameter->direction == Direction::kOut)
    fail(EINVAL, "port '" + name + "' is written by the kernel alone");
  if (port.parameter->synchronous && port.parameter->direction == Direction::kIn) {
    const auto is_taken = [&] { return port.slot.version() == port.slot.used(); };
    if (block) change_.wait(lock, [&] { return is_taken() || running_ == 0; });
    if (!is_taken())
      fail(EAGAIN,
           "port '" + name + "' is synchronous, and the graph has not taken its last value");
  }
  port.slot.write(value);
  // If the kernel writes the parameter too, only the kernel's values are new to the host.
  if (port.parameter->synchronous && port.parameter->direction == Direction::kInOut)
    port.slot.use(port.slot.version());
  ring();
}

void Graph::read(const std::string& name, void* value, size_t bytes, bool block) {
  std::unique_lock lock(mutex_);
  GraphPort& port = ports_.find(name, bytes);
  const bool waits = port.parameter->synchronous && port.parameter->direction != Direction::kIn;
  if (waits) {
    const auto is_new = [&] { return port.slot.version() != port.slot.used(); };
    if (block) change_.wait(lock, [&] { return is_new() || running_ == 0; });
    if (!is_new())
      fail(EAGAIN, "port '" + name + "' is synchronous, and the graph has written no new value");
  }
  ports_.read(name, value, bytes);
  if (!waits) return;
  port.slot.use(port.slot.version());
  ring();
}

}  // namespace conclave
