// SPDX-License-Identifier: Apache-2.0
#include "monitor/reset.h"

#include <unistd.h>

#include <cstdio>
#include <vector>

#include "monitor/find_segment.h"
#include "monitor/snapshot_json.h"
#include "platform/base/error.h"
#include "platform/share/daemon_bell.h"
#include "platform/share/registry.h"

namespace conclave::monitor {
namespace {

using share::Liveness;
using share::Owner;
using share::Registry;

struct Removed {
  Json processes = Json::array();
  Registry::Recovered recovered;

  void add(uint32_t pid, const std::string& command, bool alive, const Registry::Recovered& one) {
    processes.push_back({{"pid", pid}, {"command", command}, {"alive", alive}});
    recovered.blocks += one.blocks;
    recovered.bytes += one.bytes;
  }
};

// Whether the user wants it; without a terminal nobody can be asked.
bool is_confirmed(const ResetOptions& options, size_t living) {
  if (options.yes) return true;
  if (!isatty(STDIN_FILENO))
    throw Error(CL_INVALID_VALUE,
                std::to_string(living) +
                    " living processes would lose what they have; --yes says that this is wanted");
  printf(
      "%zu living processes lose their compute units, contexts on the xclbin and device memory "
      "on the account. They run on and enter again. Go on? [y/N] ",
      living);
  fflush(stdout);
  const int answer = getchar();
  return answer == 'y' || answer == 'Y';
}

class Reset {
 public:
  Reset(const ResetOptions& options, const share::Segment& segment)
      : options_(options), segment_(segment), registry_(segment.layout()) {}

  // False if the user does not want it.
  bool run() {
    std::vector<Owner> chosen;
    size_t living = 0;
    for (const Owner owner : registry_.everybody()) {
      if (!is_meant(owner)) continue;
      chosen.push_back(owner);
      living += is_alive(owner);
    }
    if (options_.pid && chosen.empty())
      throw Error(CL_INVALID_VALUE,
                  "process " + std::to_string(options_.pid) +
                      " does not use the device; conclave examine shows who does");
    if (living && !is_confirmed(options_, living)) return false;
    for (const Owner owner : chosen) remove(owner);
    // What dead processes had allocated while they were removed.
    if (!options_.pid) {
      const Registry::Recovered rest = registry_.remove_dead();
      removed_.recovered.blocks += rest.blocks;
      removed_.recovered.bytes += rest.bytes;
    }
    return true;
  }
  const Removed& removed() const { return removed_; }

 private:
  bool is_alive(Owner owner) const {
    return liveness(registry_.identity(owner)) != Liveness::kDead;
  }
  // Never the daemon, which stands for other users' processes.
  bool is_meant(Owner owner) const {
    if (share::is_daemon(segment_.layout(), owner)) return false;
    if (options_.pid) return registry_.identity(owner).pid == static_cast<pid_t>(options_.pid);
    return options_.all || !is_alive(owner);
  }
  void remove(Owner owner) {
    const share::ProcessEntry* entry = registry_.find(owner);
    if (!entry) return;  // has just left
    const auto pid = static_cast<uint32_t>(registry_.identity(owner).pid);
    const std::string command = entry->command.get();
    const bool alive = is_alive(owner);
    removed_.add(pid, command, alive, registry_.remove(owner));
  }

  const ResetOptions& options_;
  const share::Segment& segment_;
  Registry registry_;
  Removed removed_;
};

void print(const ResetOptions& options, const Removed& removed) {
  if (options.json) {
    fputs(to_text({{"removed", removed.processes},
                   {"freed",
                    {{"blocks", removed.recovered.blocks}, {"bytes", removed.recovered.bytes}}}})
              .c_str(),
          stdout);
    return;
  }
  for (const Json& process : removed.processes)
    printf("Removed process %u%s: %s\n", process["pid"].get<uint32_t>(),
           process["alive"].get<bool>() ? "" : " (dead)",
           process["command"].get<std::string>().c_str());
  printf("%zu processes removed; %llu heap blocks with %llu bytes freed\n",
         removed.processes.size(), static_cast<unsigned long long>(removed.recovered.blocks),
         static_cast<unsigned long long>(removed.recovered.bytes));
}

}  // namespace

int reset(const ResetOptions& options) {
  try {
    const auto segment = find_segment(options.segment);
    if (!segment) {
      if (options.json)
        print(options, {});
      else
        printf("Nobody uses the device: there is nothing to reset.\n");
      return 0;
    }
    Reset reset(options, *segment);
    if (!reset.run()) return 1;
    print(options, reset.removed());
    return 0;
  } catch (const Error& error) {
    fprintf(stderr, "conclave reset: %s\n", error.what());
    return 1;
  }
}

}  // namespace conclave::monitor
