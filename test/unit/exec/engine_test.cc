// SPDX-License-Identifier: Apache-2.0
// The engine with commands of the test's own, on four compute units (see main below).
#include "platform/exec/engine.h"

#include <dirent.h>
#include <gtest/gtest.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <set>
#include <thread>

#include "platform/base/error.h"
#include "platform/model/command_queue.h"
#include "platform/model/context.h"
#include "platform/model/device.h"

namespace conclave {
namespace {

// A command of `parts` parts that calls `body(compute unit, first, count)`.
class TestCommand : public Command {
 public:
  using Body = std::function<void(ComputeUnit&, uint64_t, uint64_t)>;
  TestCommand(uint64_t parts, uint64_t estimate_ns, Body body)
      : parts_(parts), estimate_ns_(estimate_ns), body_(std::move(body)) {}
  uint64_t parts() const override { return parts_; }
  uint64_t estimate_ns() const override { return estimate_ns_; }
  void run(ComputeUnit& cu, uint64_t first, uint64_t count) override { body_(cu, first, count); }

 private:
  uint64_t parts_, estimate_ns_;
  Body body_;
};

class EngineTest : public ::testing::Test {
 protected:
  EngineTest()
      : context_(Ref<Context>::adopt(
            new Context({Ref<Device>(&Device::root())}, {}, nullptr, nullptr))) {}

  Ref<CommandQueue> queue(cl_command_queue_properties properties = 0) {
    return queue_on(Device::root(), properties);
  }
  Ref<CommandQueue> queue_on(Device& device, cl_command_queue_properties properties = 0) {
    return Ref<CommandQueue>::adopt(new CommandQueue(*context_, device, properties, {}));
  }
  static Ref<Event> enqueue(CommandQueue& queue, uint64_t parts, uint64_t estimate_ns,
                            TestCommand::Body body, std::span<const Ref<Event>> wait_list = {}) {
    return queue.enqueue(CL_COMMAND_NATIVE_KERNEL,
                         std::make_unique<TestCommand>(parts, estimate_ns, std::move(body)),
                         wait_list);
  }

  Ref<Context> context_;
};

double process_cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

TEST_F(EngineTest, EveryPartRunsExactlyOnce) {
  auto q = queue();
  constexpr uint64_t kParts = 10'007;
  std::vector<std::atomic<int>> seen(kParts);
  enqueue(*q, kParts, Command::kUnknown, [&](ComputeUnit&, uint64_t first, uint64_t count) {
    for (uint64_t i = first; i < first + count; ++i) seen[i].fetch_add(1);
  });
  q->finish();
  for (uint64_t i = 0; i < kParts; ++i) ASSERT_EQ(1, seen[i].load()) << "part " << i;
}

TEST_F(EngineTest, OneSlowPartDoesNotHoldBackTheOthers) {
  auto q = queue();
  std::atomic<uint64_t> quick{0};
  std::atomic<bool> timed_out{false};
  // The slow part ends only when all others have run: so somebody else must have taken them.
  Ref<Event> event =
      enqueue(*q, 64, Command::kUnknown, [&](ComputeUnit&, uint64_t first, uint64_t count) {
        for (uint64_t i = first; i < first + count; ++i) {
          if (i != 63) {
            quick.fetch_add(1);
            continue;
          }
          for (int ms = 0; quick.load() < 63 && !timed_out; ++ms) {
            usleep(1000);
            if (ms > 10'000) timed_out = true;
          }
        }
      });
  q->finish();
  EXPECT_FALSE(timed_out);
  EXPECT_EQ(CL_COMPLETE, event->status());
}

TEST_F(EngineTest, LongCommandsUseSeveralComputeUnits) {
  auto q = queue();
  std::mutex mutex;
  std::set<uint32_t> used;
  std::atomic<bool> timed_out{false};
  enqueue(*q, 4, Command::kUnknown, [&](ComputeUnit& cu, uint64_t, uint64_t) {
    {
      std::lock_guard lock(mutex);
      used.insert(cu.index());
    }
    // Stay until all four have come.
    for (int ms = 0; !timed_out; ++ms) {
      {
        std::lock_guard lock(mutex);
        if (used.size() == 4) return;
      }
      usleep(1000);
      if (ms > 10'000) timed_out = true;
    }
  });
  q->finish();
  EXPECT_FALSE(timed_out);
  EXPECT_EQ(4u, used.size());
}

// Compute units that become free while a command runs take part in it at once, not when the first
// chunk has ended: that may take as long as the rest.
TEST_F(EngineTest, UnitsThatBecomeFreeTakePartAtOnce) {
  auto others = queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  std::atomic<int> busy{0};
  std::atomic<bool> released{false}, timed_out{false};
  const auto wait_for = [&](const auto& condition) {
    for (int ms = 0; !condition() && !timed_out; ++ms) {
      usleep(1000);
      if (ms > 10'000) timed_out = true;
    }
  };
  for (int i = 0; i < 3; ++i)
    enqueue(*others, 1, Command::kUnknown, [&](ComputeUnit&, uint64_t, uint64_t) {
      busy.fetch_add(1);
      wait_for([&] { return released.load(); });
    });
  others->flush();
  wait_for([&] { return busy == 3; });
  auto q = queue();
  constexpr uint64_t kParts = 8, kPartNs = 100'000;
  std::atomic<int> taken{0};
  enqueue(*q, kParts, kParts * kPartNs, [&](ComputeUnit&, uint64_t, uint64_t) {
    taken.fetch_add(1);
    released = true;
    wait_for([&] { return taken > 1; });
  });
  q->finish();
  others->finish();
  EXPECT_FALSE(timed_out);
}

TEST_F(EngineTest, ShortCommandRunsOnTheThreadThatWaits) {
  auto q = queue();
  std::thread::id ran_on;
  enqueue(*q, 1, 100,
          [&](ComputeUnit&, uint64_t, uint64_t) { ran_on = std::this_thread::get_id(); });
  q->finish();
  EXPECT_EQ(std::this_thread::get_id(), ran_on);
}

TEST_F(EngineTest, FlushedCommandRunsWithoutAnybodyWaiting) {
  auto q = queue();
  std::atomic<bool> ran{false};
  enqueue(*q, 1, 100, [&](ComputeUnit&, uint64_t, uint64_t) { ran = true; });
  q->flush();
  for (int ms = 0; ms < 10'000 && !ran; ++ms) usleep(1000);
  EXPECT_TRUE(ran);
  q->finish();
}

TEST_F(EngineTest, ManyShortCommandsRunWithoutAFlush) {
  auto q = queue();
  std::atomic<int> ran{0};
  for (int i = 0; i < 1000; ++i)
    enqueue(*q, 1, 1'000, [&](ComputeUnit&, uint64_t, uint64_t) { ran.fetch_add(1); });
  for (int ms = 0; ms < 10'000 && ran == 0; ++ms) usleep(1000);
  EXPECT_GT(ran, 0);
  q->finish();
  EXPECT_EQ(1000, ran);
}

TEST_F(EngineTest, InOrderQueueKeepsOrder) {
  auto q = queue();
  std::vector<int> order;
  for (int i = 0; i < 500; ++i)
    enqueue(*q, 1, i % 3 ? 100 : Command::kUnknown,
            [&order, i](ComputeUnit&, uint64_t, uint64_t) { order.push_back(i); });
  q->finish();
  ASSERT_EQ(500u, order.size());
  for (int i = 0; i < 500; ++i) ASSERT_EQ(i, order[i]);
}

TEST_F(EngineTest, ErrorEndsTheCommandAndThoseThatWaitForItOnly) {
  auto q = queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  bool ran = false, other_ran = false;
  Ref<Event> bad = enqueue(*q, 1, 100, [](ComputeUnit&, uint64_t, uint64_t) {
    throw Error(CL_OUT_OF_RESOURCES, "the test's command fails");
  });
  Ref<Event> wait_list[] = {bad};
  Ref<Event> after =
      enqueue(*q, 1, 100, [&](ComputeUnit&, uint64_t, uint64_t) { ran = true; }, wait_list);
  Ref<Event> other =
      enqueue(*q, 1, 100, [&](ComputeUnit&, uint64_t, uint64_t) { other_ran = true; });
  q->finish();
  EXPECT_EQ(CL_OUT_OF_RESOURCES, bad->status());
  EXPECT_EQ(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, after->status());
  EXPECT_EQ(CL_COMPLETE, other->status());
  EXPECT_FALSE(ran);
  EXPECT_TRUE(other_ran);
}

TEST_F(EngineTest, SubDeviceKeepsToItsComputeUnits) {
  const cl_device_partition_property counts[] = {CL_DEVICE_PARTITION_BY_COUNTS, 1, 2, 0, 0};
  auto parts = Device::root().split(counts);
  ASSERT_EQ(2u, parts.size());
  auto first = queue_on(*parts[0]), second = queue_on(*parts[1]);
  std::atomic<int> outside{0};
  auto on = [&](Device& device) {
    return [&outside, &device](ComputeUnit& cu, uint64_t, uint64_t) {
      if (!device.compute_units().has(cu.index())) outside.fetch_add(1);
    };
  };
  Ref<Event> before;
  for (int i = 0; i < 200; ++i) {
    // Each queue's commands wait for the other's, so that parts of one make work of the other
    // ready.
    std::span<const Ref<Event>> wait(&before, before ? 1 : 0);
    Device& device = *parts[i % 2];
    before =
        enqueue(i % 2 ? *second : *first, 7, i % 5 ? 100 : Command::kUnknown, on(device), wait);
  }
  first->finish();
  second->finish();
  EXPECT_EQ(0, outside);
}

TEST_F(EngineTest, IdleUsesNoCpu) {
  auto q = queue();
  enqueue(*q, 64, Command::kUnknown, [](ComputeUnit&, uint64_t, uint64_t) { usleep(1000); });
  q->finish();
  usleep(50'000);  // workers go to sleep
  double before = process_cpu_seconds();
  usleep(500'000);
  EXPECT_LT(process_cpu_seconds() - before, 0.05);
}

TEST_F(EngineTest, ManyThreadsOnManyQueues) {
  constexpr int kThreads = 8, kCommands = 2'000;
  std::atomic<uint64_t> ran{0};
  auto shared = queue();
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      auto own = queue(t % 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0);
      for (int i = 0; i < kCommands; ++i) {
        CommandQueue& q = i % 3 == 0 ? *shared : *own;
        enqueue(q, 1 + i % 4, i % 7 ? 200 : 50'000,
                [&](ComputeUnit&, uint64_t, uint64_t count) { ran.fetch_add(count); });
        if (i % 100 == 0) q.finish();
      }
      own->finish();
    });
  }
  for (std::thread& thread : threads) thread.join();
  shared->finish();
  uint64_t expected = 0;
  for (int i = 0; i < kCommands; ++i) expected += 1 + i % 4;
  EXPECT_EQ(expected * kThreads, ran.load());
}

}  // namespace
}  // namespace conclave

// Four compute units whatever the machine has; an empty configuration file keeps the machine's out.
int main(int argc, char** argv) {
  setenv("CONCLAVE_COMPUTE_UNITS", "4", 1);
  unsetenv("TI_OCL_COMPUTE_UNIT_LIST");
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
