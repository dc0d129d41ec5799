// SPDX-License-Identifier: Apache-2.0
#include "monitor/trace/trace.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

#include "monitor/find_segment.h"
#include "monitor/trace/recording.h"
#include "monitor/trace/timeline.h"
#include "monitor/trace/trace_json.h"
#include "monitor/trace/trace_svg.h"
#include "platform/base/clock.h"
#include "platform/base/error.h"
#include "platform/share/share.h"
#include "platform/share/trace.h"

namespace conclave::monitor {
namespace {

// How often the rings are read. At six million commands per second none runs over meanwhile.
constexpr int kReadMs = 10;
// A segment that comes later is found after this time.
constexpr uint64_t kSearchNs = 200'000'000;
constexpr int kCannotRun = 127;

[[noreturn]] void fail(const std::string& what) {
  throw Error(CL_INVALID_VALUE, what + ": " + strerror(errno));
}

// Says in a segment's header that this process traces, while it lives.
class Announcement {
 public:
  Announcement(std::unique_ptr<share::Segment> segment, uint32_t session)
      : segment_(std::move(segment)), session_(session) {
    share::Atomic<uint32_t>& word = segment_->layout().header().trace;
    uint32_t other = word.load();
    if (other != 0 && Recording::is_listening(share::trace::socket_of(other)))
      throw Error(CL_DEVICE_NOT_AVAILABLE,
                  "another conclave trace records the same processes; end that one first");
    if (!word.compare_exchange_strong(other, session_))
      throw Error(CL_DEVICE_NOT_AVAILABLE, "another conclave trace has just begun");
  }
  ~Announcement() {
    uint32_t session = session_;
    segment_->layout().header().trace.compare_exchange_strong(session, 0);
  }
  Announcement(const Announcement&) = delete;
  Announcement& operator=(const Announcement&) = delete;

  const share::Segment& segment() const { return *segment_; }

 private:
  std::unique_ptr<share::Segment> segment_;
  const uint32_t session_;
};

// The program that is traced, if there is one.
class Child {
 public:
  Child(std::vector<std::string> words, const std::string& socket) {
    if (words.empty()) return;
    setenv(share::trace::kVariable, socket.c_str(), 1);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    // The signals that this process waits for are the child's own affair.
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    errno = posix_spawnp(&pid_, arguments[0], nullptr, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    unsetenv(share::trace::kVariable);
    if (errno != 0) {
      pid_ = 0;
      fail(words[0]);
    }
  }

  bool exists() const { return pid_ != 0; }
  // Whether it has ended by now.
  bool has_ended() {
    int status = 0;
    if (pid_ == 0 || status_ || waitpid(pid_, &status, WNOHANG) != pid_) return status_.has_value();
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
  }
  int status() const { return status_.value_or(0); }
  void signal(int number) const { kill(pid_, number); }

 private:
  pid_t pid_ = 0;
  std::optional<int> status_;
};

// SIGINT, SIGTERM and SIGHUP end the recording, not the program.
class EndSignals {
 public:
  EndSignals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    file_ = Descriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  }
  // The one that has come; 0: none.
  int come() const {
    signalfd_siginfo info;
    return ::read(file_.get(), &info, sizeof info) == sizeof info ? static_cast<int>(info.ssi_signo)
                                                                  : 0;
  }

 private:
  Descriptor file_;
};

class Tracer {
 public:
  explicit Tracer(const TraceOptions& options)
      : options_(options), session_(new_session()), recording_(share::trace::socket_of(session_)) {}

  // Returns the program's exit status.
  int record() {
    const EndSignals signals;
    search();
    Child child(options_.program, recording_.path());
    if (!child.exists() && options_.seconds == 0 && isatty(STDERR_FILENO))
      fprintf(stderr, "Recording; ^C ends it.\n");
    const uint64_t begin = now_ns();
    const auto limit = static_cast<uint64_t>(options_.seconds * 1e9);
    for (bool is_over = false; !is_over;) {
      is_over = child.has_ended();
      recording_.collect(is_over ? 0 : kReadMs);
      if (limit && now_ns() - begin >= limit) is_over = true;
      if (const int number = signals.come()) {
        // Whoever presses a key on the terminal has sent it to the child as well.
        if (child.exists() && number == SIGTERM) child.signal(number);
        is_over |= !child.exists();
      }
      search();
    }
    announcement_.reset();
    recording_.collect(0);
    recording_.stop();
    return child.status();
  }

  std::vector<TracedProcess> take() { return recording_.take(); }

 private:
  static uint32_t new_session() {
    uint32_t session = 0;
    while (session == 0)
      if (getrandom(&session, sizeof session, 0) != sizeof session) fail("random numbers");
    return session;
  }

  // Tells the processes that share the segment, which may come later or be another one by now.
  void search() {
    if (now_ns() - searched_ns_ < kSearchNs) return;
    searched_ns_ = now_ns();
    std::unique_ptr<share::Segment> found = find_segment(options_.segment);
    if (!found || (announcement_ && announcement_->segment().inode() == found->inode())) return;
    announcement_.reset();
    announcement_ = std::make_unique<Announcement>(std::move(found), session_);
  }

  const TraceOptions& options_;
  const uint32_t session_;
  Recording recording_;
  std::unique_ptr<Announcement> announcement_;
  uint64_t searched_ns_ = 0;
};

void write(const Timeline& timeline, const std::string& path, bool svg) {
  FILE* file = path == "-" ? stdout : fopen(path.c_str(), "we");
  if (!file) fail(path);
  svg ? write_trace_svg(timeline, file) : write_trace_json(timeline, file);
  const bool failed = ferror(file) != 0;
  if ((file == stdout ? fflush(file) : fclose(file)) != 0 || failed) fail(path);
}

void report(const std::vector<TracedProcess>& processes, const std::string& path) {
  uint64_t records = 0, lost = 0;
  for (const TracedProcess& process : processes) {
    records += process.records.size();
    lost += process.lost;
  }
  fprintf(stderr, "conclave trace: %zu processes, %" PRIu64 " records", processes.size(), records);
  if (lost) fprintf(stderr, ", %" PRIu64 " lost", lost);
  fprintf(stderr, "; written to %s\n", path == "-" ? "standard output" : path.c_str());
}

}  // namespace

int trace(const TraceOptions& options) {
  try {
    const std::string path = !options.output.empty() ? options.output
                             : options.svg           ? "conclave-trace.svg"
                                                     : "conclave-trace.json";
    Tracer tracer(options);
    const int status = tracer.record();
    const std::vector<TracedProcess> processes = tracer.take();
    write(make_timeline(processes), path, options.svg);
    report(processes, path);
    return status;
  } catch (const Error& error) {
    fprintf(stderr, "conclave trace: %s\n", error.what());
    return options.program.empty() ? 1 : kCannotRun;
  }
}

}  // namespace conclave::monitor
