// SPDX-License-Identifier: Apache-2.0
// What SPIR-V may use (cl_khr_spirv_queries): a module for each capability and extension that the
// device reports, with its results.
#include <CL/cl_ext_conclave.h>

#include <bit>
#include <functional>
#include <numeric>
#include <set>

#include "conclave/spirv_words.h"
#include "spirv_test.h"

namespace conclave::test {
namespace {

constexpr int kItems = 16;  // one sub-group, with numbers from 1 on

// A kernel that makes %r of the work-item's number %x and its index %id.
struct Feature {
  std::string name;
  std::string capabilities;
  std::string extension;
  std::string declarations;  // execution modes, decorations, types and constants
  std::string body;
  std::function<int(int)> expected;  // of the work-item with index i
  std::string version = "1.3";
};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

std::string module_of(const Feature& feature) {
  std::string head;
  std::istringstream words(feature.capabilities);
  for (std::string word; words >> word;) head += "OpCapability " + word + "\n";
  if (!feature.extension.empty()) head += "OpExtension \"" + feature.extension + "\"\n";
  std::string text = R"(
    OpCapability Addresses
    OpCapability Kernel
    OpCapability Int64
    HEAD
    %std = OpExtInstImport "OpenCL.std"
    OpMemoryModel Physical64 OpenCL
    OpEntryPoint Kernel %k "k" %ids
    MODES
    OpDecorate %ids BuiltIn GlobalInvocationId
    OpDecorate %ids Constant
    %void = OpTypeVoid
    %bool = OpTypeBool
    %uint = OpTypeInt 32 0
    %ulong = OpTypeInt 64 0
    %float = OpTypeFloat 32
    %uint2 = OpTypeVector %uint 2
    %uint4 = OpTypeVector %uint 4
    %ulong3 = OpTypeVector %ulong 3
    %in_ids = OpTypePointer Input %ulong3
    %ids = OpVariable %in_ids Input
    %pointer = OpTypePointer CrossWorkgroup %uint
    %type = OpTypeFunction %void %pointer %pointer
    %true = OpConstantTrue %bool
    %c0 = OpConstant %uint 0
    %c1 = OpConstant %uint 1
    %c3 = OpConstant %uint 3
    %c4 = OpConstant %uint 4
    %c8 = OpConstant %uint 8
    %c200 = OpConstant %uint 200
    %group = OpConstant %uint 2
    %subgroup = OpConstant %uint 3
    TYPES
    %k = OpFunction %void None %type
    %in = OpFunctionParameter %pointer
    %out = OpFunctionParameter %pointer
    %begin = OpLabel
    %all_ids = OpLoad %ulong3 %ids Aligned 32
    %index = OpCompositeExtract %ulong %all_ids 0
    %id = OpUConvert %uint %index
    %from = OpInBoundsPtrAccessChain %pointer %in %index
    %to = OpInBoundsPtrAccessChain %pointer %out %index
    %x = OpLoad %uint %from Aligned 4
    %some = OpUGreaterThan %bool %x %c0
    BODY
    OpStore %to %r Aligned 4
    OpReturn
    OpFunctionEnd
)";
  // Modes and decorations come before types.
  const bool is_before = feature.declarations.starts_with("OpExecutionMode") ||
                         feature.declarations.starts_with("OpDecorate");
  text = replaced(text, "HEAD", head);
  text = replaced(text, "MODES", is_before ? feature.declarations : "");
  text = replaced(text, "TYPES", is_before ? "" : feature.declarations);
  return assembled(replaced(text, "BODY", feature.body), feature.version);
}

int x(int i) {
  return i + 1;
}
int twice(int i) {
  return 2 * x(i);
}
int running_sum(int i) {
  return x(i) * (x(i) + 1) / 2;
}
int sum_before(int i) {
  return running_sum(i) - x(i);
}

// Numbers of other sizes and kinds.
std::vector<Feature> number_features() {
  const std::string make_small = "%small = OpUConvert %t %x\n%r = OpUConvert %uint %small";
  const std::string add_real =
      "%a = OpConvertUToF %t %x\n%b = OpFAdd %t %a %a\n%r = OpConvertFToU %uint %b";
  return {
      {"Int8", "Int8", "", "%t = OpTypeInt 8 0", make_small, x},
      {"Int16", "Int16", "", "%t = OpTypeInt 16 0", make_small, x},
      {"Float16", "Float16", "", "%t = OpTypeFloat 16", add_real, twice},
      {"Float64", "Float64", "", "%t = OpTypeFloat 64", add_real, twice},
      {"Float16Buffer", "Float16Buffer", "",
       "%t = OpTypeFloat 16\n%p = OpTypePointer CrossWorkgroup %t\n%l0 = OpConstant %ulong 0",
       "%a = OpConvertUToF %float %x\n%h = OpBitcast %p %to\n"
       "%n = OpExtInst %void %std vstore_half %a %l0 %h\n"
       "%b = OpExtInst %float %std vload_half %l0 %h\n%r = OpConvertFToU %uint %b",
       x},
      {"Vector16", "Vector16", "", "%t = OpTypeVector %uint 16",
       "%v = OpCompositeConstruct %t %x %x %x %x %x %x %x %x %x %x %x %x %x %x %x %id\n"
       "%a = OpCompositeExtract %uint %v 15\n%b = OpCompositeExtract %uint %v 0\n"
       "%r = OpIAdd %uint %a %b",
       [](int i) { return x(i) + i; }},
      {"ComposedOfParts", "", "", "%t = OpTypeStruct %uint4 %ulong\n%t3 = OpTypeArray %uint %c3",
       "%v = OpCompositeConstruct %uint2 %x %id\n%w = OpCompositeConstruct %uint4 %id %v %c4\n"
       "%s = OpCompositeConstruct %t %w %index\n%p = OpCompositeExtract %uint4 %s 0\n"
       "%a = OpCompositeExtract %uint %p 1\n"
       "%b = OpCompositeExtract %uint %p 3\n%y = OpCompositeConstruct %t3 %c8 %a %b\n"
       "%c = OpCompositeExtract %uint %y 1\n%d = OpCompositeExtract %uint %y 2\n"
       "%r = OpIAdd %uint %c %d",
       [](int i) { return x(i) + 4; }},
      {"GenericPointer", "GenericPointer", "", "%p = OpTypePointer Generic %uint",
       "%q = OpPtrCastToGeneric %p %from\n%r = OpLoad %uint %q Aligned 4", x},
      {"Linkage", "Linkage", "SPV_KHR_linkonce_odr", "", "%r = OpIAdd %uint %x %x", twice},
      {"NoWrap", "", "SPV_KHR_no_integer_wrap_decoration", "", "%r = OpIAdd %uint %x %x", twice},
      {"Clock", "ShaderClockKHR", "SPV_KHR_shader_clock", "",
       "%a = OpReadClockKHR %ulong %c1\n%b = OpReadClockKHR %ulong %group\n"
       "%c = OpReadClockKHR %uint2 %subgroup\n%d = OpBitcast %ulong %c\n"
       "%ab = OpULessThanEqual %bool %a %b\n%bd = OpULessThanEqual %bool %b %d\n"
       "%yes = OpLogicalAnd %bool %ab %bd\n%r = OpSelect %uint %yes %x %c0",
       x},
      {"NoMeaning", "", "SPV_KHR_non_semantic_info", "", "%r = OpIAdd %uint %x %x", twice},
      {"Expect", "ExpectAssumeKHR", "SPV_KHR_expect_assume", "",
       "OpAssumeTrueKHR %some\n%r = OpExpectKHR %uint %x %c1", x},
      {"SubgroupDispatch", "SubgroupDispatch", "", "OpExecutionMode %k SubgroupSize 4",
       "%r = OpIAdd %uint %x %x", twice, "1.1"},
  };
}

std::vector<Feature> bit_features() {
  const auto bits = [](const std::string& name, const std::string& body,
                       const std::function<int(int)>& expected) {
    return Feature{name, "BitInstructions", "SPV_KHR_bit_instructions", "", body, expected};
  };
  return {
      bits("BitInsert", "%r = OpBitFieldInsert %uint %x %c3 %c4 %c8",
           [](int i) { return (x(i) & ~0xff0) | 0x30; }),
      bits("BitExtract", "%r = OpBitFieldUExtract %uint %x %c1 %c3",
           [](int i) { return x(i) >> 1 & 7; }),
      bits("SignedBitExtract", "%r = OpBitFieldSExtract %uint %x %c0 %c1",
           [](int i) { return -(x(i) & 1); }),
      bits("BitReverse", "%a = OpBitReverse %uint %x\n%r = OpBitReverse %uint %a", x),
  };
}

// The numbers are multiplied by 200, so that their first bytes have all signs.
std::vector<Feature> dot_product_features() {
  const auto dot = [](const std::string& name, bool is_packed, const std::string& instruction,
                      const std::string& third, const std::function<int(int)>& expected) {
    const std::string type = is_packed ? "%uint" : "%bytes";
    std::string arguments = "%a" + std::string(is_packed ? "" : "4") + " %b" +
                            std::string(is_packed ? "" : "4") + " " + third +
                            (is_packed ? " PackedVectorFormat4x8BitKHR" : "");
    return Feature{
        name,
        std::string("DotProductKHR Int8 ") +
            (is_packed ? "DotProductInput4x8BitPackedKHR" : "DotProductInput4x8BitKHR"),
        "SPV_KHR_integer_dot_product",
        "%char = OpTypeInt 8 0\n%bytes = OpTypeVector %char 4\n%most = OpConstant %uint 0x7fffffff",
        "%a = OpIMul %uint %x %c200\n%b = OpIAdd %uint %a %c8\n%a4 = OpBitcast %bytes %a\n"
        "%b4 = OpBitcast %bytes %b\n%r = " +
            instruction + " %uint " + arguments,
        expected};
  };
  const auto sum = [](int i, auto one, auto other) {
    const int a = 200 * x(i), b = a + 8;
    int result = 0;
    for (int byte = 0; byte < 4; ++byte)
      result += decltype(one)(a >> 8 * byte) * decltype(other)(b >> 8 * byte);
    return result;
  };
  const auto u = cl_uchar();
  const auto s = cl_char();
  std::vector<Feature> features;
  for (const bool is_packed : {false, true}) {
    const std::string kind = is_packed ? "Packed" : "";
    features.push_back(
        dot("UDot" + kind, is_packed, "OpUDotKHR", "", [=](int i) { return sum(i, u, u); }));
    features.push_back(
        dot("SDot" + kind, is_packed, "OpSDotKHR", "", [=](int i) { return sum(i, s, s); }));
    features.push_back(
        dot("SUDot" + kind, is_packed, "OpSUDotKHR", "", [=](int i) { return sum(i, s, u); }));
    features.push_back(dot("UDotAccSat" + kind, is_packed, "OpUDotAccSatKHR", "%most", [=](int i) {
      return static_cast<int>(0x7fffffffu + static_cast<cl_uint>(sum(i, u, u)));
    }));
    features.push_back(dot("SDotAccSat" + kind, is_packed, "OpSDotAccSatKHR", "%most", [=](int i) {
      return static_cast<int>(std::min<int64_t>(0x7fffffff, 0x7fffffffLL + sum(i, s, s)));
    }));
    features.push_back(
        dot("SUDotAccSat" + kind, is_packed, "OpSUDotAccSatKHR", "%most", [=](int i) {
          return static_cast<int>(std::min<int64_t>(0x7fffffff, 0x7fffffffLL + sum(i, s, u)));
        }));
  }
  return features;
}

// Sums of one number, or the greatest, by all work-items.
std::vector<Feature> atomic_features() {
  std::vector<Feature> features = {
      {"Int64Atomics", "Int64Atomics", "",
       "%p = OpTypePointer CrossWorkgroup %ulong\n%l1 = OpConstant %ulong 1",
       "%q = OpBitcast %p %in\n%a = OpAtomicIAdd %ulong %q %c1 %c0 %l1\n%c = OpUConvert %uint %a\n"
       "%d = OpULessThan %bool %c %x\n%e = OpULessThanEqual %bool %c1 %c\n"
       "%f = OpLogicalAnd %bool %d %e\n%r = OpSelect %uint %some %c1 %c0",
       [](int) { return 1; }}};
  for (const std::string bits : {"16", "32", "64"})
    for (const bool adds : {true, false}) {
      Feature feature = {
          "AtomicFloat" + bits + (adds ? "Add" : "MinMax"),
          "AtomicFloat" + bits + (adds ? "AddEXT" : "MinMaxEXT"),
          adds ? "SPV_EXT_shader_atomic_float" + std::string(bits == "16" ? "16" : "") + "_add"
               : "SPV_EXT_shader_atomic_float_min_max",
          "",
          "",
          {}};
      if (bits != "32") feature.capabilities += " Float" + bits;
      const std::string type = bits == "32" ? "%float" : "%t";
      if (bits != "32") feature.declarations = "%t = OpTypeFloat " + bits + "\n";
      feature.declarations += "%p = OpTypePointer Workgroup " + type +
                              "\n%v = OpVariable %p Workgroup\n"
                              "%zero = OpConstant " +
                              type + " 0\n%fence = OpConstant %uint 0x108";
      feature.body =
          "OpStore %v %zero Aligned 2\nOpControlBarrier %group %group %fence\n"
          "%a = OpConvertUToF " +
          type + " %x\n%b = OpAtomicF" + std::string(adds ? "Add" : "Max") + "EXT " + type +
          " %v %group %c0 %a\n"
          "OpControlBarrier %group %group %fence\n%c = OpLoad " +
          type + " %v Aligned 2\n%r = OpConvertFToU %uint %c";
      feature.expected = [adds](int) { return adds ? running_sum(kItems - 1) : kItems; };
      features.push_back(feature);
    }
  return features;
}

std::vector<Feature> group_features() {
  const std::string kNonUniform = "GroupNonUniform ", kUniform = "Groups GroupUniformArithmeticKHR";
  const std::string kUniformName = "SPV_KHR_uniform_group_instructions";
  return {
      {"Groups", "Groups", "", "", "%r = OpGroupIAdd %uint %group Reduce %x",
       [](int) { return running_sum(kItems - 1); }},
      {"GroupsOfSubgroups", "Groups", "", "", "%r = OpGroupIAdd %uint %subgroup ExclusiveScan %x",
       sum_before},
      {"Elect", kNonUniform, "", "",
       "%a = OpGroupNonUniformElect %bool %subgroup\n%r = OpSelect %uint %a %x %c0",
       [](int i) { return i == 0 ? 1 : 0; }},
      {"Vote", kNonUniform + "GroupNonUniformVote", "", "",
       "%a = OpGroupNonUniformAll %bool %subgroup %some\n%r = OpSelect %uint %a %x %c0", x},
      {"Arithmetic", kNonUniform + "GroupNonUniformArithmetic", "", "",
       "%r = OpGroupNonUniformIAdd %uint %subgroup InclusiveScan %x", running_sum},
      {"Ballot", kNonUniform + "GroupNonUniformBallot", "", "",
       "%a = OpGroupNonUniformBallot %uint4 %subgroup %true\n"
       "%r = OpGroupNonUniformBallotBitCount %uint %subgroup InclusiveScan %a",
       x},
      {"Shuffle", kNonUniform + "GroupNonUniformShuffle", "", "",
       "%r = OpGroupNonUniformShuffleXor %uint %subgroup %x %c1", [](int i) { return x(i ^ 1); }},
      {"ShuffleRelative", kNonUniform + "GroupNonUniformShuffleRelative", "", "",
       "%a = OpGroupNonUniformShuffleUp %uint %subgroup %x %c1\n%b = OpIEqual %bool %id %c0\n"
       "%r = OpSelect %uint %b %c0 %a",
       [](int i) { return i; }},
      {"Clustered", kNonUniform + "GroupNonUniformArithmetic GroupNonUniformClustered", "", "",
       "%r = OpGroupNonUniformIAdd %uint %subgroup ClusteredReduce %x %c4",
       [](int i) { return 4 * (i & ~3) + 10; }},
      {"Rotate", kNonUniform + "GroupNonUniformRotateKHR", "SPV_KHR_subgroup_rotate", "",
       "%r = OpGroupNonUniformRotateKHR %uint %subgroup %x %c1 %c4",
       [](int i) { return x((i & ~3) | ((i + 1) & 3)); }},
      {"UniformProduct", kUniform, kUniformName, "",
       "%a = OpIAdd %uint %c1 %c1\n%r = OpGroupIMulKHR %uint %group InclusiveScan %a",
       [](int i) { return 2 << i; }},
      {"UniformBits", kUniform, kUniformName, "", "%r = OpGroupBitwiseOrKHR %uint %group Reduce %x",
       [](int) { return 31; }},
      {"UniformLogic", kUniform, kUniformName, "",
       "%a = OpIEqual %bool %x %c3\n%b = OpGroupLogicalXorKHR %bool %group InclusiveScan %a\n"
       "%r = OpSelect %uint %b %x %c0",
       [](int i) { return i < 2 ? 0 : x(i); }},
      {"SubgroupShuffleINTEL", "SubgroupShuffleINTEL", "SPV_INTEL_subgroups", "",
       "%r = OpSubgroupShuffleXorINTEL %uint %x %c3", [](int i) { return x(i ^ 3); }},
      {"SubgroupBlockINTEL", "SubgroupBufferBlockIOINTEL", "SPV_INTEL_subgroups", "",
       "%r = OpSubgroupBlockReadINTEL %uint %in", x},
  };
}

// What versions 1.4 to 1.6 add for pointers and copies, and what older ones have.
std::vector<Feature> pointer_features() {
  return {
      {"PointersCompared", "", "", "",
       "%a = OpPtrEqual %bool %from %to\n%b = OpPtrNotEqual %bool %from %in\n"
       "%c = OpSelect %uint %a %c0 %x\n%r = OpSelect %uint %b %c %c0",
       [](int i) { return i == 0 ? 0 : x(i); }, "1.4"},
      {"PointersSubtracted", "", "", "%p = OpTypePointer CrossWorkgroup %uint4",
       "%a = OpPtrDiff %uint %in %from\n%b = OpPtrDiff %ulong %from %in\n%c = OpUConvert %uint %b\n"
       "%d = OpISub %uint %c %a\n%wide = OpBitcast %p %in\n"
       "%ahead = OpPtrAccessChain %p %wide %index\n%e = OpPtrDiff %uint %ahead %wide\n"
       "%r = OpIAdd %uint %d %e",
       [](int i) { return 3 * i; }, "1.4"},
      {"Sizes", "", "", "%t = OpTypeStruct %uint4 %ulong\n%p = OpTypePointer CrossWorkgroup %t",
       "%q = OpBitcast %p %in\n%s = OpSizeOf %uint %q\n%r = OpIAdd %uint %s %x",
       [](int i) { return 32 + x(i); }, "1.1"},
      {"PointersAsNumbers", "", "", "",
       "%a = OpBitcast %ulong %from\n%b = OpBitcast %uint2 %from\n%c = OpBitcast %ulong %b\n"
       "%e = OpIEqual %bool %a %c\n%p = OpBitcast %pointer %b\n%q = OpBitcast %pointer %a\n"
       "%v = OpLoad %uint %p Aligned 4\n%w = OpLoad %uint %q Aligned 4\n%s = OpIAdd %uint %v %w\n"
       "%r = OpSelect %uint %e %s %c0",
       twice, "1.5"},
      {"ValuesCopied", "", "",
       "%t = OpTypeStruct %uint\n%p = OpTypePointer CrossWorkgroup %t\n%l4 = OpConstant %ulong 4",
       "OpCopyMemory %to %from\n%a = OpLoad %uint %to Aligned 4\nOpStore %to %c0 Aligned 4\n"
       "OpCopyMemory %to %from Volatile Aligned 4\n%b = OpLoad %uint %to Aligned 4\n"
       "OpStore %to %c0 Aligned 4\n%s = OpBitcast %p %from\n%d = OpBitcast %p %to\n"
       "OpCopyMemory %d %s Aligned 4 Volatile|Aligned 4\n%c = OpLoad %uint %to Aligned 4\n"
       "OpStore %to %c0 Aligned 4\nOpCopyMemorySized %to %from %l4 Volatile Aligned 4\n"
       "%e = OpLoad %uint %to Aligned 4\n%ab = OpIAdd %uint %a %b\n%ce = OpIAdd %uint %c %e\n"
       "%r = OpIAdd %uint %ab %ce",
       [](int i) { return 4 * x(i); }, "1.4"},
  };
}

// The same of structures and arrays, and of what a module says of its values.
std::vector<Feature> value_features() {
  return {
      {"CopiedLogically", "", "",
       "%s = OpTypeStruct %uint %ulong\n%a = OpTypeArray %s %c3\n%t = OpTypeStruct %a %uint4\n"
       "%s2 = OpTypeStruct %uint %ulong\n%a2 = OpTypeArray %s2 %c3\n"
       "%t2 = OpTypeStruct %a2 %uint4",
       "%e = OpCompositeConstruct %s %x %index\n%f = OpCompositeConstruct %s %c0 %index\n"
       "%b = OpCompositeConstruct %a %f %f %e\n%g = OpCompositeConstruct %uint4 %c8 %id %x %id\n"
       "%v = OpCompositeConstruct %t %b %g\n%w = OpCopyLogical %t2 %v\n"
       "%p = OpCompositeExtract %uint %w 0 2 0\n%q = OpCompositeExtract %uint %w 1 3\n"
       "%r = OpIAdd %uint %p %q",
       [](int i) { return x(i) + i; }, "1.4"},
      {"ReachedThroughParts", "", "",
       "%t = OpTypeStruct %uint4 %ulong\n%t2 = OpTypeStruct %t %ulong\n%none = OpUndef %t2",
       "%a = OpCompositeInsert %t2 %x %none 0 0 2\n%b = OpCompositeInsert %t2 %id %a 0 0 3\n"
       "%c = OpCompositeExtract %uint %b 0 0 2\n%d = OpCompositeExtract %uint %b 0 0 3\n"
       "%r = OpIAdd %uint %c %d",
       [](int i) { return x(i) + i; }, "1.0"},
      {"StructuresSelected", "", "", "%t = OpTypeStruct %uint %ulong",
       "%a = OpCompositeConstruct %t %x %index\n%b = OpCompositeConstruct %t %c200 %index\n"
       "%c = OpIEqual %bool %x %c3\n%d = OpSelect %t %c %b %a\n%r = OpCompositeExtract %uint %d 0",
       [](int i) { return x(i) == 3 ? 200 : x(i); }, "1.4"},
      {"Uniform", "UniformDecoration", "",
       "OpDecorate %group Uniform\nOpDecorateId %c3 UniformId %group",
       "%a = OpIAdd %uint %x %c3\n%r = OpIAdd %uint %a %group", [](int i) { return x(i) + 5; },
       "1.6"},
      {"DotProductOfVersion16", "DotProduct DotProductInput4x8BitPacked", "", "",
       "%r = OpUDot %uint %x %c3 PackedVectorFormat4x8Bit", [](int i) { return 3 * x(i); }, "1.6"},
  };
}

std::vector<Feature> all_features() {
  std::vector<Feature> all;
  for (const auto& some :
       {number_features(), bit_features(), dot_product_features(), atomic_features(),
        group_features(), pointer_features(), value_features()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

// What a module says that it uses.
struct Declared {
  std::set<cl_uint> capabilities;
  std::set<std::string> extensions, sets;

  void add(const std::string& module) {
    spirv::for_each_instruction(spirv::words_of(module), [&](spirv::Instruction instruction) {
      const uint32_t operation = spirv::operation_of(instruction);
      if (operation == spirv::kCapability) capabilities.insert(instruction[1]);
      if (operation == spirv::kExtension) extensions.emplace(spirv::text_at(instruction, 1));
      if (operation == spirv::kExtInstImport) sets.emplace(spirv::text_at(instruction, 2));
    });
  }
};

// The module with one more capability.
std::string declaring(uint32_t capability, std::string module) {
  const spirv::Words words = {spirv::first_word(2, spirv::kCapability), capability};
  return module.insert(spirv::kHeaderWords * sizeof(uint32_t), spirv::bytes_of(words));
}

// With images of one dimension, and images in buffers, that are written to.
std::string module_with_images() {
  return declaring(spirv::kCapabilityImage1D,
                   declaring(spirv::kCapabilityImageBuffer, spirv_of(R"(
    constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE |
                                 CLK_FILTER_NEAREST;
    kernel void images(read_only image2d_t a, read_only image1d_t b, read_only image1d_buffer_t c,
                       write_only image1d_t d, write_only image1d_buffer_t e,
                       read_write image2d_t f) {
      const uint4 value = read_imageui(a, nearest, (int2)(0, 0)) + read_imageui(b, nearest, 0) +
                          read_imageui(c, 0) + read_imageui(f, (int2)(0, 0));
      write_imageui(d, 0, value);
      write_imageui(e, 0, value);
      write_imageui(f, (int2)(0, 0), value);
    }
    kernel void packets(read_only pipe int p, global int* out) { read_pipe(p, out); })",
                                                                     "-cl-std=CL3.0")));
}

// As compilers make it of -g: with a type whose name is another one's, and a source without text.
constexpr char kDebugInfo[] = R"(
    OpCapability Addresses
    OpCapability Kernel
    OpCapability MemoryAccessAliasingINTEL
    OpExtension "SPV_INTEL_memory_access_aliasing"
    %debug = OpExtInstImport "OpenCL.DebugInfo.100"
    OpMemoryModel Physical64 OpenCL
    OpEntryPoint Kernel %k "k"
    %file = OpString "k.cl"
    %name = OpString "number"
    %base = OpString "uint"
    %void = OpTypeVoid
    %uint = OpTypeInt 32 0
    %bits = OpConstant %uint 32
    %seven = OpConstant %uint 7
    %pointer = OpTypePointer CrossWorkgroup %uint
    %type = OpTypeFunction %void %pointer
    %none = OpExtInst %void %debug DebugInfoNone
    %source = OpExtInst %void %debug DebugSource %file %none
    %unit = OpExtInst %void %debug DebugCompilationUnit 65536 4 %source OpenCL_C
    %basic = OpExtInst %void %debug DebugTypeBasic %base %bits Unsigned
    %alias = OpExtInst %void %debug DebugTypedef %name %basic %source 1 1 %unit
    %constant = OpExtInst %void %debug DebugTypeQualifier %alias ConstType
    %k = OpFunction %void None %type
    %out = OpFunctionParameter %pointer
    %begin = OpLabel
    OpLine %file 3 1
    OpStore %out %seven Aligned 4
    OpReturn
    OpFunctionEnd
)";

class SpirvFeatureTest : public SpirvTest {
 protected:
  template <class T>
  std::vector<T> told(cl_device_info name) {
    size_t size = 0;
    EXPECT_OK(clGetDeviceInfo(device(), name, 0, nullptr, &size));
    std::vector<T> values(size / sizeof(T));
    EXPECT_OK(clGetDeviceInfo(device(), name, size, values.data(), nullptr));
    return values;
  }
};

TEST_F(SpirvFeatureTest, ModulesWithThemAreRight) {
  std::vector<int> numbers(kItems);
  std::iota(numbers.begin(), numbers.end(), 1);
  for (const Feature& feature : all_features()) {
    SCOPED_TRACE(feature.name);
    std::vector<int> expected(kItems);
    for (int i = 0; i < kItems; ++i) expected[i] = feature.expected(i);
    EXPECT_EQ(expected, results(built(module_of(feature)), kItems, numbers, kItems));
  }
}

TEST_F(SpirvFeatureTest, ModulesWithDebugInformationAreBuilt) {
  EXPECT_EQ((std::vector<int>{7}), results(built(assembled(kDebugInfo)), 1));
}

TEST_F(SpirvFeatureTest, ModulesWithImagesAndPipesAreBuilt) {
  built(module_with_images(), "-cl-std=CL3.0");
}

// The device reports what the modules of these tests use, and nothing else.
TEST_F(SpirvFeatureTest, WhatIsReportedIsTried) {
  Declared declared;
  for (const Feature& feature : all_features()) declared.add(module_of(feature));
  declared.add(assembled(kDebugInfo));
  declared.add(module_with_images());
  const auto capabilities = told<cl_uint>(CL_DEVICE_SPIRV_CAPABILITIES_KHR);
  EXPECT_EQ(declared.capabilities, std::set(capabilities.begin(), capabilities.end()));
  const auto extensions = told<const char*>(CL_DEVICE_SPIRV_EXTENSIONS_KHR);
  EXPECT_EQ(declared.extensions, std::set<std::string>(extensions.begin(), extensions.end()));
  const auto sets = told<const char*>(CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR);
  EXPECT_EQ(declared.sets, std::set<std::string>(sets.begin(), sets.end()));
}

TEST_F(SpirvFeatureTest, BadQueriesAreRefused) {
  char byte = 0;
  for (const cl_device_info name :
       {CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS_KHR, CL_DEVICE_SPIRV_EXTENSIONS_KHR,
        CL_DEVICE_SPIRV_CAPABILITIES_KHR})
    expect_all({
        BAD(CL_INVALID_VALUE, clGetDeviceInfo(device(), name, 1, &byte, nullptr)),
        BAD(CL_INVALID_DEVICE, clGetDeviceInfo(nullptr, name, 0, nullptr, nullptr)),
    });
}

}  // namespace
}  // namespace conclave::test
