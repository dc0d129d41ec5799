// SPDX-License-Identifier: Apache-2.0
// A module of SPIR-V, as clCreateProgramWithIL() gets it, and its specialization constants.
#ifndef CONCLAVE_PLATFORM_LOADER_SPIRV_MODULE_H_
#define CONCLAVE_PLATFORM_LOADER_SPIRV_MODULE_H_

#include <CL/cl.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "conclave/spirv_words.h"

namespace conclave {

// The versions that the device takes and reports, the latest first.
inline constexpr cl_version kSpirvVersions[] = {CL_MAKE_VERSION(1, 6, 0), CL_MAKE_VERSION(1, 5, 0),
                                                CL_MAKE_VERSION(1, 4, 0), CL_MAKE_VERSION(1, 3, 0),
                                                CL_MAKE_VERSION(1, 2, 0), CL_MAKE_VERSION(1, 1, 0),
                                                CL_MAKE_VERSION(1, 0, 0)};

// Whether the programs that the compiler needs for SPIR-V are in PATH. Looked up once.
bool spirv_available();

class SpirvModule {
 public:
  // Throws Error{CL_INVALID_VALUE} if the bytes have no header of a version above, or if an
  // instruction reaches beyond them. What they mean is for the compiler to judge.
  explicit SpirvModule(std::string_view bytes);

  // As they were given.
  const std::string& bytes() const { return bytes_; }

  // Sets the value of the constants with that SpecId. Throws Error{CL_INVALID_SPEC_ID} if there is
  // none, Error{CL_INVALID_VALUE} if `size`, in bytes, is not that of its type (1 for bool).
  void specialize(uint32_t id, size_t size, const void* value);

  // The module with the values set so far, in this machine's byte order.
  std::string specialized() const;

 private:
  // A constant that can be specialized.
  struct Constant {
    size_t word;      // where its instruction begins
    uint32_t result;  // its id in the module
    size_t size;      // in bytes
    bool is_bool;
  };

  void read();
  // It begins at that word.
  void read_instruction(size_t word, spirv::Instruction instruction);

  std::string bytes_;
  spirv::Words words_;
  std::map<uint32_t, size_t> sizes_;            // of numbers' types, in bytes
  std::multimap<uint32_t, uint32_t> spec_ids_;  // SpecId, the constant's id
  std::map<uint32_t, Constant> constants_;      // by id
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_LOADER_SPIRV_MODULE_H_
