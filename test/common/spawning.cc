// SPDX-License-Identifier: Apache-2.0
#include "spawning.h"

#include <unistd.h>

namespace conclave::test {

std::vector<std::string> environment_with(const std::vector<std::string>& settings) {
  std::vector<std::string> environment = settings;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    bool replaced = false;
    for (const std::string& setting : settings)
      replaced |= text.compare(0, text.find('=') + 1, setting, 0, setting.find('=') + 1) == 0;
    if (!replaced) environment.push_back(text);
  }
  return environment;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace conclave::test
