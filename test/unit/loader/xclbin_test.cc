// SPDX-License-Identifier: Apache-2.0
// Xclbins: what is written is read again, and nothing else is taken.
#include "platform/loader/xclbin.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>

#include "platform/base/error.h"
#include "test_support.h"
#include "xrt/xclbin.h"

namespace conclave {
namespace {

using test::sample_program;

std::string refusal(std::string bytes) {
  try {
    Xclbin::parse(std::move(bytes));
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), CL_INVALID_BINARY);
    EXPECT_EQ(error.error_number() == 0 || error.error_number() == EINVAL, true);
    return error.text();
  }
}

XclbinLayout layout() {
  XclbinLayout layout;
  layout.add("identify", 2);
  layout.compute_units.push_back({"identify", "wide", {1, 3}});
  const XclbinLayout::Parameter out = {"out[0]", "out", XclbinLayout::Parameter::Direction::kOut,
                                       true, 64};
  layout.graphs.push_back({"gr[0]", {{"k", "count_calls", {2}, {out}}}});
  return layout;
}

std::string xclbin() {
  return write_xclbin(sample_program(), layout(), "<kernels/>");
}

TEST(Xclbin, IsReadAsItWasWritten) {
  const auto read = Xclbin::parse(xclbin());
  EXPECT_EQ(read->bytes(), xclbin());
  EXPECT_EQ(read->program()->bytes(), sample_program());
  const XclbinLayout& layout = read->layout();
  ASSERT_EQ(layout.compute_units.size(), 3u);
  EXPECT_EQ(layout.compute_units[1].full_name(), "identify:identify_2");
  EXPECT_EQ(layout.compute_units[1].units, std::vector<uint32_t>{1});
  EXPECT_EQ(layout.compute_units[2].units, (std::vector<uint32_t>{1, 3}));
  ASSERT_EQ(layout.graphs.size(), 1u);
  EXPECT_EQ(layout.graphs[0].name, "gr[0]");
  const XclbinLayout::GraphKernel& kernel = layout.graphs[0].kernels.at(0);
  EXPECT_EQ(kernel.kernel, "count_calls");
  EXPECT_EQ(kernel.units, std::vector<uint32_t>{2});
  EXPECT_EQ(layout.graphs[0].port(kernel, kernel.parameters.at(0).name), "gr[0].k.out[0]");
  EXPECT_TRUE(kernel.parameters[0].synchronous);
  EXPECT_EQ(kernel.parameters[0].bytes, 64u);
  EXPECT_EQ(kernel.parameters[0].direction, XclbinLayout::Parameter::Direction::kOut);
}

// Programs that look into an xclbin find what XRT's xclbins have there.
TEST(Xclbin, HasTheHeadOfAnXclbin) {
  const std::string bytes = xclbin();
  axlf head;
  std::memcpy(&head, bytes.data(), sizeof head);
  EXPECT_STREQ(head.m_magic, "xclbin2");
  EXPECT_EQ(head.m_header.m_length, bytes.size());
  const auto read = Xclbin::parse(bytes);
  EXPECT_EQ(std::memcmp(head.m_header.uuid, read->uuid().data(), 16), 0);
  bool found = false;
  for (uint32_t i = 0; i < head.m_header.m_numSections; ++i) {
    axlf_section_header section;
    std::memcpy(&section, bytes.data() + offsetof(axlf, m_sections) + i * sizeof section,
                sizeof section);
    EXPECT_EQ(section.m_sectionOffset % 8, 0u);
    if (section.m_sectionKind != IP_LAYOUT) continue;
    found = true;
    ip_layout units;
    std::memcpy(&units, bytes.data() + section.m_sectionOffset, sizeof units);
    EXPECT_EQ(units.m_count, 3);
    EXPECT_STREQ(reinterpret_cast<const char*>(units.m_ip_data[0].m_name), "identify:identify_1");
  }
  EXPECT_TRUE(found);
}

TEST(Xclbin, UuidIsThatOfTheContent) {
  const auto uuid = Xclbin::parse(xclbin())->uuid();
  EXPECT_EQ(Xclbin::parse(xclbin())->uuid(), uuid);
  XclbinLayout other = layout();
  other.compute_units[2].units = {1, 2};
  const auto changed = Xclbin::parse(write_xclbin(sample_program(), other, "<kernels/>"));
  EXPECT_NE(changed->uuid(), uuid);
  const std::string program = test::sample_program_with_id(5);
  EXPECT_NE(Xclbin::parse(write_xclbin(program, layout(), "<kernels/>"))->uuid(), uuid);
}

TEST(Xclbin, UnitsByName) {
  const auto read = Xclbin::parse(xclbin());
  using Units = std::vector<uint32_t>;
  EXPECT_EQ(read->units_named("identify"), (Units{0, 1, 2}));
  EXPECT_EQ(read->units_named("identify:{identify_2}"), (Units{1}));
  EXPECT_EQ(read->units_named("identify:{wide, identify_1,wide}"), (Units{0, 2}));
  const auto error = [&](const std::string& name) -> std::string {
    try {
      read->units_named(name);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), CL_INVALID_KERNEL_NAME) << name;
      return error.text();
    }
    return "";
  };
  for (const char* name : {"identify:{}", "identify:{identify_3}", "identify:{wide", "other",
                           "other:{wide}", "", ":{}", "identify:wide"})
    EXPECT_NE(error(name).find("No kernel compute units matching '" + std::string(name) + "'"),
              std::string::npos)
        << name << ": " << error(name);
}

TEST(Xclbin, NeedsAsManyUnitsAsItNames) {
  const auto read = Xclbin::parse(xclbin());
  EXPECT_NO_THROW(read->require_fit(4));
  try {
    read->require_fit(3);
    ADD_FAILURE() << "it does not fit";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_number(), EINVAL);
    EXPECT_NE(error.text().find("identify:wide is on unit 3 of the device, which has 3"),
              std::string::npos)
        << error.text();
  }
}

TEST(Xclbin, CutShortOrDamaged) {
  const std::string whole = xclbin();
  for (size_t size = 0; size < whole.size(); size += size < 700 ? 1 : 97)
    EXPECT_NE(refusal(whole.substr(0, size)), "") << size << " bytes";
  // Parts of the head that mean nothing here may change, the content may not.
  const size_t content = offsetof(axlf, m_sections) + 5 * sizeof(axlf_section_header);
  for (size_t at = content; at < whole.size(); at += 53) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    const std::string why = refusal(damaged);
    // Between two sections there is padding.
    if (why.empty()) {
      EXPECT_EQ(whole[at], '\0');
    }
  }
  std::string damaged = whole;
  damaged.back() = static_cast<char>(damaged.back() ^ 1);
  damaged[offsetof(axlf, m_header.uuid)] ^= 1;
  EXPECT_NE(refusal(damaged).find("UUID"), std::string::npos);
  EXPECT_NE(refusal(sample_program()).find("xclbin2"), std::string::npos);
}

TEST(Xclbin, LayoutOfAnotherProgram) {
  XclbinLayout foreign;
  foreign.add("vadd", 1);
  const std::string why = refusal(write_xclbin(sample_program(), foreign, ""));
  EXPECT_NE(why.find("unknown kernel 'vadd'"), std::string::npos) << why;
  EXPECT_NE(refusal(write_xclbin("no program", layout(), "")), "");
}

}  // namespace
}  // namespace conclave
