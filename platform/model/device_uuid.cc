// SPDX-License-Identifier: Apache-2.0
#include "platform/model/device_uuid.h"

#include <string>
#include <string_view>
#include <vector>

#include "platform/base/cpu_info.h"
#include "platform/base/system_file.h"
#include "platform/base/text_file.h"
#include "platform/loader/content_hash.h"

namespace conclave {
namespace {

// The number that systemd, or D-Bus, has drawn for the machine; its name and CPU where there is
// none. Only a hash of it leaves this file, since the number is not for strangers.
std::string machine_identity() {
  for (const char* path : {"/etc/machine-id", "/var/lib/dbus/machine-id"}) {
    std::string text;
    std::vector<std::string> problems;
    if (read_text_file(path, text, problems) && !trimmed(text).empty())
      return std::string(trimmed(text));
  }
  return first_line("/proc/sys/kernel/hostname") + CpuInfo::get().model;
}

uint8_t value_of(char digit) {
  return static_cast<uint8_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

// Version 8 of RFC 9562: bits that their maker chooses.
Uuid make_uuid(const FieldHasher& hasher) {
  const std::string digits = hasher.result();
  Uuid uuid;
  for (size_t i = 0; i < uuid.size(); ++i)
    uuid[i] = static_cast<uint8_t>(value_of(digits[2 * i]) << 4 | value_of(digits[2 * i + 1]));
  uuid[6] = (uuid[6] & 0x0f) | 0x80;
  uuid[8] = (uuid[8] & 0x3f) | 0x80;
  return uuid;
}

}  // namespace

Uuid device_uuid(const Device& device) {
  static const std::string machine = machine_identity();
  FieldHasher hasher;
  hasher.add("Conclave device");
  hasher.add(machine);
  if (device.parent())
    for (const uint32_t unit : device.units()) hasher.add(uint64_t{unit});
  return make_uuid(hasher);
}

Uuid driver_uuid() {
  FieldHasher hasher;
  hasher.add("Conclave driver");
  hasher.add(CONCLAVE_VERSION);
  return make_uuid(hasher);
}

}  // namespace conclave
