// SPDX-License-Identifier: Apache-2.0
// Handles: counting, and recognising those that are stale or of another kind.
#include "platform/base/object.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "platform/model/context.h"
#include "platform/model/device.h"
#include "platform/model/event.h"
#include "platform/model/memory.h"

namespace conclave {
namespace {

Ref<Context> make_context() {
  return Ref<Context>::adopt(new Context({Ref<Device>(&Device::root())}, {}, nullptr, nullptr));
}

TEST(Object, ReferencesKeepAnObjectWithoutHandlesAlive) {
  auto context = make_context();
  auto* memory = new Memory(*context, 0, 64, nullptr, {});
  cl_mem handle = memory->handle();
  Ref<Memory> keep(memory);
  memory->retain_handle();
  EXPECT_EQ(2u, memory->handles());
  EXPECT_TRUE(memory->release_handle());
  EXPECT_TRUE(memory->release_handle());
  EXPECT_FALSE(memory->release_handle());  // the runtime's reference is not the host's to release
  EXPECT_EQ(memory, Memory::from(handle));
  memory->retain_handle();
  keep = nullptr;
  EXPECT_EQ(memory, Memory::from(handle));
  EXPECT_TRUE(memory->release_handle());
  EXPECT_EQ(nullptr, Memory::from(handle));
}

TEST(Object, ReleasedAndForeignHandlesAreRecognised) {
  auto context = make_context();
  auto* memory = new Memory(*context, 0, 64, nullptr, {});
  cl_mem handle = memory->handle();
  EXPECT_EQ(nullptr, Context::from(reinterpret_cast<cl_context>(handle)));
  EXPECT_EQ(nullptr, Event::from(reinterpret_cast<cl_event>(handle)));
  memory->release_handle();
  EXPECT_EQ(nullptr, Memory::from(handle));
  EXPECT_EQ(nullptr, Memory::from(nullptr));
}

TEST(Object, MemoryOfOneThreadIsReusedByAnother) {
  auto context = make_context();
  std::vector<Ref<Event>> events;
  for (int i = 0; i < 1000; ++i) events.push_back(Ref<Event>::adopt(new Event(*context)));
  std::thread([&] { events.clear(); }).join();
  for (int i = 0; i < 1000; ++i) events.push_back(Ref<Event>::adopt(new Event(*context)));
  EXPECT_EQ(1000u, events.size());
}

}  // namespace
}  // namespace conclave
