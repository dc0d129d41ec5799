// SPDX-License-Identifier: Apache-2.0
// conclave metrics and the daemon say in Prometheus's formats what is counted.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <stdexcept>

#include "metrics_text.h"
#include "platform/base/clock.h"
#include "platform/base/descriptor.h"
#include "platform/share/registry.h"
#include "tool.h"

namespace conclave::test {
namespace {

using Families = std::map<std::string, MetricFamily>;

class Metrics : public ToolTest {
 protected:
  Metrics() { configure(""); }

  std::string text(bool open_metrics = false) {
    std::vector<std::string> arguments = {"metrics"};
    if (open_metrics) arguments.push_back("--openmetrics");
    const Result result = run("conclave", arguments);
    EXPECT_EQ(result.status, 0) << result.errors;
    return result.output;
  }
  Families metrics(bool open_metrics = false) {
    return parse_metrics(text(open_metrics), open_metrics);
  }
  static std::string share() { return "user-" + std::to_string(geteuid()); }

  // The samples in which `label` is `value`.
  static size_t count(const Families& families, const std::string& name, const std::string& label,
                      const std::string& value) {
    size_t found = 0;
    if (families.contains(name))
      for (const auto& [labels, ignored] : families.at(name).samples)
        found += labels.contains(label) && labels.at(label) == value;
    return found;
  }
  // The value of the only such sample.
  static double value(const Families& families, const std::string& name, const std::string& label,
                      const std::string& wanted) {
    EXPECT_EQ(count(families, name, label, wanted), 1u) << name;
    if (families.contains(name))
      for (const auto& [labels, number] : families.at(name).samples)
        if (labels.contains(label) && labels.at(label) == wanted) return number;
    return -1;
  }

  // --- HTTP ---

  std::string metrics_path() const {
    return socket_path().substr(0, socket_path().rfind('.')) + ".metrics";
  }
  Descriptor connected() const { return connected(metrics_path()); }
  static Descriptor connected(const std::string& path) {
    Descriptor connection(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    if (connect(connection.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("nobody listens at " + path);
    return connection;
  }
  static Descriptor connected(uint16_t port) {
    Descriptor connection(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(connection.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("nobody listens at the port");
    return connection;
  }
  // A port that nobody has.
  static uint16_t free_port() {
    const Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
      throw std::runtime_error("there is no port");
    return ntohs(address.sin_port);
  }
  // What comes until the other end closes; "" if it says nothing for 10 s.
  static std::string rest_of(const Descriptor& connection) {
    std::string all;
    for (char bytes[4096];;) {
      pollfd ready = {connection.get(), POLLIN, 0};
      if (poll(&ready, 1, 10'000) <= 0) return "";
      const ssize_t size = read(connection.get(), bytes, sizeof bytes);
      if (size <= 0) return all;
      all.append(bytes, static_cast<size_t>(size));
    }
  }
  static std::string ask(const Descriptor& connection, const std::string& request) {
    if (send(connection.get(), request.data(), request.size(), MSG_NOSIGNAL) < 0) return "";
    return rest_of(connection);
  }
  static std::string ask(const Descriptor& connection) {
    return ask(connection, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  static std::string body_of(const std::string& answer) {
    const size_t end = answer.find("\r\n\r\n");
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 OK\r\n")) << answer;
    if (end == answer.npos) return "";
    const std::string body = answer.substr(end + 4);
    EXPECT_NE(answer.find("\r\nContent-Length: " + std::to_string(body.size()) + "\r\n"),
              answer.npos);
    return body;
  }
};

TEST_F(Metrics, NobodyUsesTheDevice) {
  for (const bool open_metrics : {false, true}) {
    const Families families = metrics(open_metrics);
    EXPECT_EQ(families.size(), 1u);
    EXPECT_EQ(count(families, "conclave_build_info", "version", CONCLAVE_VERSION), 1u);
  }
  EXPECT_FALSE(segment_exists()) << "looking must not make a segment";
}

TEST_F(Metrics, SayWhatIsCounted) {
  const auto holder = client("hold");
  const auto waiter = client("request");
  const std::string pid = std::to_string(holder->pid());
  for (const bool open_metrics : {false, true}) {
    const Families all = metrics(open_metrics);
    const auto of_process = [&](const std::string& name) {
      return value(all, "conclave_process_" + name, "pid", pid);
    };
    EXPECT_EQ(of_process("busy_seconds_total"), 0.006);
    EXPECT_EQ(of_process("waiting_seconds_total"), 0.001);
    EXPECT_EQ(of_process("launches_total"), 3);
    EXPECT_EQ(of_process("work_groups_total"), 5);
    EXPECT_EQ(of_process("compiles_total"), 7);
    EXPECT_EQ(of_process("cache_hits_total"), 8);
    EXPECT_EQ(of_process("faults_total"), 9);
    EXPECT_EQ(of_process("heap_bytes"), 0);
    EXPECT_EQ(of_process("contexts"), 1);
    EXPECT_NEAR(of_process("start_time_seconds"), static_cast<double>(time(nullptr)), 60);
    EXPECT_EQ(count(all, "conclave_process_launches_total", "uid", std::to_string(getuid())), 2u);
    EXPECT_EQ(value(all, "conclave_processes", "share", share()), 2);
    EXPECT_EQ(value(all, "conclave_scheduler_info", "scheduler", "interleave"), 1);
    EXPECT_EQ(value(all, "conclave_heap_size_bytes", "heap", "ddr_heap1"), 1 << 20);
    EXPECT_EQ(value(all, "conclave_heap_available_bytes", "heap", "ddr_heap1"), 1 << 20);

    // One of the four units is held and waited for.
    double busy = 0, active = 0, waiting = 0;
    ASSERT_TRUE(all.contains("conclave_compute_unit_busy_seconds_total"));
    for (const auto& [labels, number] :
         all.at("conclave_compute_unit_busy_seconds_total").samples) {
      const std::string& unit = labels.at("unit");
      busy += number;
      active += value(all, "conclave_compute_unit_active", "unit", unit);
      waiting += value(all, "conclave_compute_unit_waiting_processes", "unit", unit);
      EXPECT_EQ(value(all, "conclave_compute_unit_hand_overs_total", "unit", unit), 0);
    }
    EXPECT_EQ(count(all, "conclave_compute_unit_active", "share", share()), 4u);
    EXPECT_EQ(busy, 0.004);
    EXPECT_EQ(active, 1);
    EXPECT_EQ(waiting, 1);
    if (open_metrics) {
      EXPECT_EQ(all.at("conclave_process_busy_seconds_total").unit, "seconds");
      EXPECT_EQ(all.at("conclave_heap_size_bytes").unit, "bytes");
    }
  }
}

// Every process may write the segment.
TEST_F(Metrics, ForgedTablesMakeNoForgedText) {
  const auto holder = client("hold");
  const std::string pid = std::to_string(holder->pid());
  const auto opened = open_segment();
  const share::Layout& layout = opened->layout();
  const share::Registry registry(layout);
  share::ProcessEntry& entry = *registry.find(registry.everybody().front());
  entry.name.set("a\"b\\c\n} 1");
  const auto name_of_holder = [&](const Families& all) {
    for (const auto& [labels, ignored] : all.at("conclave_process_launches_total").samples)
      if (labels.at("pid") == pid) return labels.at("name");
    return std::string();
  };
  const std::string name = name_of_holder(metrics());
  EXPECT_TRUE(name.starts_with("a\"b\\c")) << name;
  EXPECT_EQ(name.find('\n'), name.npos);

  // The same process in all entries.
  const uint32_t capacity = layout.process_capacity();
  for (uint32_t slot = 0; slot < capacity; ++slot) {
    share::ProcessEntry& forged = layout.process(slot);
    forged.state.store(entry.state.load());
    forged.start_time.store(entry.start_time.load());
    forged.launches.store(UINT64_MAX);
  }
  layout.header().entries_in_use.store(UINT32_MAX);
  layout.header().heaps[0].available.store(UINT64_MAX);
  const Families all = metrics();
  EXPECT_EQ(value(all, "conclave_process_launches_total", "pid", pid), 18446744073709551615.0);
  EXPECT_EQ(value(all, "conclave_heap_available_bytes", "heap", "ddr_heap1"), 1 << 20);
}

TEST_F(Metrics, PromtoolIsContent) {
  if (system("command -v promtool >/dev/null") != 0)
    GTEST_SKIP() << "promtool (Debian's package prometheus) is not installed";
  const auto holder = client("hold");
  write(file("metrics"), text());
  EXPECT_EQ(system(("promtool check metrics <" + file("metrics")).c_str()), 0);
}

// Whether the answer to a query has this label.
bool has_label(const Families& families, const std::string& query, const std::string& label) {
  static const std::regex kMetric("conclave_[a-z_]+"), kBy("by \\(([a-z, ]*)\\)");
  if (std::smatch by; std::regex_search(query, by, kBy))
    return std::regex_search(by[1].str(), std::regex("\\b" + label + "\\b"));
  std::smatch name;
  if (!std::regex_search(query, name, kMetric) || !families.contains(name[0])) return false;
  const auto& samples = families.at(name[0]).samples;
  return !samples.empty() && samples.begin()->first.contains(label);
}

nlohmann::json dashboard() {
  std::ifstream stream(DASHBOARD);
  return nlohmann::json::parse(stream);
}

// What Grafana needs to show it. Grafana itself is not asked.
TEST(Dashboard, HasWhatGrafanaReads) {
  const nlohmann::json all = dashboard();
  EXPECT_GE(all.at("schemaVersion"), 36);
  std::set<std::string> variables = {"__rate_interval"};
  for (const auto& variable : all.at("templating").at("list"))
    variables.insert(variable.at("name").get<std::string>());
  std::set<int> ids;
  std::set<std::pair<int, int>> cells;
  for (const auto& panel : all.at("panels")) {
    const std::string title = panel.at("title");
    EXPECT_TRUE(ids.insert(panel.at("id").get<int>()).second) << title;
    EXPECT_EQ(panel.at("datasource").at("uid"), "${source}") << title;
    const auto& place = panel.at("gridPos");
    for (int x = place.at("x"); x < place.at("x").get<int>() + place.at("w").get<int>(); ++x)
      for (int y = place.at("y"); y < place.at("y").get<int>() + place.at("h").get<int>(); ++y) {
        EXPECT_LT(x, 24) << title;
        EXPECT_TRUE(cells.emplace(x, y).second) << title << " lies over another panel";
      }
    std::set<std::string> names;
    for (const auto& target : panel.at("targets")) {
      EXPECT_TRUE(names.insert(target.at("refId")).second) << title;
      const std::string query = target.at("expr");
      static const std::regex kVariable(R"(\$\{?(\w+))");
      for (std::sregex_iterator at(query.begin(), query.end(), kVariable), end; at != end; ++at)
        EXPECT_TRUE(variables.contains(at->str(1))) << query;
    }
  }
}

// Rules have the same language.
TEST_F(Metrics, PromtoolUnderstandsTheDashboard) {
  if (system("command -v promtool >/dev/null") != 0)
    GTEST_SKIP() << "promtool (Debian's package prometheus) is not installed";
  nlohmann::json rules = nlohmann::json::array();
  const nlohmann::json board = dashboard();
  for (const auto& panel : board.at("panels"))
    for (const auto& target : panel.at("targets")) {
      std::string query = target.at("expr");
      query = std::regex_replace(query, std::regex(R"(\$__rate_interval)"), "1m");
      query = std::regex_replace(query, std::regex(R"(\$share)"), ".*");
      EXPECT_EQ(query.find('$'), query.npos) << query;
      rules.push_back({{"record", "rule_" + std::to_string(rules.size())}, {"expr", query}});
    }
  EXPECT_GE(rules.size(), 10u);
  // JSON is YAML.
  write(file("rules"),
        nlohmann::json{{"groups", {{{"name", "dashboard"}, {"rules", rules}}}}}.dump());
  EXPECT_EQ(system(("promtool check rules " + file("rules")).c_str()), 0);
}

// The dashboard asks for nothing that is not there, and its legends name labels that are.
TEST_F(Metrics, TheDashboardKnowsThem) {
  const auto holder = client("hold");
  const Families all = metrics();
  std::set<std::string> asked;
  static const std::regex kMetric("conclave_[a-z_]+");
  static const std::regex kLabel(R"(\{\{(\w+)\}\})");
  const nlohmann::json board = dashboard();
  for (const auto& panel : board.at("panels"))
    for (const auto& target : panel.at("targets")) {
      const std::string query = target.at("expr");
      const std::string legend = target.at("legendFormat");
      for (std::sregex_iterator at(legend.begin(), legend.end(), kLabel), end; at != end; ++at)
        EXPECT_TRUE(has_label(all, query, at->str(1))) << query << " " << legend;
      size_t in_query = 0;
      for (std::sregex_iterator at(query.begin(), query.end(), kMetric), end; at != end; ++at) {
        EXPECT_TRUE(all.contains(at->str())) << query;
        asked.insert(at->str());
        ++in_query;
      }
      EXPECT_GT(in_query, 0u) << query;
    }
  EXPECT_GE(asked.size(), 10u);
}

TEST_F(Metrics, TheDaemonSaysTheSame) {
  start_daemon();
  const auto holder = client("hold");
  const std::string pid = std::to_string(holder->pid());
  const std::string answer = ask(connected());
  EXPECT_NE(answer.find("\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"),
            answer.npos);
  const Families all = parse_metrics(body_of(answer), false);
  EXPECT_EQ(value(all, "conclave_process_launches_total", "pid", pid), 3);
  EXPECT_EQ(value(all, "conclave_processes", "share", share()), 1) << "without the daemon itself";
  EXPECT_EQ(count(all, "conclave_process_launches_total", "pid", std::to_string(daemon_pid())), 0u);

  const std::string open_answer =
      ask(connected(),
          "GET /metrics HTTP/1.1\r\nAccept: application/openmetrics-text; version=1.0.0\r\n\r\n");
  EXPECT_NE(open_answer.find("\r\nContent-Type: application/openmetrics-text; version=1.0.0"),
            open_answer.npos);
  EXPECT_EQ(value(parse_metrics(body_of(open_answer), true), "conclave_process_launches_total",
                  "pid", pid),
            3);
}

TEST_F(Metrics, UsersSeeOnlyTheirOwn) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  start_daemon();
  const auto holder = client("hold");
  constexpr uid_t kStranger = 54321;
  const std::string path = metrics_path();
  ASSERT_EQ(seteuid(kStranger), 0);
  const Descriptor connection = connected(path);
  ASSERT_EQ(seteuid(0), 0);
  const Families theirs = parse_metrics(body_of(ask(connection)), false);
  EXPECT_EQ(theirs.size(), 1u);
  EXPECT_TRUE(theirs.contains("conclave_build_info"));
}

TEST_F(Metrics, APortIfItIsConfigured) {
  const uint16_t port = free_port();
  configure("\"metrics-port\": " + std::to_string(port));
  start_daemon();
  const auto holder = client("hold");
  const Families all = parse_metrics(body_of(ask(connected(port))), false);
  EXPECT_EQ(value(all, "conclave_process_launches_total", "pid", std::to_string(holder->pid())), 3);
}

// The device is worth more than its metrics.
TEST_F(Metrics, ATakenPortKeepsNobodyFromTheDevice) {
  const Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const uint16_t port = free_port();
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener.get(), 1), 0);
  configure("\"metrics-port\": " + std::to_string(port));
  const auto daemon = foreground_daemon();
  EXPECT_TRUE(soon([&] {
    return daemon->errors().find("metrics at 127.0.0.1:" + std::to_string(port)) !=
           std::string::npos;
  })) << daemon->errors();
  client("hold");
}

TEST_F(Metrics, WrongRequestsAreRefused) {
  start_daemon();
  const struct {
    std::string request, status;
  } kCases[] = {
      {"POST /metrics HTTP/1.1\r\n\r\n", "405 Method Not Allowed"},
      {"\r\n\r\n", "405 Method Not Allowed"},
      {std::string("\0\xff\n\n", 4), "405 Method Not Allowed"},
      {"GET / HTTP/1.1\r\n\r\n", "404 Not Found"},
      {"GET /metrics/../secret HTTP/1.1\r\n\r\n", "404 Not Found"},
      {"GET \n\n", "404 Not Found"},
      {"GET /metrics HTTP/1.1\r\n" + std::string(4096, 'x'), "431 Request Header Fields Too Large"},
  };
  for (const auto& one : kCases) {
    const std::string answer = ask(connected(), one.request);
    EXPECT_TRUE(answer.empty() || answer.starts_with("HTTP/1.1 " + one.status + "\r\n"))
        << one.request << "\n"
        << answer;
    EXPECT_FALSE(answer.empty() && one.request.size() < 4000) << one.request;
  }
  body_of(ask(connected(), "GET /metrics?x=1 HTTP/1.0\n\n"));
}

// Those who say nothing, or do not listen, neither stay nor keep others out.
TEST_F(Metrics, SilentConnectionsDoNotCount) {
  const pid_t daemon = start_daemon();
  std::vector<Descriptor> silent;
  for (int i = 0; i < 64; ++i) silent.push_back(connected());
  body_of(ask(connected()));
  const uint64_t start = now_ns();
  for (const Descriptor& connection : silent) EXPECT_EQ(rest_of(connection), "");
  EXPECT_LT(now_ns() - start, 8'000'000'000u);
  silent.clear();
  body_of(ask(connected()));
  EXPECT_EQ(stop_daemon(daemon, SIGTERM), 0);
  EXPECT_NE(access(metrics_path().c_str(), F_OK), 0) << "the socket is removed";
}

}  // namespace
}  // namespace conclave::test
