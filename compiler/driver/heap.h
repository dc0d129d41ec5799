// SPDX-License-Identifier: Apache-2.0
#ifndef CONCLAVE_COMPILER_DRIVER_HEAP_H_
#define CONCLAVE_COMPILER_DRIVER_HEAP_H_

namespace conclave::compiler {

// Makes the heap suit a process that soon ends: it grows by much at a time, never shrinks, and
// begins with huge pages where the system allows that. Each page that is touched first costs about
// as much as a thousand instructions, and a kernel of one line touches hundreds. main() calls it
// first. It does nothing if memory is limited.
void prepare_heap();

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_DRIVER_HEAP_H_
