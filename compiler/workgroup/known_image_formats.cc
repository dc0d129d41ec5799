// SPDX-License-Identifier: Apache-2.0
#include "compiler/workgroup/known_image_formats.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <cstddef>
#include <string>

#include "compiler/base/program.h"
#include "compiler/workgroup/simplify.h"
#include "conclave/image_channels.h"
#include "conclave/kernel_abi.h"

namespace conclave::compiler {
namespace {

// The attribute of an image parameter whose format is known: its index in kImageFormats.
constexpr char kFormat[] = "conclave-image-format";

llvm::StringRef format_of(const llvm::Argument& image) {
  const llvm::Function& function = *image.getParent();
  return function.getAttributes().getParamAttr(image.getArgNo(), kFormat).getValueAsString();
}

abi::Image describe(llvm::StringRef index) {
  size_t i = 0;
  index.getAsInteger(10, i);
  const ImageFormat& format = kImageFormats[i];
  abi::Image image{};
  image.channel_order = format.order;
  image.channel_data_type = format.data_type;
  image.element_size = format.element_size;
  image.channels = describe_channels(format.order, format.data_type);
  return image;
}

// Returns the value that `load` gets from an image of the format that `known` has; null if the
// format does not decide it.
llvm::Constant* known_field(const llvm::LoadInst& load, const llvm::Argument& image,
                            llvm::Constant& known, const llvm::DataLayout& layout) {
  llvm::APInt offset(layout.getIndexTypeSizeInBits(image.getType()), 0);
  const llvm::Value* base = load.getPointerOperand()->stripAndAccumulateConstantOffsets(
      layout, offset, /*AllowNonInbounds=*/true);
  const uint64_t size = layout.getTypeStoreSize(load.getType());
  if (base != &image || offset.ult(offsetof(abi::Image, channel_order)) ||
      (offset + size).ugt(sizeof(abi::Image)))
    return nullptr;
  return llvm::ConstantFoldLoadFromConst(&known, load.getType(), offset, layout);
}

void fold_fields(llvm::Function& function, const llvm::Argument& image,
                 const abi::Image& description) {
  const llvm::StringRef bytes(reinterpret_cast<const char*>(&description), sizeof description);
  llvm::Constant* known = llvm::ConstantDataArray::getString(function.getContext(), bytes, false);
  const llvm::DataLayout& layout = function.getDataLayout();
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    llvm::Constant* field = load ? known_field(*load, image, *known, layout) : nullptr;
    if (!field) continue;
    load->replaceAllUsesWith(field);
    load->eraseFromParent();
  }
}

// The function that `call` calls, for images of its argument's format.
llvm::Function* specialized(const llvm::CallBase& call, llvm::StringRef format,
                            llvm::FunctionAnalysisManager& analyses) {
  llvm::Function& general = *call.getCalledFunction();
  const std::string name = (general.getName() + ".f" + format).str();
  if (llvm::Function* known = general.getParent()->getFunction(name)) return known;
  llvm::ValueToValueMapTy map;
  llvm::Function* function = llvm::CloneFunction(&general, map);
  function->setName(name);
  function->setLinkage(llvm::GlobalValue::InternalLinkage);
  fold_fields(*function, *function->getArg(0), describe(format));
  simplify(*function, analyses);
  return function;
}

void note_image_formats(llvm::Function& kernel, const KernelInfo& info,
                        llvm::ArrayRef<const ImageFormat*> formats) {
  size_t next = 0;
  for (unsigned i = 0; i < info.arguments.size() && next < formats.size(); ++i) {
    if (info.arguments[i].kind != ArgumentKind::kImage) continue;
    const ImageFormat* format = formats[next++];
    if (!format) continue;
    const std::string index = std::to_string(format - kImageFormats.data());
    kernel.addParamAttr(i, llvm::Attribute::get(kernel.getContext(), kFormat, index));
  }
}

}  // namespace

llvm::PreservedAnalyses NoteImageFormats::run(llvm::Module& module,
                                              llvm::ModuleAnalysisManager& analyses) const {
  for (const KernelInfo& info : program_of(module, analyses).infos)
    note_image_formats(*module.getFunction(info.name), info, formats);
  return llvm::PreservedAnalyses::none();
}

bool knows_image_formats(const llvm::Function& region) {
  return llvm::any_of(region.args(),
                      [](const llvm::Argument& argument) { return !format_of(argument).empty(); });
}

bool is_image_call(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  return callee && !callee->isDeclaration() && callee->getName().starts_with("_Z") &&
         callee->getName().contains("ocl_image") && callee->arg_size() > 0;
}

void apply_image_formats(llvm::Function& region, llvm::FunctionAnalysisManager& analyses) {
  for (llvm::Instruction& instruction : llvm::instructions(region)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (!call || !is_image_call(*call)) continue;
    auto* image = llvm::dyn_cast<llvm::Argument>(call->getArgOperand(0));
    if (image && !format_of(*image).empty())
      call->setCalledFunction(specialized(*call, format_of(*image), analyses));
  }
}

}  // namespace conclave::compiler
