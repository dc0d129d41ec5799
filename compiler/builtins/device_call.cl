// SPDX-License-Identifier: Apache-2.0
// What TI's functions of the compute unit (ti_device.h) are made of: its numbers, and calls of the
// runtime that acts for it (device_calls.def). They ask where the work-group's memory lies, so they
// are linked before the compiler forms barrier regions (early.bc).
#include "instantiate.h"

#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable

// abi::UnitAccess.
typedef struct {
  ulong (*call)(__private void* unit, uint call, ulong a, ulong b, ulong c);
  __private void* unit;
  uint number, list_number;
} UnitAccess;
enum { kBeforeLocalMemory = 64, kBlock = 128 };  // abi::kUnitAccessBytes, abi::kBlockAlignment

const __private char* address_ranges(void) __asm("conclave.address_ranges");

HELPER const __private UnitAccess* unit_access(void) {
  return (const __private UnitAccess*)(address_ranges() + kBlock - kBeforeLocalMemory);
}

uint conclave_unit_number(void) { return unit_access()->number; }
uint conclave_unit_list_number(void) { return unit_access()->list_number; }

ulong conclave_device_call(uint call, ulong a, ulong b, ulong c) {
  const __private UnitAccess* access = unit_access();
  return access->call(access->unit, call, a, b, c);
}
