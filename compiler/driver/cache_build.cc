// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/cache_build.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <utility>

#include "compiler/driver/build_process.h"
#include "conclave/compile_protocol.h"
#include "platform/base/descriptor.h"
#include "platform/loader/disk_cache.h"

namespace conclave::compiler {
namespace {

constexpr size_t kMostOrderBytes = size_t{1} << 30;
// On a busy machine idle work gets next to nothing, but keeps its memory.
constexpr unsigned kMostSeconds = 600;

// In a process of its own: a build may crash, and its limits hold for it alone.
std::optional<protocol::Response> build(protocol::Request request) {
  auto [ours, theirs] = make_socket_pair();
  const pid_t self = getpid(), child = fork();
  if (child < 0) return std::nullopt;
  if (child == 0) {
    end_with_server(self);
    ours.close();
    serve_request(theirs.get(), std::move(request));
  }
  theirs.close();
  const std::optional<std::string> message = read_message(ours.get());
  ours.close();
  waitpid(child, nullptr, 0);
  if (!message) return std::nullopt;
  return protocol::decode_response(*message);
}

bool fill(protocol::CacheOrder order) {
  const DiskCache cache(order.directory, order.size_limit);
  if (cache.find(order.key)) return true;
  const DiskCache::Lock lock = cache.lock(order.lock(), std::chrono::milliseconds(0));
  if (!lock) return cache.refusal().empty();
  // The process that has ordered it may be building it too, and end before it has done so.
  cache.lock(order.key, std::chrono::seconds(kMostSeconds)).release();
  // Idle work is never quite without effect: six of these made a kernel beside them half as fast on two
  // CPUs, one of them 2 % slower.
  const DiskCache::Lock turn = cache.wait_for_turn(protocol::CacheOrder::kTurn);
  alarm(kMostSeconds);  // for the build; the waits had as long
  if (cache.find(order.key)) return true;
  const std::optional<protocol::Response> response = build(std::move(order.request));
  if (!response || response->status != protocol::Status::kSuccess) return false;
  cache.store(order.key, {response->binary, response->log, {}});
  return true;
}

}  // namespace

int build_for_cache() {
  prctl(PR_SET_NAME, "clocl-cache");
  alarm(kMostSeconds);
  std::string bytes;
  if (!read_file(protocol::kControlFd, kMostOrderBytes, bytes)) {
    std::fprintf(stderr, "clocl: error: --for-cache needs a file as file descriptor %d\n",
                 protocol::kControlFd);
    return 2;
  }
  try {
    return fill(protocol::decode_cache_order(bytes)) ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "clocl: error: %s\n", error.what());
    return 2;
  }
}

}  // namespace conclave::compiler
