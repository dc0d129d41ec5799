// SPDX-License-Identifier: Apache-2.0
// Whether the lanes of a packet have places of their own, as samples show.
//
//   keys[2 * id - (id & (distance - 1))]     ; yes, for every power of two
//   found[0], of_warp[id / 32], bins[id & 3] ; no
//   keys[id] and keys[id ^ distance]         ; no: two lanes have both
//
// The addresses of all lanes are calculated with numbers in place of what is the same for all of
// them: each power of two in turn, as such values are distances, sizes and counts. That is no
// proof. It is for transformations that are right for every program without data races, and are to
// be right for the harmless races of real programs too, where several lanes set one flag.
#ifndef CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_SAMPLED_PLACES_H_
#define CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_SAMPLED_PLACES_H_

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Value.h>

#include "compiler/vectorizer/analysis/lane_ids.h"
#include "compiler/vectorizer/analysis/uniformity.h"

namespace conclave::compiler {

class SampledPlaces {
 public:
  SampledPlaces(const LaneIds& ids, const Uniformity& uniformity, unsigned lanes,
                const llvm::DataLayout& layout)
      : ids_(ids), uniformity_(uniformity), lanes_(lanes), layout_(layout) {}

  // Whether no two lanes have a place in common. Not where an address depends on what lanes load.
  bool are_disjoint(llvm::ArrayRef<const llvm::Value*> pointers) const;

 private:
  const LaneIds& ids_;
  const Uniformity& uniformity_;
  unsigned lanes_;
  const llvm::DataLayout& layout_;
};

}  // namespace conclave::compiler

#endif  // CONCLAVE_COMPILER_VECTORIZER_ANALYSIS_SAMPLED_PLACES_H_
