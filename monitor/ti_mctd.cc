// SPDX-License-Identifier: Apache-2.0
// ti-mctd: the daemon that owns what all users' processes share.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>

#include "monitor/background.h"
#include "monitor/daemon.h"
#include "monitor/version.h"
#include "platform/base/error.h"
#include "platform/base/log.h"

namespace conclave::monitor {
namespace {

struct Options {
  std::string config, segment;
  bool foreground = false;
};

// Says what is wrong, in the log and to the user who started the daemon.
int fail(const std::string& what) {
  fprintf(stderr, "ti-mctd: %s\n", what.c_str());
  return 1;
}

int serve(const Options& options) {
  Config config = read_daemon_config(options.config);
  for (const std::string& error : config.errors) fail(error);
  if (!config.errors.empty()) return 1;

  const bool managed = has_service_manager();
  log::serve_as("ti-mctd", options.foreground && !managed);
  std::optional<Background> background;
  if (!options.foreground && !managed) background.emplace();
  // Never destroyed: the threads that watch the processes need its segments.
  auto& daemon = *new Daemon(std::move(config), options.config, options.segment);
  daemon.start();
  if (background) background->ready();
  tell_service_manager("READY=1\nSTATUS=Serving " + daemon.path());
  daemon.run();
  return 0;
}

}  // namespace
}  // namespace conclave::monitor

int main(int argc, char** argv) {
  using namespace conclave::monitor;
  Options options;
  CLI::App app{
      "Owns what the processes of all users share of the device, and collects what dead "
      "ones leave behind.",
      "ti-mctd"};
  app.set_version_flag("--version", version_text("ti-mctd"));
  app.add_option("--config", options.config,
                 "Configuration file, instead of /etc/ti-mctd/ti_mctd_config.json")
      ->type_name("FILE");
  app.add_option("--segment", options.segment,
                 "Serve those who look for NAME, instead of HeapManager")
      ->type_name("NAME");
  app.add_flag("--foreground", options.foreground,
               "Stay in the foreground, and write to stderr what is written to syslog");
  app.footer(
      "Examples:\n"
      "  ti-mctd\n"
      "  ti-mctd --foreground --segment trial --config ./ti_mctd_config.json\n"
      "Stop it with SIGTERM (pkill ti-mctd); SIGHUP reads the configuration again.");
  CLI11_PARSE(app, argc, argv);
  int status;
  try {
    status = serve(options);
  } catch (const std::exception& error) {
    status = fail(error.what());
  }
  // The threads that watch the processes still run.
  fflush(nullptr);
  _exit(status);
}
