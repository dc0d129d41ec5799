// SPDX-License-Identifier: Apache-2.0
#include "platform/share/access_handles.h"

#include <cerrno>
#include <utility>

#include "platform/base/error.h"
#include "platform/share/retry_while_busy.h"
#include "platform/share/share.h"

namespace conclave::share {
namespace {

constexpr char kTheArray[] = "the array";

// The process's present membership, in which something is to be opened.
Membership& enter() {
  Share& share = Share::get();
  if (const std::string holder = share.exclusive_holder(); !holder.empty())
    throw Error(CL_DEVICE_NOT_AVAILABLE,
                "the device is held alone (multiprocess=false) by " + holder, EPERM);
  share.stay_entered();
  return share.membership();
}

// Whether this is still the process's membership.
bool is_here(const Membership* process) {
  const Share* share = Share::if_open();
  return share && &share->membership() == process && process->is_entered();
}

[[noreturn]] void refuse_closed(const std::string& what) {
  throw Error(CL_INVALID_VALUE, what + " is not open in this process any more", EINVAL);
}

}  // namespace

// --- The array ---

OpenArray::OpenArray(AccessMode mode) : mode_(mode) {
  retry_while_busy([this] { open(); });
}

void OpenArray::open() {
  Membership& here = enter();
  here.access_modes.open_array(mode_);
  process_ = &here;
  open_ = true;
}

OpenArray::~OpenArray() {
  if (open_.exchange(false) && is_here(process_))
    Share::get().membership().access_modes.drop_array(mode_);
}

bool OpenArray::is_open() const {
  return open_ && is_here(process_);
}

void OpenArray::close() {
  if (!open_.exchange(false) || !is_here(process_)) refuse_closed(kTheArray);
  try {
    Share::get().membership().access_modes.close_array(mode_);
  } catch (...) {
    open_ = true;
    throw;
  }
}

void OpenArray::require(Operation operation) const {
  if (!is_open()) refuse_closed(kTheArray);
  require_permission(kTheArray, mode_, operation);
}

// --- A graph ---

OpenGraph::OpenGraph(const AccessModes::Uuid& uuid, uint32_t number, std::string name,
                     AccessMode mode)
    : uuid_(uuid), number_(number), name_(std::move(name)), mode_(mode) {
  retry_while_busy([this] { open(); });
}

void OpenGraph::open() {
  Membership& here = enter();
  here.access_modes.open_graph(uuid_, number_, name_, mode_);
  process_ = &here;
  open_ = true;
}

OpenGraph::~OpenGraph() {
  if (open_.exchange(false) && is_here(process_))
    Share::get().membership().access_modes.close_graph(number_);
}

bool OpenGraph::is_open() const {
  return open_ && is_here(process_);
}

void OpenGraph::close() {
  if (!open_.exchange(false) || !is_here(process_)) refuse_closed("graph " + name_);
  Share::get().membership().access_modes.close_graph(number_);
}

void OpenGraph::require(Operation operation) const {
  if (!is_open()) refuse_closed("graph " + name_);
  require_permission("graph " + name_, mode_, operation);
}

}  // namespace conclave::share
