// SPDX-License-Identifier: Apache-2.0
// Programs from SPIR-V: builds, specialization constants, and modules that are wrong.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>

#include "spirv_test.h"

namespace conclave::test {
namespace {

TEST_F(SpirvTest, RunsKernels) {
  const std::string module = spirv_of(R"(
    float shifted(global const float* in, int i) { return sin(in[i]) * 0 + in[i] + 1; }
    kernel void sum(global const float* in, global int* out, local int* scratch, int add) {
      const int id = get_local_id(0);
      scratch[id] = (int)shifted(in, get_global_id(0)) + add;
      barrier(CLK_LOCAL_MEM_FENCE);
      if (id == 0)
        for (int i = 0; i < (int)get_local_size(0); ++i) atomic_add(out, scratch[i]);
    })",
                                      "-cl-std=CL1.2");
  Program program = built(module);
  Kernel sum = make_kernel(program, "sum");
  EXPECT_EQ(4u, info<cl_uint>(clGetKernelInfo, sum, CL_KERNEL_NUM_ARGS));
  const std::vector<float> numbers(256, 2.f);
  Buffer in = make_buffer(context_, numbers.size() * sizeof(float), CL_MEM_COPY_HOST_PTR,
                          const_cast<float*>(numbers.data()));
  Buffer out = make_buffer(context_, std::vector<int>(1));
  const int add = 5;
  ASSERT_OK(clSetKernelArg(sum, 0, sizeof(cl_mem), in.list()));
  ASSERT_OK(clSetKernelArg(sum, 1, sizeof(cl_mem), out.list()));
  ASSERT_OK(clSetKernelArg(sum, 2, 64 * sizeof(int), nullptr));
  ASSERT_OK(clSetKernelArg(sum, 3, sizeof add, &add));
  const size_t items = numbers.size(), group = 64;
  ASSERT_OK(clEnqueueNDRangeKernel(queue_, sum, 1, nullptr, &items, &group, 0, nullptr, nullptr));
  EXPECT_EQ(256 * 8, contents(queue_, out, 1)[0]);
}

// Without reservations, whose type the translator that makes SPIR-V declares twice, and without asking
// both ends for the number of packets, which it cannot read again.
TEST_F(SpirvTest, MovesPacketsOfPipes) {
  if (!info<cl_bool>(clGetDeviceInfo, device(), CL_DEVICE_PIPE_SUPPORT)) GTEST_SKIP();
  Program program = built(spirv_of(R"(
    kernel void put(global const int* in, write_only pipe int p, global int* faults) {
      if (write_pipe(p, &in[get_global_id(0)])) atomic_inc(faults);
    }
    kernel void pass_on(read_only pipe int p, write_only pipe int q, global int* faults) {
      int item = 0;
      if (get_pipe_max_packets(p) != 256) atomic_inc(faults);
      if (read_pipe(p, &item)) atomic_inc(faults);
      if (write_pipe(q, &item)) atomic_inc(faults);
    }
    kernel void take(global int* out, read_only pipe int p, global int* faults) {
      if (get_pipe_num_packets(p) > 256) atomic_inc(faults);
      if (read_pipe(p, &out[get_global_id(0)])) atomic_inc(faults);
    })",
                                   "-cl-std=CL3.0"),
                          "-cl-std=CL3.0");
  constexpr size_t kItems = 256, kGroup = 32;
  std::vector<int> numbers(kItems);
  std::iota(numbers.begin(), numbers.end(), 1);
  Buffer in = make_buffer(context_, numbers), out = make_buffer(context_, std::vector<int>(kItems)),
         faults = make_buffer(context_, std::vector<int>(1, 0));
  cl_int err = 0;
  Buffer first(clCreatePipe(context_, 0, sizeof(int), kItems, nullptr, &err));
  ASSERT_OK(err);
  Buffer second(clCreatePipe(context_, 0, sizeof(int), kItems, nullptr, &err));
  ASSERT_OK(err);
  const auto run = [&](const char* name, cl_mem a, cl_mem b) {
    Kernel k = make_kernel(program, name);
    const cl_mem arguments[] = {a, b, faults};
    for (cl_uint i = 0; i < 3; ++i) ASSERT_OK(clSetKernelArg(k, i, sizeof(cl_mem), &arguments[i]));
    ASSERT_OK(clEnqueueNDRangeKernel(queue_, k, 1, nullptr, &kItems, &kGroup, 0, nullptr, nullptr));
  };
  run("put", in, first);
  run("pass_on", first, second);
  run("take", out, second);
  std::vector<int> got = contents(queue_, out, kItems);
  std::sort(got.begin(), got.end());
  EXPECT_EQ(numbers, got);
  EXPECT_EQ(0, contents(queue_, faults, 1)[0]);
}

TEST_F(SpirvTest, CanBeCompiledAndLinked) {
  Program library = from_il(spirv_of("int twice(int x) { return 2 * x; }", "-cl-std=CL1.2"));
  ASSERT_OK(clCompileProgram(library, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr))
      << build_log(library);
  Program caller = make_program(context_,
                                "int twice(int);\n"
                                "kernel void k(global int* out) { out[0] = twice(21); }");
  ASSERT_OK(clCompileProgram(caller, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr));
  const cl_program parts[] = {library, caller};
  cl_int err = CL_SUCCESS;
  Program linked(clLinkProgram(context_, 0, nullptr, "", 2, parts, nullptr, nullptr, &err));
  ASSERT_OK(err);
  EXPECT_EQ((std::vector<int>{42}), results(linked, 1));
}

// Two modules define the same function, and a third one has none of its own (SPV_KHR_linkonce_odr).
// Additions may say that they do not wrap (SPV_KHR_no_integer_wrap_decoration).
TEST_F(SpirvTest, DefinitionsMayBeThereTwice) {
  const std::string head = R"(
    OpCapability Addresses
    OpCapability Kernel
    OpCapability Linkage
    OpExtension "SPV_KHR_linkonce_odr"
    OpExtension "SPV_KHR_no_integer_wrap_decoration"
    OpMemoryModel Physical64 OpenCL
    OpDecorate %sum NoSignedWrap
    OpDecorate %next LinkageAttributes "next" LinkOnceODR
    %int = OpTypeInt 32 0
    %one = OpConstant %int 1
    %type = OpTypeFunction %int %int
    %next = OpFunction %int None %type
    %x = OpFunctionParameter %int
    %begin = OpLabel
    %sum = OpIAdd %int %x %one
    OpReturnValue %sum
    OpFunctionEnd
)";
  const auto compiled = [&](Program program) {
    EXPECT_OK(clCompileProgram(program, 0, nullptr, "", 0, nullptr, nullptr, nullptr, nullptr))
        << build_log(program);
    return program;
  };
  const std::string module = assembled(head);
  Program first = compiled(from_il(module)), second = compiled(from_il(module));
  Program caller = compiled(make_program(
      context_, "int next(int);\nkernel void k(global int* out) { out[0] = next(41); }"));
  const cl_program parts[] = {first, second, caller};
  cl_int err = CL_SUCCESS;
  Program linked(clLinkProgram(context_, 0, nullptr, "", 3, parts, nullptr, nullptr, &err));
  ASSERT_OK(err);
  EXPECT_EQ((std::vector<int>{42}), results(linked, 1));
}

TEST_F(SpirvTest, TellsItsModule) {
  const std::string module = spirv_of("kernel void k() {}");
  Program program = from_il(module);
  char source[8] = "text";
  ASSERT_OK(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof source, source, nullptr));
  EXPECT_STREQ("", source);
  std::string told(module.size(), '\0');
  size_t size = 0;
  ASSERT_OK(clGetProgramInfo(program, CL_PROGRAM_IL, told.size(), told.data(), &size));
  EXPECT_EQ(module.size(), size);
  EXPECT_EQ(module, told);
}

// An assembler's work: a kernel that stores a constant of 32 bits with SpecId 7, or, if the boolean
// with SpecId 8 is false, of 16 bits with SpecId 9.
std::string module_with_constants() {
  const std::string text = R"(
    OpCapability Addresses
    OpCapability Kernel
    OpCapability Int16
    OpMemoryModel Physical64 OpenCL
    OpEntryPoint Kernel %k "k"
    OpDecorate %wide SpecId 7
    OpDecorate %choice SpecId 8
    OpDecorate %narrow SpecId 9
    %void = OpTypeVoid
    %bool = OpTypeBool
    %short = OpTypeInt 16 0
    %int = OpTypeInt 32 0
    %pointer = OpTypePointer CrossWorkgroup %int
    %type = OpTypeFunction %void %pointer
    %wide = OpSpecConstant %int 100
    %choice = OpSpecConstantTrue %bool
    %narrow = OpSpecConstant %short 3
    %k = OpFunction %void None %type
    %out = OpFunctionParameter %pointer
    %begin = OpLabel
    %widened = OpUConvert %int %narrow
    %value = OpSelect %int %choice %wide %widened
    OpStore %out %value Aligned 4
    OpReturn
    OpFunctionEnd
)";
  return assembled(text, "1.0");
}

class SpecializationTest : public SpirvTest {
 protected:
  int result(cl_program program) {
    EXPECT_OK(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr)) << build_log(program);
    return results(program, 1).at(0);
  }
  template <typename T>
  static cl_int set(cl_program program, cl_uint id, T value) {
    return clSetProgramSpecializationConstant(program, id, sizeof value, &value);
  }
};

TEST_F(SpecializationTest, ConstantsHaveTheirValues) {
  Program program = from_il(module_with_constants());
  EXPECT_EQ(100, result(program));
  EXPECT_OK(set<cl_uint>(program, 7, 123456789));
  EXPECT_EQ(123456789, result(program));
  EXPECT_OK(set<cl_uchar>(program, 8, 0));
  EXPECT_EQ(3, result(program));
  EXPECT_OK(set<cl_ushort>(program, 9, 65535));
  EXPECT_EQ(65535, result(program));
}

TEST_F(SpecializationTest, BadArgumentsAreRefused) {
  Program program = from_il(module_with_constants());
  Program other = make_program(context_, "kernel void k() {}");
  const cl_uint value = 1;
  expect_all({
      BAD(CL_INVALID_PROGRAM, clSetProgramSpecializationConstant(nullptr, 7, 4, &value)),
      BAD(CL_INVALID_PROGRAM, clSetProgramSpecializationConstant(other, 7, 4, &value)),
      BAD(CL_INVALID_SPEC_ID, clSetProgramSpecializationConstant(program, 1, 4, &value)),
      BAD(CL_INVALID_VALUE, clSetProgramSpecializationConstant(program, 7, 4, nullptr)),
      BAD(CL_INVALID_VALUE, clSetProgramSpecializationConstant(program, 7, 2, &value)),
      BAD(CL_INVALID_VALUE, clSetProgramSpecializationConstant(program, 8, 4, &value)),
  });
}

TEST_F(SpirvTest, BadModulesAreRefused) {
  const std::string good = spirv_of("kernel void k() {}");
  const auto create = [&](const std::string& module, cl_int* err) {
    return clCreateProgramWithIL(context_, module.data(), module.size(), err);
  };
  std::string version = good, later = good, magic = good, length = good;
  version[6] = 7;  // 1.0 becomes 7.0
  later[5] = 7;    // and 1.7
  magic[0] = 0;
  length[22] = 127;  // the first instruction is longer than the module
  expect_all({
      BAD_CREATE(CL_INVALID_CONTEXT, clCreateProgramWithIL(nullptr, good.data(), good.size(), err)),
      BAD_CREATE(CL_INVALID_VALUE, clCreateProgramWithIL(context_, nullptr, good.size(), err)),
      BAD_CREATE(CL_INVALID_VALUE, clCreateProgramWithIL(context_, good.data(), 0, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(good.substr(0, good.size() - 2), err)),
      BAD_CREATE(CL_INVALID_VALUE, create(good.substr(0, 16), err)),
      BAD_CREATE(CL_INVALID_VALUE, create(version, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(later, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(magic, err)),
      BAD_CREATE(CL_INVALID_VALUE, create(length, err)),
      BAD_CREATE(CL_INVALID_VALUE, create("kernel void k() {}  ", err)),
  });
}

// As compilers for SYCL do of inlined functions: in declarations, of a call, and of accesses.
TEST_F(SpirvTest, PointersMayBeSaidNotToOverlap) {
  Program program = built(assembled(R"(
    OpCapability Addresses
    OpCapability Kernel
    OpCapability MemoryAccessAliasingINTEL
    OpExtension "SPV_INTEL_memory_access_aliasing"
    OpMemoryModel Physical64 OpenCL
    OpEntryPoint Kernel %k "k"
    %domain = OpAliasDomainDeclINTEL
    %scope = OpAliasScopeDeclINTEL %domain
    %scopes = OpAliasScopeListDeclINTEL %scope
    OpDecorateId %call NoAliasINTEL %scopes
    %void = OpTypeVoid
    %int = OpTypeInt 32 0
    %pointer = OpTypePointer CrossWorkgroup %int
    %nothing = OpTypeFunction %void
    %type = OpTypeFunction %void %pointer %pointer
    %empty = OpFunction %void None %nothing
    %only = OpLabel
    OpReturn
    OpFunctionEnd
    %k = OpFunction %void None %type
    %in = OpFunctionParameter %pointer
    %out = OpFunctionParameter %pointer
    %begin = OpLabel
    %call = OpFunctionCall %void %empty
    %value = OpLoad %int %in Aligned|AliasScopeINTELMask|NoAliasINTELMask 4 %scopes %scopes
    OpStore %out %value Volatile|Aligned|NoAliasINTELMask 4 %scopes
    OpReturn
    OpFunctionEnd
)"));
  EXPECT_EQ((std::vector<int>{42}), results(program, 1, {42}));
}

// Zeros as LLVM's code generator for SPIR-V writes them, and a text of version 1.4 for the host.
TEST_F(SpirvTest, NumbersMayBeNull) {
  Program program = built(assembled(R"(
    OpCapability Addresses
    OpCapability Kernel
    OpCapability Int64
    OpMemoryModel Physical64 OpenCL
    OpEntryPoint Kernel %k "k"
    OpDecorateString %k UserSemantic "a text"
    %void = OpTypeVoid
    %int = OpTypeInt 32 0
    %long = OpTypeInt 64 0
    %float = OpTypeFloat 32
    %bool = OpTypeBool
    %pointer = OpTypePointer CrossWorkgroup %int
    %type = OpTypeFunction %void %pointer
    %no_int = OpConstantNull %int
    %no_long = OpConstantNull %long
    %no_float = OpConstantNull %float
    %no = OpConstantNull %bool
    %nine = OpConstant %int 9
    %k = OpFunction %void None %type
    %out = OpFunctionParameter %pointer
    %begin = OpLabel
    %a = OpSelect %int %no %no_int %nine
    %b = OpUConvert %int %no_long
    %c = OpConvertFToS %int %no_float
    %ab = OpIAdd %int %a %b
    %abc = OpIAdd %int %ab %c
    OpStore %out %abc Aligned 4
    OpReturn
    OpFunctionEnd
)",
                                    "1.4"));
  EXPECT_EQ((std::vector<int>{9}), results(program, 1));
}

// The size of work-groups as constants of the module, one of which a program may set.
TEST_F(SpirvTest, SizesOfWorkGroupsMayBeConstants) {
  Program program = from_il(assembled(R"(
    OpCapability Addresses
    OpCapability Kernel
    OpMemoryModel Physical64 OpenCL
    OpEntryPoint Kernel %k "k"
    OpExecutionModeId %k LocalSizeId %lines %four %one
    OpDecorate %lines SpecId 7
    %void = OpTypeVoid
    %uint = OpTypeInt 32 0
    %one = OpConstant %uint 1
    %four = OpConstant %uint 4
    %lines = OpSpecConstant %uint 8
    %type = OpTypeFunction %void
    %k = OpFunction %void None %type
    %begin = OpLabel
    OpReturn
    OpFunctionEnd
)",
                                      "1.2"));
  for (const cl_uint lines : {8u, 2u}) {
    ASSERT_OK(clSetProgramSpecializationConstant(program, 7, sizeof lines, &lines));
    ASSERT_OK(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr)) << build_log(program);
    Kernel k = make_kernel(program, "k");
    size_t size[3] = {};
    ASSERT_OK(clGetKernelWorkGroupInfo(k, device(), CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof size,
                                       size, nullptr));
    EXPECT_EQ((std::vector<size_t>{lines, 4, 1}), std::vector<size_t>(size, size + 3));
  }
}

// Shuffles of vectors of different lengths, the shorter one first and last.
TEST_F(SpirvTest, ShufflesTakeVectorsOfAnyLengths) {
  Program program = built(assembled(R"(
    OpCapability Addresses
    OpCapability Kernel
    OpMemoryModel Physical64 OpenCL
    OpEntryPoint Kernel %k "k"
    %void = OpTypeVoid
    %int = OpTypeInt 32 0
    %int2 = OpTypeVector %int 2
    %int4 = OpTypeVector %int 4
    %pointer = OpTypePointer CrossWorkgroup %int4
    %type = OpTypeFunction %void %pointer
    %one = OpConstant %int 1
    %two = OpConstant %int 2
    %three = OpConstant %int 3
    %four = OpConstant %int 4
    %five = OpConstant %int 5
    %six = OpConstant %int 6
    %k = OpFunction %void None %type
    %out = OpFunctionParameter %pointer
    %begin = OpLabel
    %next = OpInBoundsPtrAccessChain %pointer %out %one
    %short = OpCompositeConstruct %int2 %one %two
    %long = OpCompositeConstruct %int4 %three %four %five %six
    %a = OpVectorShuffle %int4 %short %long 1 2 5 0
    %b = OpVectorShuffle %int4 %long %short 0 5 4 3
    OpStore %out %a Aligned 16
    OpStore %next %b Aligned 16
    OpReturn
    OpFunctionEnd
)"));
  EXPECT_EQ((std::vector<int>{2, 3, 6, 1, 3, 2, 1, 6}), results(program, 8));
}

// What is well formed and makes no sense is an error of the build, with the validator's words.
TEST_F(SpirvTest, NonsenseIsABuildError) {
  std::string module = spirv_of("kernel void k(global int* p) { *p = 1; }");
  const std::string end("\x38\x00\x01\x00", 4);  // OpFunctionEnd
  const size_t at = module.rfind(end);
  ASSERT_NE(std::string::npos, at);
  module.erase(at, end.size());
  Program program = from_il(module);
  EXPECT_EQ(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, nullptr, "", nullptr, nullptr));
  EXPECT_NE(std::string::npos, build_log(program).find("spirv-val")) << build_log(program);
}

// Whatever a module says, it is refused, fails to build, or builds, and this process goes on. More
// than a few are tried where CONCLAVE_DAMAGED_MODULES says how many.
TEST_F(SpirvTest, DamagedModulesAreErrors) {
  const std::string good = spirv_of(R"(
    kernel void k(global int* p, local int* q, read_only image2d_t i, int n) {
      for (int j = 0; j < n; ++j) q[j] = read_imagei(i, (int2)(j, 0)).x;
      barrier(CLK_LOCAL_MEM_FENCE);
      atomic_add(p, q[get_local_id(0)]);
    })");
  constexpr size_t kHeaderBytes = 20;
  const char* const count = std::getenv("CONCLAVE_DAMAGED_MODULES");
  std::mt19937 random(1);
  const auto below = [&](size_t end) { return random() % end; };
  for (int left = count ? std::atoi(count) : 60; left > 0; --left) {
    std::string module = good;
    for (size_t changes = 1 + below(3); changes > 0; --changes)
      module[kHeaderBytes + below(module.size() - kHeaderBytes)] =
          static_cast<char>(below(2) ? below(256) : below(8));
    cl_int err = CL_SUCCESS;
    Program program(clCreateProgramWithIL(context_, module.data(), module.size(), &err));
    if (err == CL_INVALID_VALUE) continue;
    ASSERT_OK(err);
    err = clBuildProgram(program, 0, nullptr, "", nullptr, nullptr);
    if (err != CL_SUCCESS) {
      ASSERT_EQ(CL_BUILD_PROGRAM_FAILURE, err);
      EXPECT_NE("", build_log(program));
    }
  }
  EXPECT_NE(nullptr, make_kernel(built(good), "k"));
}

}  // namespace
}  // namespace conclave::test
