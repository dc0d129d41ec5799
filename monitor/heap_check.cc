// SPDX-License-Identifier: Apache-2.0
// ti-mct-heap-check: shows the device's heaps as TI's program of that name does, to the character.
#include <getopt.h>

#include <cinttypes>
#include <cstdio>
#include <map>
#include <optional>

#include "monitor/find_segment.h"
#include "monitor/snapshot.h"
#include "monitor/snapshot_json.h"
#include "monitor/version.h"
#include "platform/base/error.h"
#include "platform/share/registry.h"

namespace conclave::monitor {
namespace {

using Recovered = share::Registry::Recovered;

struct Options {
  bool collect = false, json = false, totals = false;
  std::string segment;
};

// What a process has in all heaps.
struct Total {
  uint32_t pid = 0;
  uint64_t blocks = 0, bytes = 0;
};

std::vector<Total> totals_of(const std::vector<HeapUse>& heaps) {
  std::map<uint32_t, Total> totals;
  for (const HeapUse& heap : heaps)
    for (const HeapUse::Block& block : heap.blocks) {
      if (!block.allocated) continue;
      Total& total = totals[block.pid];
      total = {block.pid, total.blocks + 1, total.bytes + block.size};
    }
  std::vector<Total> list;
  for (const auto& [pid, total] : totals) list.push_back(total);
  return list;
}

void print_blocks(const HeapUse& heap, bool allocated) {
  for (const HeapUse::Block& block : heap.blocks) {
    if (block.allocated != allocated) continue;
    printf("        addr: 0x%" PRIx64 " size: 0x%" PRIx64, block.address, block.size);
    if (allocated) printf(" pid: %" PRIu32, block.pid);
    printf("\n");
  }
}

void print(const HeapUse& heap) {
  printf("-- %s ------------------------------\n", heap.name.c_str());
  printf("   Addr : 0x%" PRIx64 "\n", heap.base);
  printf("   Size : 0x%" PRIx64 "\n", heap.size);
  printf("   Avail: 0x%" PRIx64 "\n", heap.available);
  printf("   Align: 0x%" PRIx64 "\n", heap.align);
  if (heap.size != heap.available) {
    printf("   Free: \n");
    print_blocks(heap, false);
    printf("   Aloc: \n");
    print_blocks(heap, true);
  }
  printf("-----------------------------------------\n\n");
}

void print_totals(const std::vector<HeapUse>& heaps) {
  printf("-- processes ------------------------------\n");
  for (const Total& total : totals_of(heaps))
    printf("   pid: %" PRIu32 " blocks: %" PRIu64 " size: 0x%" PRIx64 "\n", total.pid, total.blocks,
           total.bytes);
  printf("-----------------------------------------\n\n");
}

void print_json(const share::Segment* segment, const std::vector<HeapUse>& heaps,
                const std::optional<Recovered>& freed) {
  Json processes = Json::array();
  for (const Total& total : totals_of(heaps))
    processes.push_back({{"pid", total.pid}, {"blocks", total.blocks}, {"bytes", total.bytes}});
  Json json = {{"segment", segment ? Json(segment->name()) : Json(nullptr)},
               {"heaps", to_json(heaps)},
               {"processes", std::move(processes)}};
  if (freed) json["freed"] = {{"blocks", freed->blocks}, {"bytes", freed->bytes}};
  fputs(to_text(json).c_str(), stdout);
}

int show(const Options& options) {
  const auto segment = find_segment(options.segment);
  std::optional<Recovered> freed;
  std::vector<HeapUse> heaps;
  if (segment) {
    if (options.collect) freed = share::Registry(segment->layout()).remove_dead();
    heaps = read_heaps(segment->layout());
  }
  if (options.json) {
    print_json(segment.get(), heaps, freed);
    return 0;
  }
  if (!segment) {
    printf("TI Multicore Tools Heaps do not exist\n");
    return 0;
  }
  if (freed)
    printf("Freed %" PRIu64 " blocks with %" PRIu64 " bytes of processes that do not exist\n",
           freed->blocks, freed->bytes);
  for (const HeapUse& heap : heaps) print(heap);
  if (options.totals) print_totals(heaps);
  return 0;
}

void print_ti_help(const char* program) {
  printf("%s [option]\n", program);
  printf("  -h: Print help screen\n");
  printf("  -c: Clean heaps of non-existant processes\n");
}

void print_full_help() {
  printf(
      "Usage: ti-mct-heap-check [option]...\n"
      "Shows the heaps of the device: what is free, and which process has what.\n\n"
      "  -c, --collect   first free what processes that do not exist have left behind, and say "
      "how\n"
      "                  much that was\n"
      "  -h              TI's help text, then the heaps\n"
      "      --json      the same for programs, with each process's total\n"
      "      --segment NAME  the name under which processes meet, instead of HeapManager\n"
      "      --totals    each process's total after the heaps\n"
      "      --help      this text\n"
      "      --version   the version\n\n"
      "Examples:\n"
      "  ti-mct-heap-check --totals\n"
      "  ti-mct-heap-check --collect --json\n");
}

}  // namespace
}  // namespace conclave::monitor

int main(int argc, char** argv) {
  using namespace conclave::monitor;
  enum { kJson = 256, kSegment, kTotals, kHelp, kVersion };
  constexpr option long_options[] = {{"collect", no_argument, nullptr, 'c'},
                                     {"json", no_argument, nullptr, kJson},
                                     {"segment", required_argument, nullptr, kSegment},
                                     {"totals", no_argument, nullptr, kTotals},
                                     {"help", no_argument, nullptr, kHelp},
                                     {"version", no_argument, nullptr, kVersion},
                                     {}};
  Options options;
  for (int c; (c = getopt_long(argc, argv, "ch", long_options, nullptr)) != -1;) switch (c) {
      case 'c':
        options.collect = true;
        break;
      case 'h':  // and continues, like TI's program
        print_ti_help(argv[0]);
        break;
      case kJson:
        options.json = true;
        break;
      case kSegment:
        options.segment = optarg;
        break;
      case kTotals:
        options.totals = true;
        break;
      case kHelp:
        print_full_help();
        return 0;
      case kVersion:
        printf("%s\n", version_text("ti-mct-heap-check").c_str());
        return 0;
      default:  // likewise
        printf("Unknown option specified: %d\n", c);
        break;
    }
  try {
    return show(options);
  } catch (const conclave::Error& error) {
    fprintf(stderr, "ti-mct-heap-check: %s\n", error.what());
    return 1;
  }
}
