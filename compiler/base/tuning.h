// SPDX-License-Identifier: Apache-2.0
// The compiler's rules of thumb, as numbers and switches with names: tuning.def has them all.
#ifndef CONCLAVE_COMPILER_TUNING_H_
#define CONCLAVE_COMPILER_TUNING_H_

#include <stdexcept>
#include <string>
#include <string_view>

namespace conclave::compiler {

// A text that is no list of NAME=VALUE, names nothing, or has a value that is out of range.
class TuningError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Tuning {
#define SWITCH(name, reason) bool name = true;
#define CHOICE(name, value, least, most, off, unit, reason) unsigned name = value;
#define RATIO(name, value, least, most, off, unit, reason) double name = value;
#define LIMIT(name, value, least, most, unit, reason) unsigned name = value;
#include "compiler/base/tuning.def"
#undef SWITCH
#undef CHOICE
#undef RATIO
#undef LIMIT

  // Changes what `text` names: "row_jam=off,packet_gain=1.3". Switches are "on" and "off". Throws
  // TuningError, and then has changed nothing.
  void apply(std::string_view text);
};

// The rules that this process compiles with. A compiler process works on one program at a time, and
// those that are forked for parts of it inherit this.
const Tuning& tuning();
void set_tuning(const Tuning& tuning);

// A line for each entry, its columns separated by tabs: kind, name, default, least, most, off, unit
// and reason. Limits have "-" for off.
std::string tuning_table();

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_TUNING_H_
