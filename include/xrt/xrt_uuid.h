// SPDX-License-Identifier: Apache-2.0
// xrt::uuid: the identity of an xclbin.
#ifndef CONCLAVE_XRT_XRT_UUID_H_
#define CONCLAVE_XRT_XRT_UUID_H_

#include <array>
#include <cstddef>
#include <cstring>
#include <string>

#include "xclbin.h"
#include "xrt_exception.h"

namespace xrt {

class uuid {
 public:
  // The null UUID, which no xclbin has.
  uuid() = default;
  // From its 16 bytes, such as axlf's m_header.uuid.
  uuid(const xuid_t bytes) {
    if (bytes) std::memcpy(bytes_.data(), bytes, bytes_.size());
  }
  // From the text that to_string() returns; dashes may be missing. Throws system_error(EINVAL) for
  // anything but 32 hexadecimal digits.
  explicit uuid(const std::string& text) {
    size_t digits = 0;
    for (char c : text) {
      if (c == '-') continue;
      const int value = digit(c);
      if (value < 0 || digits == 2 * bytes_.size())
        throw system_error(EINVAL, "\"" + text + "\" is no UUID");
      bytes_[digits / 2] = static_cast<unsigned char>(bytes_[digits / 2] << 4 | value);
      ++digits;
    }
    if (digits != 2 * bytes_.size()) throw system_error(EINVAL, "\"" + text + "\" is no UUID");
  }

  // Its 16 bytes.
  const unsigned char* get() const { return bytes_.data(); }
  // "8f14e45f-ceea-467a-9575-2a2c9a3a6d11"
  std::string to_string() const {
    static const char kDigits[] = "0123456789abcdef";
    std::string text;
    for (size_t i = 0; i < bytes_.size(); ++i) {
      if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
      text += kDigits[bytes_[i] >> 4];
      text += kDigits[bytes_[i] & 15];
    }
    return text;
  }

  // Whether it is not null.
  explicit operator bool() const { return *this != uuid(); }
  bool operator==(const uuid& other) const { return bytes_ == other.bytes_; }
  bool operator!=(const uuid& other) const { return bytes_ != other.bytes_; }
  bool operator<(const uuid& other) const { return bytes_ < other.bytes_; }

 private:
  static int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
  }

  std::array<unsigned char, 16> bytes_{};
};

}  // namespace xrt

#endif  // CONCLAVE_XRT_XRT_UUID_H_
