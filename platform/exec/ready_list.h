// SPDX-License-Identifier: Apache-2.0
// A list of ready commands, which holds a reference to each. A command is on at most one such list
// and contains the list's hook, so adding it cannot fail.
#ifndef CONCLAVE_PLATFORM_EXEC_READY_LIST_H_
#define CONCLAVE_PLATFORM_EXEC_READY_LIST_H_

#include <boost/intrusive/list.hpp>
#include <utility>

#include "platform/model/event.h"

namespace conclave {

class ReadyList {
 public:
  ReadyList() = default;
  ReadyList(ReadyList&& other) noexcept : list_(std::move(other.list_)) {}
  ReadyList& operator=(ReadyList&& other) noexcept {
    list_.swap(other.list_);
    return *this;
  }
  ~ReadyList() {
    while (!empty()) pop_front();
  }

  bool empty() const { return list_.empty(); }
  Event& front() { return list_.front().event; }
  Event& back() { return list_.back().event; }
  void push_back(Ref<Event> event) noexcept { list_.push_back(event.detach()->work); }
  Ref<Event> pop_front() noexcept {
    Event& event = front();
    list_.pop_front();
    return Ref<Event>::adopt(&event);
  }
  Ref<Event> pop_back() noexcept {
    Event& event = back();
    list_.pop_back();
    return Ref<Event>::adopt(&event);
  }
  template <class Function>
  void for_each(Function function) {
    for (WorkRecord& work : list_) function(work.event);
  }
  // Moves all of `other` behind what is here.
  void append(ReadyList& other) noexcept { list_.splice(list_.end(), other.list_); }

 private:
  using Hook =
      boost::intrusive::member_hook<WorkRecord, WorkRecord::ListHook, &WorkRecord::ready_hook>;
  boost::intrusive::list<WorkRecord, Hook, boost::intrusive::constant_time_size<false>> list_;
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_EXEC_READY_LIST_H_
