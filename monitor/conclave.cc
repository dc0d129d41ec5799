// SPDX-License-Identifier: Apache-2.0
// conclave: shows what the device is, and who does what on it.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>

#include "monitor/cache.h"
#include "monitor/check_config.h"
#include "monitor/completions.h"
#include "monitor/config_reference.h"
#include "monitor/doctor/doctor.h"
#include "monitor/examine.h"
#include "monitor/reset.h"
#include "monitor/self_test.h"
#include "monitor/show_metrics.h"
#include "monitor/top/top.h"
#include "monitor/top/view.h"
#include "monitor/trace/trace.h"
#include "monitor/version.h"

namespace conclave::monitor {
namespace {

// The commands of the tool: what each takes, and what runs it.
class Commands {
 public:
  explicit Commands(CLI::App& app) : app_(app) {
    app.require_subcommand(1);
    app.footer(
        "Examples:\n"
        "  conclave examine\n"
        "  conclave top\n"
        "  conclave trace --svg -- ./program\n"
        "conclave COMMAND --help tells more about a command.");
    add_examine();
    add_top();
    add_trace();
    add_doctor();
    add_metrics();
    add_reset();
    add_bench();
    add_check_config();
    add_cache();
    add_completion();
  }

  int run() const { return run_(); }

 private:
  CLI::App* add(const char* name, const char* what, const char* examples) {
    CLI::App* command = app_.add_subcommand(name, what);
    command->footer(std::string("Examples:\n") + examples);
    return command;
  }
  void add_segment(CLI::App* command) {
    command
        ->add_option("--segment", segment_,
                     "The name under which processes meet, instead of HeapManager")
        ->type_name("NAME");
  }
  void add_json(CLI::App* command, const char* what = "For programs") {
    command->add_flag("--json", json_, what);
  }
  template <class Run>
  void on(CLI::App* command, const Run& run) {
    command->callback([this, run] { run_ = run; });
  }

  void add_examine() {
    CLI::App* command =
        add("examine", "Show the device, the processes that use it, and its compute units",
            "  conclave examine\n  conclave examine -r contexts,compute-units --json");
    std::vector<std::string> reports = kReports;
    reports.insert(reports.end(), kNamedReports.begin(), kNamedReports.end());
    add_json(command);
    CLI::Option* parts =
        command->add_option("-r,--report", reports_, "Show only these parts, separated by commas")
            ->delimiter(',')
            ->check(CLI::IsMember(reports));
    choices_[parts] = reports;
    add_segment(command);
    on(command, [this] { return examine({segment_, reports_, json_}); });
  }

  void add_top() {
    CLI::App* command = add("top", "Watch who uses the device",
                            "  conclave top\n"
                            "  conclave top --once --delay 5 --sort heap\n"
                            "  conclave top --json | jq '.processes[].busy'");
    command->add_flag("--once", top_.once, "Write one interval as text, and end");
    add_json(command, "Write one interval for programs, and end");
    command->add_option("-d,--delay", top_.delay_s, "Seconds between two looks")
        ->check(CLI::Range(kLeastDelay, kMostDelay))
        ->capture_default_str();
    std::vector<std::string> keys;
    for (int i = 0; i <= static_cast<int>(kLastSortKey); ++i)
      keys.emplace_back(name_of(static_cast<SortKey>(i)));
    CLI::Option* sort = command->add_option("-s,--sort", top_.sort, "What processes are sorted by")
                            ->check(CLI::IsMember(keys));
    choices_[sort] = keys;
    command
        ->add_option("-f,--filter", top_.filter,
                     "Only processes with this in command, kernel or user, or with this number")
        ->type_name("TEXT");
    add_segment(command);
    on(command, [this] {
      top_.segment = segment_;
      top_.json = json_;
      return top(top_);
    });
  }

  void add_trace() {
    CLI::App* command =
        add("trace", "Record who runs what on which compute unit, and who waits for whom",
            "  conclave trace --duration 2 --output both.json\n"
            "  conclave trace -- ./program --its-option\n"
            "  conclave trace --svg -- ./program\n"
            "Open the JSON file at https://ui.perfetto.dev or chrome://tracing.");
    command
        ->add_option("--duration", trace_.seconds, "Seconds; else until the program or ^C ends it")
        ->check(CLI::Range(0.001, kLongestTrace))
        ->type_name("S");
    command
        ->add_option("-o,--output", trace_.output,
                     "File; conclave-trace.json or .svg by default, - for standard output")
        ->type_name("FILE");
    command->add_flag("--svg", trace_.svg, "A picture, instead of JSON for Perfetto");
    command->add_option("program", trace_.program,
                        "After --: a program to run, with its arguments");
    add_segment(command);
    on(command, [this] {
      trace_.segment = segment_;
      return trace(trace_);
    });
  }

  void add_doctor() {
    CLI::App* command =
        add("doctor", "Find what is wrong with the installation, and say what to do",
            "  conclave doctor\n"
            "  conclave doctor --json | jq '.findings[] | select(.state != \"good\")'");
    add_json(command);
    add_segment(command);
    on(command, [this] { return doctor(segment_, json_); });
  }

  void add_metrics() {
    CLI::App* command = add("metrics", "Write what is counted, for Prometheus and its relatives",
                            "  conclave metrics > /var/lib/prometheus/node-exporter/conclave.prom");
    command->add_flag("--openmetrics", open_metrics_,
                      "OpenMetrics 1.0, instead of Prometheus's text format");
    add_segment(command);
    on(command, [this] { return show_metrics(segment_, open_metrics_); });
  }

  void add_reset() {
    CLI::App* command =
        add("reset", "Take what dead processes have left behind, or what living ones have",
            "  conclave reset\n  conclave reset --pid 4711\n  conclave reset --all --yes");
    CLI::Option* all = command->add_flag("--all", reset_.all,
                                         "Living processes lose what they have, too; they run on");
    command->add_option("--pid", reset_.pid, "Only what this process has")
        ->check(CLI::PositiveNumber)
        ->excludes(all);
    command->add_flag("-y,--yes", reset_.yes, "Do not ask");
    add_json(command);
    add_segment(command);
    on(command, [this] {
      reset_.segment = segment_;
      reset_.json = json_;
      return reset(reset_);
    });
  }

  void add_bench() {
    CLI::App* command =
        add("bench", "Measure this machine in two minutes, beside the published figures",
            "  conclave bench\n  conclave bench --quick --json");
    command->add_flag("--quick", self_test_.quick, "Each figure from a few measurements");
    add_json(command);
    on(command, [this] {
      self_test_.json = json_;
      return self_test(self_test_);
    });
  }

  void add_check_config() {
    CLI::App* command = add(
        "check-config", "Show the configuration, where each value comes from, and what is wrong",
        "  conclave check-config\n"
        "  conclave check-config --config ./ti_mctd_config.json\n"
        "  conclave check-config --describe");
    command->add_flag("--describe", describe_, "What the keys mean, instead of their values");
    command
        ->add_option("--config", file_, "Configuration file, instead of the one that processes use")
        ->type_name("FILE");
    add_json(command);
    on(command, [this] { return describe_ ? describe_config(json_) : check_config(file_, json_); });
  }

  void add_cache() {
    CLI::App* command =
        add("cache", "Show, check or clear the built programs that are kept on disk",
            "  conclave cache show\n  conclave cache check --json");
    command->require_subcommand(1);
    add_json(command);
    // Options of the command may stand behind its part, too.
    const auto part = [&](const char* name, const char* text) {
      return command->add_subcommand(name, text)->fallthrough();
    };
    on(part("show", "Show where they are, how many, and which"),
       [this] { return show_cache(json_); });
    on(part("check", "Read all of them and remove what is damaged"),
       [this] { return check_cache(json_); });
    on(part("clear", "Remove all of them"), [this] { return clear_cache(json_); });
  }

  void add_completion() {
    static const std::vector<std::string> kShells = {"zsh", "fish"};
    CLI::App* command =
        add("completion", "Write what a shell needs to complete these commands",
            "  conclave completion fish > ~/.config/fish/completions/conclave.fish\n"
            "  conclave completion zsh > /usr/local/share/zsh/site-functions/_conclave");
    command->require_subcommand(1);
    for (const std::string& shell : kShells)
      on(command->add_subcommand(shell, "For " + shell), [this, shell] {
        fputs(completions(app_, choices_, shell).c_str(), stdout);
        return 0;
      });
  }

  CLI::App& app_;
  std::function<int()> run_;
  Choices choices_;
  std::string segment_, file_;
  std::vector<std::string> reports_;
  bool json_ = false, open_metrics_ = false, describe_ = false;
  ResetOptions reset_;
  SelfTestOptions self_test_;
  TopOptions top_;
  TraceOptions trace_;
};

}  // namespace
}  // namespace conclave::monitor

int main(int argc, char** argv) {
  CLI::App app{"Shows what the device is, and who does what on it.", "conclave"};
  app.set_version_flag("--version", conclave::monitor::version_text("conclave"));
  const conclave::monitor::Commands commands(app);
  CLI11_PARSE(app, argc, argv);
  return commands.run();
}
