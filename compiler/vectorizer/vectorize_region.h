// SPDX-License-Identifier: Apache-2.0
// Makes the packet form of a region function: the same for several work-items at once.
//
//   define i32 @k.region.0(<hidden>, i64 %x, ..., ptr %out)     ; runs work-item %x
//   =>
//   define i32 @k.region.0.x8(<hidden>, i64 %x, ..., ptr %out)  ; runs work-items %x to %x + 7
//
// %x is a local id. The remainder form leaves out the work-items whose local id is not below the
// local size.
//
// Steps: inline all calls and simplify; canonicalize; linearize; packetize (docs/vectorizer.md).
#ifndef CONCLAVE_COMPILER_VECTORIZER_VECTORIZE_REGION_H_
#define CONCLAVE_COMPILER_VECTORIZER_VECTORIZE_REGION_H_

#include <llvm/IR/PassManager.h>

#include "compiler/base/region.h"
#include "compiler/vectorizer/analysis/remarks.h"
#include "compiler/x86/target.h"

namespace conclave::compiler {

// Which forms a region is to have besides that for one work-item.
struct PacketForms {
  bool packet = true;
  bool remainder = false;
  bool tall = false;            // for several rows, where that is an improvement
  uint64_t rows = 0;            // of a group; 0 if their number is not known
  bool only_if_faster = false;  // than work-items one by one, or none
  bool whole_kernel = false;    // the region is all of it
  unsigned dimension = 0;       // that lanes are neighbours in
};

// Sets `region`'s packet forms with so many lanes; its work-item functions have become arithmetic
// already. Where they cannot be had, it is false, nothing changes and `remarks` say why.
bool vectorize_region(Region& region, unsigned lanes, PacketForms forms, const Target& target,
                      llvm::FunctionAnalysisManager& analyses, PartRemarks& remarks);

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_VECTORIZE_REGION_H_
