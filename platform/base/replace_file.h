// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_PLATFORM_BASE_REPLACE_FILE_H_
#define CONCLAVE_PLATFORM_BASE_REPLACE_FILE_H_

#include <initializer_list>
#include <string>
#include <string_view>

namespace conclave {

// Makes the file `name` in `directory` (a descriptor) anew, of these parts, or leaves it as it was,
// so that a reader sees a whole file or none. Meanwhile the content is in a file `fresh`, which
// must not exist. Returns false, and why, where that fails.
bool replace_file(int directory, const std::string& name, const std::string& fresh,
                  std::initializer_list<std::string_view> parts, std::string& why);

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_REPLACE_FILE_H_
