// SPDX-License-Identifier: Apache-2.0
// The address spaces of the virtual target, as the passes need to tell them apart.
#ifndef CONCLAVE_COMPILER_BASE_ADDRESS_SPACES_H_
#define CONCLAVE_COMPILER_BASE_ADDRESS_SPACES_H_

namespace conclave::compiler {

inline constexpr unsigned kPrivateAddressSpace = 0;
inline constexpr unsigned kGlobalAddressSpace = 1;
inline constexpr unsigned kConstantAddressSpace = 2;
inline constexpr unsigned kLocalAddressSpace = 3;
inline constexpr unsigned kGenericAddressSpace = 4;

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_BASE_ADDRESS_SPACES_H_
