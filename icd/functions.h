// SPDX-License-Identifier: Apache-2.0
// Entry points by name.
#ifndef CONCLAVE_ICD_FUNCTIONS_H_
#define CONCLAVE_ICD_FUNCTIONS_H_

namespace conclave::icd {

// An entry point of the dispatch table ("clCreateBuffer"); null for an unknown name.
void* core_function(const char* name);
// A function of an extension that the platform reports; null for an unknown name.
void* extension_function(const char* name);

}  // namespace conclave::icd

#endif  // CONCLAVE_ICD_FUNCTIONS_H_
