// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/compile_exchange.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace conclave {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr uint64_t kMaxMessage = uint64_t{1} << 31;  // bytes; a longer answer is nonsense

enum class Progress { kDone, kEnded, kTimedOut };

// A connection and, if it is known, the process at its other end.
struct Peer {
  const Descriptor& connection;
  share::ProcessIdentity builder = {};

  bool may_answer() const {
    return builder.pid == 0 || share::liveness(builder) == share::Liveness::kAlive;
  }
};

// Waits until the connection is ready for `events`. Looks at the descriptor again each time, since
// the host may have closed it meanwhile.
Progress await(const Peer& peer, short events, Clock::time_point deadline) {
  // Upper bound for one wait, so that a descriptor closed by the host is noticed.
  constexpr milliseconds kSlice{500};
  const Descriptor& connection = peer.connection;
  for (bool may_answer = true;;) {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return Progress::kTimedOut;
    if (!connection.is_ours()) return Progress::kEnded;
    pollfd entry{connection.get(), events, 0};
    if (poll(&entry, 1, static_cast<int>(std::min(left, kSlice).count())) > 0)
      return Progress::kDone;
    const bool could_answer = std::exchange(may_answer, peer.may_answer());
    if (!could_answer && !may_answer) return Progress::kEnded;
  }
}

Progress send_all(const Peer& peer, std::string_view bytes, Clock::time_point deadline) {
  const Descriptor& connection = peer.connection;
  while (!bytes.empty()) {
    if (Progress progress = await(peer, POLLOUT, deadline); progress != Progress::kDone)
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
Progress receive(const Peer& peer, uint64_t size, std::string& bytes, Clock::time_point deadline) {
  const Descriptor& connection = peer.connection;
  constexpr uint64_t kChunk = 1 << 20;
  while (size > 0) {
    if (Progress progress = await(peer, POLLIN, deadline); progress != Progress::kDone)
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

CompileResult decode(const std::string& body) {
  try {
    CompileResult result{CompileOutcome::kAnswered, protocol::decode_response(body)};
    if (result.response.status > protocol::Status::kInvalidInput)
      throw std::runtime_error("unknown status " +
                               std::to_string(static_cast<uint32_t>(result.response.status)));
    return result;
  } catch (const std::exception& error) {
    return failed(CompileOutcome::kNonsense,
                  std::string("the compiler's answer makes no sense: ") + error.what());
  }
}

}  // namespace

CompileResult failed(CompileOutcome outcome, std::string log) {
  CompileResult result{outcome, {}};
  result.response.log = std::move(log);
  return result;
}

CompileOutcome receive_from_compiler(const Descriptor& connection, uint64_t size,
                                     std::string& bytes, CompileDeadline deadline) {
  switch (receive({connection}, size, bytes, deadline)) {
    case Progress::kDone:
      return CompileOutcome::kAnswered;
    case Progress::kTimedOut:
      return CompileOutcome::kTimedOut;
    case Progress::kEnded:
      break;
  }
  return CompileOutcome::kEnded;
}

CompileResult exchange(const Descriptor& connection, const protocol::Request& request,
                       CompileDeadline deadline, const share::ProcessIdentity& builder) {
  const Peer peer{connection, builder};
  const std::string body = protocol::encode(request);
  protocol::Writer length;
  length.put(uint64_t{body.size()});
  std::string header, answer;
  Progress progress = send_all(peer, length.body(), deadline);
  if (progress == Progress::kDone) progress = send_all(peer, body, deadline);
  // A server that did not take all of the request may have answered anyway.
  if (progress != Progress::kTimedOut) progress = receive(peer, sizeof(uint64_t), header, deadline);
  if (progress == Progress::kDone) {
    const uint64_t size = protocol::Reader(header).u64();
    if (size > kMaxMessage)
      return failed(
          CompileOutcome::kNonsense,
          "the compiler's answer makes no sense: it announces " + std::to_string(size) + " bytes");
    progress = receive(peer, size, answer, deadline);
  }
  if (!connection.is_ours())
    return failed(CompileOutcome::kServerGone, "the program closed the connection to the compiler");
  // Tells the server that nobody listens any more, even if a forked child has this socket too.
  shutdown(connection.get(), SHUT_RDWR);
  if (progress == Progress::kDone) return decode(answer);
  if (progress == Progress::kTimedOut) return failed(CompileOutcome::kTimedOut, "");
  return failed(CompileOutcome::kEnded, "the compiler crashed or was killed while compiling");
}

}  // namespace conclave
