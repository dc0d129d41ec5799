// SPDX-License-Identifier: Apache-2.0
// The words of SPIR-V modules that runtime and compiler look at: numbers of the specification of
// SPIR-V, section 3, and of SPV_INTEL_memory_access_aliasing.
#ifndef CONCLAVE_SPIRV_FORMAT_H_
#define CONCLAVE_SPIRV_FORMAT_H_

#include <cstddef>
#include <cstdint>

namespace conclave::spirv {

inline constexpr uint32_t kMagic = 0x07230203;
// Magic number, version, generator, bound of identifiers, schema. Instructions follow.
inline constexpr size_t kHeaderWords = 5;
inline constexpr size_t kVersionWord = 1;
inline constexpr uint32_t kVersion14 = 0x00010400;

// The first word of an instruction holds its length in words, and its operation.
constexpr size_t length_of(uint32_t word) {
  return word >> 16;
}
constexpr uint32_t operation_of(uint32_t word) {
  return word & 0xffff;
}
constexpr uint32_t first_word(size_t length, uint32_t operation) {
  return static_cast<uint32_t>(length << 16) | operation;
}

enum Operation : uint32_t {
  kUndef = 1,
  kExtension = 10,
  kExtInstImport = 11,
  kExtInst = 12,
  kExecutionMode = 16,
  kCapability = 17,
  kTypeVoid = 19,
  kTypeBool = 20,
  kTypeInt = 21,
  kTypeFloat = 22,
  kTypeVector = 23,
  kTypeArray = 28,
  kTypeStruct = 30,
  kTypePointer = 32,
  kTypeFunction = 33,
  kTypePipe = 38,
  kConstantFalse = 42,
  kConstant = 43,
  kConstantNull = 46,
  kSpecConstantTrue = 48,
  kSpecConstantFalse = 49,
  kSpecConstant = 50,
  kFunction = 54,
  kFunctionEnd = 56,
  kFunctionCall = 57,
  kLoad = 61,
  kStore = 62,
  kCopyMemory = 63,
  kCopyMemorySized = 64,
  kPtrAccessChain = 67,
  kDecorate = 71,
  kVectorShuffle = 79,
  kCompositeConstruct = 80,
  kCompositeExtract = 81,
  kCompositeInsert = 82,
  kCopyObject = 83,
  kImageSampleExplicitLod = 88,
  kImageFetch = 95,
  kImageRead = 98,
  kImageWrite = 99,
  kUConvert = 113,
  kSConvert = 114,
  kConvertPtrToU = 117,
  kConvertUToPtr = 120,
  kBitcast = 124,
  kISub = 130,
  kSDiv = 135,
  kIEqual = 170,
  kINotEqual = 171,
  kSizeOf = 321,
  kExecutionModeId = 331,
  kDecorateId = 332,
  kCopyLogical = 400,
  kPtrEqual = 401,
  kPtrNotEqual = 402,
  kPtrDiff = 403,
  kReadClock = 5056,
  kDecorateString = 5632,
  kMemberDecorateString = 5633,
  kAliasDomainDecl = 5911,
  kAliasScopeDecl = 5912,
  kAliasScopeListDecl = 5913,
};

enum Decoration : uint32_t {
  kDecorationSpecId = 1,
  kDecorationUniformId = 27,
  kDecorationLinkageAttributes = 41,
  kDecorationUserSemantic = 5635,
  kDecorationAliasScope = 5914,
  kDecorationNoAlias = 5915,
};

inline constexpr uint32_t kLinkageImport = 1;

// What a module says that it uses.
enum Capability : uint32_t {
  kCapabilityAddresses = 4,
  kCapabilityLinkage = 5,
  kCapabilityKernel = 6,
  kCapabilityVector16 = 7,
  kCapabilityFloat16Buffer = 8,
  kCapabilityFloat16 = 9,
  kCapabilityFloat64 = 10,
  kCapabilityInt64 = 11,
  kCapabilityInt64Atomics = 12,
  kCapabilityImageBasic = 13,
  kCapabilityImageReadWrite = 14,
  kCapabilityPipes = 17,
  kCapabilityGroups = 18,
  kCapabilityLiteralSampler = 20,
  kCapabilityInt16 = 22,
  kCapabilityGenericPointer = 38,
  kCapabilityInt8 = 39,
  kCapabilitySampled1D = 43,
  kCapabilityImage1D = 44,
  kCapabilitySampledBuffer = 46,
  kCapabilityImageBuffer = 47,
  kCapabilitySubgroupDispatch = 58,
  kCapabilityGroupNonUniform = 61,
  kCapabilityGroupNonUniformVote = 62,
  kCapabilityGroupNonUniformArithmetic = 63,
  kCapabilityGroupNonUniformBallot = 64,
  kCapabilityGroupNonUniformShuffle = 65,
  kCapabilityGroupNonUniformShuffleRelative = 66,
  kCapabilityGroupNonUniformClustered = 67,
  kCapabilityUniformDecoration = 71,
  kCapabilityShaderClock = 5055,
  kCapabilitySubgroupShuffleIntel = 5568,
  kCapabilitySubgroupBufferBlockIoIntel = 5569,
  kCapabilityAtomicFloat32MinMax = 5612,
  kCapabilityAtomicFloat64MinMax = 5613,
  kCapabilityAtomicFloat16MinMax = 5616,
  kCapabilityExpectAssume = 5629,
  kCapabilityMemoryAccessAliasingIntel = 5910,
  kCapabilityDotProductInput4x8Bit = 6017,
  kCapabilityDotProductInput4x8BitPacked = 6018,
  kCapabilityDotProduct = 6019,
  kCapabilityBitInstructions = 6025,
  kCapabilityGroupNonUniformRotate = 6026,
  kCapabilityAtomicFloat32Add = 6033,
  kCapabilityAtomicFloat64Add = 6034,
  kCapabilityAtomicFloat16Add = 6095,
  kCapabilityGroupUniformArithmetic = 6400,
};

// Bits of a mask of memory operands. To all but kVolatile, kNontemporal and
// kNonPrivatePointer belongs one word after the mask.
enum MemoryOperand : uint32_t {
  kVolatile = 0x1,
  kAligned = 0x2,
  kNontemporal = 0x4,
  kNonPrivatePointer = 0x20,
  kAliasScope = 0x10000,
  kNoAlias = 0x20000,
};

// A bit of a mask of image operands, which no word belongs to.
inline constexpr uint32_t kNontemporalImage = 0x4000;

enum ExecutionMode : uint32_t {
  kModeLocalSize = 17,
  kModeLocalSizeHint = 18,
  kModeSubgroupsPerWorkgroup = 36,
  kModeSubgroupsPerWorkgroupId = 37,
  kModeLocalSizeId = 38,
  kModeLocalSizeHintId = 39,
};

}  // namespace conclave::spirv

#endif  // CONCLAVE_SPIRV_FORMAT_H_
