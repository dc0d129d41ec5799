// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_EXAMPLES_COMMON_COMMAND_LINE_H_
#define CONCLAVE_EXAMPLES_COMMON_COMMAND_LINE_H_

#include <cstddef>
#include <functional>
#include <stdexcept>

namespace examples {

// A command line that cannot be understood; the text names the option and its value.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Calls handle(option, value) for each option of getopt's `known` list; value is null for an option
// that takes none. Throws UsageError for an unknown option, a missing value and anything that is
// no option.
void for_each_option(int argc, char** argv, const char* known,
                     const std::function<void(char, const char*)>& handle);

// The value of an option that gives a number of rows or columns: 1 to 1,000,000.
// Throws UsageError.
size_t parse_size(char option, const char* value);

// The value of -o: true for r (row-major), false for c (column-major). Throws UsageError.
bool parse_row_major(char option, const char* value);

// Runs an example: returns what body() returns, the number of errors found, as an exit status (at
// most 255). A UsageError is printed with the usage text, any other exception by itself; both
// give 1.
int run_example(const char* name, const char* usage, const std::function<size_t()>& body);

}  // namespace examples

#endif  // CONCLAVE_EXAMPLES_COMMON_COMMAND_LINE_H_
