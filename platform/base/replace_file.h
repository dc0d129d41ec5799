// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_PLATFORM_BASE_REPLACE_FILE_H_
#define CONCLAVE_PLATFORM_BASE_REPLACE_FILE_H_

#include <initializer_list>
#include <string>
#include <string_view>

namespace conclave {

// Replaces the file `name` in `directory` (a descriptor) by these parts, or leaves it as it was, so
// a reader sees a whole file or none. Meanwhile the content is in a file `fresh`, which must not
// exist. On failure returns false, and why.
bool replace_file(int directory, const std::string& name, const std::string& fresh,
                  std::initializer_list<std::string_view> parts, std::string& why);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_REPLACE_FILE_H_
