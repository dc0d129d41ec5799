// SPDX-License-Identifier: Apache-2.0
#include "lease_model.h"

#include <errno.h>
#include <linux/futex.h>
#include <setjmp.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdarg>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "platform/share/heap.h"
#include "platform/share/process_identity.h"

namespace conclave::share {
namespace model {
namespace {

constexpr size_t kMostThreads = 8;
constexpr size_t kStackBytes = 32 << 10;
constexpr size_t kArenaBytes = 4 << 10;
// The unused stack below a thread that is cleared before it goes on, so that remains of calls
// that have ended do not make states differ.
constexpr size_t kScrubbedBytes = 2 << 10;
// More steps than this from beginning to end, and somebody goes round in circles.
constexpr size_t kMostSteps = 3000;

// A thread of a simulated process, as a fibre: its registers are in `at`, while it does not run.
struct Fibre {
  enum Status : uint32_t { kReady, kAsleep, kAwaitsDeath, kAwaitsLock, kAwaits, kEnded, kDead };
  jmp_buf at;
  Status status;
  uint32_t process;
  const void* next;  // the word that it will access
  uint32_t mask;     // that it sleeps with
  uint32_t told;     // deaths that it has been told of
  bool (*awaited)(uint32_t process);
  uint32_t allocated;
  std::byte* top;  // the end of the stack in use
};

struct Memory {
  alignas(4096) std::byte segment[kProcessesOffset + kMostProcesses * sizeof(ProcessEntry)];
  alignas(64) std::byte stacks[kMostThreads][kStackBytes];
  alignas(64) std::byte arenas[kMostThreads][kArenaBytes];
};
Memory g_memory;
Layout g_layout;

// Everything in a state other than g_memory.
struct Control {
  Notes notes;
  Fibre fibres[kMostThreads];
  uint32_t deaths;
  // The thread that took the last step, and the number of preemptions; used if these are bounded.
  uint32_t last;
  int preemptions;
};
Control g_control;

size_t g_fibres = 0;
Fibre* g_current = nullptr;
jmp_buf g_explorer;
const Setup* g_setup = nullptr;
const std::vector<Thread>* g_threads = nullptr;
std::string g_violation;

// Accesses to words that two processes can disagree about. The others (statistics, texts, the units
// that nobody uses) are no steps of their own: they belong to the one before.
bool is_step(const void* word) {
  const Layout all = layout();
  const Header& header = all.header();
  for (uint32_t unit = 0; unit < g_setup->units; ++unit) {
    const CuEntry& cu = all.unit(unit);
    if (word == &cu.lease || word == &cu.guest || word == &cu.reliever || word == &cu.wake)
      return true;
  }
  if (word == &header.next_ticket || word == &header.waiting[0] || word == &header.entries_in_use)
    return true;
  const uint32_t capacity = g_setup->capacity ? g_setup->capacity : g_setup->processes;
  for (uint32_t slot = 0; slot < capacity; ++slot) {
    const ProcessEntry& entry = all.process(slot);
    const Request& request = entry.requests[0];
    if (word == &entry.state || word == &request.ticket || word == &request.units[0] ||
        (word == &entry.recent_use && g_setup->policy == Policy::kInterleave))
      return true;
    if (g_setup->capacity > g_setup->processes && word == &entry.start_time) return true;
  }
  return false;
}

std::string name_of(const void* word) {
  const Layout all = layout();
  const Header& header = all.header();
  for (uint32_t unit = 0; unit < g_setup->units; ++unit) {
    const CuEntry& cu = all.unit(unit);
    const std::string number = std::to_string(unit);
    if (word == &cu.lease) return "lease" + number;
    if (word == &cu.guest) return "guest" + number;
    if (word == &cu.reliever) return "reliever" + number;
    if (word == &cu.wake) return "wake" + number;
  }
  if (word == &header.next_ticket) return "next_ticket";
  if (word == &header.waiting[0]) return "waiting";
  if (word == &header.entries_in_use) return "entries_in_use";
  for (uint32_t slot = 0; slot < kMostProcesses; ++slot) {
    const ProcessEntry& entry = all.process(slot);
    const std::string number = std::to_string(slot);
    if (word == &entry.state) return "state" + number;
    if (word == &entry.requests[0].ticket) return "ticket" + number;
    if (word == &entry.requests[0].units[0]) return "requested_units" + number;
    if (word == &entry.recent_use) return "recent_use" + number;
    if (word == &entry.start_time) return "start_time" + number;
  }
  return "futex or start";
}

[[gnu::noinline]] void suspend(const void* next) {
  Fibre& self = *g_current;
  self.next = next;
  // Below are this function's own frame and that of _setjmp, which the jump back does without.
  self.top = static_cast<std::byte*>(__builtin_frame_address(0)) - 256;
  if (_setjmp(self.at) == 0) _longjmp(g_explorer, 1);
}

[[gnu::noinline]] void switch_to(Fibre& fibre) {
  g_current = &fibre;
  if (_setjmp(g_explorer) == 0) _longjmp(fibre.at, 1);
  g_current = nullptr;
}

size_t index_of(const Fibre& fibre) {
  return static_cast<size_t>(&fibre - g_control.fibres);
}

void fibre_main() {
  suspend(nullptr);
  (*g_threads)[index_of(*g_current)].body();
  g_current->status = Fibre::kEnded;
  suspend(nullptr);
}

[[gnu::noinline]] void start(size_t index) {
  static ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = g_memory.stacks[index];
  context.uc_stack.ss_size = kStackBytes;
  context.uc_link = nullptr;
  makecontext(&context, fibre_main, 0);
  g_current = &g_control.fibres[index];
  if (_setjmp(g_explorer) == 0) setcontext(&context);
  g_current = nullptr;
}

bool has_stack(const Fibre& fibre) {
  return fibre.status != Fibre::kEnded && fibre.status != Fibre::kDead;
}

bool can_go_on(const Fibre& fibre) {
  const Notes& notes = g_control.notes;
  return fibre.status == Fibre::kReady ||
         (fibre.status == Fibre::kAwaitsDeath && (notes.dead & ~fibre.told) != 0) ||
         (fibre.status == Fibre::kAwaitsLock && !(notes.locked >> fibre.process & 1)) ||
         (fibre.status == Fibre::kAwaits && fibre.awaited(fibre.process));
}

// --- States ---

// Calls `part(start, bytes)` for each part of the memory that makes up the state, g_control
// excepted.
template <class Part>
void for_each_part(Part part) {
  part(g_memory.segment, offsetof(Header, guardian));
  part(g_memory.segment + sizeof(Header), g_setup->units * sizeof(CuEntry));
  // Behind `launches` are statistics and texts.
  for (uint32_t slot = 0; slot < std::max(g_setup->capacity, g_setup->processes); ++slot)
    part(g_memory.segment + kProcessesOffset + slot * sizeof(ProcessEntry),
         offsetof(ProcessEntry, launches));
  for (size_t i = 0; i < g_fibres; ++i) {
    const Fibre& fibre = g_control.fibres[i];
    if (!has_stack(fibre)) continue;
    part(g_memory.arenas[i], fibre.allocated);
    part(fibre.top, static_cast<size_t>(g_memory.stacks[i] + kStackBytes - fibre.top));
  }
}

class Snapshot {
 public:
  void save() {
    control_ = g_control;
    bytes_.clear();
    for_each_part(
        [&](const std::byte* at, size_t size) { bytes_.insert(bytes_.end(), at, at + size); });
  }
  void restore() const {
    g_control = control_;
    const std::byte* from = bytes_.data();
    for_each_part([&](std::byte* at, size_t size) {
      std::memcpy(at, from, size);
      from += size;
    });
  }

 private:
  Control control_;
  std::vector<std::byte> bytes_;
};

class Hash {
 public:
  void add(const void* at, size_t size) {
    for (size_t i = 0; i < size; i += 8) {
      uint64_t word = 0;
      std::memcpy(&word, static_cast<const std::byte*>(at) + i, size - i < 8 ? size - i : 8);
      value_ = (value_ ^ word) * 0x9e37'79b9'7f4a'7c15;
      value_ ^= value_ >> 32;
    }
  }
  uint64_t value() const { return value_ ? value_ : 1; }

 private:
  uint64_t value_ = 0x0123'4567'89ab'cdef;
};

uint64_t hash_of_state() {
  Hash hash;
  hash.add(&g_control.notes, sizeof(Notes));
  for (size_t i = 0; i < g_fibres; ++i) {
    const Fibre& fibre = g_control.fibres[i];
    hash.add(&fibre.status, sizeof fibre.status);
    if (!has_stack(fibre)) continue;
    hash.add(&fibre.at, sizeof fibre.at);
    hash.add(&fibre.next, offsetof(Fibre, top) + sizeof fibre.top - offsetof(Fibre, next));
  }
  for_each_part([&](const std::byte* at, size_t size) { hash.add(at, size); });
  const uint64_t rest[] = {g_control.deaths, g_control.last,
                           static_cast<uint64_t>(g_control.preemptions)};
  hash.add(rest, sizeof rest);
  return hash.value();
}

// Numbers other than 0.
class NumberSet {
 public:
  // Whether it is new.
  bool insert(uint64_t number) {
    if (2 * size_ >= slots_.size()) grow();
    uint64_t& slot = slot_of(number);
    if (slot) return false;
    slot = number;
    ++size_;
    return true;
  }
  size_t size() const { return size_; }

 private:
  uint64_t& slot_of(uint64_t number) {
    size_t i = number & (slots_.size() - 1);
    while (slots_[i] && slots_[i] != number) i = (i + 1) & (slots_.size() - 1);
    return slots_[i];
  }
  void grow() {
    std::vector<uint64_t> old(2 * slots_.size());
    old.swap(slots_);
    for (uint64_t number : old)
      if (number) slot_of(number) = number;
  }

  std::vector<uint64_t> slots_ = std::vector<uint64_t>(1 << 12);
  size_t size_ = 0;
};

// --- The exploration ---

class Explorer {
 public:
  explicit Explorer(const Checks& checks) : checks_(checks) {}

  Result run() {
    visited_.insert(hash_of_state());
    go_on();
    result_.states = visited_.size();
    return std::move(result_);
  }

 private:
  // A thread's step, or the death of a process (behind kMostThreads).
  using Choice = uint32_t;
  struct Step {
    Choice choice;
    const void* word;  // that was accessed
  };

  std::vector<Choice> choices() const {
    std::vector<Choice> all;
    const bool last_goes_on =
        g_control.last < g_fibres && can_go_on(g_control.fibres[g_control.last]);
    const bool bounded = last_goes_on && g_control.preemptions >= g_setup->preemptions;
    for (uint32_t i = 0; i < g_fibres; ++i)
      if (can_go_on(g_control.fibres[i]) && (!bounded || i == g_control.last)) all.push_back(i);
    return all;
  }

  void add_deaths(std::vector<Choice>& all) const {
    if (g_control.deaths >= g_setup->deaths) return;
    for (uint32_t p = 0; p < kMostProcesses; ++p) {
      if (!(g_setup->mortal >> p & 1) || g_control.notes.dead >> p & 1) continue;
      for (uint32_t i = 0; i < g_fibres; ++i) {
        if (g_control.fibres[i].process != p || !has_stack(g_control.fibres[i])) continue;
        all.push_back(static_cast<Choice>(kMostThreads) + p);
        break;
      }
    }
  }

  static void take(Choice choice) {
    if (choice >= kMostThreads) {
      const uint32_t process = choice - static_cast<uint32_t>(kMostThreads);
      g_control.notes.dead |= 1u << process;
      g_control.notes.jobs[process] = 0;
      for (uint32_t unit = 0; unit < kMostUnits; ++unit) {
        g_control.notes.holders[unit] &= ~(1u << process);
        g_control.notes.guests[unit] &= ~(1u << process);
      }
      ++g_control.deaths;
      for (size_t i = 0; i < g_fibres; ++i)
        if (g_control.fibres[i].process == process) g_control.fibres[i].status = Fibre::kDead;
      return;
    }
    Fibre& fibre = g_control.fibres[choice];
    if (g_setup->preemptions != kUnbounded) {
      if (g_control.last < g_fibres && g_control.last != choice &&
          can_go_on(g_control.fibres[g_control.last]))
        ++g_control.preemptions;
      g_control.last = choice;
    }
    fibre.status = Fibre::kReady;
    std::memset(fibre.top - kScrubbedBytes, 0, kScrubbedBytes);
    switch_to(fibre);
  }

  bool ended() const { return !result_.violation.empty() || !result_.complete; }

  void fail(const std::string& what) {
    result_.violation = what + "\n";
    for (const Step& step : trace_) result_.violation += "  " + describe(step) + "\n";
  }

  static std::string describe(const Step& step) {
    if (step.choice >= kMostThreads)
      return "process " + std::to_string(step.choice - kMostThreads) + " is killed";
    return "process " + std::to_string((*g_threads)[step.choice].process) + ", thread " +
           std::to_string(step.choice) + ": " + name_of(step.word);
  }

  void go_on() {
    std::vector<Choice> all = choices();
    if (all.empty()) {
      ++result_.ends;
      result_.longest = std::max(result_.longest, trace_.size());
      if (const std::string wrong = checks_.at_end(); !wrong.empty())
        return fail("At the end: " + wrong);
    }
    add_deaths(all);
    if (all.empty()) return;
    if (trace_.size() >= kMostSteps) return fail("This takes no end:");
    if (snapshots_.size() <= trace_.size()) snapshots_.push_back(std::make_unique<Snapshot>());
    const Snapshot& here = *snapshots_[trace_.size()];
    snapshots_[trace_.size()]->save();
    for (size_t i = 0; i < all.size() && !ended(); ++i) {
      if (i > 0) here.restore();
      trace_.push_back({all[i], all[i] < kMostThreads ? g_control.fibres[all[i]].next : nullptr});
      take(all[i]);
      ++result_.steps;
      std::string wrong = g_violation.empty() ? checks_.always() : g_violation;
      if (!wrong.empty()) return fail(wrong);
      if (visited_.size() >= g_setup->most_states) result_.complete = false;
      if (visited_.insert(hash_of_state())) go_on();
      if (!ended()) trace_.pop_back();
    }
  }

  const Checks& checks_;
  Result result_;
  NumberSet visited_;
  std::vector<std::unique_ptr<Snapshot>> snapshots_;
  std::vector<Step> trace_;
};

// Memory for a thread of the model; null if none runs.
void* allocate(size_t size) {
  if (!g_current) return nullptr;
  Fibre& self = *g_current;
  std::byte* memory = g_memory.arenas[index_of(self)] + self.allocated;
  self.allocated += static_cast<uint32_t>((size + 15) / 16 * 16);
  if (self.allocated > kArenaBytes) std::abort();
  return memory;
}

bool is_allocated(const void* memory) {
  return memory >= g_memory.arenas && memory < g_memory.arenas + kMostThreads;
}

void on_access() {
  if (g_current && is_step(step_word)) suspend(step_word);
}

}  // namespace

Layout layout() {
  return g_layout;
}

Notes& notes() {
  return g_control.notes;
}

uint32_t wait_for_death() {
  Fibre& self = *g_current;
  if ((g_control.notes.dead & ~self.told) == 0) {
    self.status = Fibre::kAwaitsDeath;
    suspend(nullptr);
  }
  const auto process = static_cast<uint32_t>(std::countr_zero(g_control.notes.dead & ~self.told));
  self.told |= 1u << process;
  return process;
}

void wait_until(bool (*holds)(uint32_t process)) {
  Fibre& self = *g_current;
  if (holds(self.process)) return;
  self.awaited = holds;
  self.status = Fibre::kAwaits;
  suspend(nullptr);
  self.awaited = nullptr;
}

void lock() {
  Fibre& self = *g_current;
  if (g_control.notes.locked >> self.process & 1) {
    self.status = Fibre::kAwaitsLock;
    suspend(nullptr);
  }
  g_control.notes.locked |= 1u << self.process;
}

void unlock() {
  g_control.notes.locked &= ~(1u << g_current->process);
}

void violated(const std::string& what) {
  if (g_violation.empty()) g_violation = what;
}

Result explore(const Setup& setup, const std::function<void()>& prepare,
               const std::vector<Thread>& threads, const Checks& checks) {
  std::memset(static_cast<void*>(&g_memory), 0, sizeof g_memory);
  std::memset(static_cast<void*>(&g_control), 0, sizeof g_control);
  g_control.last = kMostThreads;
  g_violation.clear();
  g_setup = &setup;
  g_threads = &threads;
  g_fibres = threads.size();
  Header& header = *new (g_memory.segment) Header();
  header.process_capacity.store(setup.capacity ? setup.capacity : setup.processes);
  header.entries_in_use.store(setup.processes);
  header.size.store(sizeof g_memory.segment);
  g_layout = Layout::of(g_memory.segment, sizeof g_memory.segment);
  header.policy.store(static_cast<uint32_t>(setup.policy));
  header.time_slice_us.store(1000);
  for (uint32_t slot = 0; slot < setup.processes; ++slot) {
    layout().process(slot).state.store(
        EntryState{static_cast<uint32_t>(getpid()), 1, ProcessEntry::kLive}.word());
    layout().process(slot).start_time.store(slot + 1);
  }
  prepare();
  for (size_t i = 0; i < g_fibres; ++i) {
    g_control.fibres[i].process = threads[i].process;
    start(i);
  }
  step_hook = on_access;
  Explorer explorer(checks);
  Result result = explorer.run();
  step_hook = nullptr;
  return result;
}

// --- What stands in for the system and for other parts of the platform ---

namespace {

// A sleep looks at the word and begins in one step, as in the kernel.
long wait(const uint32_t* word, uint32_t seen, uint32_t mask) {
  suspend(word);
  if (*word != seen) {
    errno = EAGAIN;
    return -1;
  }
  g_current->status = Fibre::kAsleep;
  g_current->mask = mask;
  suspend(word);
  return 0;
}

long wake(const uint32_t* word, uint32_t mask) {
  suspend(word);
  long woken = 0;
  for (size_t i = 0; i < g_fibres; ++i) {
    Fibre& fibre = g_control.fibres[i];
    if (fibre.status != Fibre::kAsleep || fibre.next != word || !(fibre.mask & mask)) continue;
    fibre.status = Fibre::kReady;
    ++woken;
  }
  return woken;
}

// The threads of the process that a fibre belongs to have a start time of their own.
uint64_t start_time() {
  return g_current->process + 1;
}

}  // namespace
}  // namespace model

ProcessIdentity ProcessIdentity::self() {
  return {getpid(), model::start_time()};
}

ProcessIdentity identity_of(pid_t pid) {
  return {pid, 0};
}

Liveness liveness(const ProcessIdentity& process) {
  const uint64_t index = process.start_time - 1;
  return index < model::kMostProcesses && model::notes().dead >> index & 1 ? Liveness::kDead
                                                                           : Liveness::kAlive;
}

std::string process_name(pid_t) {
  return "";
}
std::string process_command(pid_t) {
  return "";
}

Heap::Freed Heap::free_all(Owner) {
  return {};
}
Heap::Freed Heap::free_all(const std::function<bool(Owner)>&) {
  return {};
}

}  // namespace conclave::share

// This file, leases.cc and registry.cc are compiled with another name in the place of syscall().
// The only system calls there are futexes, and those that the model's threads sleep on have masks.
extern "C" long syscall(long number, ...) noexcept {
  using namespace conclave::share;
  va_list arguments;
  va_start(arguments, number);
  const auto* word = va_arg(arguments, const uint32_t*);
  const int operation = va_arg(arguments, int);
  const auto value = va_arg(arguments, uint32_t);
  va_arg(arguments, void*);
  va_arg(arguments, void*);
  const auto mask = va_arg(arguments, uint32_t);
  va_end(arguments);
  if (operation == FUTEX_WAIT_BITSET) return model::wait(word, value, mask);
  return operation == FUTEX_WAKE_BITSET ? model::wake(word, mask) : 0;
}

// Another name stands in the place of this one as well. Time stands still.
extern "C" int clock_gettime(clockid_t, timespec* now) noexcept {
  *now = {1, 0};
  return 0;
}

// What a thread of the model allocates is part of the state. It is never used twice.
[[gnu::noinline]] void* operator new(size_t size) {
  using namespace conclave::share::model;
  if (void* memory = allocate(size)) return memory;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  if (!conclave::share::model::is_allocated(memory)) std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  operator delete(memory);
}
