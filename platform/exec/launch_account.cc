// SPDX-License-Identifier: Apache-2.0
// The account that a kernel keeps of the time of its launches, by their kind
// (model/launch_kinds.h).
#include "platform/exec/form_maker.h"
#include "platform/exec/nd_range.h"
#include "platform/exec/specializer.h"

namespace conclave {
namespace {

// A chunk that takes so long may be one of few in its process: what it has taken counts for later ones.
constexpr uint64_t kLongNs = 10'000'000;

}  // namespace

std::array<uint8_t, LaunchKind::kMostFormats> NdRange::formats_of_images(const Kernel& kernel) {
  std::array<uint8_t, LaunchKind::kMostFormats> formats{};
  auto format = formats.begin();
  const auto& arguments = kernel.arguments();
  for (size_t i = 0; i < arguments.size() && format != formats.end(); ++i) {
    if (code_->info->arguments[i].kind != ArgumentKind::kImage) continue;
    const Memory* memory = Memory::from(arguments[i].memory);
    if (memory && memory->image())
      *format = static_cast<uint8_t>(&memory->image()->format() - kImageFormats.data() + 1);
    ++format;
  }
  return formats;
}

void NdRange::watch_kind(const Kernel& kernel, const IndexSpace& space) {
  LaunchKind kind;
  const LaunchKinds::Hopes& hopes = code_->launch_kinds->hopes();
  if (hopes.by_size) kind.local_size = space.local;
  if (hopes.by_format) kind.image_formats = formats_of_images(kernel);
  kind_use_ = code_->launch_kinds->find(kind);
  if (kind_use_ && kind_use_->take_due()) [[unlikely]] {
    const uint64_t coming_ns = estimate_ns();
    specializer::see_to_first(code_, *kind_use_, coming_ns == kUnknown ? 0 : coming_ns);
  }
}

void NdRange::add_use(uint64_t ns) {
  if (kind_use_->add(ns)) [[unlikely]]
    specializer::see_to(code_, *kind_use_);
  if (ns < kLongNs) return;
  FormContest* contest = kind_use_->contest();
  if (contest && contest->should_hand_on(kind_use_->spent_ns()))
    forms::keep_choices(code_, *kind_use_);
}

}  // namespace conclave
