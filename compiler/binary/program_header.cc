// SPDX-License-Identifier: Apache-2.0
#include "compiler/binary/program_header.h"

#include <cctype>

namespace conclave::compiler {
namespace {

constexpr size_t kBytesInALine = 13;

std::string c_name(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())))
    name.insert(name.begin(), '_');
  return name;
}

}  // namespace

std::string program_header(const std::string& stem, std::string_view binary) {
  constexpr char kDigits[] = "0123456789abcdef";
  const std::string name = c_name(stem) + "_dsp_bin";
  std::string text = "unsigned int " + name + "_len = " + std::to_string(binary.size()) +
                     ";\nchar " + name + "[] = {";
  for (size_t i = 0; i < binary.size(); ++i) {
    const auto byte = static_cast<unsigned char>(binary[i]);
    text += i % kBytesInALine == 0 ? "\n  " : " ";
    // As characters: C++ takes no 0xff for a char that has a sign.
    text += {'\'', '\\', 'x', kDigits[byte >> 4], kDigits[byte & 15], '\'', ','};
  }
  return text + "\n};\n";
}

}  // namespace conclave::compiler
