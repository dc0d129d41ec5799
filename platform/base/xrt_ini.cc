// SPDX-License-Identifier: Apache-2.0
#include "platform/base/xrt_ini.h"

#include <sstream>
#include <string_view>

#include "platform/base/text_file.h"

namespace conclave {

void parse_xrt_ini(const std::string& path, const std::string& text,
                   std::map<std::string, Setting>& settings) {
  std::istringstream lines(text);
  bool in_runtime = false;
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::string_view content = trimmed(line);
    if (content.starts_with('[')) {
      in_runtime = content == "[Runtime]";
      continue;
    }
    const size_t equals = content.find('=');
    if (!in_runtime || equals == content.npos ||
        trimmed(content.substr(0, equals)) != "multiprocess")
      continue;
    settings["multiprocess"] = {
        std::string(trimmed(content.substr(equals + 1))),
        path + " line " + std::to_string(number) + ", key \"multiprocess\""};
  }
}

}  // namespace conclave
