// SPDX-License-Identifier: Apache-2.0
#include "test/unit/compiler/compiled_program.h"

#include <dlfcn.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "conclave/metadata.h"
#include "conclave/program_binary.h"
#include "test/unit/compiler/compile_server.h"

namespace conclave::test {
namespace {

// A pattern that shows where code writes outside of its part, and how much of it there is.
constexpr unsigned char kGuard = 0xa5;
constexpr size_t kGuardBytes = 256;

// Memory with guards around it.
class GuardedBlock {
 public:
  explicit GuardedBlock(size_t size) : size_(size) {
    size_t all = (size + 2 * kGuardBytes + 127) / 128 * 128;
    memory_.reset(static_cast<unsigned char*>(std::aligned_alloc(128, all)));
    std::memset(memory_.get(), kGuard, all);
    // What a real workspace holds is left over from other kernels.
    std::memset(data(), 0x77, size);
  }
  void* data() { return memory_.get() + kGuardBytes; }
  void check(const char* what) const {
    for (size_t i = 0; i < kGuardBytes; ++i)
      if (memory_.get()[i] != kGuard || memory_.get()[kGuardBytes + size_ + i] != kGuard)
        throw std::runtime_error(std::string("the kernel wrote outside of the ") + what);
  }

 private:
  struct Free {
    void operator()(unsigned char* memory) const { std::free(memory); }
  };
  size_t size_;
  std::unique_ptr<unsigned char, Free> memory_;
};

struct PrintingLaunch : abi::Launch {
  mutable std::string text;
};

template <class T>
void append_as(std::ostringstream& out, const std::byte* data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  out << +value;
}

void append_element(std::ostringstream& out, char kind, uint8_t size, const std::byte* data) {
  if (kind == 'p')
    out << "pointer";
  else if (kind == 'f')
    size == 8 ? append_as<double>(out, data) : append_as<float>(out, data);
  else if (size == 8)
    append_as<int64_t>(out, data);
  else if (size == 4)
    append_as<int32_t>(out, data);
  else
    size == 2 ? append_as<int16_t>(out, data) : append_as<int8_t>(out, data);
}

int32_t print(const abi::Launch* launch, const char* format, const abi::PrintArgument* descriptors,
              const void* values) {
  std::ostringstream out;
  out << format << "|";
  auto* data = static_cast<const std::byte*>(values);
  for (; descriptors->kind != 0; ++descriptors) {
    for (size_t i = 0; i < descriptors->count; ++i) {
      out << (i == 0 ? "" : ",");
      append_element(out, descriptors->kind, descriptors->element_size,
                     data + i * descriptors->element_size);
    }
    out << " ";
    size_t count = descriptors->count == 3 ? 4 : descriptors->count;
    data += (count * descriptors->element_size + 7) / 8 * 8;
  }
  static_cast<const PrintingLaunch*>(launch)->text += out.str() + "\n";
  return 7;
}

// The descriptor stays open: dlopen() takes an equal path for a library that it has already.
void* load(const std::string& binary, int& descriptor) {
  descriptor = memfd_create("kernel", MFD_CLOEXEC);
  if (write(descriptor, binary.data(), binary.size()) != static_cast<ssize_t>(binary.size()))
    throw std::runtime_error("cannot write the memory file");
  std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) throw std::runtime_error(dlerror());
  return handle;
}

std::string require_success(const protocol::Response& response) {
  if (response.status != protocol::Status::kSuccess)
    throw std::runtime_error("build failed: " + response.log);
  return response.binary;
}

protocol::Request build_request(const std::string& source, const std::string& options) {
  protocol::Request request;
  request.source = source;
  request.options = options;
  return request;
}

// As the metadata have a value.
template <class T, class Allowed>
nlohmann::json written(const T& value, const Allowed&) {
  return value;
}
template <class T>
nlohmann::json written(T value, const metadata::OneOf<T>& allowed) {
  for (const metadata::Word<T>& word : allowed.words)
    if (word.value == value) return word.word;
  return nullptr;
}
template <class T>
nlohmann::json written(T, const metadata::AnyOf<T>&) {
  return nlohmann::json::array();
}
template <class T>
nlohmann::json written(const std::vector<T>&, const metadata::List&) {
  return nlohmann::json::array();
}

// Binaries leave out what has its default.
template <class Structure>
void add_defaults(nlohmann::json& object) {
  const Structure usual;
  metadata::for_each_field(std::type_identity<Structure>(),
                           [&](const metadata::Key& key, auto member, const auto& allowed) {
                             if (!object.contains(key.name))
                               object[key.name] = written(usual.*member, allowed);
                           });
}

nlohmann::json with_defaults(nlohmann::json program) {
  add_defaults<ProgramInfo>(program);
  for (nlohmann::json& kernel : program["kernels"]) {
    add_defaults<KernelInfo>(kernel);
    for (nlohmann::json& argument : kernel["arguments"]) add_defaults<ArgumentInfo>(argument);
  }
  return program;
}

}  // namespace

nlohmann::json metadata_of(const std::string& binary) {
  Elf64_Ehdr header;
  if (binary.size() < sizeof header) throw std::runtime_error("no ELF file");
  std::memcpy(&header, binary.data(), sizeof header);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, binary.data() + header.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type != SHT_NOTE) continue;
    Elf64_Nhdr note;
    std::memcpy(&note, binary.data() + section.sh_offset, sizeof note);
    if (note.n_type != binary::kNoteType || note.n_namesz != sizeof binary::kNoteName) continue;
    size_t start = section.sh_offset + sizeof note + (sizeof binary::kNoteName + 3) / 4 * 4;
    return with_defaults(nlohmann::json::parse(binary.substr(start, note.n_descsz)));
  }
  throw std::runtime_error("no note");
}

Range range1(uint64_t global, uint64_t local) {
  return {{global, 1, 1}, {local, 1, 1}, {}};
}

Range range2(uint64_t global_x, uint64_t global_y, uint64_t local_x, uint64_t local_y) {
  return {{global_x, global_y, 1}, {local_x, local_y, 1}, {}};
}

protocol::Response build(const std::string& source, const std::string& options) {
  return shared_server().send(build_request(source, options));
}

CompiledProgram::CompiledProgram(const std::string& source, const std::string& options)
    : CompiledProgram(build_request(source, options)) {}

CompiledProgram::CompiledProgram(const protocol::Request& request) {
  protocol::Response response = shared_server().send(request);
  binary_ = require_success(response);
  log_ = response.log;
  metadata_ = metadata_of(binary_);
  handle_ = load(binary_, descriptor_);
}

CompiledProgram::~CompiledProgram() {
  if (handle_) dlclose(handle_);
  if (descriptor_ >= 0) close(descriptor_);
}

const nlohmann::json& CompiledProgram::kernel_metadata(const std::string& kernel) const {
  for (const nlohmann::json& entry : metadata_["kernels"])
    if (entry["name"] == kernel) return entry;
  throw std::runtime_error("no kernel " + kernel);
}

std::string CompiledProgram::run(const std::string& kernel, const Arguments& arguments,
                                 const Range& range, uint64_t slice) {
  const nlohmann::json& info = kernel_metadata(kernel);
  auto function = reinterpret_cast<abi::GroupFunction>(
      dlsym(handle_, info["symbol"].get<std::string>().c_str()));
  if (!function) throw std::runtime_error("no symbol for " + kernel);

  PrintingLaunch launch = {};
  uint64_t items = 1;
  uint64_t groups = 1;
  for (size_t d = 0; d < 3; ++d) {
    launch.global_offset[d] = range.offset[d];
    launch.global_size[d] = range.global[d];
    launch.local_size[d] = range.local[d];
    launch.num_groups[d] = (range.global[d] + range.local[d] - 1) / range.local[d];
    items *= range.local[d];
    groups *= launch.num_groups[d];
    if (range.global[d] > 1) launch.work_dim = static_cast<uint32_t>(d + 1);
  }
  launch.print = print;

  GuardedBlock block(info["arguments_bytes"].get<size_t>());
  uint64_t local_bytes = info["local_bytes"].get<uint64_t>();
  if (arguments.values().size() != info["arguments"].size())
    throw std::runtime_error("wrong number of arguments for " + kernel);
  for (size_t i = 0; i < arguments.values().size(); ++i) {
    const Arguments::Value& value = arguments.values()[i];
    const nlohmann::json& argument = info["arguments"][i];
    auto* place = static_cast<char*>(block.data()) + argument["offset"].get<size_t>();
    if (value.is_local) {
      uint64_t offset = (local_bytes + abi::kBlockAlignment - 1) & ~(abi::kBlockAlignment - 1);
      std::memcpy(place, &offset, sizeof offset);
      local_bytes = offset + value.local_bytes;
    } else {
      if (value.bytes.size() != argument["size"].get<size_t>())
        throw std::runtime_error("wrong size of argument " + std::to_string(i));
      std::memcpy(place, value.bytes.data(), value.bytes.size());
    }
  }
  GuardedBlock local(abi::kBlockAlignment + local_bytes);
  const uint64_t spill_bytes = info["spill_bytes"].get<uint64_t>() * items;
  GuardedBlock spill(spill_bytes);
  void* local_memory = static_cast<std::byte*>(local.data()) + abi::kBlockAlignment;
  abi::Workspace workspace = {local_memory, spill.data(), 0};
  *static_cast<abi::AddressRanges*>(local.data()) =
      abi::address_ranges(workspace, local_bytes, spill_bytes, __builtin_frame_address(0));
  for (uint64_t first = 0; first < groups; first += slice)
    function(&launch, block.data(), &workspace, first, std::min(slice, groups - first));
  block.check("argument block");
  local.check("local memory");
  spill.check("spill area");
  return launch.text;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace conclave::test
