// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_COMPILER_DRIVER_WARM_UP_H_
#define CONCLAVE_COMPILER_DRIVER_WARM_UP_H_

namespace conclave::compiler {

// Builds a small program in this process and forgets it. What builds need is initialised then, their
// code is mapped, and their memory has been touched.
void warm_up();

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_DRIVER_WARM_UP_H_
