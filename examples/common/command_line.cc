// SPDX-License-Identifier: Apache-2.0
#include "common/command_line.h"

#include <getopt.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>

#include "common/device_choice.h"

namespace examples {

void for_each_option(int argc, char** argv, const char* known,
                     const std::function<void(char, const char*)>& handle) {
  // A leading colon tells a missing value from an unknown option and keeps getopt silent.
  const std::string form = std::string(":") + known;
  const struct option long_options[] = {{"help", no_argument, nullptr, 'h'}, {}};
  for (int option; (option = getopt_long(argc, argv, form.c_str(), long_options, nullptr)) != -1;) {
    // For a long option there is no letter.
    if (option == '?')
      throw UsageError("unknown option " +
                       (optopt ? std::string("-") + static_cast<char>(optopt) : argv[optind - 1]));
    if (option == ':')
      throw UsageError(std::string("option -") + static_cast<char>(optopt) + " needs a value");
    handle(static_cast<char>(option), optarg);
  }
  if (optind < argc) throw UsageError(std::string("unexpected argument '") + argv[optind] + "'");
}

size_t parse_size(char option, const char* value) {
  constexpr size_t kLargest = 1000000;
  size_t size = 0;
  const char* end = value + std::strlen(value);
  auto [stop, error] = std::from_chars(value, end, size);
  if (error != std::errc() || stop != end || size < 1 || size > kLargest)
    throw UsageError(std::string("option -") + option + ": '" + value +
                     "' is no whole number from 1 to " + std::to_string(kLargest));
  return size;
}

bool parse_row_major(char option, const char* value) {
  if (std::strcmp(value, "r") == 0) return true;
  if (std::strcmp(value, "c") == 0) return false;
  throw UsageError(std::string("option -") + option + ": '" + value +
                   "' is neither r (row-major) nor c (column-major)");
}

int run_example(const char* name, const char* usage, const std::function<size_t()>& body) {
  std::string message;
  try {
    return static_cast<int>(std::min<size_t>(body(), 255));
  } catch (const UsageError& error) {
    message = std::string(error.what()) + "\n" + usage;
  } catch (const cl::Error& error) {
    message = describe(error);
  } catch (const std::exception& error) {
    message = error.what();
  }
  std::fflush(stdout);
  std::fprintf(stderr, "%s: %s\n", name, message.c_str());
  return 1;
}

}  // namespace examples
