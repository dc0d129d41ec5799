// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/compiler_client.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

#include "platform/base/changeable_part.h"
#include "platform/base/clock.h"
#include "platform/base/config.h"
#include "platform/base/error.h"
#include "platform/base/library_directory.h"
#include "platform/base/log.h"
#include "platform/loader/compile_key.h"
#include "platform/loader/compile_server.h"
#include "platform/loader/content_hash.h"
#include "platform/loader/cpu_features.h"
#include "platform/loader/disk_cache.h"
#include "platform/loader/program_binary.h"
#include "platform/loader/quiet_process.h"
#include "platform/loader/warm_server.h"
#include "platform/share/share.h"
#include "platform/share/trace.h"

namespace conclave {
namespace {

using protocol::Action;
using protocol::Request;
using protocol::Response;
using protocol::Status;
using share::TraceRecord;
using std::chrono::seconds;

constexpr int kParents = 3;  // directories above the library's in which bin/clocl is looked for

bool is_program(const std::string& path) {
  return access(path.c_str(), X_OK) == 0;
}

// Whether only the owners of the library can have put it there. Above a library that lies in /tmp,
// for example, anybody could.
bool is_of_library(const std::string& program, const std::string& library) {
  struct stat status;
  if (stat(library.c_str(), &status) != 0) return false;
  const std::string why = changeable_part(program, status.st_uid);
  if (!why.empty()) log::warn("the compiler " + program + " is not used: " + why);
  return why.empty();
}

// bin/clocl beside this library, in the build tree or in an installed prefix; "" if it is not
// there.
std::string find_beside_library() {
  const auto* self = reinterpret_cast<const void*>(&compile);
  Dl_info info{};
  char resolved[PATH_MAX];
  if (!dladdr(self, &info) || !info.dli_fname) return "";
  std::string name = info.dli_fname;
  name.erase(0, name.rfind('/') + 1);
  if (!realpath((library_directory(self) + "/" + name).c_str(), resolved)) return "";
  std::string directory = resolved;
  for (int i = 0; i <= kParents; ++i) {
    const size_t slash = directory.rfind('/');
    if (slash == std::string::npos) break;
    directory.resize(slash);
    const std::string program = directory + "/bin/clocl";
    if (is_program(program) && is_of_library(program, resolved)) return program;
  }
  return "";
}

// The compiler's path; "" if there is none. A privileged program does not take it from the user who
// started it.
std::string compiler_path() {
  if (const char* path = secure_getenv("CONCLAVE_CLOCL"); path && *path)
    return is_program(path) ? path : "";
  // Leaked on purpose: threads may ask while the host's static objects are destroyed.
  static const auto* beside = new std::string(find_beside_library());
  return *beside;
}

// The server for new requests. Servers with unfinished requests live until these are done.
class ServerSlot {
 public:
  // The usable server; starts one if there is none. Throws std::runtime_error if that is
  // impossible.
  std::shared_ptr<CompileServer> get(const std::string& program) {
    const std::lock_guard lock(mutex_);
    if (closed_) throw std::runtime_error("the process is ending");
    if (server_ && !server_->usable(program)) server_.reset();
    if (!server_) server_ = std::make_shared<CompileServer>(program);
    return server_;
  }
  // Takes this server, or any server for null, out of use.
  void retire(const CompileServer* server) {
    std::shared_ptr<CompileServer> retired;  // ends after the lock is gone
    const std::lock_guard lock(mutex_);
    if (!server || server_.get() == server) retired.swap(server_);
  }
  // From now on no server is started: a thread may go on compiling while the process ends.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    retire(nullptr);
  }

 private:
  std::mutex mutex_;
  bool closed_ = false;
  std::shared_ptr<CompileServer> server_;
};

// The slot of this process. A forked child gets its own: the parent's server answers to the parent,
// and its mutex may have been locked by a thread that the child does not have.
class ProcessSlot {
 public:
  ~ProcessSlot() {
    Owned* owned = current_.load();
    // Lets the server end before this process does, so that nobody inherits a dead process.
    if (owned && owned->pid == getpid()) owned->slot.close();
  }
  ServerSlot& get() {
    Owned* owned = current_.load(std::memory_order_acquire);
    while (!owned || owned->pid != getpid()) {
      auto fresh = std::make_unique<Owned>();
      if (current_.compare_exchange_strong(owned, fresh.get())) return fresh.release()->slot;
    }
    return owned->slot;
  }

 private:
  // Never freed: threads may be inside while static objects are destroyed.
  struct Owned {
    pid_t pid = getpid();
    ServerSlot slot;
  };
  std::atomic<Owned*> current_{nullptr};
};

ProcessSlot process_slot;

Response failure(const std::string& text) {
  Response response;
  response.status = Status::kFailure;
  response.log = "conclave: " + text + "\n";
  return response;
}

// The daemon that serves this process; 0 if none does, or if users are to have no server in common.
pid_t daemon_for_builds() {
  const share::Share* share = share::Share::if_open();
  if (!share || !Config::get().warm_compiler) return 0;
  return static_cast<pid_t>(share->layout().header().daemon_pid.load(std::memory_order_relaxed));
}

std::string time_limit_text(uint32_t limit_s) {
  return "the compilation took longer than " + std::to_string(limit_s) +
         " s and was ended (compile-timeout-s, CONCLAVE_COMPILE_TIMEOUT_S)";
}

Response ask_server(Request request, const std::string& program) {
  const uint32_t limit_s = Config::get().compile_timeout_s;
  request.memory_mib = Config::get().compile_memory_mib;
  request.cpu_seconds = limit_s;
  const auto deadline = std::chrono::steady_clock::now() + seconds(limit_s);
  if (const pid_t daemon = daemon_for_builds(); daemon > 0)
    if (auto result = ask_warm_server(program, daemon, request, deadline))
      return result->outcome == CompileOutcome::kAnswered ? std::move(result->response)
                                                          : failure(time_limit_text(limit_s));
  std::string last_log;
  // A server may end for idleness, or the host may close its connection, just when a request is
  // passed.
  for (int attempt = 0; attempt < 3; ++attempt) {
    const std::shared_ptr<CompileServer> server = process_slot.get().get(program);
    CompileResult result = server->ask(request, deadline);
    if (result.outcome == CompileOutcome::kAnswered) return std::move(result.response);
    process_slot.get().retire(server.get());
    last_log = result.response.log;
    if (result.outcome == CompileOutcome::kTimedOut) last_log = time_limit_text(limit_s);
    log::debug("compile server: " + last_log);
    if (result.outcome != CompileOutcome::kServerGone) break;
  }
  return failure(last_log);
}

// Dependencies are those of source text; a binary is input as a whole.
DiskCache::Entry make_entry(const Request& request, const Response& response,
                            const ProgramBinary& binary) {
  DiskCache::Entry entry{response.binary, response.log, {}};
  if (request.action == Action::kBuild || request.action == Action::kCompile)
    entry.dependencies = binary.dependencies();
  return entry;
}

// Whether the server's code needs more than this process sees of the CPU. An emulator such as
// valgrind hides features, and the server does not run in it.
bool asks_too_much(const Request& request, const ProgramBinary& binary) {
  std::string why;
  if (!request.target_cpu.empty() || binary.kind() != ProgramKind::kExecutable ||
      binary.runs_here(&why))
    return false;
  log::debug("compiling again for " + generic_cpu() + ": " + why);
  return true;
}

Response build(const Request& request, const std::string& program, const DiskCache& cache,
               const std::string& key) {
  Response response = ask_server(request, program);
  if (response.status != Status::kSuccess) return response;
  try {
    auto binary = ProgramBinary::parse(response.binary);
    if (asks_too_much(request, *binary)) {
      Request modest = request;
      modest.target_cpu = generic_cpu();
      response = ask_server(modest, program);
      if (response.status != Status::kSuccess) return response;
      binary = ProgramBinary::parse(response.binary);
    }
    cache.store(key, make_entry(request, response, *binary));
  } catch (const Error& error) {
    return failure("the compiler's answer makes no sense: " + error.text());
  }
  return response;
}

Response answer(DiskCache::Entry entry) {
  Response response;
  response.status = Status::kSuccess;
  response.log = std::move(entry.log);
  response.binary = std::move(entry.binary);
  return response;
}

// Counts for the tools, if this process uses the device.
void count(share::Atomic<uint64_t> share::ProcessEntry::* counter) {
  const share::Share* share = share::Share::if_open();
  if (!share || !share->membership().is_entered()) return;
  share::ProcessEntry& entry = share->layout().process(share->self().slot());
  (entry.*counter).fetch_add(1, std::memory_order_relaxed);
}

// Tells those who trace what a program has taken, from here to the end of the scope.
class TraceBuild {
 public:
  TraceBuild(TraceRecord::Kind kind, const Request& request) {
    if (!share::trace::is_on()) return;
    record_.kind = kind;
    record_.set_name(request.options.c_str());
    record_.begin_ns = now_ns();
  }
  ~TraceBuild() {
    if (record_.kind == TraceRecord::kNone) return;
    record_.end_ns = now_ns();
    share::trace::record(record_);
  }
  TraceBuild(const TraceBuild&) = delete;
  TraceBuild& operator=(const TraceBuild&) = delete;

  // It has come to nothing.
  void drop() { record_.kind = TraceRecord::kNone; }

 private:
  TraceRecord record_;
};

// From the cache.
std::optional<Response> find(const DiskCache& cache, const std::string& key,
                             const Request& request) {
  TraceBuild trace(TraceRecord::kCacheHit, request);
  auto entry = cache.find(key);
  if (!entry) {
    trace.drop();
    return std::nullopt;
  }
  count(&share::ProcessEntry::cache_hits);
  return answer(std::move(*entry));
}

// The cache of this user, by the configuration; without a key one that keeps nothing.
DiskCache open_cache(const std::string& key) {
  const Config& config = Config::get();
  const bool cached = config.cache && !key.empty();
  return DiskCache(cached ? config.cache_dir : "", uint64_t{config.cache_size_mib} << 20);
}

Response compile_cached(const Request& request) {
  const std::string program = compiler_path();
  if (program.empty())
    return failure(
        "there is no compiler: bin/clocl is neither beside this library nor where "
        "CONCLAVE_CLOCL says");
  const std::string key = compile_key(request, program);
  const DiskCache cache = open_cache(key);
  if (auto response = find(cache, key, request)) return std::move(*response);
  DiskCache::Lock lock = cache.lock(key, seconds(Config::get().compile_timeout_s));
  if (auto response = find(cache, key, request)) return std::move(*response);
  // The first one has failed. Those who waited for it now try side by side.
  if (lock.waited()) lock.release();
  count(&share::ProcessEntry::compiles);
  const TraceBuild trace(TraceRecord::kCompile, request);
  return build(request, program, cache, key);
}

}  // namespace

Response compile(const Request& request) {
  try {
    return compile_cached(request);
  } catch (const std::exception& error) {
    return failure(std::string("the program cannot be compiled: ") + error.what());
  }
}

std::optional<Response> find_compiled(const Request& request) {
  const std::string key = compile_key(request, compiler_path());
  return find(open_cache(key), key, request);
}

namespace {

// That a process may start. A program that has more kernels leaves the others to the next run.
constexpr int kMostLasting = 16;
constexpr uint64_t kMostLastingSeconds = 60;  // of CPU time

void start_lasting(const Request& request) {
  static std::atomic<int> started{0};
  const std::string program = compiler_path();
  protocol::CacheOrder order;
  order.key = compile_key(request, program);
  const Config& config = Config::get();
  if (!config.cache || config.cache_dir.empty() || order.key.empty() ||
      QuietProcess::adopts_orphans())
    return;
  order.directory = config.cache_dir;
  order.size_limit = uint64_t{config.cache_size_mib} << 20;
  // If another process builds it, starting a compiler to find that out would cost more than this.
  if (!open_cache(order.key).lock(order.lock(), std::chrono::milliseconds(0))) return;
  if (started.fetch_add(1) >= kMostLasting) return;
  order.request = request;
  order.request.urgency = protocol::Urgency::kBackground;
  order.request.memory_mib = config.compile_memory_mib;
  order.request.cpu_seconds = std::min<uint64_t>(config.compile_timeout_s, kMostLastingSeconds);
  const std::string bytes = protocol::encode(order);
  const Descriptor file(memfd_create("conclave:order", MFD_CLOEXEC));
  if (!file || !write_file(file.get(), bytes.data(), bytes.size())) return;
  QuietProcess::start_orphan(program, {"--for-cache"}, file.get(), QuietProcess::Pace::kWhenIdle);
}

}  // namespace

void build_for_later(const Request& request) {
  try {
    start_lasting(request);
  } catch (const std::exception& error) {
    log::debug(std::string("nothing is built for later: ") + error.what());
  }
}

namespace {

// Empty if nothing is kept.
std::string note_key(const Request& request) {
  const std::string key = compile_key(request, compiler_path());
  return key.empty() ? "" : content_hash("note " + key);
}

}  // namespace

std::optional<std::string> find_note(const Request& request) {
  const std::string key = note_key(request);
  auto entry = open_cache(key).find(key);
  if (!entry) return std::nullopt;
  return std::move(entry->binary);
}

void keep_note(const Request& request, const std::string& note) {
  const std::string key = note_key(request);
  open_cache(key).store(key, {note, "", {}});
}

bool compiler_available() {
  return !compiler_path().empty();
}

void unload_compiler() {
  process_slot.get().retire(nullptr);
}

}  // namespace conclave
