// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/source_line.h"

#include <dlfcn.h>
#include <elfutils/libdw.h>

namespace conclave {
namespace {

// libdw, loaded when the first line is asked for: most programs never do.
struct DebugReader {
  decltype(&::dwarf_begin) begin = nullptr;
  decltype(&::dwarf_end) end = nullptr;
  decltype(&::dwarf_get_units) get_units = nullptr;
  decltype(&::dwarf_getsrc_die) get_line = nullptr;
  decltype(&::dwarf_linesrc) file_of = nullptr;
  decltype(&::dwarf_lineno) number_of = nullptr;
  bool complete = false;

  static const DebugReader& get() {
    static const DebugReader reader;
    return reader;
  }

 private:
  DebugReader() {
    void* library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) return;
    const auto find = [&](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
    complete = find(begin, "dwarf_begin") && find(end, "dwarf_end") &&
               find(get_units, "dwarf_get_units") && find(get_line, "dwarf_getsrc_die") &&
               find(file_of, "dwarf_linesrc") && find(number_of, "dwarf_lineno");
  }
};

}  // namespace

std::string source_line(int descriptor, uint64_t address) {
  const DebugReader& reader = DebugReader::get();
  Dwarf* information = reader.complete ? reader.begin(descriptor, DWARF_C_READ) : nullptr;
  if (!information) return "";
  std::string text;
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  while (text.empty() &&
         reader.get_units(information, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
    Dwarf_Line* line = reader.get_line(&die, address);
    int number = 0;
    const char* file = line ? reader.file_of(line, nullptr, nullptr) : nullptr;
    if (file && reader.number_of(line, &number) == 0 && number > 0)
      text = std::string(file) + ":" + std::to_string(number);
  }
  reader.end(information);
  return text;
}

}  // namespace conclave
