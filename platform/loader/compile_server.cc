// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/compile_server.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <stdexcept>

#include "platform/base/descriptor_message.h"

namespace conclave {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr uint64_t kMaxMessage = uint64_t{1} << 31;  // bytes; a longer answer is nonsense
constexpr milliseconds kEndLimit{300};               // for a server that was told to end
constexpr milliseconds kDeathNoticeLimit{100};       // from lost connection to visible death

std::string working_directory_identity() {
  struct stat status;
  if (stat(".", &status) != 0) return "";
  return std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino);
}

enum class Progress { kDone, kEnded, kTimedOut };

// Waits until the connection is ready for `events`. Looks at the descriptor again each time, since
// the host may have closed it meanwhile.
Progress await(const Descriptor& connection, short events, Clock::time_point deadline) {
  // Upper bound for one wait, so that a descriptor closed by the host is noticed.
  constexpr milliseconds kSlice{500};
  for (;;) {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return Progress::kTimedOut;
    if (!connection.is_ours()) return Progress::kEnded;
    pollfd entry{connection.get(), events, 0};
    if (poll(&entry, 1, static_cast<int>(std::min(left, kSlice).count())) > 0)
      return Progress::kDone;
  }
}

Progress send_all(const Descriptor& connection, std::string_view bytes,
                  Clock::time_point deadline) {
  while (!bytes.empty()) {
    if (Progress progress = await(connection, POLLOUT, deadline); progress != Progress::kDone)
      return progress;
    const ssize_t count =
        send(connection.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0)
      bytes.remove_prefix(static_cast<size_t>(count));
    else if (errno != EAGAIN && errno != EINTR)
      return Progress::kEnded;
  }
  return Progress::kDone;
}

// Appends `size` bytes to `bytes`, which grows with the bytes that arrive, not with the announced
// size.
Progress receive(const Descriptor& connection, uint64_t size, std::string& bytes,
                 Clock::time_point deadline) {
  constexpr uint64_t kChunk = 1 << 20;
  while (size > 0) {
    if (Progress progress = await(connection, POLLIN, deadline); progress != Progress::kDone)
      return progress;
    const size_t old_size = bytes.size();
    bytes.resize(old_size + std::min(size, kChunk));
    const ssize_t count =
        recv(connection.get(), bytes.data() + old_size, bytes.size() - old_size, MSG_DONTWAIT);
    bytes.resize(old_size + static_cast<size_t>(std::max<ssize_t>(count, 0)));
    if (count > 0)
      size -= static_cast<uint64_t>(count);
    else if (count == 0 || (errno != EAGAIN && errno != EINTR))
      return Progress::kEnded;
  }
  return Progress::kDone;
}

CompileServer::Result failure(CompileServer::Outcome outcome, std::string log) {
  CompileServer::Result result{outcome, {}};
  result.response.log = std::move(log);
  return result;
}

CompileServer::Result decode(const std::string& body) {
  try {
    CompileServer::Result result{CompileServer::Outcome::kAnswered,
                                 protocol::decode_response(body)};
    if (result.response.status > protocol::Status::kInvalidInput)
      throw std::runtime_error("unknown status " +
                               std::to_string(static_cast<uint32_t>(result.response.status)));
    return result;
  } catch (const std::exception& error) {
    return failure(CompileServer::Outcome::kNonsense,
                   std::string("the compiler's answer makes no sense: ") + error.what());
  }
}

}  // namespace

CompileServer::CompileServer(const std::string& program)
    : program_(program), directory_(working_directory_identity()) {
  auto [ours, theirs] = make_socket_pair();
  control_ = std::move(ours);
  process_ =
      std::make_unique<QuietProcess>(program, std::vector<std::string>{"--server"}, theirs.get());
}

CompileServer::~CompileServer() {
  // Closing is not enough: a child that the host forked has the same socket.
  if (control_.is_ours()) shutdown(control_.get(), SHUT_RDWR);
  control_.close();
  process_->wait(kEndLimit);
}

bool CompileServer::usable(const std::string& program) {
  const std::lock_guard lock(mutex_);
  return program == program_ && control_.is_ours() && directory_ == working_directory_identity() &&
         !process_->wait(milliseconds(0));
}

// Hands the server its end of a new connection: one byte, with the descriptor attached.
bool CompileServer::pass_connection(const Descriptor& theirs) {
  const char byte = 0;
  return control_.is_ours() &&
         send_message(control_.get(), &byte, 1, theirs.get(), MSG_DONTWAIT) == 1;
}

CompileServer::Result CompileServer::no_answer() {
  const std::lock_guard lock(mutex_);
  if (!process_->wait(kDeathNoticeLimit))
    return failure(Outcome::kEnded, "the compiler crashed or was killed while compiling");
  if (process_->ended_well()) return failure(Outcome::kServerGone, "the compile server went away");
  return failure(Outcome::kEnded, "the compiler ended unexpectedly (" + process_->ending() + ")");
}

CompileServer::Result CompileServer::ask(const protocol::Request& request, Deadline deadline) {
  auto [connection, theirs] = make_socket_pair();
  if (!pass_connection(theirs)) return failure(Outcome::kServerGone, "the compile server is gone");
  theirs.close();

  const std::string body = protocol::encode(request);
  protocol::Writer length;
  length.put(uint64_t{body.size()});
  std::string header, answer;
  Progress progress = send_all(connection, length.body(), deadline);
  if (progress == Progress::kDone) progress = send_all(connection, body, deadline);
  // A server that did not take all of the request may have answered anyway.
  if (progress != Progress::kTimedOut)
    progress = receive(connection, sizeof(uint64_t), header, deadline);
  if (progress == Progress::kDone) {
    const uint64_t size = protocol::Reader(header).u64();
    if (size > kMaxMessage)
      return failure(Outcome::kNonsense, "the compiler's answer makes no sense: it announces " +
                                             std::to_string(size) + " bytes");
    progress = receive(connection, size, answer, deadline);
  }
  if (!connection.is_ours())
    return failure(Outcome::kServerGone, "the program closed the connection to the compiler");
  // Tells the server that nobody listens any more, even if a forked child has this socket too.
  shutdown(connection.get(), SHUT_RDWR);
  if (progress == Progress::kDone) return decode(answer);
  if (progress == Progress::kTimedOut) return failure(Outcome::kTimedOut, "");
  return no_answer();
}

}  // namespace conclave
