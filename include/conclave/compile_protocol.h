// SPDX-License-Identifier: Apache-2.0
// The protocol between the runtime and `clocl --server`.
//
// The runtime starts the server with a connected stream socket as file descriptor kControlFd. For
// each request it makes a socket pair, passes one end to the server (one byte with SCM_RIGHTS over
// the control socket) and then writes a Request to and reads a Response from the other end. The
// server forks a child for each, so requests run side by side. A child that crashes tries once
// more, work-item by work-item; one that is killed is seen as an end of file without a response.
// Closing its end, the runtime cancels the request: the child is killed. The server exits when the
// control socket is closed, or after being idle for a while.
//
// A message is a little-endian uint64_t byte count, then the fields in order. Integers are
// little-endian, strings and byte blocks a uint64_t length and the bytes, lists a uint64_t count
// and the elements.
#ifndef CONCLAVE_COMPILE_PROTOCOL_H_
#define CONCLAVE_COMPILE_PROTOCOL_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace conclave::protocol {

inline constexpr int kControlFd = 3;
inline constexpr uint32_t kProtocolVersion = 4;

enum class Action : uint32_t {
  kBuild = 1,    // source -> executable (clBuildProgram from source)
  kCompile = 2,  // source + headers -> object (clCompileProgram)
  kLink = 3,     // objects, libraries -> executable or, with -create-library, library
  kRebuild = 4,  // any binary -> executable for this CPU (clBuildProgram of a binary)
};

// How much of the CPUs a build may take from others.
enum class Urgency : uint32_t {
  kAwaited = 0,     // somebody waits for the answer
  kBackground = 1,  // nobody does: everything else goes first
  kTrial = 2,       // the answer may turn out to be useless: nearly nothing
  kSoon = 3,        // nobody does, but the code that runs meanwhile is far slower: a good part
};

struct Request {
  uint32_t version = kProtocolVersion;
  Action action = Action::kBuild;
  Urgency urgency = Urgency::kAwaited;
  uint64_t memory_mib = 0;   // that the build may take; 0: no limit
  uint64_t cpu_seconds = 0;  // that each process of the build may take; 0: no limit
  std::string options;       // as the user gave them; the compiler parses and judges them
  std::string target_cpu;    // LLVM name; "" = the CPU the server runs on
  std::string directory;     // from which relative paths count; "" = the server's
  std::string source;        // for kBuild and kCompile: OpenCL C, or a module of SPIR-V
  std::vector<std::pair<std::string, std::string>> headers;  // include name, text
  std::vector<std::string> inputs;                           // program binaries, for kLink/kRebuild
};

enum class Status : uint32_t {
  kSuccess = 0,
  kFailure = 1,         // diagnostics in the log
  kInvalidOptions = 2,  // the log names the option
  kInvalidInput = 3,    // an input is no program binary of ours; the log says which and why
};

struct Response {
  uint32_t version = kProtocolVersion;
  Status status = Status::kFailure;
  std::string log;     // warnings too; file, line, caret
  std::string binary;  // program binary on success
};

// A build whose answer goes into the disk cache: what `clocl --for-cache` gets.
struct CacheOrder {
  std::string directory;    // the cache's
  uint64_t size_limit = 0;  // of the cache, in bytes
  std::string key;          // of the answer
  Request request;

  // Name of a lock in the cache. A process holds it while it works on the order. The answer has a
  // lock of its own, so a program that needs the answer now does not wait for idle work.
  std::string lock() const { return key + ".later"; }
  // Name of another lock, which all of a cache's orders have in turn.
  static constexpr const char* kTurn = "later";
};

// Appends fields to a message body.
class Writer {
 public:
  void put(uint32_t value) { raw(&value, sizeof value); }
  void put(uint64_t value) { raw(&value, sizeof value); }
  void put(std::string_view text) {
    put(uint64_t{text.size()});
    raw(text.data(), text.size());
  }
  const std::string& body() const { return body_; }

 private:
  void raw(const void* data, size_t size) { body_.append(static_cast<const char*>(data), size); }
  std::string body_;
};

// Takes fields from a message body; throws std::runtime_error if the body is too short.
class Reader {
 public:
  explicit Reader(std::string_view body) : rest_(body) {}
  uint32_t u32() { return number<uint32_t>(); }
  uint64_t u64() { return number<uint64_t>(); }
  std::string text() { return std::string(take(u64())); }

 private:
  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view take(uint64_t size) {
    if (size > rest_.size()) throw std::runtime_error("compile protocol: message cut short");
    std::string_view field = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return field;
  }
  std::string_view rest_;
};

inline std::string encode(const Request& request) {
  Writer w;
  w.put(request.version);
  w.put(static_cast<uint32_t>(request.action));
  w.put(static_cast<uint32_t>(request.urgency));
  w.put(request.memory_mib);
  w.put(request.cpu_seconds);
  w.put(request.options);
  w.put(request.target_cpu);
  w.put(request.directory);
  w.put(request.source);
  w.put(uint64_t{request.headers.size()});
  for (const auto& [name, text] : request.headers) {
    w.put(name);
    w.put(text);
  }
  w.put(uint64_t{request.inputs.size()});
  for (const auto& input : request.inputs) w.put(input);
  return w.body();
}

inline std::string encode(const Response& response) {
  Writer w;
  w.put(response.version);
  w.put(static_cast<uint32_t>(response.status));
  w.put(response.log);
  w.put(response.binary);
  return w.body();
}

inline uint32_t decode_version(Reader& r) {
  uint32_t version = r.u32();
  if (version != kProtocolVersion)
    throw std::runtime_error("compile protocol: version " + std::to_string(version) +
                             ", expected " + std::to_string(kProtocolVersion));
  return version;
}

inline Request decode_request(std::string_view body) {
  Reader r(body);
  Request request;
  request.version = decode_version(r);
  request.action = static_cast<Action>(r.u32());
  request.urgency = static_cast<Urgency>(std::min(r.u32(), uint32_t{3}));
  request.memory_mib = r.u64();
  request.cpu_seconds = r.u64();
  request.options = r.text();
  request.target_cpu = r.text();
  request.directory = r.text();
  request.source = r.text();
  for (uint64_t n = r.u64(); n > 0; --n) {
    std::string name = r.text();
    request.headers.emplace_back(std::move(name), r.text());
  }
  for (uint64_t n = r.u64(); n > 0; --n) request.inputs.push_back(r.text());
  return request;
}

inline std::string encode(const CacheOrder& order) {
  Writer w;
  w.put(order.directory);
  w.put(order.size_limit);
  w.put(order.key);
  w.put(encode(order.request));
  return w.body();
}

inline CacheOrder decode_cache_order(std::string_view body) {
  Reader r(body);
  CacheOrder order;
  order.directory = r.text();
  order.size_limit = r.u64();
  order.key = r.text();
  order.request = decode_request(r.text());
  return order;
}

inline Response decode_response(std::string_view body) {
  Reader r(body);
  Response response;
  response.version = decode_version(r);
  response.status = static_cast<Status>(r.u32());
  response.log = r.text();
  response.binary = r.text();
  return response;
}

}  // namespace conclave::protocol

#endif  // CONCLAVE_COMPILE_PROTOCOL_H_
