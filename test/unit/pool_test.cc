// SPDX-License-Identifier: Apache-2.0
#include "platform/base/pool.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace conclave {
namespace {

struct Small {
  char content[24];
};

TEST(Pool, AThreadGetsBackWhatItHasReleased) {
  struct Thing : Small {};
  void* first = Pool<Thing>::allocate();
  Pool<Thing>::release(first);
  EXPECT_EQ(Pool<Thing>::allocate(), first);
}

// A host thread makes commands and a worker ends them: the worker must not hoard their memory.
TEST(Pool, WhatAnotherThreadReleasesComesBack) {
  struct Thing : Small {};
  std::set<void*> places;
  std::vector<void*> things(100);
  for (int round = 0; round < 100; ++round) {
    for (void*& thing : things) places.insert(thing = Pool<Thing>::allocate());
    std::thread([&] {
      for (void* thing : things) Pool<Thing>::release(thing);
    }).join();
  }
  EXPECT_LT(places.size(), 1000u);
}

// A thread's own list goes to the others when it ends.
TEST(Pool, AnEndedThreadLeavesItsMemory) {
  struct Thing : Small {};
  std::set<void*> places;
  for (int round = 0; round < 200; ++round)
    std::thread([&] {
      void* thing = Pool<Thing>::allocate();
      places.insert(thing);
      Pool<Thing>::release(thing);
    }).join();
  EXPECT_LE(places.size(), 2u);  // its list is turned around when it goes to the others
}

}  // namespace
}  // namespace conclave
