// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/image_metadata.h"

#include <algorithm>
#include <bit>
#include <set>

#include "conclave/check_abi.h"
#include "platform/loader/elf_file.h"
#include "platform/base/json_tree.h"

namespace conclave {
namespace {

// Limits in bytes or entries; more is damage, and would only make later arithmetic overflow.
constexpr uint64_t kMaxText = uint64_t{1} << 20;
constexpr uint64_t kMaxKernels = uint64_t{1} << 20;
constexpr uint64_t kMaxArguments = uint64_t{1} << 16;
constexpr uint64_t kMaxArgumentsBytes = uint64_t{1} << 24;
constexpr uint64_t kMaxMemory = uint64_t{1} << 40;
constexpr uint64_t kMaxLocalSize = uint64_t{1} << 32;
constexpr uint64_t kMaxAlignment = 4096;
constexpr uint64_t kMaxLanes = 4096;
constexpr uint64_t kPointerSize = 8;
constexpr uint64_t kSamplerSize = 4;

// A JSON value and the way to it, for messages such as "kernels[2].name is missing".
class Field {
 public:
  Field(const JsonValue& value, std::string path) : value_(value), path_(std::move(path)) {}

  [[noreturn]] void bad(const std::string& what) const {
    bad_image("metadata: " + path_ + " " + what);
  }

  Field operator[](const char* key) const {
    const std::string path = path_.empty() ? key : path_ + "." + key;
    if (value_.kind != JsonValue::Kind::kObject) bad("is no object");
    const JsonValue* found = value_.find(key);
    if (!found) bad_image("metadata: " + path + " is missing");
    return Field(*found, path);
  }

  bool has(const char* key) const { return value_.find(key) != nullptr; }

  // The elements of a list of at most `limit`.
  std::vector<Field> list(uint64_t limit) const {
    if (value_.kind != JsonValue::Kind::kList) bad("is no list");
    const std::vector<JsonValue>& items = value_.items;
    if (items.size() > limit)
      bad("has " + std::to_string(items.size()) + " entries, at most " + std::to_string(limit) +
          " are allowed");
    std::vector<Field> fields;
    fields.reserve(items.size());
    for (size_t i = 0; i < items.size(); ++i)
      fields.emplace_back(items[i], path_ + "[" + std::to_string(i) + "]");
    return fields;
  }

  const std::string& text() const {
    if (value_.kind != JsonValue::Kind::kText) bad("is no string");
    if (value_.text.size() > kMaxText) bad("is too long");
    // Names end up in C strings.
    if (value_.text.find('\0') != std::string::npos) bad("has a zero byte");
    return value_.text;
  }

  bool flag() const {
    if (value_.kind != JsonValue::Kind::kFlag) bad("is neither true nor false");
    return value_.flag;
  }

  uint64_t number(uint64_t limit) const {
    if (!value_.is_index) bad("is no non-negative integer");
    if (value_.number > limit)
      bad("is " + std::to_string(value_.number) + ", at most " + std::to_string(limit) +
          " is allowed");
    return value_.number;
  }

 private:
  const JsonValue& value_;
  std::string path_;
};

// One word of the format and what it stands for.
template <class T>
struct Word {
  const char* word;
  T value;
};

template <class T, size_t N>
T choose(const Field& field, const Word<T> (&words)[N]) {
  std::string allowed;
  for (const Word<T>& word : words) {
    if (field.text() == word.word) return word.value;
    allowed += std::string(allowed.empty() ? "" : ", ") + word.word;
  }
  field.bad("is \"" + field.text().substr(0, 100) + "\", expected one of " + allowed);
}

constexpr Word<ProgramImage::Kind> kKinds[] = {{"executable", ProgramImage::Kind::kExecutable},
                                               {"object", ProgramImage::Kind::kObject},
                                               {"library", ProgramImage::Kind::kLibrary}};
constexpr Word<ArgumentInfo::Kind> kArgumentKinds[] = {
    {"value", ArgumentInfo::Kind::kValue},     {"pointer", ArgumentInfo::Kind::kPointer},
    {"local", ArgumentInfo::Kind::kLocal},     {"image", ArgumentInfo::Kind::kImage},
    {"sampler", ArgumentInfo::Kind::kSampler}, {"stream", ArgumentInfo::Kind::kStream}};
constexpr Word<cl_uint> kAddresses[] = {{"private", CL_KERNEL_ARG_ADDRESS_PRIVATE},
                                        {"global", CL_KERNEL_ARG_ADDRESS_GLOBAL},
                                        {"constant", CL_KERNEL_ARG_ADDRESS_CONSTANT},
                                        {"local", CL_KERNEL_ARG_ADDRESS_LOCAL}};
constexpr Word<cl_uint> kAccesses[] = {{"none", CL_KERNEL_ARG_ACCESS_NONE},
                                       {"read_only", CL_KERNEL_ARG_ACCESS_READ_ONLY},
                                       {"write_only", CL_KERNEL_ARG_ACCESS_WRITE_ONLY},
                                       {"read_write", CL_KERNEL_ARG_ACCESS_READ_WRITE}};
constexpr Word<cl_ulong> kQualifiers[] = {{"const", CL_KERNEL_ARG_TYPE_CONST},
                                          {"restrict", CL_KERNEL_ARG_TYPE_RESTRICT},
                                          {"volatile", CL_KERNEL_ARG_TYPE_VOLATILE},
                                          {"pipe", CL_KERNEL_ARG_TYPE_PIPE}};

ArgumentInfo read_argument(const Field& field, uint64_t block_size) {
  ArgumentInfo argument;
  argument.name = field["name"].text();
  argument.type_name = field["type"].text();
  argument.kind = choose(field["kind"], kArgumentKinds);
  argument.address = choose(field["address"], kAddresses);
  argument.access = choose(field["access"], kAccesses);
  for (const Field& word : field["qualifiers"].list(std::size(kQualifiers)))
    argument.qualifiers |= choose(word, kQualifiers);
  argument.size = field["size"].number(kMaxArgumentsBytes);
  argument.offset = field["offset"].number(kMaxArgumentsBytes);
  argument.alignment = field["alignment"].number(kMaxAlignment);

  const bool is_value = argument.kind == ArgumentInfo::Kind::kValue;
  if (!std::has_single_bit(argument.alignment)) field["alignment"].bad("is no power of two");
  const uint64_t fixed =
      argument.kind == ArgumentInfo::Kind::kSampler ? kSamplerSize : kPointerSize;
  if (!is_value && argument.size != fixed)
    field["size"].bad("is " + std::to_string(argument.size) + ", expected " +
                      std::to_string(fixed));
  // The alignment of a local argument is that of the memory it points to.
  if (argument.offset % (is_value ? argument.alignment : fixed) != 0)
    field["offset"].bad("is " + std::to_string(argument.offset) + ", which is not aligned");
  if (argument.offset + argument.size > block_size)
    field["offset"].bad("is " + std::to_string(argument.offset) + ", which with size " +
                        std::to_string(argument.size) + " exceeds arguments_bytes " +
                        std::to_string(block_size));
  return argument;
}

void check_overlap(const Field& kernel, const std::vector<ArgumentInfo>& arguments) {
  std::vector<const ArgumentInfo*> sorted;
  for (const ArgumentInfo& argument : arguments)
    if (argument.size != 0) sorted.push_back(&argument);
  std::sort(sorted.begin(), sorted.end(),
            [](const auto* a, const auto* b) { return a->offset < b->offset; });
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i - 1]->offset + sorted[i - 1]->size > sorted[i]->offset)
      kernel.bad("has arguments that overlap at offset " + std::to_string(sorted[i]->offset));
}

std::array<size_t, 3> read_size3(const Field& field) {
  const std::vector<Field> sizes = field.list(3);
  if (sizes.size() != 3) field.bad("has " + std::to_string(sizes.size()) + " entries, expected 3");
  std::array<size_t, 3> result;
  for (size_t i = 0; i < 3; ++i) result[i] = sizes[i].number(kMaxLocalSize);
  return result;
}

size_t read_granule(const Field& field) {
  const size_t granule = field.number(abi::kMaxGranule);
  if (granule != 0 && !std::has_single_bit(granule)) field.bad("is no power of two");
  return granule;
}

void read_check(const Field& field, KernelInfo& kernel) {
  kernel.checked = true;
  kernel.check_granule = read_granule(field["granule"]);
  kernel.check_local_granule = read_granule(field["local_granule"]);
  kernel.check_races = field["races"].flag();
  kernel.check_uses = field["uses"].text();
  if (kernel.check_uses.size() != kernel.arguments.size())
    field["uses"].bad("has not one letter for each argument");
}

KernelInfo read_kernel(const Field& field, ProgramImage::Kind kind) {
  KernelInfo kernel;
  kernel.name = field["name"].text();
  if (kernel.name.empty()) field["name"].bad("is empty");
  kernel.symbol = field["symbol"].text();
  if (kernel.symbol.empty() && kind == ProgramImage::Kind::kExecutable)
    field["symbol"].bad("is empty");
  kernel.attributes = field["attributes"].text();
  kernel.required_local_size = read_size3(field["required_local_size"]);
  const auto zeros =
      std::count(kernel.required_local_size.begin(), kernel.required_local_size.end(), size_t{0});
  if (zeros != 0 && zeros != 3) field["required_local_size"].bad("is zero in some dimensions");
  kernel.work_group_size_hint = read_size3(field["work_group_size_hint"]);
  if (field.has("gang")) kernel.gang = field["gang"].flag();
  if (field.has("calls_native")) kernel.calls_native = field["calls_native"].flag();
  if (field.has("uniform_work_groups"))
    kernel.uniform_work_groups = field["uniform_work_groups"].flag();
  if (field.has("required_sub_group_size"))
    kernel.required_sub_group_size = field["required_sub_group_size"].number(kMaxLanes);
  if (field.has("lanes")) kernel.lanes = field["lanes"].number(kMaxLanes);
  if (!std::has_single_bit(kernel.lanes)) field["lanes"].bad("is no power of two");
  if (field.has("joins_groups")) kernel.joins_groups = field["joins_groups"].flag();
  if (field.has("dimension")) kernel.dimension = field["dimension"].number(2);
  kernel.local_bytes = field["local_bytes"].number(kMaxMemory);
  kernel.spill_bytes = field["spill_bytes"].number(kMaxMemory);
  kernel.private_bytes = field["private_bytes"].number(kMaxMemory);
  kernel.arguments_bytes = field["arguments_bytes"].number(kMaxArgumentsBytes);
  for (const Field& argument : field["arguments"].list(kMaxArguments))
    kernel.arguments.push_back(read_argument(argument, kernel.arguments_bytes));
  check_overlap(field, kernel.arguments);
  if (field.has("check")) read_check(field["check"], kernel);
  return kernel;
}

std::pair<std::string, std::string> read_dependency(const Field& field) {
  const std::string& path = field["path"].text();
  if (!path.starts_with('/')) field["path"].bad("is no absolute path");
  const std::string& hash = field["hash"].text();
  if (hash.size() != 32 || hash.find_first_not_of("0123456789abcdef") != std::string::npos)
    field["hash"].bad("is not 32 lower-case hex digits");
  return {path, hash};
}

ImageMetadata read_metadata(const Field& root) {
  ImageMetadata metadata;
  metadata.abi = static_cast<uint32_t>(root["abi"].number(UINT32_MAX));
  metadata.kind = choose(root["kind"], kKinds);
  root["compiler"].text();
  metadata.target_cpu = root["target_cpu"].text();
  metadata.options = root["options"].text();
  if (root.has("target_features")) {
    metadata.target_features.emplace();
    for (const Field& feature : root["target_features"].list(1024))
      metadata.target_features->push_back(feature.text());
  }
  for (const Field& dependency : root["dependencies"].list(UINT16_MAX))
    metadata.dependencies.push_back(read_dependency(dependency));
  if (root.has("global_bytes")) metadata.global_bytes = root["global_bytes"].number(kMaxMemory);
  std::set<std::string_view> names;
  const std::vector<Field> kernels = root["kernels"].list(kMaxKernels);
  metadata.kernels.reserve(kernels.size());
  for (const Field& kernel : kernels) {
    metadata.kernels.push_back(read_kernel(kernel, metadata.kind));
    if (!names.insert(metadata.kernels.back().name).second)
      kernel["name"].bad("is \"" + metadata.kernels.back().name + "\", as another kernel's");
  }
  return metadata;
}

}  // namespace

ImageMetadata parse_metadata(std::string_view json) {
  try {
    const JsonValue root = parse_json(json);
    if (root.kind != JsonValue::Kind::kObject) bad_image("metadata: is no JSON object");
    return read_metadata(Field(root, ""));
  } catch (const JsonError& error) {
    bad_image("metadata: is no JSON text: column " + std::to_string(error.place().column) + ": " +
              error.what());
  }
}

}  // namespace conclave
