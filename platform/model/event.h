// SPDX-License-Identifier: Apache-2.0
// cl_event, and with it the state of every command: its status, what it waits for and who waits for
// it. The event graph is the only ordering mechanism: an in-order queue makes each command depend
// on the one before.
#ifndef CONCLAVE_PLATFORM_MODEL_EVENT_H_
#define CONCLAVE_PLATFORM_MODEL_EVENT_H_

#include <CL/cl.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <forward_list>
#include <memory>
#include <vector>

#include "platform/base/object.h"
#include "platform/exec/command.h"
#include "platform/exec/work_record.h"

namespace conclave {

class Context;
class CommandQueue;
class Event;

template <>
struct HandleOf<Event> {
  using Type = cl_event;
};

class Event : public Object<Event> {
 public:
  static constexpr uint32_t kMagic = 0x65766e74;  // "evnt"
  using Callback = void(CL_CALLBACK*)(cl_event, cl_int, void*);

  // The event of a command of `queue`; `command` may be null (markers).
  Event(CommandQueue& queue, cl_command_type type, std::unique_ptr<Command> command);
  // A user event.
  explicit Event(Context& context);
  ~Event();

  Context& context() const;
  CommandQueue* queue() const { return queue_.get(); }  // null for a user event
  cl_command_type type() const { return type_; }
  bool is_user_event() const { return type_ == CL_COMMAND_USER; }
  Command* command() const { return command_.get(); }
  // The compute units on which a command may run: those of the queue, or those of its device that
  // its kernel is bound to.
  const ComputeUnitSet& compute_units() const { return *units_; }

  // CL_QUEUED, CL_SUBMITTED, CL_RUNNING, CL_COMPLETE or a negative error code.
  cl_int status() const { return status_.load(std::memory_order_acquire); }
  bool finished() const { return status() <= CL_COMPLETE; }

  // --- Dependencies; called by the enqueuing thread before arm() ---

  // retain() while only the enqueuing thread knows the event: before depend_on() and arm().
  void retain_early();
  // Makes room for that many calls of depend_on(), which then cannot fail. Throws std::bad_alloc.
  void reserve_dependencies(size_t count);
  // Makes this event wait for `other`. `cascade`: an error of `other` ends this one too (explicit
  // wait lists; the order of an in-order queue does not cascade).
  void depend_on(Event& other, bool cascade) noexcept;
  // Says that all dependencies are named. True if none is left: then the caller must make the
  // command run. Otherwise the engine gets it when the last dependency ends.
  bool arm();

  // --- Progress; called by the thread that runs the command ---

  bool dependency_failed() const { return dependency_failed_.load(std::memory_order_relaxed); }
  void mark_submitted() { advance(CL_SUBMITTED); }
  void mark_running() { advance(CL_RUNNING); }
  // Ends the command with CL_COMPLETE or a negative code and releases its dependents. The event may
  // be gone afterwards unless the caller holds a reference. False if it had ended before, which
  // only user events can.
  bool complete(cl_int status) noexcept;

  // Nothing waits for this user event any more, although it has no status yet: its context is
  // terminated.
  void let_go();

  // --- Waiting and watching ---

  // Sleeps until the command has ended. Does not help running it: see Engine::wait.
  void sleep_until_finished();
  // Calls `function` once, when the status reaches `when` or an error; at once if it already has.
  void add_callback(cl_int when, Callback function, void* user_data);

  // Profiling times in nanoseconds of the device clock, for queues with profiling.
  enum Time { kQueued, kSubmitted, kStarted, kEnded, kTimes };
  bool profiling() const { return profiling_; }
  uint64_t time(Time which) const {
    return first_ && which != kEnded ? first_->time(which) : times_[which];
  }
  // This event stands for several commands, of which `first` is the first one.
  void begin_with(const Ref<Event>& first) { first_ = first; }
  // These commands are in several queues. For the thread that enqueues them, before the host knows
  // the event.
  void span_queues() { spans_queues_ = true; }
  bool spans_queues() const { return spans_queues_; }

  // What the engine notes of the command (platform/exec/work_record.h).
  WorkRecord work{*this};

 private:
  struct Link {
    Event* dependent = nullptr;
    Link* next = nullptr;
    bool cascade = false;
  };
  struct Registration {
    cl_int when;
    Callback function;
    void* user_data;
  };
  using Registrations = std::forward_list<Registration>;

  bool attach(Link* link);
  void advance(cl_int status);
  void release_dependents(cl_int status);
  void call_back(cl_int status);
  Link* links() { return more_links_ ? more_links_.get() : own_links_.data(); }
  static Link* closed();

  Ref<Context> context_;  // of a user event; a command uses its queue's
  Ref<CommandQueue> queue_;
  std::unique_ptr<Command> command_;
  const ComputeUnitSet* units_ = nullptr;  // of a command
  std::unique_ptr<const ComputeUnitSet> own_units_;
  cl_command_type type_;
  std::atomic<int32_t> status_;
  std::atomic<int32_t> sleepers_{0};
  // Unfinished dependencies; too many by kUnknown - attached_ until arm() has been called, unless
  // there can only be one.
  static constexpr uint32_t kUnknown = uint32_t{1} << 31;
  std::atomic<uint32_t> pending_{kUnknown};
  uint32_t attached_ = 0;  // dependencies that had not ended when they were named
  std::atomic<bool> dependency_failed_{false};
  std::atomic<bool> has_callbacks_{false};
  bool awaits_one_ = false;  // at most
  bool profiling_ = false;
  bool spans_queues_ = false;
  std::atomic<Link*> dependents_{nullptr};
  std::array<Link, 2> own_links_;  // most commands wait for no more than two
  std::unique_ptr<Link[]> more_links_;
  uint32_t links_used_ = 0;
  std::array<uint64_t, kTimes> times_{};
  Ref<Event> first_;         // null: itself
  Registrations callbacks_;  // the last one first; guarded by a mutex of all events
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_MODEL_EVENT_H_
