// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/xclbin_file.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>

#include "platform/loader/content_hash.h"
#include "xrt/xclbin.h"

namespace conclave {
namespace {

constexpr char kMagic[8] = "xclbin2";
constexpr size_t kSectionsOffset = offsetof(axlf, m_sections);
constexpr uint32_t kMaxSections = 64;
// Where the registers of the first compute unit would be, and the distance to the next one's.
constexpr uint64_t kFirstBase = 0x1800000, kBaseStep = 0x10000;

static_assert(sizeof(axlf_section_header) == 40 && sizeof(axlf_header) == 152);
static_assert(sizeof(ip_data) == 80 && sizeof(mem_data) == 40);

struct Section {
  uint32_t kind;  // axlf_section_kind, or one that is not known here
  std::string_view content;
};

// The hash of everything in the xclbin: two xclbins are the same one if they do the same.
XclbinUuid content_uuid(const std::vector<Section>& sections) {
  FieldHasher hasher;
  for (const Section& section : sections) {
    hasher.add(uint64_t{section.kind});
    hasher.add(section.content);
  }
  const std::string digits = hasher.result();
  XclbinUuid uuid;
  for (size_t i = 0; i < uuid.size(); ++i)
    uuid[i] = static_cast<uint8_t>(std::stoul(digits.substr(2 * i, 2), nullptr, 16));
  return uuid;
}

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

void pad(std::string& text) {
  text.resize((text.size() + 7) / 8 * 8);
}

std::string memory_section() {
  mem_topology topology{};
  topology.m_count = 1;
  topology.m_mem_data[0].m_type = MEM_DRAM;
  topology.m_mem_data[0].m_used = 1;
  std::memcpy(topology.m_mem_data[0].m_tag, "ddr_heap1", sizeof "ddr_heap1");
  return std::string(bytes_of(topology));
}

// Names for tools; without a terminating zero if they have 16 bytes.
const char* name_of(uint32_t kind) {
  switch (kind) {
    case BITSTREAM:
      return "program";
    case EMBEDDED_METADATA:
      return "kernels";
    case MEM_TOPOLOGY:
      return "mem_topology";
    case IP_LAYOUT:
      return "ip_layout";
    case BUILD_METADATA:
      return "layout";
    default:
      return "";
  }
}

template <class T>
T read_at(std::string_view bytes, size_t offset) {
  T value;
  if (offset > bytes.size() || bytes.size() - offset < sizeof value)
    throw XclbinError("is cut short");
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace

uint64_t base_address(uint32_t compute_unit) {
  return kFirstBase + compute_unit * kBaseStep;
}

std::string ip_layout_section(const XclbinLayout& layout) {
  const auto count = static_cast<int32_t>(layout.compute_units.size());
  std::string section(bytes_of(count));
  pad(section);
  for (int32_t i = 0; i < count; ++i) {
    ip_data data{};
    data.m_type = IP_KERNEL;
    data.m_base_address = base_address(static_cast<uint32_t>(i));
    const std::string name = layout.compute_units[static_cast<size_t>(i)].full_name();
    std::memcpy(data.m_name, name.data(), std::min(name.size(), sizeof data.m_name - 1));
    section += bytes_of(data);
  }
  return section;
}

std::string write_xclbin(std::string_view program, const XclbinLayout& layout,
                         std::string_view kernels) {
  const std::string layout_text = layout.to_json();
  const std::string ip_layout = ip_layout_section(layout);
  const std::string memory = memory_section();
  const std::vector<Section> sections = {{BITSTREAM, program},
                                         {EMBEDDED_METADATA, kernels},
                                         {MEM_TOPOLOGY, memory},
                                         {IP_LAYOUT, ip_layout},
                                         {BUILD_METADATA, layout_text}};
  const XclbinUuid uuid = content_uuid(sections);
  axlf head{};
  std::memcpy(head.m_magic, kMagic, sizeof kMagic);
  head.m_signature_length = -1;
  std::memset(head.reserved, 0xff, sizeof head.reserved);
  std::memset(head.m_keyBlock, 0xff, sizeof head.m_keyBlock);
  std::memcpy(&head.m_uniqueId, uuid.data(), sizeof head.m_uniqueId);
  head.m_header.m_versionMajor = 2;
  constexpr char kPlatform[] = "conclave";
  std::memcpy(head.m_header.m_platformVBNV, kPlatform, sizeof kPlatform);
  std::memcpy(head.m_header.uuid, uuid.data(), uuid.size());
  head.m_header.m_numSections = static_cast<uint32_t>(sections.size());

  std::string headers, content;
  const size_t content_offset =
      (kSectionsOffset + sections.size() * sizeof(axlf_section_header) + 7) / 8 * 8;
  for (const Section& section : sections) {
    axlf_section_header header{};
    header.m_sectionKind = section.kind;
    std::strncpy(header.m_sectionName, name_of(section.kind), sizeof header.m_sectionName - 1);
    header.m_sectionOffset = content_offset + content.size();
    header.m_sectionSize = section.content.size();
    headers += bytes_of(header);
    content += section.content;
    pad(content);
  }
  head.m_header.m_length = content_offset + content.size();
  std::string file(bytes_of(head).substr(0, kSectionsOffset));
  file += headers;
  pad(file);
  return file + content;
}

bool is_xclbin(std::string_view bytes) {
  return bytes.size() >= sizeof kMagic && std::memcmp(bytes.data(), kMagic, sizeof kMagic) == 0;
}

XclbinParts read_xclbin(std::string_view bytes) {
  if (!is_xclbin(bytes)) throw XclbinError("does not begin with \"xclbin2\"");
  const auto header = read_at<axlf_header>(bytes, offsetof(axlf, m_header));
  if (header.m_length != bytes.size())
    throw XclbinError("has " + std::to_string(bytes.size()) + " bytes, its header says " +
                      std::to_string(header.m_length));
  if (header.m_numSections > kMaxSections)
    throw XclbinError("has " + std::to_string(header.m_numSections) + " sections, at most " +
                      std::to_string(kMaxSections) + " are allowed");
  std::vector<Section> sections;
  for (uint32_t i = 0; i < header.m_numSections; ++i) {
    const auto section =
        read_at<axlf_section_header>(bytes, kSectionsOffset + i * sizeof(axlf_section_header));
    if (section.m_sectionOffset > bytes.size() ||
        section.m_sectionSize > bytes.size() - section.m_sectionOffset)
      throw XclbinError("has a section " + std::to_string(i) + " that reaches beyond its end");
    sections.push_back(
        {section.m_sectionKind, bytes.substr(section.m_sectionOffset, section.m_sectionSize)});
  }
  const auto find = [&](uint32_t kind) {
    std::optional<std::string_view> found;
    for (const Section& section : sections) {
      if (section.kind != kind) continue;
      if (found) throw XclbinError("has two sections of kind " + std::to_string(kind));
      found = section.content;
    }
    if (!found)
      throw XclbinError("has no section of kind " + std::to_string(kind) + " (" + name_of(kind) +
                        "): it is none of Conclave's");
    return *found;
  };
  XclbinParts parts{
      {}, find(BITSTREAM), find(BUILD_METADATA), find(EMBEDDED_METADATA), find(IP_LAYOUT)};
  std::memcpy(parts.uuid.data(), header.uuid, parts.uuid.size());
  if (parts.uuid != content_uuid(sections))
    throw XclbinError("is damaged: its UUID does not fit its content");
  return parts;
}

}  // namespace conclave
