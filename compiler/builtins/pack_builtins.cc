// SPDX-License-Identifier: Apache-2.0
// Build tool: cuts the builtins library into an archive of small modules (builtin_archive.h).
//
//   pack_builtins OUTPUT INPUT.bc
//
// All overloads of a name make one module, together with the internal functions and tables that
// they need; what other modules define is only declared.
#include <llvm/ADT/SetVector.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "compiler/builtins/builtin_archive.h"
#include "compiler/base/builtin_name.h"

namespace conclave::compiler {
namespace {

using Globals = llvm::SetVector<llvm::GlobalValue*>;

void collect_globals(llvm::Value* value, Globals& globals) {
  if (auto* global = llvm::dyn_cast<llvm::GlobalValue>(value)) {
    globals.insert(global);
  } else if (auto* constant = llvm::dyn_cast<llvm::Constant>(value)) {
    for (llvm::Use& operand : constant->operands()) collect_globals(operand.get(), globals);
  }
}

void collect_references(llvm::GlobalValue& global, Globals& globals) {
  if (auto* function = llvm::dyn_cast<llvm::Function>(&global)) {
    for (llvm::Instruction& instruction : llvm::instructions(*function))
      for (llvm::Use& operand : instruction.operands()) collect_globals(operand.get(), globals);
  } else if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&global)) {
    if (variable->hasInitializer()) collect_globals(variable->getInitializer(), globals);
  }
}

// Builds one module of an archive.
class Extraction {
 public:
  explicit Extraction(llvm::Module& source) : module_("builtins", source.getContext()) {
    module_.setTargetTriple(source.getTargetTriple());
    module_.setDataLayout(source.getDataLayout());
  }

  std::string extract(const std::vector<llvm::Function*>& functions) {
    defined_.insert(functions.begin(), functions.end());
    for (size_t i = 0; i < defined_.size(); ++i) {
      Globals references;
      collect_references(*defined_[i], references);
      for (llvm::GlobalValue* reference : references) {
        referenced_.insert(reference);
        if (reference->hasLocalLinkage()) defined_.insert(reference);
      }
    }
    for (llvm::GlobalValue* global : defined_) declare(*global);
    for (llvm::GlobalValue* global : referenced_) declare(*global);
    for (llvm::GlobalValue* global : defined_) define(*global);
    std::string bitcode;
    llvm::raw_string_ostream stream(bitcode);
    llvm::WriteBitcodeToFile(module_, stream);
    return bitcode;
  }

 private:
  void declare(llvm::GlobalValue& global) {
    if (map_.count(&global)) return;
    bool is_defined = defined_.contains(&global);
    auto linkage = is_defined ? global.getLinkage() : llvm::GlobalValue::ExternalLinkage;
    if (auto* function = llvm::dyn_cast<llvm::Function>(&global)) {
      auto* copy =
          llvm::Function::Create(function->getFunctionType(), linkage, function->getAddressSpace(),
                                 function->getName(), &module_);
      copy->copyAttributesFrom(function);
      map_[function] = copy;
    } else {
      auto* variable = llvm::cast<llvm::GlobalVariable>(&global);
      auto* copy =
          new llvm::GlobalVariable(module_, variable->getValueType(), variable->isConstant(),
                                   linkage, nullptr, variable->getName(), nullptr,
                                   variable->getThreadLocalMode(), variable->getAddressSpace());
      copy->copyAttributesFrom(variable);
      map_[variable] = copy;
    }
  }

  void define(llvm::GlobalValue& global) {
    if (auto* function = llvm::dyn_cast<llvm::Function>(&global)) {
      if (function->isDeclaration()) return;
      auto* copy = llvm::cast<llvm::Function>(map_[function]);
      for (auto [from, to] : llvm::zip(function->args(), copy->args())) map_[&from] = &to;
      llvm::SmallVector<llvm::ReturnInst*> returns;
      llvm::CloneFunctionInto(copy, function, map_, llvm::CloneFunctionChangeType::DifferentModule,
                              returns);
    } else if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&global)) {
      if (variable->hasInitializer())
        llvm::cast<llvm::GlobalVariable>(map_[variable])
            ->setInitializer(llvm::MapValue(variable->getInitializer(), map_));
    }
  }

  llvm::Module module_;
  Globals defined_;
  Globals referenced_;
  llvm::ValueToValueMapTy map_;
};

// Collects modules and writes the file.
class ArchiveWriter {
 public:
  void add(const std::vector<llvm::Function*>& functions, std::string bitcode) {
    for (llvm::Function* function : functions)
      functions_[function->getName().str()] = static_cast<uint32_t>(modules_.size());
    modules_.push_back(std::move(bitcode));
  }

  std::string finish() const {
    auto count = static_cast<uint32_t>(functions_.size());
    ArchiveHeader header = {count, static_cast<uint32_t>(modules_.size())};
    size_t name_offset =
        sizeof header + count * sizeof(FunctionEntry) + modules_.size() * sizeof(ModuleEntry);
    std::string names;
    std::string file;
    append(file, header);
    for (const auto& [name, module] : functions_) {
      append(file, FunctionEntry{static_cast<uint32_t>(name_offset + names.size()),
                                 static_cast<uint32_t>(name.size()), module});
      names += name;
    }
    size_t offset = name_offset + names.size();
    for (const std::string& module : modules_) {
      offset = aligned(offset);
      append(file,
             ModuleEntry{static_cast<uint32_t>(offset), static_cast<uint32_t>(module.size())});
      offset += module.size();
    }
    file += names;
    for (const std::string& module : modules_) {
      file.resize(aligned(file.size()));
      file += module;
    }
    return file;
  }

 private:
  static size_t aligned(size_t offset) { return (offset + 15) / 16 * 16; }
  template <class T>
  static void append(std::string& file, const T& value) {
    file.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  std::map<std::string, uint32_t> functions_;
  std::vector<std::string> modules_;
};

int pack(const char* output, const char* input) {
  llvm::LLVMContext context;
  auto buffer = llvm::MemoryBuffer::getFile(input);
  if (!buffer) {
    std::fprintf(stderr, "pack_builtins: cannot read %s\n", input);
    return 1;
  }
  auto module = llvm::parseBitcodeFile(**buffer, context);
  if (!module) {
    std::fprintf(stderr, "pack_builtins: %s: %s\n", input,
                 llvm::toString(module.takeError()).c_str());
    return 1;
  }
  std::map<std::string, std::vector<llvm::Function*>> groups;
  for (llvm::Function& function : **module)
    if (!function.isDeclaration() && !function.hasLocalLinkage())
      groups[base_name(function.getName()).str()].push_back(&function);
  ArchiveWriter writer;
  for (const auto& [name, functions] : groups)
    writer.add(functions, Extraction(**module).extract(functions));
  std::ofstream file(output, std::ios::binary);
  file << writer.finish();
  return file.flush() ? 0 : 1;
}

}  // namespace
}  // namespace conclave::compiler

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: pack_builtins OUTPUT INPUT.bc\n", stderr);
    return 2;
  }
  return conclave::compiler::pack(argv[1], argv[2]);
}
