// SPDX-License-Identifier: Apache-2.0
#include "compiler/binary/metadata.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Metadata.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "compiler/base/address_spaces.h"
#include "compiler/base/error.h"
#include "compiler/binary/binary_file.h"
#include "compiler/workgroup/lower_images.h"
#include "compiler/workgroup/lower_streams.h"
#include "compiler/workgroup/prepare_module.h"
#include "conclave/device_features.h"
#include "conclave/kernel_abi.h"
#include "platform/loader/metadata.h"

namespace conclave::compiler {
namespace {

// One of clang's kernel_arg_* lists.
class ArgumentNotes {
 public:
  ArgumentNotes(const llvm::Function& kernel, const char* kind) : node_(kernel.getMetadata(kind)) {
    if (!node_ || node_->getNumOperands() != kernel.arg_size())
      throw BuildError("kernel '" + kernel.getName().str() + "' has no " + kind + " metadata");
  }
  std::string text(unsigned index) const {
    auto* string = llvm::dyn_cast<llvm::MDString>(node_->getOperand(index));
    return string ? string->getString().str() : std::string();
  }
  uint64_t number(unsigned index) const {
    auto* constant = llvm::mdconst::dyn_extract<llvm::ConstantInt>(node_->getOperand(index));
    return constant ? constant->getZExtValue() : 0;
  }

 private:
  const llvm::MDNode* node_;
};

cl_uint address_qualifier(uint64_t address_space) {
  switch (address_space) {
    case 1:
      return CL_KERNEL_ARG_ADDRESS_GLOBAL;
    case 2:
      return CL_KERNEL_ARG_ADDRESS_CONSTANT;
    case 3:
      return CL_KERNEL_ARG_ADDRESS_LOCAL;
    default:
      return CL_KERNEL_ARG_ADDRESS_PRIVATE;
  }
}

// Returns what a word of clang's notes stands for, or a default value if the format has no such
// word.
template <class T>
T value_of(std::span<const metadata::Word<T>> words, const std::string& word) {
  const metadata::Word<T>* found = metadata::find_word(words, word);
  return found ? found->value : T();
}

cl_ulong qualifier_bits(const std::string& text) {
  std::istringstream stream(text);
  cl_ulong bits = CL_KERNEL_ARG_TYPE_NONE;
  for (std::string word; stream >> word;) bits |= value_of<cl_ulong>(metadata::kQualifiers, word);
  return bits;
}

// Size, alignment and kind from the IR type.
void describe_type(const llvm::Argument& argument, ArgumentInfo& info) {
  const llvm::DataLayout& layout = argument.getParent()->getDataLayout();
  if (llvm::Type* structure = argument.getParamByValType()) {
    info.kind = ArgumentKind::kValue;
    info.size = layout.getTypeAllocSize(structure);
    info.alignment = argument.getParamAlign().valueOrOne().value();
  } else if (is_image(argument.getType())) {
    info.kind = ArgumentKind::kImage;
    info.size = info.alignment = sizeof(uint64_t);
  } else if (is_sampler(argument.getType())) {
    info.kind = ArgumentKind::kSampler;
    info.size = info.alignment = sizeof(uint32_t);
  } else if (is_stream(argument.getType())) {
    info.kind = are_pipes_streams(*argument.getParent()->getParent()) ? ArgumentKind::kStream
                                                                      : ArgumentKind::kPipe;
    info.size = info.alignment = sizeof(uint64_t);
  } else if (argument.getType()->isPointerTy()) {
    info.kind =
        info.address == CL_KERNEL_ARG_ADDRESS_LOCAL ? ArgumentKind::kLocal : ArgumentKind::kPointer;
    info.size = info.alignment = sizeof(uint64_t);
  } else {
    info.kind = ArgumentKind::kValue;
    info.size = layout.getTypeAllocSize(argument.getType());
    info.alignment = layout.getABITypeAlign(argument.getType()).value();
  }
  info.alignment = std::min(info.alignment, abi::kBlockAlignment);
}

void describe_arguments(const llvm::Function& kernel, KernelInfo& info) {
  ArgumentNotes names(kernel, "kernel_arg_name");
  ArgumentNotes types(kernel, "kernel_arg_type");
  ArgumentNotes addresses(kernel, "kernel_arg_addr_space");
  ArgumentNotes accesses(kernel, "kernel_arg_access_qual");
  ArgumentNotes qualifiers(kernel, "kernel_arg_type_qual");
  uint64_t end = 0;
  for (const llvm::Argument& argument : kernel.args()) {
    unsigned i = argument.getArgNo();
    ArgumentInfo result;
    result.name = names.text(i);
    result.type_name = types.text(i);
    result.address = address_qualifier(addresses.number(i));
    result.access = value_of<cl_uint>(metadata::kAccesses, accesses.text(i));
    result.qualifiers = qualifier_bits(qualifiers.text(i));
    describe_type(argument, result);
    result.offset = (end + result.alignment - 1) / result.alignment * result.alignment;
    end = result.offset + result.size;
    info.arguments.push_back(std::move(result));
  }
  info.arguments_bytes = end;
}

std::array<uint64_t, 3> three_numbers(const llvm::MDNode& node) {
  std::array<uint64_t, 3> numbers = {};
  for (unsigned i = 0; i < 3 && i < node.getNumOperands(); ++i)
    if (auto* constant = llvm::mdconst::dyn_extract<llvm::ConstantInt>(node.getOperand(i)))
      numbers[i] = constant->getZExtValue();
  return numbers;
}

std::string with_numbers(const char* name, const std::array<uint64_t, 3>& numbers) {
  return std::string(name) + "(" + std::to_string(numbers[0]) + "," + std::to_string(numbers[1]) +
         "," + std::to_string(numbers[2]) + ")";
}

std::string scalar_name(llvm::Type* type, bool is_signed) {
  if (type->isHalfTy()) return "half";
  if (type->isFloatTy()) return "float";
  if (type->isDoubleTy()) return "double";
  std::string prefix = is_signed ? "" : "u";
  switch (type->isIntegerTy() ? type->getIntegerBitWidth() : 0) {
    case 8:
      return prefix + "char";
    case 16:
      return prefix + "short";
    case 32:
      return prefix + "int";
    case 64:
      return prefix + "long";
    default:
      return "int";
  }
}

// vec_type_hint's metadata is a value of the type and whether its elements are signed.
std::string vector_hint(const llvm::MDNode& node) {
  auto* value = llvm::dyn_cast_or_null<llvm::ValueAsMetadata>(
      node.getNumOperands() > 0 ? node.getOperand(0).get() : nullptr);
  if (!value) return "";
  auto* sign = llvm::mdconst::dyn_extract<llvm::ConstantInt>(node.getOperand(1));
  bool is_signed = sign && !sign->isZero();
  llvm::Type* type = value->getType();
  std::string count;
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    count = std::to_string(vector->getNumElements());
    type = vector->getElementType();
  }
  return "vec_type_hint(" + scalar_name(type, is_signed) + count + ")";
}

void check_sub_group_size(unsigned size, const llvm::Function& kernel) {
  std::string sizes;
  for (unsigned known : kSubGroupSizes) {
    if (size == known) return;
    sizes += (sizes.empty() ? "" : ", ") + std::to_string(known);
  }
  throw BuildError("kernel '" + kernel.getName().str() + "' requires sub-groups of " +
                   std::to_string(size) + " work-items; possible are " + sizes);
}

void describe_attributes(const llvm::Function& kernel, KernelInfo& info) {
  std::vector<std::string> attributes;
  if (const llvm::MDNode* node = kernel.getMetadata("reqd_work_group_size")) {
    info.required_local_size = three_numbers(*node);
    attributes.push_back(with_numbers("reqd_work_group_size", info.required_local_size));
  }
  if (const llvm::MDNode* node = kernel.getMetadata("work_group_size_hint")) {
    info.work_group_size_hint = three_numbers(*node);
    attributes.push_back(with_numbers("work_group_size_hint", info.work_group_size_hint));
  }
  if (const llvm::MDNode* node = kernel.getMetadata("vec_type_hint");
      node && node->getNumOperands() == 2)
    attributes.push_back(vector_hint(*node));
  if (const llvm::MDNode* node = kernel.getMetadata("intel_reqd_sub_group_size")) {
    info.required_sub_group_size = static_cast<uint32_t>(three_numbers(*node)[0]);
    check_sub_group_size(info.required_sub_group_size, kernel);
    attributes.push_back("intel_reqd_sub_group_size(" +
                         std::to_string(info.required_sub_group_size) + ")");
  }
  for (const std::string& attribute : attributes)
    info.attributes += (info.attributes.empty() ? "" : " ") + attribute;
}

using Json = nlohmann::ordered_json;

// Turns fields into JSON by their type and by what they may hold.
struct Writer {
  template <class T, class Allowed>
  static Json write(const T& value, const Allowed&) {
    return value;
  }

  template <class T>
  static Json write(T value, const metadata::OneOf<T>& allowed) {
    for (const metadata::Word<T>& word : allowed.words)
      if (word.value == value) return word.word;
    return nullptr;
  }

  template <class T>
  static Json write(T bits, const metadata::AnyOf<T>& allowed) {
    Json words = Json::array();
    for (const metadata::Word<T>& word : allowed.words)
      if (bits & word.value) words.push_back(word.word);
    return words;
  }

  template <class T>
  static Json write(const std::vector<T>& list, const metadata::List&) {
    Json items = Json::array();
    for (const T& item : list) items.push_back(write_element(item));
    return items;
  }

  static Json write_element(const std::string& text) { return text; }

  template <class Structure>
  static Json write_element(const Structure& structure) {
    static const Structure usual;
    Json object = Json::object();
    metadata::for_each_field(std::type_identity<Structure>(),
                             [&](const metadata::Key& key, auto member, const auto& allowed) {
                               if (structure.*member != usual.*member)
                                 object[key.name] = write(structure.*member, allowed);
                             });
    return object;
  }
};

// A kernel with streams is a single work-item: a stream has one reader and one writer.
void require_single_item(KernelInfo& info) {
  const auto is_one = [](const ArgumentInfo& argument) {
    return argument.kind == ArgumentKind::kStream;
  };
  if (llvm::none_of(info.arguments, is_one)) return;
  constexpr std::array<uint64_t, 3> kNone = {0, 0, 0}, kOne = {1, 1, 1};
  if (info.required_local_size != kNone && info.required_local_size != kOne)
    throw BuildError("kernel '" + info.name + "' has streams, so it can have only one work-item");
  info.required_local_size = kOne;
}

}  // namespace

KernelInfo describe_kernel(const llvm::Function& kernel) {
  KernelInfo info;
  info.name = kernel.getName().str();
  // The plain name could be one that the C library or the dynamic linker has a use for (`_init`).
  info.symbol = "kernel_" + info.name;
  describe_arguments(kernel, info);
  describe_attributes(kernel, info);
  require_single_item(info);
  info.gang = kernel.hasFnAttribute(kGangAttribute);
  info.uniform_work_groups =
      kernel.getFnAttribute("uniform-work-group-size").getValueAsString() == "true";
  return info;
}

uint64_t count_global_bytes(const llvm::Module& module) {
  uint64_t bytes = 0;
  for (const llvm::GlobalVariable& variable : module.globals())
    if (variable.getAddressSpace() == kGlobalAddressSpace && !variable.isDeclaration() &&
        variable.getSection() != "llvm.metadata")
      bytes += module.getDataLayout().getTypeAllocSize(variable.getValueType());
  return bytes;
}

std::string to_json(const ProgramInfo& program) {
  // A name in the source may hold bytes that are no UTF-8.
  return Writer::write_element(program).dump(-1, ' ', false, Json::error_handler_t::replace);
}

ProgramInfo read_metadata(std::string_view json) {
  try {
    return parse_metadata(json);
  } catch (const MetadataError& error) {
    throw BinaryError(error.what());
  }
}

}  // namespace conclave::compiler
