// SPDX-License-Identifier: Apache-2.0
// Finds the streams that lead from one user's kernel to another's, and moves their content
// (bridged_stream.h), on a separate thread. It sleeps on the daemon's bell (share/stream_bell.h) in
// the segments of all users who have such a stream, so it costs nothing while nothing moves.
//
// A user may write anything into their segment. The cost of that is bounded: so many streams per
// user, so many bytes per stream at a time, so many calls. Looking for streams takes a small part
// of the thread's time.
#ifndef CONCLAVE_MONITOR_STREAM_BRIDGE_H_
#define CONCLAVE_MONITOR_STREAM_BRIDGE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "monitor/bridged_stream.h"
#include "monitor/rate_limit.h"
#include "monitor/tenant.h"

namespace conclave::monitor {

class StreamBridge {
 public:
  // Throws std::system_error if there can be no thread.
  StreamBridge() : thread_([this] { serve(); }) {}
  // Gives all ends back.
  ~StreamBridge();
  StreamBridge(const StreamBridge&) = delete;

  // Tenants must be removed before they end.
  void add(Tenant& tenant);
  void remove(Tenant& tenant);
  // Called when somebody has taken an end of a stream, has given one back, or has died.
  void look();

 private:
  struct User {
    uint32_t rung = 0;  // the value of their bell when the thread listened to it last
    RateLimit limit;
  };
  struct Sleep;

  void serve();
  void wake();
  bool work(Sleep& sleep);
  void find_streams();
  void find_writer(size_t number, const share::GraphPart& part, const Tenant& reader);
  bool may_have_another(const Tenant& tenant) const;
  bool move_all();
  void listen(Sleep& sleep);

  std::atomic<uint32_t> calls_{0};  // futex
  std::atomic<bool> over_{false}, has_call_{false};
  // A thread that wants the second one holds the first one meanwhile, so the bridge's thread, which
  // needs both again and again, lets others in.
  std::mutex entrance_, mutex_;
  std::map<Tenant*, User> users_;
  std::vector<BridgedStream> streams_;
  uint64_t next_look_ns_ = 0;
  uint64_t moved_ns_ = 0;  // when something moved last
  std::thread thread_;
};

}  // namespace conclave::monitor

#endif  // CONCLAVE_MONITOR_STREAM_BRIDGE_H_
