// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/program_binary.h"

#include <elf.h>
#include <gtest/gtest.h>

#include "platform/base/error.h"
#include "test_support.h"

namespace conclave {
namespace {

using test::binary_with_metadata;
using test::object_with_metadata;
using test::replaced;
using test::sample_metadata;
using test::sample_program;

// What the sample says of the checks of its first kernel.
constexpr char kNoChecks[] =
    "\"checked\": false, \"check_granule\": 0, \"check_local_granule\": 0, "
    "\"check_races\": false,\n     \"check_uses\": \"\"";

// The text with which a binary is refused; "" if it is taken.
std::string refusal(std::string bytes) {
  try {
    ProgramBinary::parse(std::move(bytes));
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), CL_INVALID_BINARY);
    return error.text();
  }
}

bool runs(const std::string& bytes, std::string* why = nullptr) {
  return ProgramBinary::parse(bytes)->runs_here(why);
}

// Neither a crash nor another exception; loaded where it is taken, since that is what happens next.
void parse_and_load(std::string bytes) {
  try {
    const auto binary = ProgramBinary::parse(std::move(bytes));
    if (binary->runs_here(nullptr)) LoadedCode::load(*binary);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), CL_INVALID_BINARY) << error.text();
  }
}

TEST(ProgramBinary, ReadsAnExecutable) {
  const auto binary = ProgramBinary::parse(sample_program());
  EXPECT_EQ(binary->kind(), ProgramKind::kExecutable);
  EXPECT_EQ(binary->bytes(), sample_program());
  EXPECT_EQ(binary->options(), "-cl-std=CL3.0");
  EXPECT_EQ(binary->target_cpu(), "x86-64");
  EXPECT_EQ(binary->global_bytes(), 8u);
  ASSERT_EQ(binary->kernels().size(), 2u);
  const KernelInfo& kernel = binary->kernels()[0];
  EXPECT_EQ(kernel.name, "identify");
  EXPECT_EQ(kernel.attributes, "reqd_work_group_size(8,4,1)");
  EXPECT_EQ(kernel.required_local_size, (std::array<size_t, 3>{8, 4, 1}));
  EXPECT_TRUE(kernel.uniform_work_groups);
  EXPECT_FALSE(binary->kernels()[1].uniform_work_groups);
  EXPECT_EQ(kernel.lanes, 8u);
  EXPECT_TRUE(kernel.joins_groups);
  EXPECT_FALSE(binary->kernels()[1].joins_groups);
  EXPECT_TRUE(kernel.keeps_order);
  EXPECT_FALSE(binary->kernels()[1].keeps_order);
  EXPECT_EQ(kernel.required_sub_group_size, 8u);
  EXPECT_EQ(binary->kernels()[1].lanes, 1u);
  EXPECT_EQ(kernel.local_bytes, 1024u);
  EXPECT_EQ(kernel.spill_bytes, 48u);
  EXPECT_EQ(kernel.private_bytes, 32u);
  EXPECT_EQ(kernel.arguments_bytes, 24u);
  ASSERT_EQ(kernel.arguments.size(), 3u);
  const ArgumentInfo& out = kernel.arguments[0];
  EXPECT_EQ(out.name, "out");
  EXPECT_EQ(out.type_name, "ulong*");
  EXPECT_EQ(out.kind, ArgumentKind::kPointer);
  EXPECT_EQ(out.address, cl_uint{CL_KERNEL_ARG_ADDRESS_GLOBAL});
  EXPECT_EQ(out.qualifiers, cl_ulong{CL_KERNEL_ARG_TYPE_RESTRICT});
  EXPECT_EQ(kernel.arguments[1].kind, ArgumentKind::kLocal);
  EXPECT_EQ(kernel.arguments[2].size, 4u);
  EXPECT_EQ(kernel.arguments[2].offset, 16u);
  std::string why = "unset";
  EXPECT_TRUE(binary->runs_here(&why)) << why;
}

TEST(ProgramBinary, ReadsImagesAndSamplers) {
  const auto binary = ProgramBinary::parse(binary_with_metadata(replaced(
      replaced(
          sample_metadata(),
          "\"float*\", \"kind\": \"local\", \"address\": \"local\",\n        \"access\": \"none\"",
          "\"image2d_t\", \"kind\": \"image\", \"address\": \"global\", \"access\": \"read_only\""),
      "\"int\", \"kind\": \"value\"", "\"sampler_t\", \"kind\": \"sampler\"")));
  const std::vector<ArgumentInfo>& arguments = binary->kernels()[0].arguments;
  EXPECT_EQ(arguments[1].kind, ArgumentKind::kImage);
  EXPECT_EQ(arguments[1].access, cl_uint{CL_KERNEL_ARG_ACCESS_READ_ONLY});
  EXPECT_EQ(arguments[2].kind, ArgumentKind::kSampler);
  EXPECT_EQ(arguments[2].size, 4u);
}

TEST(ProgramBinary, ReadsObjectsAndLibraries) {
  for (const auto& [word, kind] :
       {std::pair("object", ProgramKind::kObject), std::pair("library", ProgramKind::kLibrary)}) {
    const auto binary = ProgramBinary::parse(object_with_metadata(replaced(
        replaced(sample_metadata(), "executable", word), "\"dependencies\": []",
        R"("dependencies": [{"path": "/a/b.h", "hash": "0123456789abcdef0123456789abcdef"}])")));
    EXPECT_EQ(binary->kind(), kind);
    ASSERT_EQ(binary->dependencies().size(), 1u);
    EXPECT_EQ(binary->dependencies()[0].path, "/a/b.h");
    std::string why;
    EXPECT_FALSE(binary->runs_here(&why));
    EXPECT_EQ(why, "it is not linked to an executable");
  }
}

TEST(ProgramBinary, RunsOnlyWhereItsFeaturesAre) {
  std::string why;
  const auto with = [](const char* features) {
    return binary_with_metadata(
        replaced(sample_metadata(), "\"target_features\": [\"sse2\"]", features));
  };
  EXPECT_TRUE(runs(with(R"("target_features": [])")));
  EXPECT_FALSE(runs(with(R"("target_features": ["sse2", "quantum"])"), &why));
  EXPECT_NE(why.find("quantum"), std::string::npos) << why;
  EXPECT_FALSE(
      runs(binary_with_metadata(replaced(sample_metadata(), "\"abi\": 6", "\"abi\": 99")), &why));
  EXPECT_NE(why.find("99"), std::string::npos) << why;
}

TEST(ProgramBinary, ForeignMachineIsTakenButDoesNotRun) {
  std::string bytes = sample_program();
  bytes[offsetof(Elf64_Ehdr, e_machine)] = static_cast<char>(EM_RISCV);
  bytes[offsetof(Elf64_Ehdr, e_machine) + 1] = 0;
  std::string why;
  EXPECT_FALSE(runs(bytes, &why));
  EXPECT_NE(why.find("machine 243"), std::string::npos) << why;
}

TEST(ProgramBinary, RefusesForeignFiles) {
  EXPECT_NE(refusal("").find("is no ELF file"), std::string::npos);
  EXPECT_NE(refusal("#!/bin/sh").find("is no ELF file"), std::string::npos);
  EXPECT_NE(refusal(std::string(100000, 'x')).find("is no ELF file"), std::string::npos);
  EXPECT_NE(refusal(test::read_text("/proc/self/exe")).find("program binary: "), std::string::npos);
  EXPECT_NE(refusal(test::read_text(FAKE_CLOCL)).find("has no section .note.conclave"),
            std::string::npos);
}

struct MetadataCase {
  const char* from;
  const char* to;
  const char* message;
};

TEST(ProgramBinary, ChecksEveryField) {
  const MetadataCase cases[] = {
      {"{", "", "is no JSON text"},
      {"\"abi\": 6", "\"abi\": -1", "abi is no non-negative integer"},
      {"\"abi\": 6", "\"abi\": 1.0", "abi is no non-negative integer"},
      {"\"abi\": 6", "\"abi\": 4294967296", "abi is 4294967296, at most"},
      {"\"executable\"", "\"program\"", "kind is \"program\", expected one of executable"},
      {"\"executable\"", "7", "kind is no string"},
      {"\"options\": \"-cl-std=CL3.0\"", "\"options\": \"a\\u0000b\"", "options has a zero byte"},
      {"\"target_features\"", "\"other\"", "other is unknown"},
      {"[\"sse2\"]", "[2]", "target_features[0] is no string"},
      {"[\"sse2\"]", "\"sse2\"", "target_features is no list"},
      {"\"dependencies\": []", "\"dependencies\": [{\"path\": \"a.h\", \"hash\": \"\"}]",
       "dependencies[0].path is no absolute path"},
      {"\"dependencies\": []", "\"dependencies\": [{\"path\": \"/a.h\", \"hash\": \"1\"}]",
       "dependencies[0].hash is not 32"},
      {"\"dependencies\": []", "\"dependencies\": [5]", "dependencies[0] is no object"},
      {"\"name\": \"identify\"", "\"name\": \"\"", "kernels[0].name is empty"},
      {"\"name\": \"identify\"", "\"name\": \"count_calls\"", "as another kernel's"},
      {"\"symbol\": \"identify\"", "\"symbol\": \"missing\"", "has no function missing"},
      {"\"symbol\": \"identify\"", "\"symbol\": \"memcpy\"", "has no function memcpy"},
      {"\"global_bytes\": 8", "\"global_bytes\": \"8\"", "global_bytes is no non-negative integer"},
      {"\"joins_groups\": true", "\"joins_groups\": []",
       "kernels[0].joins_groups is neither true nor false"},
      {"\"uniform_work_groups\": true", "\"uniform_work_groups\": 1",
       "kernels[0].uniform_work_groups is neither true nor false"},
      {"\"name\": \"identify\",", "", "kernels[0].name is missing"},
      {kNoChecks, R"("checked": true, "check_granule": 4, "check_local_granule": 0,
                     "check_races": true, "check_uses": "r")",
       "kernels[0].check_uses has not one letter for each argument"},
      {"\"check_uses\": \"\"", "\"check_uses\": \"r\"", "check_uses is not empty"},
      {"\"check_granule\": 0", "\"check_granule\": 3", "check_granule is no power of two"},
      {"\"check_granule\": 0", "\"check_granule\": 16", "check_granule is 16, at most 8"},
      {"\"dimension\": 1", "\"dimension\": 3", "kernels[0].dimension is 3, at most 2"},
      {"\"lanes\": 8", "\"lanes\": 0", "kernels[0].lanes is no power of two"},
      {"\"lanes\": 8", "\"lanes\": 12", "kernels[0].lanes is no power of two"},
      {"\"lanes\": 8", "\"lanes\": 8192", "kernels[0].lanes is 8192, at most 4096"},
      {"\"required_sub_group_size\": 8", "\"required_sub_group_size\": -1",
       "required_sub_group_size is no non-negative integer"},
      {"[8, 4, 1]", "[8, 4]", "required_local_size has 2 entries"},
      {"[8, 4, 1]", "[8, 0, 1]", "is zero in some dimensions"},
      {"\"local_bytes\": 1024", "\"local_bytes\": 9999999999999999", "local_bytes is"},
      {"\"arguments_bytes\": 24", "\"arguments_bytes\": 19", "exceeds arguments_bytes 19"},
      {"\"size\": 4, \"offset\": 16", "\"size\": 4, \"offset\": 18", "which is not aligned"},
      {"\"size\": 4, \"offset\": 16", "\"size\": 4, \"offset\": 12", "overlap at offset 12"},
      {"\"size\": 8, \"offset\": 8", "\"size\": 4, \"offset\": 8", "size is 4, expected 8"},
      {"\"kind\": \"local\"", "\"kind\": \"sampler\"", "size is 8, expected 4"},
      {"\"kind\": \"value\"", "\"kind\": \"image\"", "size is 4, expected 8"},
      {"\"alignment\": 64", "\"alignment\": 48", "alignment is no power of two"},
      {"\"alignment\": 64", "\"alignment\": 0", "alignment is no power of two"},
      {"\"kind\": \"local\"", "\"kind\": \"lokal\"", "kernels[0].arguments[1].kind is \"lokal\""},
      {"\"address\": \"global\"", "\"address\": \"far\"", "address is \"far\""},
      {"\"access\": \"none\"", "\"access\": \"all\"", "access is \"all\""},
      {"[\"restrict\"]", "[\"const\", \"pipe\", \"pipe\", \"pipe\", \"pipe\"]",
       "qualifiers has 5 entries, at most 4"},
      {"[\"restrict\"]", "[\"rest\"]", "qualifiers[0] is \"rest\""},
  };
  for (const MetadataCase& c : cases) {
    const std::string text =
        refusal(binary_with_metadata(replaced(sample_metadata(), c.from, c.to)));
    EXPECT_NE(text.find(c.message), std::string::npos) << c.to << " -> " << text;
  }
  EXPECT_EQ(refusal(binary_with_metadata(sample_metadata())), "");
  EXPECT_NE(refusal(binary_with_metadata(std::string(1 << 20, '['))), "");
  EXPECT_NE(refusal(binary_with_metadata("[]")), "");
}

TEST(ProgramBinary, ReadsChecks) {
  const auto binary = ProgramBinary::parse(binary_with_metadata(
      replaced(sample_metadata(), kNoChecks, R"("checked": true, "check_granule": 4,
         "check_local_granule": 8, "check_races": true, "check_uses": "w-r")")));
  const KernelInfo& kernel = binary->kernels()[0];
  EXPECT_TRUE(kernel.checked);
  EXPECT_EQ(kernel.check_granule, 4u);
  EXPECT_EQ(kernel.check_local_granule, 8u);
  EXPECT_TRUE(kernel.check_races);
  EXPECT_EQ(kernel.check_uses, "w-r");
  EXPECT_FALSE(binary->kernels()[1].checked);
}

// Metadata of another version is not even read.
TEST(ProgramBinary, RefusesOtherVersions) {
  const std::string old = binary_with_metadata("{}", binary::kNoteType - 1);
  EXPECT_EQ(refusal(old), "program binary: has metadata of version " +
                              std::to_string(binary::kNoteType - 1) + ", expected " +
                              std::to_string(binary::kNoteType) + ": build the program again");
}

TEST(ProgramBinary, KindMustMatchTheFile) {
  EXPECT_NE(refusal(object_with_metadata(sample_metadata())).find("does not match the kind"),
            std::string::npos);
  EXPECT_NE(refusal(binary_with_metadata(replaced(sample_metadata(), "executable", "object")))
                .find("does not match the kind"),
            std::string::npos);
}

TEST(ProgramBinary, SurvivesTruncationAtEveryByte) {
  for (size_t size = 0; size < sample_program().size(); ++size)
    EXPECT_NE(refusal(sample_program().substr(0, size)), "") << size;
  const std::string object =
      object_with_metadata(replaced(sample_metadata(), "executable", "object"));
  for (size_t size = 0; size < object.size(); ++size)
    EXPECT_NE(refusal(object.substr(0, size)), "") << size;
}

// Whether the byte is in the padding between the parts of the file, which nobody reads.
bool is_padding(const std::string& bytes, size_t at) {
  const size_t begin = at < 64 ? 0 : at - 64;
  return std::string_view(bytes).substr(begin, 128).find_first_not_of('\0') ==
         std::string_view::npos;
}

// Each byte is changed in several ways; where the result is taken, it is loaded too, so that the
// dynamic linker's reading of it is part of the test.
TEST(ProgramBinary, SurvivesDamageOfEveryByte) {
  std::string bytes = sample_program();
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (is_padding(bytes, i)) continue;
    const char original = bytes[i];
    for (const int change : {0x01, 0x04, 0x80, 0xff}) {
      bytes[i] = static_cast<char>(original ^ change);
      parse_and_load(bytes);
    }
    bytes[i] = original;
  }
}

// Fields of 8 bytes set to values that make sums overflow.
TEST(ProgramBinary, SurvivesExtremeNumbers) {
  std::string bytes = sample_program();
  for (size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    if (is_padding(bytes, i)) continue;
    const std::string original = bytes.substr(i, 8);
    for (const uint64_t value : {~uint64_t{0}, ~uint64_t{0} << 12, uint64_t{1} << 63, uint64_t{0},
                                 uint64_t{1} << 32, uint64_t{4096}}) {
      bytes.replace(i, 8, reinterpret_cast<const char*>(&value), 8);
      parse_and_load(bytes);
    }
    bytes.replace(i, 8, original);
  }
}

}  // namespace
}  // namespace conclave
