// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/build_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "compiler/base/build_limits.h"
#include "compiler/driver/compilation.h"
#include "compiler/driver/second_try.h"
#include "compiler/frontend/tool.h"
#include "conclave/compile_protocol.h"

namespace conclave::compiler {
namespace {

constexpr int kBackgroundNice = 10;  // a tenth of the time of those who are not nice
constexpr int kSoonNice = 3;         // half of their time

// The nice value with which a build takes a hundredth of all CPUs if others want them: each step
// takes a fifth of the weight that the system gives a process.
int trial_nice() {
  const double share = std::min(0.01 * static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN)), 0.5);
  const double steps = std::ceil(std::log((1 - share) / share) / std::log(1.25));
  return std::clamp(static_cast<int>(steps), kBackgroundNice, 19);
}

// Least among those that compute, but not idle work: on a busy machine it has to end some time.
void be_as_nice_as(protocol::Urgency urgency) {
  const int least = urgency == protocol::Urgency::kBackground ? kBackgroundNice
                    : urgency == protocol::Urgency::kSoon     ? kSoonNice
                    : urgency == protocol::Urgency::kTrial    ? trial_nice()
                                                              : 0;
  // A host that is nicer stays so, though root's processes could do otherwise.
  if (least > getpriority(PRIO_PROCESS, 0)) setpriority(PRIO_PROCESS, 0, least);
}

// Sources of many megabytes exist (tables in constant memory); more than this is garbage.
constexpr uint64_t kMaxRequestBytes = uint64_t{1} << 31;
constexpr uint64_t kReadAtOnce = uint64_t{1} << 20;
// The host keeps the log for as long as the program. Nobody reads 100,000 warnings.
constexpr size_t kMaxLogBytes = size_t{1} << 20;

bool read_exactly(int descriptor, void* data, size_t size) {
  auto* bytes = static_cast<char*>(data);
  while (size > 0) {
    ssize_t got = read(descriptor, bytes, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    bytes += got;
    size -= static_cast<size_t>(got);
  }
  return true;
}

void write_all(int descriptor, std::string_view data) {
  while (!data.empty()) {
    ssize_t sent = send(descriptor, data.data(), data.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return;  // the requester is gone: nobody is left to tell
    data.remove_prefix(static_cast<size_t>(sent));
  }
}

std::string message_of(const protocol::Response& response) {
  const std::string body = protocol::encode(response);
  const uint64_t size = body.size();
  return std::string(reinterpret_cast<const char*>(&size), sizeof size) + body;
}

protocol::Response failure(const std::string& reason) {
  protocol::Response response;
  response.log = "error: " + reason + "\n";
  return response;
}

int requester = -1;  // the connection whose closing ends this process

void exit_if_requester_is_gone(int = 0) {
  pollfd state = {requester, POLLRDHUP, 0};
  if (poll(&state, 1, 0) > 0 && (state.revents & (POLLHUP | POLLERR | POLLRDHUP))) _exit(1);
}

// The kernel sends SIGIO when anything happens at the requester's end. The reason may be that it
// closes, but also the arrival of a request that was already read: the sender wakes the reader
// after the data is there to be read. So each signal is a reason to look, not to end.
void die_with_requester(int descriptor) {
  requester = descriptor;
  struct sigaction action = {};
  action.sa_handler = exit_if_requester_is_gone;
  action.sa_flags = SA_RESTART;
  sigaction(SIGIO, &action, nullptr);
  fcntl(descriptor, F_SETOWN, getpid());
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_ASYNC);
  exit_if_requester_is_gone();  // closed before the line above: no signal comes any more
}

protocol::Response with_short_log(protocol::Response response) {
  std::string& log = response.log;
  if (log.size() <= kMaxLogBytes) return response;
  const size_t end = log.rfind('\n', kMaxLogBytes) + 1;  // 0 where there is no such line
  const std::string rest = std::to_string(log.size() - end);
  log.resize(end);
  log += "conclave: " + rest + " more bytes of this log are left out\n";
  return response;
}

protocol::Request read_request(int descriptor) {
  const std::optional<std::string> message = read_message(descriptor);
  if (!message) _exit(1);
  return protocol::decode_request(*message);
}

enum class Try { kFirst, kSecond };

// For a request whose build crashes in this process.
void prepare_second_try_of(const protocol::Request& request, int connection) {
  static std::optional<MemoryFile> file;
  file.emplace(protocol::encode(request));
  prepare_second_try({kSecondTry, std::to_string(connection), file->path()}, "", connection);
}

// `get`: returns the request.
template <class Get>
protocol::Response answer(int descriptor, Try which, Get&& get) {
  try {
    protocol::Request request = get();
    die_with_requester(descriptor);
    limit_build({request.memory_mib, request.cpu_seconds}, descriptor,
                [](const std::string& reason) { return message_of(failure(reason)); });
    if (which == Try::kFirst) prepare_second_try_of(request, descriptor);
    be_as_nice_as(request.urgency);
    if (!request.directory.empty() && chdir(request.directory.c_str()) != 0)
      throw std::runtime_error("the directory '" + request.directory +
                               "' cannot be entered: " + std::strerror(errno));
    Extras extras;
    protocol::Response response = process(request, extras);
    if (which == Try::kSecond)
      response.log = one_by_one_warning("the compiler crashed") + response.log;
    return with_short_log(std::move(response));
  } catch (const std::exception& error) {
    return failure(error.what());
  }
}

template <class Get>
[[noreturn]] void build_and_answer(int descriptor, Try which, Get&& get) {
  prctl(PR_SET_NAME, "clocl-build");
  rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const std::string message = message_of(answer(descriptor, which, get));
  signal(SIGIO, SIG_IGN);  // a requester who has the answer may go
  write_all(descriptor, message);
  // The processes that generated code are still ending. Nobody else would reap them before the
  // server ends.
  while (wait(nullptr) > 0) {
  }
  _exit(0);
}

}  // namespace

void end_with_server(pid_t server) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != server) _exit(1);
}

void serve_request(int descriptor) {
  build_and_answer(descriptor, Try::kFirst, [descriptor] { return read_request(descriptor); });
}

void serve_request(int descriptor, protocol::Request request) {
  build_and_answer(descriptor, Try::kFirst, [&request] { return std::move(request); });
}

void serve_second_try(int descriptor, const std::string& path) {
  build_and_answer(descriptor, Try::kSecond, [&path] {
    std::ifstream file(path, std::ios::binary);
    protocol::Request request =
        protocol::decode_request(std::string(std::istreambuf_iterator<char>(file), {}));
    request.options += std::string(" ") + kOneByOne;
    return request;
  });
}

// Memory grows with the bytes that arrive, not with the announced size.
std::optional<std::string> read_message(int descriptor) {
  uint64_t size = 0;
  if (!read_exactly(descriptor, &size, sizeof size)) return std::nullopt;
  if (size > kMaxRequestBytes)
    throw std::runtime_error("compile protocol: message of " + std::to_string(size) + " bytes");
  std::string body;
  while (body.size() < size) {
    const size_t begin = body.size();
    body.resize(begin + std::min<uint64_t>(size - begin, kReadAtOnce));
    if (!read_exactly(descriptor, &body[begin], body.size() - begin)) return std::nullopt;
  }
  return body;
}

}  // namespace conclave::compiler
