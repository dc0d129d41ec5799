// SPDX-License-Identifier: Apache-2.0
// Two processes pass a buffer back and forth, without a copy, by semaphores that they share
// (cl_khr_external_memory, cl_khr_external_semaphore).
#include <CL/cl_ext_conclave.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <CL/opencl.hpp>
#include <atomic>
#include <csignal>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>

#include "test/common/worker_tests.h"

namespace conclave::test {
namespace {

constexpr size_t kInts = 1 << 16;
constexpr int kRounds = 200;

// Fails where an item is not what the other process must have left there.
constexpr char kSource[] = R"(
  kernel void pass_on(global int* ball, global int* faults, int expected) {
    size_t i = get_global_id(0);
    if (ball[i] != expected + (int)i) atomic_inc(faults);
    ball[i] = expected + (int)i + 1;
  })";

// A descriptor as a worker gets it: its number, in the worker's arguments. The lowest numbers are those
// of the conversation with the worker.
std::string inherited(int descriptor) {
  constexpr int kFirst = 100;
  const int copy = fcntl(descriptor, F_DUPFD, kFirst);
  if (copy < 0) throw std::runtime_error("no descriptor");
  return std::to_string(copy);
}

// One of the two processes.
class Player {
 public:
  Player() {
    std::vector<cl::Platform> platforms;
    cl::Platform::get(&platforms);
    platform_ = platforms.at(0);
    std::vector<cl::Device> devices;
    platform_.getDevices(CL_DEVICE_TYPE_ALL, &devices);
    device_ = devices.at(0);
    context_ = cl::Context(device_);
    queue_ = cl::CommandQueue(context_, device_);
    cl::Program program(context_, kSource);
    program.build();
    kernel_ = cl::Kernel(program, "pass_on");
    const int none = 0;
    faults_ = cl::Buffer(context_, CL_MEM_COPY_HOST_PTR, sizeof none, const_cast<int*>(&none));
  }

  template <class Function>
  Function function(const char* name) const {
    return reinterpret_cast<Function>(clGetExtensionFunctionAddressForPlatform(platform_(), name));
  }

  // What has the descriptor, which goes away.
  cl::Buffer buffer(int descriptor) {
    const cl_mem_properties list[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
                                      static_cast<cl_mem_properties>(descriptor), 0};
    cl_int error = 0;
    cl::Buffer made(clCreateBufferWithProperties(context_(), list, CL_MEM_READ_WRITE,
                                                 kInts * sizeof(int), nullptr, &error));
    if (error != CL_SUCCESS) throw cl::Error(error, "clCreateBufferWithProperties");
    return made;
  }
  cl_semaphore_khr semaphore(cl_semaphore_properties_khr name, std::vector<cl_ulong> values) {
    std::vector<cl_semaphore_properties_khr> list = {CL_SEMAPHORE_TYPE_KHR,
                                                     CL_SEMAPHORE_TYPE_BINARY_KHR, name};
    list.insert(list.end(), values.begin(), values.end());
    list.push_back(0);
    cl_int error = 0;
    cl_semaphore_khr made = function<clCreateSemaphoreWithPropertiesKHR_fn>(
        "clCreateSemaphoreWithPropertiesKHR")(context_(), list.data(), &error);
    if (error != CL_SUCCESS) throw cl::Error(error, "clCreateSemaphoreWithPropertiesKHR");
    return made;
  }
  cl_semaphore_khr new_semaphore() {
    return semaphore(CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR, {CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, 0});
  }
  cl_semaphore_khr imported_semaphore(int descriptor) {
    return semaphore(CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, {static_cast<cl_ulong>(descriptor)});
  }
  int descriptor_of(cl_semaphore_khr semaphore) const {
    int descriptor = -1;
    if (function<clGetSemaphoreHandleForTypeKHR_fn>("clGetSemaphoreHandleForTypeKHR")(
            semaphore, device_(), CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, sizeof descriptor, &descriptor,
            nullptr) != CL_SUCCESS)
      throw std::runtime_error("no descriptor of a semaphore");
    return descriptor;
  }

  void wait_for(cl_semaphore_khr semaphore) { enqueue("clEnqueueWaitSemaphoresKHR", semaphore); }
  void signal(cl_semaphore_khr semaphore) { enqueue("clEnqueueSignalSemaphoresKHR", semaphore); }
  // Both functions have the same type.
  void enqueue(const char* name, cl_semaphore_khr semaphore) {
    const cl_int status = function<clEnqueueWaitSemaphoresKHR_fn>(name)(
        queue_(), 1, &semaphore, nullptr, 0, nullptr, nullptr);
    if (status != CL_SUCCESS) throw cl::Error(status, name);
  }
  // All rounds of a game, which the host does not wait for.
  void play(cl::Buffer& ball, cl_semaphore_khr mine, cl_semaphore_khr other, bool begins) {
    kernel_.setArg(0, ball);
    kernel_.setArg(1, faults_);
    for (int round = 0; round < kRounds; ++round) {
      if (!begins || round > 0) wait_for(mine);
      kernel_.setArg(2, 2 * round + !begins);
      queue_.enqueueNDRangeKernel(kernel_, cl::NullRange, kInts);
      signal(other);
    }
    if (begins) wait_for(mine);
  }
  int faults() {
    int count = -1;
    queue_.enqueueReadBuffer(faults_, CL_TRUE, 0, sizeof count, &count);
    return count;
  }
  cl::CommandQueue& queue() { return queue_; }
  cl::CommandQueue other_queue() { return cl::CommandQueue(context_, device_); }

 private:
  cl::Platform platform_;
  cl::Device device_;
  cl::Context context_;
  cl::CommandQueue queue_;
  cl::Kernel kernel_;
  cl::Buffer faults_;
};

int number(const Arguments& arguments, size_t i) {
  return std::stoi(arguments.at(i));
}

// BALL MINE OTHERS: the descriptors.
void play(const Arguments& arguments) {
  Player player;
  cl::Buffer ball = player.buffer(number(arguments, 0));
  cl_semaphore_khr mine = player.imported_semaphore(number(arguments, 1));
  cl_semaphore_khr other = player.imported_semaphore(number(arguments, 2));
  player.play(ball, mine, other, false);
  tell("ready");
  player.queue().finish();
  tell(std::to_string(player.faults()));
  listen();
}

// BALL MINE: writes anything into both, as fast as it can, and wakes everybody.
void scribble(const Arguments& arguments) {
  std::vector<std::atomic<uint32_t>*> words;
  for (size_t i = 0; i < 2; ++i) {
    void* place = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, number(arguments, i), 0);
    if (place == MAP_FAILED) throw std::runtime_error("cannot map");
    words.push_back(static_cast<std::atomic<uint32_t>*>(place));
  }
  tell("ready");
  uint32_t x = 1;
  while (shared_page().stop.load() == 0) {
    x = x * 1664525 + 1013904223;
    std::atomic<uint32_t>& word = words[x >> 31][x >> 10 & 15];
    word.store(x >> 30 & 1 ? x : 0);
    syscall(SYS_futex, &word, FUTEX_WAKE, 1000, nullptr, nullptr, 0);
  }
  tell("done");
}

const std::map<std::string, Role> kRoles = {{"play", play}, {"scribble", scribble}};

double process_cpu_seconds() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Memory of sealed size, with a view of the test's own.
struct Ball {
  Ball() : descriptor(memfd_create("ball", MFD_ALLOW_SEALING)) {
    constexpr size_t kBytes = kInts * sizeof(int);
    if (ftruncate(descriptor, kBytes) != 0 ||
        fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0)
      throw std::runtime_error("no memory file");
    items =
        static_cast<int*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0));
    for (size_t i = 0; i < kInts; ++i) items[i] = static_cast<int>(i);
  }
  int descriptor;
  int* items;
};

class HandOver : public testing::Test {
 protected:
  HandOver()
      : mine_(player_.new_semaphore()),
        others_(player_.new_semaphore()),
        buffer_(player_.buffer(dup(ball_.descriptor))) {}

  Arguments descriptors() {
    return {inherited(ball_.descriptor), inherited(player_.descriptor_of(others_)),
            inherited(player_.descriptor_of(mine_))};
  }
  // Ends what still waits, as a program can whose partner is gone.
  void release_waits() {
    cl::CommandQueue queue = player_.other_queue();
    const auto signal =
        player_.function<clEnqueueSignalSemaphoresKHR_fn>("clEnqueueSignalSemaphoresKHR");
    std::atomic<bool> done{false};
    std::thread waiter([&] {
      player_.queue().finish();
      done = true;
    });
    while (!done) {
      ASSERT_EQ(signal(queue(), 1, &mine_, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
      queue.finish();
    }
    waiter.join();
  }

  Player player_;
  Ball ball_;
  cl_semaphore_khr mine_, others_;
  cl::Buffer buffer_;
};

TEST_F(HandOver, BackAndForth) {
  WorkerProcess partner("play", descriptors());
  ASSERT_EQ(partner.receive(), "ready");
  player_.play(buffer_, mine_, others_, true);
  player_.queue().finish();
  EXPECT_EQ(player_.faults(), 0);
  EXPECT_EQ(partner.receive(), "0");
  for (size_t i = 0; i < kInts; ++i) ASSERT_EQ(ball_.items[i], 2 * kRounds + static_cast<int>(i));
}

// Users share no segment, but they can pass descriptors to one another.
TEST_F(HandOver, BetweenUsers) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  WorkerProcess partner("play", descriptors(), {kEachAnotherUser});
  ASSERT_EQ(partner.receive(), "ready");
  player_.play(buffer_, mine_, others_, true);
  player_.queue().finish();
  EXPECT_EQ(player_.faults(), 0);
  EXPECT_EQ(partner.receive(), "0");
}

TEST_F(HandOver, WaitingTakesNoCpuTime) {
  WorkerProcess partner("play", descriptors());
  ASSERT_EQ(partner.receive(), "ready");
  const double before = process_cpu_seconds(), before_there = partner.cpu_seconds();
  player_.wait_for(mine_);  // nobody signals: both processes wait
  std::this_thread::sleep_for(std::chrono::seconds(2));
  EXPECT_LT(process_cpu_seconds() - before, 0.1);
  EXPECT_LT(partner.cpu_seconds() - before_there, 0.1);
  release_waits();
}

TEST_F(HandOver, DeathOfThePartner) {
  WorkerProcess partner("play", descriptors());
  ASSERT_EQ(partner.receive(), "ready");
  player_.play(buffer_, mine_, others_, true);
  while (ball_.items[0] < 20) std::this_thread::yield();
  partner.signal(SIGKILL);
  partner.wait();
  const int left = ball_.items[0];
  EXPECT_GE(left, 20) << "the memory stays";
  // Other queues go on, and the process itself can end the wait.
  cl::CommandQueue other = player_.other_queue();
  int there = 0;
  other.enqueueReadBuffer(buffer_, CL_TRUE, 0, sizeof there, &there);
  EXPECT_EQ(there, left);
  release_waits();
}

TEST_F(HandOver, StoppedPartnersGoOn) {
  WorkerProcess partner("play", descriptors());
  ASSERT_EQ(partner.receive(), "ready");
  player_.play(buffer_, mine_, others_, true);
  for (int stop = 0; stop < 5; ++stop) {
    partner.signal(SIGSTOP);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    partner.signal(SIGCONT);
  }
  player_.queue().finish();
  EXPECT_EQ(player_.faults(), 0);
  EXPECT_EQ(partner.receive(), "0");
}

// Whatever stands in the words, the process neither crashes nor hangs.
TEST_F(HandOver, HostilePartner) {
  WorkerProcess partner("scribble", {inherited(player_.descriptor_of(others_)),
                                     inherited(player_.descriptor_of(mine_))});
  ASSERT_EQ(partner.receive(), "ready");
  player_.play(buffer_, mine_, others_, true);
  std::this_thread::sleep_for(std::chrono::seconds(1));
  partner.page().stop.store(1);
  EXPECT_EQ(partner.receive(), "done");
  release_waits();
  const cl_ulong state = [&] {
    cl_semaphore_payload_khr payload = 7;
    player_.function<clGetSemaphoreInfoKHR_fn>("clGetSemaphoreInfoKHR")(
        mine_, CL_SEMAPHORE_PAYLOAD_KHR, sizeof payload, &payload, nullptr);
    return payload;
  }();
  EXPECT_LE(state, 1u);
  // What is damaged may be refused, never believed.
  try {
    player_.imported_semaphore(player_.descriptor_of(mine_));
  } catch (const cl::Error& error) {
    EXPECT_EQ(error.err(), CL_INVALID_PROPERTY);
  }
}

}  // namespace
}  // namespace conclave::test

int main(int argc, char** argv) {
  namespace test = conclave::test;
  const test::OwnDevice device(".hand_over", 2);
  return test::run_role_or_tests(argc, argv, test::kRoles);
}
