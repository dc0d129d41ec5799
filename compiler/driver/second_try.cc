// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/second_try.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "compiler/base/build_limits.h"

namespace conclave::compiler {
namespace {

// Prepared before the crash, because nothing can be allocated then.
struct SecondTry {
  std::vector<std::string> words;
  std::vector<char*> arguments;  // for execv()
  std::string notice;
  int connection;
};
SecondTry* second_try = nullptr;  // never freed

void start() {
  const std::string& notice = second_try->notice;
  if (write(STDERR_FILENO, notice.data(), notice.size()) < 0) {
    // Nobody reads it.
  }
  if (second_try->connection >= 0) fcntl(second_try->connection, F_SETFD, 0);
  signal(SIGIO, SIG_IGN);  // its handler ends here, and without one it ends the process
  execv("/proc/self/exe", second_try->arguments.data());
}

}  // namespace

std::string one_by_one_warning(const std::string& reason) {
  return "warning: " + reason + "; work-items run one by one instead\n";
}

void prepare_second_try(const std::vector<std::string>& words, const std::string& notice,
                        int connection) {
  second_try = new SecondTry{{"clocl"}, {}, notice, connection};
  second_try->words.insert(second_try->words.end(), words.begin(), words.end());
  for (std::string& word : second_try->words) second_try->arguments.push_back(word.data());
  second_try->arguments.push_back(nullptr);
  call_at_crash(start);
}

}  // namespace conclave::compiler
