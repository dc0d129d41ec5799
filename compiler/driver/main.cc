// SPDX-License-Identifier: Apache-2.0
// clocl: the compiler at the command line, and with --server the one behind clBuildProgram.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "compiler/base/build_id.h"
#include "compiler/base/tuning.h"
#include "compiler/base/version.h"
#include "compiler/driver/build_process.h"
#include "compiler/driver/cache_build.h"
#include "compiler/driver/command_line.h"
#include "compiler/driver/heap.h"
#include "compiler/driver/offline.h"
#include "compiler/driver/second_try.h"
#include "compiler/driver/server.h"
#include "compiler/driver/warm_server.h"

namespace conclave::compiler {
namespace {

void prepare_second_try_of(std::vector<std::string> words) {
  if (std::ranges::find(words, kOneByOne) != words.end()) return;
  words.push_back(kOneByOne);
  prepare_second_try(words, "clocl: " + one_by_one_warning("the compiler crashed"), -1);
}

int run(const std::vector<std::string>& words) {
  if (!words.empty() && words[0] == "--server") return serve();
  if (words.size() == 1 && words[0] == "--for-cache") return build_for_cache();
  if (words.size() == 3 && words[0] == "--warm-server")
    return serve_user(words[1], std::atoi(words[2].c_str()));
  if (words.size() == 3 && words[0] == kSecondTry)
    serve_second_try(std::atoi(words[1].c_str()), words[2]);
  for (const std::string& word : words) {
    const std::string text = word == "-h" || word == "--help" ? kHelp
                             : word == "--tune=list"          ? tuning_table()
                             : word == "--version"
                                 ? "clocl: " + compiler_version() + ", build " + build_id() + "\n"
                                 : "";
    if (!text.empty()) return std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0;
  }
  try {
    const CommandLine line = parse_command_line(words);
    prepare_second_try_of(words);
    return run_offline(line);
  } catch (const UsageError& error) {
    std::fprintf(stderr, "clocl: error: %s\nclocl: try 'clocl -h'\n", error.what());
    return 2;
  }
}

}  // namespace
}  // namespace conclave::compiler

int main(int argc, char** argv) {
  conclave::compiler::prepare_heap();
  return conclave::compiler::run(std::vector<std::string>(argv + 1, argv + argc));
}
