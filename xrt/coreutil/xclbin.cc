// SPDX-License-Identifier: Apache-2.0
#include "xrt/xrt_xclbin.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "xrt/coreutil/failure.h"

namespace xrt {
namespace {

constexpr char kMagic[8] = "xclbin2";
constexpr uint32_t kMaxSections = 64;
constexpr size_t kMaxBytes = size_t{1} << 30;

std::vector<char> read_file(const std::string& path) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "rbe"), std::fclose);
  if (!file) fail(errno, "failed to open xclbin file '" + path + "'");
  std::vector<char> bytes;
  char part[1 << 16];
  while (const size_t size = std::fread(part, 1, sizeof part, file.get())) {
    bytes.insert(bytes.end(), part, part + size);
    if (bytes.size() > kMaxBytes) fail(E2BIG, "xclbin file '" + path + "'");
  }
  if (std::ferror(file.get())) fail(errno, "failed to read xclbin file '" + path + "'");
  return bytes;
}

std::vector<char> copy_of(const axlf* container) {
  if (!container || std::memcmp(container->m_magic, kMagic, sizeof kMagic) != 0)
    fail(EINVAL, "invalid xclbin: it does not begin with \"xclbin2\"");
  if (container->m_header.m_length > kMaxBytes) fail(E2BIG, "invalid xclbin");
  const auto* bytes = reinterpret_cast<const char*>(container);
  return {bytes, bytes + container->m_header.m_length};
}

// The tags of an XML text by the platform's compiler, one after the other.
class tag_reader {
 public:
  explicit tag_reader(std::string_view text) : text_(text) {}

  // Goes to the next tag; false at the end.
  bool next() {
    const size_t begin = text_.find('<');
    const size_t end = begin == text_.npos ? begin : text_.find('>', begin);
    if (end == text_.npos) return false;
    tag_ = text_.substr(begin + 1, end - begin - 1);
    text_.remove_prefix(end);
    return true;
  }
  bool is(std::string_view name) const {
    return tag_.substr(0, name.size()) == name && tag_.size() > name.size() &&
           tag_[name.size()] == ' ';
  }
  // "" if the tag has no such attribute.
  std::string attribute(const std::string& name) const {
    const std::string key = " " + name + "=\"";
    const size_t begin = tag_.find(key);
    if (begin == tag_.npos) return "";
    const std::string_view rest = tag_.substr(begin + key.size());
    return plain(rest.substr(0, rest.find('"')));
  }
  uint64_t number(const std::string& name) const {
    return std::strtoull(attribute(name).c_str(), nullptr, 0);
  }

 private:
  static std::string plain(std::string_view text) {
    static constexpr std::pair<std::string_view, char> kNamed[] = {
        {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&amp;", '&'}};
    std::string plain;
    while (!text.empty()) {
      const auto named = std::find_if(std::begin(kNamed), std::end(kNamed),
                                      [&](const auto& n) { return text.starts_with(n.first); });
      plain += named == std::end(kNamed) ? text[0] : named->second;
      text.remove_prefix(named == std::end(kNamed) ? 1 : named->first.size());
    }
    return plain;
  }

  std::string_view text_, tag_;
};

}  // namespace

class xclbin_impl {
 public:
  explicit xclbin_impl(std::vector<char> bytes) : bytes_(std::move(bytes)) {
    if (bytes_.size() < sizeof(axlf) || std::memcmp(bytes_.data(), kMagic, sizeof kMagic) != 0)
      fail(EINVAL, "invalid xclbin: it does not begin with \"xclbin2\"");
    if (container()->m_header.m_length != bytes_.size())
      fail(EINVAL, "invalid xclbin: it has " + std::to_string(bytes_.size()) +
                       " bytes, its header says " + std::to_string(container()->m_header.m_length));
    read_units();
    read_kernels();
    read_banks();
  }

  const axlf* container() const { return reinterpret_cast<const axlf*>(bytes_.data()); }
  const std::vector<xclbin::ip>& units() const { return units_; }
  const std::vector<xclbin::kernel>& kernels() const { return kernels_; }
  const std::vector<xclbin::mem>& banks() const { return banks_; }

 private:
  std::string_view section(uint32_t kind) const {
    const uint32_t count = container()->m_header.m_numSections;
    for (uint32_t i = 0; i < count && i < kMaxSections; ++i) {
      const size_t place = offsetof(axlf, m_sections) + i * sizeof(axlf_section_header);
      axlf_section_header header;
      if (bytes_.size() - place < sizeof header) break;
      std::memcpy(&header, bytes_.data() + place, sizeof header);
      if (header.m_sectionKind != kind) continue;
      if (header.m_sectionOffset > bytes_.size() ||
          header.m_sectionSize > bytes_.size() - header.m_sectionOffset)
        fail(EINVAL, "invalid xclbin: a section reaches beyond its end");
      return {bytes_.data() + header.m_sectionOffset, header.m_sectionSize};
    }
    return {};
  }

  void read_units() {
    const std::string_view layout = section(IP_LAYOUT);
    for (size_t place = offsetof(ip_layout, m_ip_data); place + sizeof(ip_data) <= layout.size();
         place += sizeof(ip_data)) {
      ip_data data;
      std::memcpy(&data, layout.data() + place, sizeof data);
      const auto* name = reinterpret_cast<const char*>(data.m_name);
      xclbin::ip unit;
      unit.name_.assign(name, strnlen(name, sizeof data.m_name));
      unit.base_address_ = data.m_base_address;
      unit.index_ = static_cast<uint32_t>(units_.size());
      units_.push_back(std::move(unit));
    }
  }

  void read_banks() {
    const std::string_view topology = section(MEM_TOPOLOGY);
    for (size_t place = offsetof(mem_topology, m_mem_data);
         place + sizeof(mem_data) <= topology.size(); place += sizeof(mem_data)) {
      mem_data data;
      std::memcpy(&data, topology.data() + place, sizeof data);
      const auto* tag = reinterpret_cast<const char*>(data.m_tag);
      xclbin::mem bank;
      bank.tag_.assign(tag, strnlen(tag, sizeof data.m_tag));
      bank.base_address_ = data.m_base_address;
      bank.size_kb_ = data.m_size;
      bank.used_ = data.m_used != 0;
      bank.index_ = static_cast<int32_t>(banks_.size());
      banks_.push_back(std::move(bank));
    }
  }

  void read_kernels() {
    tag_reader tags(section(EMBEDDED_METADATA));
    while (tags.next()) {
      if (tags.is("kernel")) {
        finish();
        kernels_.emplace_back();
        kernels_.back().name_ = tags.attribute("name");
      } else if (tags.is("arg") && !kernels_.empty()) {
        xclbin::arg argument;
        argument.name_ = tags.attribute("name");
        argument.type_ = tags.attribute("type");
        argument.size_ = tags.number("size");
        argument.offset_ = tags.number("offset");
        argument.index_ = kernels_.back().arguments_.size();
        kernels_.back().arguments_.push_back(std::move(argument));
      }
    }
    finish();
  }

  // Called after the last tag of a kernel. The global and the local size follow its arguments and
  // are no arguments. A kernel without compute units cannot be run.
  void finish() {
    if (kernels_.empty()) return;
    xclbin::kernel& last = kernels_.back();
    const size_t arguments = last.arguments_.size();
    last.arguments_.resize(arguments - std::min<size_t>(arguments, 2));
    const std::string prefix = last.name_ + ":";
    std::copy_if(
        units_.begin(), units_.end(), std::back_inserter(last.units_),
        [&](const auto& unit) { return unit.name_.compare(0, prefix.size(), prefix) == 0; });
    if (last.units_.empty()) kernels_.pop_back();
  }

  std::vector<char> bytes_;
  std::vector<xclbin::ip> units_;
  std::vector<xclbin::kernel> kernels_;
  std::vector<xclbin::mem> banks_;
};

namespace {

const xclbin_impl& require_xclbin(const std::shared_ptr<const xclbin_impl>& container) {
  if (!container) fail(EINVAL, "an empty xclbin");
  return *container;
}

template <class Item>
Item named(const std::vector<Item>& items, const std::string& name, const char* what) {
  const auto found = std::find_if(items.begin(), items.end(),
                                  [&](const Item& item) { return item.get_name() == name; });
  if (found == items.end()) fail(ENOENT, "the xclbin has no " + (what + (" '" + name + "'")));
  return *found;
}

}  // namespace

xclbin::ip xclbin::kernel::get_cu(const std::string& name) const {
  return named(units_, name, "compute unit");
}

xclbin::arg xclbin::kernel::get_arg(int32_t index) const {
  if (index < 0 || static_cast<size_t>(index) >= arguments_.size())
    fail(EINVAL, "kernel '" + name_ + "' has " + std::to_string(arguments_.size()) +
                     " arguments; there is no number " + std::to_string(index));
  return arguments_[static_cast<size_t>(index)];
}

xclbin::xclbin(const std::string& file)
    : impl_(std::make_shared<const xclbin_impl>(read_file(file))) {}
xclbin::xclbin(const axlf* container)
    : impl_(std::make_shared<const xclbin_impl>(copy_of(container))) {}
xclbin::xclbin(const std::vector<char>& bytes)
    : impl_(std::make_shared<const xclbin_impl>(bytes)) {}

uuid xclbin::get_uuid() const {
  return uuid(require_xclbin(impl_).container()->m_header.uuid);
}

std::string xclbin::get_xsa_name() const {
  const axlf_header& header = require_xclbin(impl_).container()->m_header;
  const auto* name = reinterpret_cast<const char*>(header.m_platformVBNV);
  return {name, strnlen(name, sizeof header.m_platformVBNV)};
}

std::vector<xclbin::kernel> xclbin::get_kernels() const {
  return require_xclbin(impl_).kernels();
}

xclbin::kernel xclbin::get_kernel(const std::string& name) const {
  return named(require_xclbin(impl_).kernels(), name, "kernel");
}

std::vector<xclbin::ip> xclbin::get_ips() const {
  return require_xclbin(impl_).units();
}

xclbin::ip xclbin::get_ip(const std::string& name) const {
  return named(require_xclbin(impl_).units(), name, "compute unit");
}

std::vector<xclbin::mem> xclbin::get_mems() const {
  return require_xclbin(impl_).banks();
}

const axlf* xclbin::get_axlf() const {
  return require_xclbin(impl_).container();
}

}  // namespace xrt
