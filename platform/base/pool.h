// SPDX-License-Identifier: Apache-2.0
// Type-stable memory. Memory of a Pool<T> is only ever reused for another T and never given back,
// so the header of a released object stays readable. That is how a stale handle is recognised
// (object.h) instead of crashing. It is also faster than malloc if one thread creates (an enqueuing
// host thread) and another one destroys (a worker).
#ifndef CONCLAVE_PLATFORM_BASE_POOL_H_
#define CONCLAVE_PLATFORM_BASE_POOL_H_

#include <atomic>
#include <cstddef>
#include <new>

#include "platform/base/thread_exit.h"

namespace conclave {

template <class T>
class Pool {
 public:
  // Memory for one T. Throws std::bad_alloc.
  static void* allocate() {
    Local& mine = local();
    if (!mine.head) mine.head = returned_.exchange(nullptr, std::memory_order_acquire);
    if (!mine.head) mine.head = new_slab();
    Node* node = mine.head;
    mine.head = node->next.load(std::memory_order_relaxed);
    return node->storage;
  }

  // Takes back what allocate() gave, from any thread. Threads only push to `returned_` and take all
  // of it, so the list has no ABA problem.
  static void release(void* memory) noexcept {
    give_back(reinterpret_cast<Node*>(static_cast<std::byte*>(memory) - offsetof(Node, storage)));
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
    ThreadExit exit = {};
  };

  static Local& local() {
    constinit thread_local Local instance;
    if (!instance.exit.run) [[unlikely]] {
      instance.exit.run = [] { give_back_all(instance); };
      at_thread_exit(instance.exit);
    }
    return instance;
  }

  static void give_back_all(Local& local) noexcept {
    while (Node* node = local.head) {
      local.head = node->next.load(std::memory_order_relaxed);
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

  static inline std::atomic<Node*> returned_{nullptr};
  static inline std::atomic<Slab*> slabs_{nullptr};
};

}  // namespace conclave

#endif  // CONCLAVE_PLATFORM_BASE_POOL_H_
