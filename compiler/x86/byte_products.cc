// SPDX-License-Identifier: Apache-2.0
#include "compiler/x86/byte_products.h"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <numeric>
#include <string>
#include <vector>

namespace conclave::compiler {
namespace {

using llvm::Value;
using llvm::Intrinsic::ID;

constexpr char kPrefix[] = "conclave.dot.";
constexpr unsigned kLaneBits = 32;
constexpr uint32_t kTopBits = 0x80808080, kOnes = 0x01010101;

// Whose bytes have signs.
struct Signs {
  bool a, b;
};

Signs signs_of(const llvm::Function& scalar) {
  const llvm::StringRef kinds = scalar.getName().drop_front(sizeof kPrefix - 1);
  return {kinds[0] == 's', kinds[1] == 's'};
}

bool is_byte_product(const llvm::Function& function) {
  return function.isDeclaration() && function.getName().starts_with(kPrefix) &&
         function.getName().size() == sizeof kPrefix - 1 + 2;
}

// Makes the code for values or vectors of them.
class ByteProduct {
 public:
  ByteProduct(llvm::IRBuilder<>& builder, Signs signs) : builder_(builder), signs_(signs) {}

  Value* by_shifts(Value* a, Value* b, Value* sum) {
    for (unsigned byte = 0; byte < 4; ++byte) {
      Value* first = extend(a, byte, signs_.a);
      Value* second = extend(b, byte, signs_.b);
      sum = builder_.CreateAdd(sum, builder_.CreateMul(first, second));
    }
    return sum;
  }

  // `unsigned_times_signed`: the CPU's operation for the vector. Signs change by adding 128 to each
  // byte, which 128 times the other bytes takes back.
  Value* by_vnni(ID unsigned_times_signed, Value* a, Value* b, Value* sum) {
    const auto product = [&](Value* to, Value* without_sign, Value* with_sign) {
      return builder_.CreateIntrinsic(unsigned_times_signed, {}, {to, without_sign, with_sign});
    };
    Value* none = llvm::Constant::getNullValue(sum->getType());
    Value* ones = splat(kOnes, sum->getType());
    const auto turned = [&](Value* bytes) {
      return builder_.CreateXor(bytes, splat(kTopBits, bytes->getType()));
    };
    if (signs_.a) {
      Value* all = product(sum, turned(a), b);
      return builder_.CreateSub(all, builder_.CreateShl(product(none, ones, b), 7));
    }
    if (!signs_.b) {
      Value* all = product(sum, a, turned(b));
      return builder_.CreateAdd(all, builder_.CreateShl(product(none, a, ones), 7));
    }
    return product(sum, a, b);
  }

  // `add_pairs`: the CPU's products of 16 bits, of which two are added.
  Value* by_pairs(ID add_pairs, Value* a, Value* b, Value* sum) {
    for (const bool odd : {false, true}) {
      Value* pairs = builder_.CreateIntrinsic(add_pairs, {},
                                              {halves(a, odd, signs_.a), halves(b, odd, signs_.b)});
      sum = builder_.CreateAdd(sum, pairs);
    }
    return sum;
  }

 private:
  static llvm::Constant* splat(uint32_t value, llvm::Type* type) {
    return llvm::ConstantInt::get(type, value);
  }

  Value* extend(Value* word, unsigned byte, bool has_sign) {
    Value* high = builder_.CreateShl(word, 24 - 8 * byte);
    return has_sign ? builder_.CreateAShr(high, 24) : builder_.CreateLShr(high, 24);
  }

  // The even bytes of words or the odd ones, each in 16 bits.
  Value* halves(Value* words, bool odd, bool has_sign) {
    const auto count = llvm::cast<llvm::FixedVectorType>(words->getType())->getNumElements();
    Value* shorts =
        builder_.CreateBitCast(words, llvm::FixedVectorType::get(builder_.getInt16Ty(), 2 * count));
    if (!odd && !has_sign)
      return builder_.CreateAnd(shorts, llvm::ConstantInt::get(shorts->getType(), 0xff));
    if (!odd) shorts = builder_.CreateShl(shorts, 8);
    return has_sign ? builder_.CreateAShr(shorts, 8) : builder_.CreateLShr(shorts, 8);
  }

  llvm::IRBuilder<>& builder_;
  const Signs signs_;
};

// The CPU's operations for registers of so many bits.
struct Operations {
  unsigned bits;
  const char* vnni[2];  // features, either of which will do
  ID unsigned_times_signed;
  const char* pairs;
  ID add_pairs;
};
constexpr Operations kOperations[] = {{512,
                                       {"+avx512vnni", "+avx512vnni"},
                                       llvm::Intrinsic::x86_avx512_vpdpbusd_512,
                                       "+avx512bw",
                                       llvm::Intrinsic::x86_avx512_pmaddw_d_512},
                                      {256,
                                       {"+avx512vnni,+avx512vl", "+avxvnni"},
                                       llvm::Intrinsic::x86_avx512_vpdpbusd_256,
                                       "+avx2",
                                       llvm::Intrinsic::x86_avx2_pmadd_wd},
                                      {128,
                                       {"+avx512vnni,+avx512vl", "+avxvnni"},
                                       llvm::Intrinsic::x86_avx512_vpdpbusd_128,
                                       "+sse2",
                                       llvm::Intrinsic::x86_sse2_pmadd_wd}};

// The whole vector in pieces of the widest registers that the CPU multiplies in.
Value* in_registers(llvm::IRBuilder<>& builder, Signs signs, unsigned lanes, const Target& target,
                    Value* a, Value* b, Value* sum) {
  ByteProduct product(builder, signs);
  for (const Operations& cpu : kOperations) {
    const bool has_vnni = target.has(cpu.vnni[0]) || target.has(cpu.vnni[1]);
    const unsigned piece = cpu.bits / kLaneBits;
    if ((!has_vnni && !target.has(cpu.pairs)) || lanes % piece != 0) continue;
    std::vector<Value*> results;
    for (unsigned first = 0; first < lanes; first += piece) {
      llvm::SmallVector<int> order(piece);
      std::iota(order.begin(), order.end(), static_cast<int>(first));
      const auto part = [&](Value* whole) {
        return piece == lanes ? whole : builder.CreateShuffleVector(whole, order);
      };
      results.push_back(
          has_vnni ? product.by_vnni(cpu.unsigned_times_signed, part(a), part(b), part(sum))
                   : product.by_pairs(cpu.add_pairs, part(a), part(b), part(sum)));
    }
    return llvm::concatenateVectors(builder, results);
  }
  return product.by_shifts(a, b, sum);
}

}  // namespace

llvm::Function* vector_byte_product(llvm::Function& scalar, unsigned lanes, const Target& target) {
  if (!is_byte_product(scalar)) return nullptr;
  llvm::Module& module = *scalar.getParent();
  const std::string name = scalar.getName().str() + ".x" + std::to_string(lanes);
  if (llvm::Function* known = module.getFunction(name)) return known;
  llvm::LLVMContext& context = module.getContext();
  auto* vector = llvm::FixedVectorType::get(llvm::Type::getInt32Ty(context), lanes);
  auto* function =
      llvm::Function::Create(llvm::FunctionType::get(vector, {vector, vector, vector}, false),
                             llvm::Function::InternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::AlwaysInline);
  function->setDoesNotThrow();
  function->setDoesNotAccessMemory();
  function->setCallingConv(scalar.getCallingConv());
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", function));
  builder.CreateRet(in_registers(builder, signs_of(scalar), lanes, target, function->getArg(0),
                                 function->getArg(1), function->getArg(2)));
  return function;
}

llvm::PreservedAnalyses LowerByteProducts::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (!is_byte_product(function)) continue;
    for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
      auto* call = llvm::cast<llvm::CallInst>(user);
      llvm::IRBuilder<> builder(call);
      call->replaceAllUsesWith(
          ByteProduct(builder, signs_of(function))
              .by_shifts(call->getArgOperand(0), call->getArgOperand(1), call->getArgOperand(2)));
      call->eraseFromParent();
    }
    function.eraseFromParent();
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
