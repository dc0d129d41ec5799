// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/builtins_link.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>

#include <algorithm>
#include <string>
#include <vector>

#include "compiler/base/error.h"
#include "compiler/builtins/builtin_archive.h"
#include "compiler/builtins/embedded.h"
#include "compiler/workgroup/prepare_module.h"
#include "compiler/workgroup/work_item_functions.h"

namespace conclave::compiler {
namespace {

// Links the module of an archive that defines `name`, if there is one.
void link_definition(llvm::Linker& linker, llvm::LLVMContext& context,
                     const BuiltinArchive& archive, llvm::StringRef name) {
  auto bitcode = archive.find({name.data(), name.size()});
  if (!bitcode) return;
  llvm::MemoryBufferRef buffer(llvm::StringRef(bitcode->data(), bitcode->size()), "builtins");
  auto library = llvm::getLazyBitcodeModule(buffer, context, /*ShouldLazyLoadMetadata=*/true);
  if (!library) throw BuildError("builtins: " + llvm::toString(library.takeError()));
  if (linker.linkInModule(std::move(*library), llvm::Linker::LinkOnlyNeeded))
    throw BuildError("cannot link builtin '" + llvm::demangle(name.str()) + "'");
}

using FunctionFilter = llvm::function_ref<bool(const llvm::Function&)>;

std::vector<std::string> undefined_functions(const llvm::Module& module, FunctionFilter is_wanted) {
  std::vector<std::string> names;
  for (const llvm::Function& function : module)
    if (function.isDeclaration() && !function.use_empty() && !function.isIntrinsic() &&
        is_wanted(function))
      names.push_back(function.getName().str());
  return names;
}

bool is_any(const llvm::Function&) {
  return true;
}

// Links until nothing is undefined that the archive has: builtins call builtins.
void link_needed(llvm::Module& module, const BuiltinArchive& archive,
                 FunctionFilter is_wanted = is_any) {
  llvm::SmallPtrSet<const llvm::Function*, 32> own;
  for (const llvm::Function& function : module)
    if (!function.isDeclaration()) own.insert(&function);
  llvm::StringSet<> tried;
  // One linker for all: each looks through the whole module when it is made.
  llvm::Linker linker(module);
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::string& name : undefined_functions(module, is_wanted)) {
      if (!tried.insert(name).second) continue;
      link_definition(linker, module.getContext(), archive, name);
      changed = true;
    }
  }
  for (llvm::Function& function : module)
    if (!function.isDeclaration() && !own.contains(&function))
      function.setLinkage(llvm::GlobalValue::InternalLinkage);
  annotate_builtins(module);
}

std::string display_name(llvm::StringRef name) {
  // Passes append ".region.N" to a kernel's name and put "cl." before a function's.
  name = name.substr(0, name.find(".region."));
  name.consume_front("cl.");
  return llvm::demangle(name.str());
}

std::string describe_use(const llvm::GlobalValue& value) {
  for (const llvm::User* user : value.users())
    if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
      std::string text = ", used in '" + display_name(instruction->getFunction()->getName()) + "'";
      if (const llvm::DILocation* place = instruction->getDebugLoc())
        text += " (" + place->getFilename().str() + ":" + std::to_string(place->getLine()) + ")";
      return text;
    }
  return "";
}

using NameFilter = llvm::function_ref<bool(llvm::StringRef)>;

bool is_resolved_later(const llvm::Function& function, NameFilter is_native) {
  const llvm::StringRef name = function.getName();
  return function.isIntrinsic() || classify(&function) != WorkItemFunction::kNone ||
         is_external_function(name) || is_leaving_function(name) || is_native(name);
}

}  // namespace

llvm::PreservedAnalyses LinkEarlyBuiltins::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  link_needed(module, BuiltinArchive(embedded::early_builtins()));
  return llvm::PreservedAnalyses::none();
}

void link_pointer_builtins(llvm::Module& module) {
  link_needed(
      module, BuiltinArchive(embedded::late_builtins()), [](const llvm::Function& function) {
        return !function.getName().contains("image") &&
               llvm::any_of(function.args(),
                            [](const llvm::Argument& a) { return a.getType()->isPointerTy(); });
      });
}

llvm::PreservedAnalyses LinkLateBuiltins::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  link_needed(module, BuiltinArchive(embedded::late_builtins()));
  return llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses CheckResolved::run(llvm::Module& module,
                                           llvm::ModuleAnalysisManager&) const {
  std::string errors;
  auto report = [&](const char* what, const llvm::GlobalValue& value) {
    if (!errors.empty()) errors += "\nerror: ";
    errors += std::string("undefined ") + what + " '" + display_name(value.getName()) + "'" +
              describe_use(value);
  };
  for (const llvm::Function& function : module)
    if (function.isDeclaration() && !function.use_empty() &&
        !is_resolved_later(function, is_native))
      report("function", function);
  for (const llvm::GlobalVariable& variable : module.globals())
    if (variable.isDeclaration() && !variable.use_empty()) report("variable", variable);
  if (!errors.empty()) throw BuildError(errors);
  return llvm::PreservedAnalyses::all();
}

bool is_sleef_function(llvm::StringRef name) {
  return name.starts_with("Sleef_");
}

bool is_libm_function(llvm::StringRef name) {
  // The functions that LLVM's intrinsics become where the CPU has no instruction, sorted.
  constexpr std::string_view kNames[] = {
      "acos",  "asin",   "atan", "atan2", "ceil",      "copysign", "cos",  "cosh",  "exp",
      "exp10", "exp2",   "fabs", "floor", "fma",       "fmax",     "fmin", "fmod",  "ldexp",
      "log",   "log10",  "log2", "lrint", "nearbyint", "pow",      "rint", "round", "roundeven",
      "sin",   "sincos", "sinh", "sqrt",  "tan",       "tanh",     "trunc"};
  auto known = [&](std::string_view wanted) {
    return std::binary_search(std::begin(kNames), std::end(kNames), wanted);
  };
  std::string_view text(name.data(), name.size());
  return known(text) || (text.ends_with('f') && known(text.substr(0, text.size() - 1)));
}

bool is_leaving_function(llvm::StringRef name) {
  return name == "abort" || name == "exit";
}

bool is_external_function(llvm::StringRef name) {
  return name == "memcpy" || name == "memmove" || name == "memset" || name == "bcmp" ||
         name == "memcmp" || is_sleef_function(name) || is_libm_function(name);
}

}  // namespace conclave::compiler
