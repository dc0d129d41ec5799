// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/print.h"

#include <locale.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string_view>

namespace conclave {
namespace {

constexpr int kLargestField = 4095;  // what C guarantees for one conversion

// One conversion specification: %[flags][width][.precision][vn][length]conversion.
struct Specification {
  std::string flags;
  int width = -1;
  int precision = -1;
  int components = 1;
  std::string_view length;  // "", hh, h, hl, l
  char conversion = 0;
  std::string_view text;  // all of it as written
};

// A host that calls setlocale must not change what kernels print.
class CLocale {
 public:
  CLocale() : previous_(uselocale(c_locale())) {}
  ~CLocale() { uselocale(previous_); }
  CLocale(const CLocale&) = delete;
  CLocale& operator=(const CLocale&) = delete;

 private:
  static locale_t c_locale() {
    static const locale_t locale = newlocale(LC_ALL_MASK, "C", nullptr);
    return locale;
  }
  locale_t previous_;
};

int parse_number(const char*& p) {
  int number = 0;
  for (; *p >= '0' && *p <= '9'; ++p) number = std::min(number * 10 + (*p - '0'), kLargestField);
  return number;
}

std::string_view parse_length(const char*& p) {
  for (std::string_view length : {"hh", "hl", "h", "l"})
    if (std::strncmp(p, length.data(), length.size()) == 0) {
      p += length.size();
      return length;
    }
  return "";
}

// Parses what follows the '%' at p[-1] and moves p behind it. If the text is no specification,
// `conversion` is 0 and p is behind what was understood.
Specification parse_specification(const char*& p) {
  Specification spec;
  const char* begin = p - 1;
  for (; *p != 0 && std::strchr("-+ #0", *p) != nullptr; ++p)
    if (spec.flags.find(*p) == std::string::npos) spec.flags += *p;
  if (*p >= '1' && *p <= '9') spec.width = parse_number(p);
  if (*p == '.') spec.precision = parse_number(++p);
  bool valid = true;
  if (*p == 'v') {
    spec.components = parse_number(++p);
    int n = spec.components;
    valid = n == 2 || n == 3 || n == 4 || n == 8 || n == 16;
  }
  spec.length = parse_length(p);
  if (*p != 0 && std::strchr("diouxXfFeEgGaAcsp%", *p) != nullptr && valid) spec.conversion = *p++;
  spec.text = std::string_view(begin, p - begin);
  return spec;
}

// The arguments of the call, taken one after the other.
class Arguments {
 public:
  Arguments(const abi::PrintArgument* descriptors, const void* values)
      : current_(descriptors), data_(static_cast<const unsigned char*>(values)) {}
  bool any() const { return current_ != nullptr && current_->kind != 0; }
  char kind() const { return current_->kind; }
  int count() const { return current_->count; }

  // Element `index`, which must be below count(), as its bits, zero-extended.
  uint64_t bits(int index) const {
    uint64_t value = 0;
    std::memcpy(&value, data_ + index * size(), size());
    return value;
  }
  int64_t sign_extended(int index) const {
    int unused = 64 - 8 * size();
    return static_cast<int64_t>(bits(index) << unused) >> unused;
  }
  double real(int index) const;
  int size() const { return std::clamp<int>(current_->element_size, 1, 8); }

  void next() {
    int stored = count() == 3 ? 4 : count();
    data_ += (stored * size() + 7) / 8 * 8;
    ++current_;
  }

 private:
  const abi::PrintArgument* current_;
  const unsigned char* data_;
};

double half_value(uint64_t bits) {
  int exponent = bits >> 10 & 0x1f;
  double mantissa = static_cast<double>(bits & 0x3ff);
  double magnitude;
  if (exponent == 31)
    magnitude = mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                              : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    magnitude = std::ldexp(mantissa, -24);
  else
    magnitude = std::ldexp(mantissa + 1024, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

double Arguments::real(int index) const {
  if (kind() != 'f') return static_cast<double>(sign_extended(index));
  uint64_t pattern = bits(index);
  if (size() == 8) {
    double value;
    std::memcpy(&value, &pattern, sizeof value);
    return value;
  }
  if (size() == 4) {
    auto low = static_cast<uint32_t>(pattern);
    float value;
    std::memcpy(&value, &low, sizeof value);
    return value;
  }
  return half_value(pattern);
}

// snprintf into a string, with the specification's flags, width and precision.
template <class T>
void print_with(std::string& out, const Specification& spec, const char* conversion, T value) {
  std::string format = "%" + spec.flags;
  if (spec.width >= 0) format += std::to_string(spec.width);
  if (spec.precision >= 0) format += "." + std::to_string(spec.precision);
  format += conversion;
  int size = std::snprintf(nullptr, 0, format.c_str(), value);
  if (size <= 0) return;
  size_t old = out.size();
  out.resize(old + size + 1);
  std::snprintf(out.data() + old, size + 1, format.c_str(), value);
  out.resize(old + size);
}

int64_t saturate(double value) {
  if (std::isnan(value)) return 0;
  if (value >= 0x1p63) return std::numeric_limits<int64_t>::max();
  if (value < -0x1p63) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

// How many bits of an integer the length modifier leaves.
int integer_bits(const Specification& spec) {
  if (spec.length == "hh") return 8;
  if (spec.length == "h") return 16;
  if (spec.length == "hl") return 32;
  return 64;
}

void print_integer(std::string& out, const Specification& spec, const Arguments& arguments,
                   int index) {
  bool is_signed = spec.conversion == 'd' || spec.conversion == 'i';
  uint64_t value = arguments.kind() == 'f' ? saturate(arguments.real(index))
                   : is_signed             ? arguments.sign_extended(index)
                                           : arguments.bits(index);
  int unused = 64 - integer_bits(spec);
  const char conversion[] = {'l', 'l', spec.conversion, 0};
  if (is_signed)
    print_with(out, spec, conversion, static_cast<long long>(value << unused) >> unused);
  else
    print_with(out, spec, conversion, static_cast<unsigned long long>(value << unused >> unused));
}

void print_real(std::string& out, const Specification& spec, const Arguments& arguments,
                int index) {
  double value = arguments.real(index);
  if (std::isnan(value)) value = std::fabs(value);  // the sign of a NaN says nothing
  if (!std::isfinite(value)) {                      // zeros do not pad words
    Specification padded = spec;
    std::erase(padded.flags, '0');
    const char conversion[] = {spec.conversion, 0};
    print_with(out, padded, conversion, value);
    return;
  }
  const char conversion[] = {spec.conversion, 0};
  print_with(out, spec, conversion, value);
}

// Copies at most `limit` characters of the string at `address`. The kernel may have passed
// anything, so this does not touch memory that may not exist. False if the string is not readable.
bool copy_string(const char* address, size_t limit, std::string& out) {
  constexpr size_t kPage = 4096;
  while (out.size() < limit) {
    char chunk[kPage];
    size_t to_page_end = kPage - reinterpret_cast<uintptr_t>(address) % kPage;
    size_t size = std::min(to_page_end, limit - out.size());
    iovec to{chunk, size}, from{const_cast<char*>(address), size};
    ssize_t got = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
    if (got <= 0) {
      if (got == 0 || errno == EFAULT) return false;
      out.append(address, strnlen(address, limit - out.size()));  // the call itself is forbidden
      return true;
    }
    size_t length = strnlen(chunk, got);
    out.append(chunk, length);
    if (length < static_cast<size_t>(got)) return true;
    address += got;
  }
  return true;
}

void print_string(std::string& out, const Specification& spec, const Arguments& arguments) {
  constexpr size_t kLongestString = 1 << 20;
  uint64_t bits = arguments.bits(0);
  const char* address = nullptr;
  if (arguments.kind() == 'p') std::memcpy(&address, &bits, sizeof address);
  size_t limit = spec.precision >= 0 ? spec.precision : kLongestString;
  std::string text;
  if (address == nullptr)
    text = "(null)";
  else if (!copy_string(address, limit, text))
    text = "(invalid)";
  print_with(out, spec, "s", text.c_str());
}

void print_element(std::string& out, const Specification& spec, const Arguments& arguments,
                   int index) {
  switch (spec.conversion) {
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
      return print_integer(out, spec, arguments, index);
    case 'c': {
      auto character = static_cast<char>(arguments.bits(index));
      Specification width_only = spec;
      width_only.precision = -1;
      print_with(out, width_only, "c", character);
      return;
    }
    case 's':
      return print_string(out, spec, arguments);
    case 'p': {
      uint64_t bits = arguments.bits(index);
      void* pointer;
      std::memcpy(&pointer, &bits, sizeof pointer);
      return print_with(out, spec, "p", pointer);
    }
    default:
      return print_real(out, spec, arguments, index);
  }
}

void print_conversion(std::string& out, const Specification& spec, Arguments& arguments) {
  if (spec.conversion == '%') {
    out += '%';
  } else if (spec.conversion == 0 || !arguments.any()) {
    out += spec.text;
  } else {
    // A scalar conversion of a vector prints its first component; a vector conversion of a shorter
    // vector prints the components that exist.
    int count = std::min(spec.components, std::max(arguments.count(), 1));
    for (int i = 0; i < count; ++i) {
      if (i > 0) out += ',';
      print_element(out, spec, arguments, i);
    }
    arguments.next();
  }
}

}  // namespace

std::string format_print(const char* format, const abi::PrintArgument* descriptors,
                         const void* values) {
  CLocale locale;
  Arguments arguments(descriptors, values);
  std::string out;
  for (const char* p = format; *p != 0;) {
    if (*p != '%') {
      out += *p++;
      continue;
    }
    Specification spec = parse_specification(++p);
    print_conversion(out, spec, arguments);
  }
  return out;
}

}  // namespace conclave
