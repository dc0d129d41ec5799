// SPDX-License-Identifier: Apache-2.0
#include "compiler/x86/vector_math.h"

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/x86/byte_products.h"
#include "compiler/x86/sleef_functions.h"

namespace conclave::compiler {
namespace {

// A family of SLEEF's vector functions.
struct Family {
  const char* feature;  // that the CPU must have
  const char* suffix;
  unsigned bits;
};
constexpr Family kFamilies[] = {{"+avx512f", "avx512f", 512},
                                {"+avx2,+fma", "avx2", 256},
                                {"+avx2,+fma", "avx2128", 128},
                                {"+sse2", "sse2", 128}};

// Only plain functions of one type: float(float), double(double, double), ...
llvm::Type* element_type(const llvm::Function& function) {
  llvm::Type* type = function.getReturnType();
  if (!type->isFloatTy() && !type->isDoubleTy()) return nullptr;
  for (const llvm::Argument& argument : function.args())
    if (argument.getType() != type) return nullptr;
  return type;
}

// "Sleef_sinf_u10" -> "Sleef_sinf8_u10avx2", "Sleef_sin_u10" -> "Sleef_sind4_u10avx2".
std::string vector_name(llvm::StringRef scalar, bool is_double, unsigned lanes,
                        const char* suffix) {
  auto [stem, accuracy] = scalar.rsplit('_');
  return (stem + (is_double ? "d" : "") + std::to_string(lanes) + "_" + accuracy + suffix).str();
}

bool exists(std::string_view name) {
  return std::binary_search(std::begin(kSleefVectorFunctions), std::end(kSleefVectorFunctions),
                            name);
}

void declare_variants(llvm::Function& scalar, const Target& target) {
  llvm::Type* type = element_type(scalar);
  if (!type) return;
  llvm::Module& module = *scalar.getParent();
  std::string variants;
  std::vector<llvm::GlobalValue*> functions;
  for (unsigned lanes = 512 / type->getScalarSizeInBits(); lanes > 1; lanes /= 2) {
    llvm::Function* vector = find_vector_function(scalar, lanes, target);
    if (!vector) continue;
    functions.push_back(vector);
    variants += (variants.empty() ? "" : ",") + ("_ZGV_LLVM_N" + std::to_string(lanes)) +
                std::string(scalar.arg_size(), 'v') + "_" + scalar.getName().str() + "(" +
                vector->getName().str() + ")";
  }
  if (functions.empty()) return;
  // Nothing calls them before the vectorizers do.
  llvm::appendToCompilerUsed(module, functions);
  for (llvm::User* user : scalar.users())
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(user))
      call->addFnAttr(
          llvm::Attribute::get(module.getContext(), "vector-function-abi-variant", variants));
}

}  // namespace

llvm::PreservedAnalyses AddVectorMath::run(llvm::Module& module,
                                           llvm::ModuleAnalysisManager&) const {
  std::vector<llvm::Function*> scalars;
  for (llvm::Function& function : module)
    if (function.isDeclaration() && function.getName().starts_with("Sleef_"))
      scalars.push_back(&function);
  for (llvm::Function* scalar : scalars) declare_variants(*scalar, target);
  return llvm::PreservedAnalyses::none();
}

llvm::Function* find_vector_function(llvm::Function& scalar, unsigned lanes, const Target& target) {
  if (llvm::Function* products = vector_byte_product(scalar, lanes, target)) return products;
  if (!scalar.getName().starts_with("Sleef_")) return nullptr;
  llvm::Type* type = element_type(scalar);
  if (!type) return nullptr;
  for (const Family& family : kFamilies) {
    if (family.bits != lanes * type->getScalarSizeInBits() || !target.has(family.feature)) continue;
    std::string name = vector_name(scalar.getName(), type->isDoubleTy(), lanes, family.suffix);
    if (!exists(name)) continue;
    auto* vector = llvm::FixedVectorType::get(type, lanes);
    std::vector<llvm::Type*> parameters(scalar.arg_size(), vector);
    auto callee = scalar.getParent()->getOrInsertFunction(
        name, llvm::FunctionType::get(vector, parameters, false), scalar.getAttributes());
    return llvm::cast<llvm::Function>(callee.getCallee());
  }
  return nullptr;
}

}  // namespace conclave::compiler
