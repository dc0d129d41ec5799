// SPDX-License-Identifier: Apache-2.0
// Type-stable memory. Memory of a Pool<T> is only ever reused for another T and never given back,
// so the header of a released object stays readable. That is how a stale handle is recognised
// (object.h) instead of crashing. It is also faster than malloc if one thread creates (an enqueuing
// host thread) and another one destroys (a worker).
#ifndef CONCLAVE_PLATFORM_BASE_POOL_H_
#define CONCLAVE_PLATFORM_BASE_POOL_H_

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "platform/base/thread_exit.h"

namespace conclave {

template <class T>
class Pool {
 public:
  // Memory for one T. Throws std::bad_alloc.
  static void* allocate() {
    Local* mine = local();
    if (!mine) throw std::bad_alloc();
    if (!mine->head) mine->head = returned_.exchange(nullptr, std::memory_order_acquire);
    if (!mine->head) mine->head = new_slab();
    Node* node = mine->head;
    mine->head = node->next.load(std::memory_order_relaxed);
    if (mine->released) --mine->released;
    return node->storage;
  }

  // Takes back what allocate() gave, from any thread. Threads only push to `returned_` and take all
  // of it, so the list has no ABA problem. A thread keeps some for its own next calls; more would be
  // missing to the others.
  static void release(void* memory) noexcept {
    Node* node = reinterpret_cast<Node*>(static_cast<std::byte*>(memory) - offsetof(Node, storage));
    Local* mine = local();
    if (!mine || mine->released >= kMostKept) return give_back(node);
    node->next.store(mine->head, std::memory_order_relaxed);
    mine->head = node;
    ++mine->released;
  }

 private:
  struct Node {
    // Not part of the storage: the content that T left there must stay.
    std::atomic<Node*> next{nullptr};
    alignas(alignof(T) > 16 ? alignof(T) : 16) std::byte storage[sizeof(T)];
  };
  struct Slab {
    Slab* previous = nullptr;  // keeps every slab reachable, for leak checkers
    Node nodes[sizeof(Node) < 1024 ? 16384 / sizeof(Node) : 4];
  };
  // Nodes that only the current thread uses. When it ends the others get them.
  struct Local {
    Node* head = nullptr;
    unsigned released = 0;  // by this thread, and not used again
    ThreadExit exit = {};
  };
  static constexpr unsigned kMostKept = 16;

  // Null if there is no memory.
  static Local* local() noexcept {
    if (!local_) [[unlikely]]
      local_ = make_local();
    return local_;
  }

  [[gnu::noinline]] static Local* make_local() noexcept {
    std::unique_ptr<Local> made(new (std::nothrow) Local);
    if (!made) return nullptr;
    made->exit.run = give_back_all;
    return at_thread_exit(made->exit) ? made.release() : nullptr;
  }

  // What else ends with the thread may release more, and make another list.
  static void give_back_all() noexcept {
    const std::unique_ptr<Local> mine(std::exchange(local_, nullptr));
    while (Node* node = mine->head) {
      mine->head = node->next.load(std::memory_order_relaxed);
      give_back(node);
    }
  }

  static void give_back(Node* node) noexcept {
    Node* head = returned_.load(std::memory_order_relaxed);
    do {
      node->next.store(head, std::memory_order_relaxed);
    } while (!returned_.compare_exchange_weak(head, node, std::memory_order_release,
                                              std::memory_order_relaxed));
  }

  static Node* new_slab() {
    Slab* slab = new Slab;
    slab->previous = slabs_.load(std::memory_order_relaxed);
    while (!slabs_.compare_exchange_weak(slab->previous, slab, std::memory_order_release)) {
    }
    Node* next = nullptr;
    for (Node& node : slab->nodes) {
      node.next.store(next, std::memory_order_relaxed);
      next = &node;
    }
    return next;
  }

  static inline constinit thread_local Local* local_ = nullptr;  // a pointer: see CMakeLists.txt
  static inline std::atomic<Node*> returned_{nullptr};
  static inline std::atomic<Slab*> slabs_{nullptr};
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_POOL_H_
