// SPDX-License-Identifier: Apache-2.0
#include "monitor/cache.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "monitor/snapshot_json.h"
#include "monitor/table.h"
#include "monitor/texts.h"
#include "platform/base/clock.h"
#include "platform/base/config.h"
#include "platform/base/error.h"
#include "platform/loader/disk_cache.h"
#include "platform/loader/form_choices.h"
#include "platform/loader/launch_notes.h"
#include "platform/loader/program_binary.h"

namespace conclave::monitor {
namespace {

constexpr size_t kShownKernels = 3;
constexpr uint64_t kMiB = 1 << 20;

// One entry of the cache: a program, or what is known of the forms of a kernel or of a program's
// launches.
struct Program {
  DiskCache::Item item;
  DiskCache::Finding finding;
  std::shared_ptr<const ProgramBinary> binary;  // null if there is none that can be read
  std::optional<FormChoices> forms;             // instead
  bool is_notes = false;                        // likewise; nobody needs to see them

  bool is_program() const { return !forms && !is_notes; }
  const char* state() const {
    using State = DiskCache::Finding::State;
    if (finding.state == State::kUsable) return "good";
    return finding.state == State::kOutOfDate ? "out of date" : "damaged";
  }
};

// The entry's content has a checksum of its own, but may come from another version of Conclave.
Program read_program(const DiskCache& cache, DiskCache::Item item) {
  using State = DiskCache::Finding::State;
  Program program{std::move(item), cache.inspect(program.item.key), nullptr, {}, false};
  if (program.finding.state == State::kNone || program.finding.state == State::kDamaged)
    return program;
  program.forms = FormChoices::parse(program.finding.entry.binary);
  program.is_notes = LaunchNotes::parse(program.finding.entry.binary).has_value();
  if (!program.is_program()) return program;
  try {
    program.binary = ProgramBinary::parse(std::move(program.finding.entry.binary));
  } catch (const Error& error) {
    program.finding.state = State::kDamaged;
    program.finding.why = error.text();
  }
  return program;
}

// All entries, the last used one first. Leaves out those that another process removes meanwhile.
std::vector<Program> read_programs(const DiskCache& cache) {
  std::vector<Program> programs;
  std::vector<DiskCache::Item> items = cache.items();
  for (auto item = items.rbegin(); item != items.rend(); ++item) {
    Program program = read_program(cache, *item);
    if (program.finding.state != DiskCache::Finding::State::kNone)
      programs.push_back(std::move(program));
  }
  return programs;
}

std::string kernel_names(const ProgramBinary& binary) {
  std::string names;
  for (size_t i = 0; i < binary.kernels().size(); ++i) {
    if (i == kShownKernels)
      return names + ", ... (" + std::to_string(binary.kernels().size()) + ")";
    if (i > 0) names += ", ";
    names += binary.kernels()[i].name;
  }
  return names.empty() ? "-" : names;
}

std::string kib(uint64_t bytes) {
  return std::to_string((bytes + 1023) / 1024);
}

uint64_t nanoseconds(const timespec& time) {
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

Json to_json(const Program& program) {
  Json json = {{"key", program.item.key},
               {"bytes", program.item.bytes},
               {"used", utc(nanoseconds(program.item.used))},
               {"state", program.state()}};
  if (!program.finding.why.empty()) json["reason"] = program.finding.why;
  if (!program.binary) return json;
  json["cpu"] = program.binary->target_cpu();
  json["options"] = program.binary->options();
  json["kernels"] = Json::array();
  for (const KernelInfo& kernel : program.binary->kernels()) json["kernels"].push_back(kernel.name);
  return json;
}

void print_table(const std::vector<Program>& programs) {
  Table table({"Used", "KiB", "CPU", "Kernels", "Options", "State"});
  for (const Program& program : programs) {
    if (!program.is_program()) continue;
    table.add({local_time(nanoseconds(program.item.used)), kib(program.item.bytes),
               program.binary ? or_dash(program.binary->target_cpu()) : "-",
               program.binary ? kernel_names(*program.binary) : "-",
               program.binary ? or_dash(program.binary->options()) : "-", program.state()});
  }
  fputs(table.text().c_str(), stdout);
}

// Which form of their code kernels run in.
void print_forms(const std::vector<Program>& programs) {
  Table table({"Used", "Kernel", "Launches", "Fastest form"});
  bool is_empty = true;
  for (const Program& program : programs) {
    if (!program.forms) continue;
    for (const FormChoices::Choice& choice : program.forms->choices) {
      table.add({local_time(nanoseconds(program.item.used)), program.forms->kernel,
                 choice.kind.empty() ? "all" : choice.kind, choice.text()});
      is_empty = false;
    }
  }
  if (!is_empty) printf("\n%s", table.text().c_str());
}

size_t count_programs(const std::vector<Program>& programs) {
  return static_cast<size_t>(
      std::count_if(programs.begin(), programs.end(),
                    [](const Program& program) { return program.is_program(); }));
}

Json forms_json(const Program& program) {
  Json json = {{"key", program.item.key},
               {"used", utc(nanoseconds(program.item.used))},
               {"kernel", program.forms->kernel},
               {"choices", Json::array()}};
  for (const FormChoices::Choice& choice : program.forms->choices) {
    Json others = Json::array();
    for (const auto& [lanes, relative] : choice.others)
      others.push_back({{"lanes", lanes}, {"relative time", relative}});
    json["choices"].push_back({{"launches", choice.kind},
                               {"size class", choice.size_class},
                               {"lanes", choice.lanes},
                               {"others", others}});
  }
  return json;
}

uint64_t total_bytes(const std::vector<Program>& programs) {
  uint64_t total = 0;
  for (const Program& program : programs) total += program.item.bytes;
  return total;
}

// Calls `act` with the cache, or says why there is none.
template <class Act>
int with_cache(bool json, Act act) {
  const Config& config = Config::get();
  const DiskCache cache(config.cache_dir, uint64_t{config.cache_size_mib} * kMiB);
  if (cache.refusal().empty() && !config.cache_dir.empty()) return act(config, cache);
  const std::string why = config.cache_dir.empty() ? "there is no home directory" : cache.refusal();
  if (json)
    fputs(to_text(Json{{"error", why}}).c_str(), stdout);
  else
    fprintf(stderr, "conclave: error: the cache of programs cannot be used: %s\n", why.c_str());
  return 1;
}

}  // namespace

int show_cache(bool json) {
  return with_cache(json, [&](const Config& config, const DiskCache& cache) {
    const std::vector<Program> programs = read_programs(cache);
    if (json) {
      Json list = Json::array(), forms = Json::array();
      for (const Program& program : programs)
        if (program.forms)
          forms.push_back(forms_json(program));
        else if (program.is_program())
          list.push_back(to_json(program));
      fputs(to_text({{"directory", config.cache_dir},
                     {"enabled", config.cache},
                     {"limit", config.cache_size_mib * kMiB},
                     {"bytes", total_bytes(programs)},
                     {"programs", list},
                     {"forms", forms}})
                .c_str(),
            stdout);
      return 0;
    }
    printf("Directory  %s%s\n", config.cache_dir.c_str(), config.cache ? "" : " (turned off)");
    printf("Programs   %zu, %s KiB of at most %" PRIu64 " MiB\n", count_programs(programs),
           kib(total_bytes(programs)).c_str(), uint64_t{config.cache_size_mib});
    if (count_programs(programs)) print_table(programs);
    print_forms(programs);
    return 0;
  });
}

int check_cache(bool json) {
  return with_cache(json, [&](const Config&, const DiskCache& cache) {
    size_t out_of_date = 0;
    Json damaged = Json::array();
    const std::vector<Program> programs = read_programs(cache);
    for (const Program& program : programs) {
      out_of_date += program.finding.state == DiskCache::Finding::State::kOutOfDate;
      if (program.finding.state != DiskCache::Finding::State::kDamaged) continue;
      cache.remove(program.item.key);
      damaged.push_back(to_json(program));
      if (!json)
        printf("%s: damaged (%s), removed\n", program.item.key.c_str(),
               program.finding.why.c_str());
    }
    const size_t good = programs.size() - damaged.size() - out_of_date;
    if (json)
      fputs(to_text({{"good", good}, {"out of date", out_of_date}, {"damaged", damaged}}).c_str(),
            stdout);
    else
      printf("%zu good, %zu out of date, %zu damaged\n", good, out_of_date, damaged.size());
    return damaged.empty() ? 0 : 1;
  });
}

int clear_cache(bool json) {
  return with_cache(json, [&](const Config&, const DiskCache& cache) {
    size_t count = 0;
    uint64_t bytes = 0;
    for (const DiskCache::Item& item : cache.items()) {
      if (!cache.remove(item.key)) continue;
      ++count;
      bytes += item.bytes;
    }
    if (json)
      fputs(to_text({{"removed", count}, {"bytes", bytes}}).c_str(), stdout);
    else
      printf("%zu programs removed, %s KiB\n", count, kib(bytes).c_str());
    return 0;
  });
}

}  // namespace conclave::monitor
