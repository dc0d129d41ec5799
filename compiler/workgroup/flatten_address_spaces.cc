// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/flatten_address_spaces.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include <string>
#include <vector>

namespace conclave::compiler {
namespace {

// Debug information and loop metadata keep their identity.
const llvm::RemapFlags kFlags = llvm::RF_IgnoreMissingLocals | llvm::RF_ReuseAndMutateDistinctMDs;

enum AddressSpace : unsigned { kPrivate = 0, kGlobal = 1, kConstant = 2, kLocal = 3 };

class TypeFlattener : public llvm::ValueMapTypeRemapper {
 public:
  llvm::Type* remapType(llvm::Type* type) override {
    auto [known, is_new] = map_.try_emplace(type, type);
    if (!is_new) return known->second;
    llvm::Type* flat = flatten(type);
    map_[type] = flat;
    return flat;
  }

 private:
  llvm::Type* flatten(llvm::Type* type) {
    if (type->isPointerTy() || llvm::isa<llvm::TargetExtType>(type))
      return llvm::PointerType::get(type->getContext(), kPrivate);
    if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type))
      return llvm::ArrayType::get(remapType(array->getElementType()), array->getNumElements());
    if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
      return llvm::FixedVectorType::get(remapType(vector->getElementType()),
                                        vector->getNumElements());
    if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) return flatten_struct(structure);
    if (auto* function = llvm::dyn_cast<llvm::FunctionType>(type)) {
      llvm::SmallVector<llvm::Type*> parameters;
      for (llvm::Type* parameter : function->params()) parameters.push_back(remapType(parameter));
      return llvm::FunctionType::get(remapType(function->getReturnType()), parameters,
                                     function->isVarArg());
    }
    return type;
  }

  llvm::Type* flatten_struct(llvm::StructType* structure) {
    if (structure->isOpaque()) return structure;
    bool changed = false;
    llvm::SmallVector<llvm::Type*> elements;
    for (llvm::Type* element : structure->elements()) {
      elements.push_back(remapType(element));
      changed |= elements.back() != element;
    }
    if (!changed) return structure;
    if (structure->isLiteral())
      return llvm::StructType::get(structure->getContext(), elements, structure->isPacked());
    return llvm::StructType::create(structure->getContext(), elements, structure->getName(),
                                    structure->isPacked());
  }

  llvm::DenseMap<llvm::Type*, llvm::Type*> map_;
};

// Rebuilds a module's globals in address space 0 and moves the function bodies over.
class Flattener : llvm::ValueMaterializer {
 public:
  explicit Flattener(llvm::Module& module) : module_(module) {}

  void run() {
    std::vector<llvm::GlobalVariable*> variables;
    for (llvm::GlobalVariable& variable : module_.globals()) variables.push_back(&variable);
    std::vector<llvm::Function*> functions;
    for (llvm::Function& function : module_)
      if (!is_flat_intrinsic(function)) functions.push_back(&function);

    for (llvm::GlobalVariable* variable : variables) move_variable(*variable);
    for (llvm::Function* function : functions) move_function(*function);
    for (llvm::GlobalVariable* variable : variables) move_initializer(*variable);
    for (llvm::Function* function : functions) {
      auto* moved = llvm::cast<llvm::Function>(map_[function]);
      llvm::RemapFunction(*moved, map_, kFlags, &types_, this);
      remove_casts(*moved);
    }
    for (llvm::Function* function : functions) erase(*function);
    for (llvm::Function* function : unused_) erase(*function);
    for (llvm::GlobalVariable* variable : variables) erase(*variable);
  }

 private:
  // One that need not move. It would not be there any more when the form of the same intrinsic for
  // another address space, whose name becomes the same, is mapped to it.
  bool is_flat_intrinsic(const llvm::Function& function) {
    llvm::FunctionType* type = function.getFunctionType();
    return function.isIntrinsic() && types_.remapType(type) == type;
  }

  // Casts between address spaces are nothing any more, and the null of each is the null of all.
  llvm::Value* materialize(llvm::Value* value) override {
    if (auto* cast = llvm::dyn_cast<llvm::ConstantExpr>(value);
        cast && cast->getOpcode() == llvm::Instruction::AddrSpaceCast)
      return llvm::MapValue(cast->getOperand(0), map_, kFlags, &types_, this);
    if (auto* none = llvm::dyn_cast<llvm::ConstantTargetNone>(value))
      return llvm::ConstantPointerNull::get(
          llvm::cast<llvm::PointerType>(types_.remapType(none->getType())));
    return nullptr;
  }

  void move_variable(llvm::GlobalVariable& variable) {
    auto* moved = new llvm::GlobalVariable(module_, types_.remapType(variable.getValueType()),
                                           variable.isConstant(), variable.getLinkage(), nullptr,
                                           "", &variable, variable.getThreadLocalMode(), kPrivate,
                                           variable.isExternallyInitialized());
    moved->copyAttributesFrom(&variable);
    moved->takeName(&variable);
    map_[&variable] = moved;
  }

  void move_initializer(llvm::GlobalVariable& variable) {
    if (!variable.hasInitializer()) return;
    auto* moved = llvm::cast<llvm::GlobalVariable>(map_[&variable]);
    moved->setInitializer(llvm::MapValue(variable.getInitializer(), map_, kFlags, &types_, this));
  }

  void move_function(llvm::Function& function) {
    auto* type = llvm::cast<llvm::FunctionType>(types_.remapType(function.getFunctionType()));
    auto* moved = llvm::Function::Create(type, function.getLinkage(), kPrivate, "", &module_);
    moved->copyAttributesFrom(&function);
    moved->setComdat(function.getComdat());
    if (!function.isIntrinsic()) moved->setCallingConv(llvm::CallingConv::C);
    moved->setAttributes(flatten_attributes(function.getAttributes()));
    // Not takeName(): only setName() makes an intrinsic of a function.
    std::string name = function.getName().str();
    function.setName("");
    moved->setName(name);
    moved->splice(moved->begin(), &function);
    moved->copyMetadata(&function, 0);
    for (auto [from, to] : llvm::zip(function.args(), moved->args())) {
      to.takeName(&from);
      map_[&from] = &to;
    }
    map_[&function] = moved;
    if (auto remangled = llvm::Intrinsic::remangleIntrinsicFunction(moved)) {
      map_[&function] = *remangled;
      unused_.push_back(moved);
    }
  }

  llvm::AttributeList flatten_attributes(llvm::AttributeList attributes) {
    llvm::LLVMContext& context = module_.getContext();
    for (unsigned index : attributes.indexes()) {
      for (auto kind :
           {llvm::Attribute::ByVal, llvm::Attribute::StructRet, llvm::Attribute::ElementType}) {
        llvm::Type* type = attributes.getAttributeAtIndex(index, kind).getValueAsType();
        if (type)
          attributes =
              attributes.replaceAttributeTypeAtIndex(context, index, kind, types_.remapType(type));
      }
    }
    return attributes;
  }

  void remove_casts(llvm::Function& function) {
    for (llvm::Instruction& instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        call->setCallingConv(llvm::CallingConv::C);
      } else if (llvm::isa<llvm::AddrSpaceCastInst>(instruction)) {
        instruction.replaceAllUsesWith(instruction.getOperand(0));
        instruction.eraseFromParent();
      }
    }
  }

  template <class Global>
  void erase(Global& global) {
    global.removeDeadConstantUsers();
    global.replaceAllUsesWith(llvm::PoisonValue::get(global.getType()));
    global.eraseFromParent();
  }

  llvm::Module& module_;
  TypeFlattener types_;
  llvm::ValueToValueMapTy map_;
  std::vector<llvm::Function*> unused_;
};

// Tells alias analysis what the address spaces did, before they go.
class AliasScopes {
 public:
  explicit AliasScopes(llvm::LLVMContext& context) {
    llvm::MDBuilder builder(context);
    llvm::MDNode* domain = builder.createAnonymousAliasScopeDomain("address spaces");
    global_ = llvm::MDNode::get(context, {builder.createAnonymousAliasScope(domain, "global")});
    local_ = llvm::MDNode::get(context, {builder.createAnonymousAliasScope(domain, "local")});
  }

  void annotate(llvm::Instruction& instruction) {
    const llvm::Value* pointer = pointer_of(instruction);
    if (!pointer) return;
    switch (pointer->getType()->getScalarType()->getPointerAddressSpace()) {
      case kGlobal:
      case kConstant:
        add(instruction, global_, local_);
        break;
      case kLocal:
        add(instruction, local_, global_);
        break;
      default:
        break;
    }
  }

 private:
  // The pointer of a load or store; it may be masked, a gather or a scatter.
  static const llvm::Value* pointer_of(const llvm::Instruction& instruction) {
    auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!intrinsic) return llvm::getLoadStorePointerOperand(&instruction);
    switch (intrinsic->getIntrinsicID()) {
      case llvm::Intrinsic::masked_load:
      case llvm::Intrinsic::masked_gather:
        return intrinsic->getArgOperand(0);
      case llvm::Intrinsic::masked_store:
      case llvm::Intrinsic::masked_scatter:
        return intrinsic->getArgOperand(1);
      default:
        return nullptr;
    }
  }

  static void add(llvm::Instruction& instruction, llvm::MDNode* own, llvm::MDNode* other) {
    auto extend = [&](unsigned kind, llvm::MDNode* scope) {
      instruction.setMetadata(kind,
                              llvm::MDNode::concatenate(instruction.getMetadata(kind), scope));
    };
    extend(llvm::LLVMContext::MD_alias_scope, own);
    extend(llvm::LLVMContext::MD_noalias, other);
  }

  llvm::MDNode* global_;
  llvm::MDNode* local_;
};

}  // namespace

llvm::PreservedAnalyses FlattenAddressSpaces::run(llvm::Module& module,
                                                  llvm::ModuleAnalysisManager&) {
  AliasScopes scopes(module.getContext());
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::instructions(function))
      scopes.annotate(instruction);
  Flattener(module).run();
  return llvm::PreservedAnalyses::none();
}

}  // namespace conclave::compiler
