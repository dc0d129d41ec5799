// SPDX-License-Identifier: Apache-2.0
#include "platform/loader/compile_key.h"

#include <sys/stat.h>

#include "conclave/kernel_abi.h"
#include "conclave/program_binary.h"
#include "platform/loader/content_hash.h"
#include "platform/loader/cpu_features.h"

namespace conclave {
namespace {

// Paths to included files and to C code may be relative to the working directory.
bool depends_on_directory(const protocol::Request& request) {
  return request.source.find("include") != std::string::npos ||
         request.options.find("-I") != std::string::npos ||
         request.options.find("-include") != std::string::npos ||
         request.options.find(".o") != std::string::npos ||
         request.options.find(".a") != std::string::npos;
}

}  // namespace

std::string compile_key(const protocol::Request& request, const std::string& compiler) {
  struct stat status;
  if (stat(compiler.c_str(), &status) != 0) return "";
  FieldHasher hasher;
  // The compiler's identity: a new build of it is another file, or at least a newer one.
  for (const auto part :
       {static_cast<uint64_t>(status.st_dev), static_cast<uint64_t>(status.st_ino),
        static_cast<uint64_t>(status.st_size), static_cast<uint64_t>(status.st_mtim.tv_sec),
        static_cast<uint64_t>(status.st_mtim.tv_nsec)})
    hasher.add(part);
  hasher.add(cpu_identity());
  hasher.add(uint64_t{protocol::kProtocolVersion});
  hasher.add(uint64_t{abi::kAbiVersion});
  hasher.add(uint64_t{binary::kNoteType});
  hasher.add(static_cast<uint64_t>(request.action));
  hasher.add(request.options);
  hasher.add(request.target_cpu);
  hasher.add(request.source);
  hasher.add(uint64_t{request.headers.size()});
  for (const auto& [name, text] : request.headers) {
    hasher.add(name);
    hasher.add(text);
  }
  hasher.add(uint64_t{request.inputs.size()});
  for (const std::string& input : request.inputs) hasher.add(input);
  if (depends_on_directory(request)) hasher.add(request.directory);
  return hasher.result();
}

}  // namespace conclave
