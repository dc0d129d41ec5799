// SPDX-License-Identifier: Apache-2.0
#include "platform/exec/unit_of_thread.h"

#include "platform/exec/unit_services.h"

namespace conclave {

constinit thread_local const abi::UnitAccess* UnitOfThread::unit_ = nullptr;
constinit thread_local const UnitOfThread::Team* UnitOfThread::team_ = nullptr;
constinit thread_local size_t UnitOfThread::number_in_team_ = 0;

void UnitOfThread::join(const Team& team, size_t number) {
  team_ = &team;
  number_in_team_ = number;
}

const abi::UnitAccess* UnitOfThread::get() {
  if (unit_) return unit_;
  if (team_ && number_in_team_ < team_->size()) return (*team_)[number_in_team_];
  return &UnitServices::without_unit();
}

}  // namespace conclave
