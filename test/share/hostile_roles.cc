// SPDX-License-Identifier: Apache-2.0
#include "hostile_roles.h"

#include <CL/cl_ext_conclave.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <stdexcept>

#include "platform/base/error.h"
#include "platform/share/daemon_client.h"
#include "platform/share/meeting_place.h"
#include "test/common/spin_kernel.h"
#include "vandal.h"

namespace conclave::test {
namespace {

constexpr int64_t kMillisecond = 1'000'000;

// Memory of this process that nobody changes: between what OpenCL allocates, and far from it.
class Canaries {
 public:
  explicit Canaries(uint32_t seed) : pattern_(seed * 0x9e37'79b9'7f4a'7c15) {}

  void add(size_t words) { blocks_.emplace_back(words, pattern_); }
  void check() const {
    for (const std::vector<uint64_t>& block : blocks_)
      if (!std::all_of(block.begin(), block.end(), [&](uint64_t word) { return word == pattern_; }))
        throw std::runtime_error("somebody has changed this process's memory");
  }

 private:
  const uint64_t pattern_;
  std::vector<std::vector<uint64_t>> blocks_;
};

// A buffer holds what was written to it.
void use_buffer(const SpinKernel& kernel, uint32_t words, uint32_t value) {
  const cl::Buffer buffer(kernel.context(), CL_MEM_READ_WRITE, words * sizeof value);
  kernel.queue().enqueueFillBuffer(buffer, value, 0, words * sizeof value);
  std::vector<uint32_t> found(words);
  kernel.queue().enqueueReadBuffer(buffer, CL_TRUE, 0, words * sizeof value, found.data());
  if (!std::all_of(found.begin(), found.end(), [&](uint32_t word) { return word == value; }))
    throw std::runtime_error("a buffer has lost what it was filled with");
}

// A context with an access mode can be had or not, as others have the array, or seem to.
void use_access_mode(const SpinKernel& kernel, uint32_t mode) {
  const cl_context_properties properties[] = {CL_CONTEXT_ACCESS_MODE_CONCLAVE,
                                              static_cast<cl_context_properties>(mode), 0};
  cl_device_id device = kernel.context().getInfo<CL_CONTEXT_DEVICES>().at(0)();
  cl_int code = CL_SUCCESS;
  const cl_context context = clCreateContext(properties, 1, &device, nullptr, nullptr, &code);
  if (context) {
    clReleaseContext(context);
  } else if (code != CL_DEVICE_NOT_AVAILABLE && code != CL_OUT_OF_RESOURCES) {
    throw std::runtime_error("a context with an access mode fails with " + std::to_string(code));
  }
}

void work(uint32_t seed, int64_t ns) {
  constexpr uint32_t kMostGroups = 64;
  std::mt19937 engine(seed);
  const auto up_to = [&](uint32_t most) { return 1 + static_cast<uint32_t>(engine()) % most; };
  Canaries canaries(seed);
  canaries.add(1 << 18);
  SharedPage& page = shared_page();
  const int64_t end = now_ns() + ns;
  SpinKernel kernel(kMostGroups, page.progress);
  for (int i = 0; i < 32; ++i) canaries.add(up_to(1 << 10));
  while (page.stop == 0 && now_ns() < end) {
    use_buffer(kernel, up_to(1 << 14), static_cast<uint32_t>(engine()));
    const SpinKernel::Launch launch = {up_to(kMostGroups), up_to(20'000),
                                       static_cast<uint32_t>(engine())};
    kernel.run(launch);
    kernel.check(launch);
    if (engine() % 4 == 0) use_access_mode(kernel, static_cast<uint32_t>(engine() % 3));
    canaries.check();
    page.progress.fetch_add(1);
  }
}

void honest(const Arguments& arguments) {
  try {
    work(static_cast<uint32_t>(std::stoul(arguments.at(0))),
         std::stol(arguments.at(1)) * kMillisecond);
  } catch (const cl::Error& error) {
    tell(std::string(error.what()) + ": " + std::to_string(error.err()));
    std::exit(kClearError);
  }
}

// Has used the device, and does nothing more.
void idle(const Arguments&) {
  SpinKernel kernel(4, shared_page().progress);
  kernel.run({4, 1000, 1});
  kernel.check({4, 1000, 1});
  tell("ready");
  listen();
}

// Some that live, and some that do not.
std::vector<uint32_t> some_processes() {
  std::vector<uint32_t> pids = {static_cast<uint32_t>(getpid()), 0, 4'000'000, UINT32_MAX};
  for (const auto& entry : std::filesystem::directory_iterator("/proc"))
    if (const std::string name = entry.path().filename(); std::isdigit(name[0]))
      pids.push_back(static_cast<uint32_t>(std::stoul(name)));
  return pids;
}

// The segment as it is now: clients replace one that they find damaged.
void open_again(std::unique_ptr<share::Segment>& segment, const std::string& name) {
  try {
    auto fresh = share::join_daemon(name);
    if (!fresh) fresh = share::MeetingPlace(name).find();
    if (fresh) segment = std::move(fresh);
  } catch (const Error&) {  // nobody has replaced it yet
  }
}

void vandal(const Arguments& arguments) {
  Vandal vandal(static_cast<uint32_t>(std::stoul(arguments.at(0))), some_processes());
  std::unique_ptr<share::Segment> segment;
  SharedPage& page = shared_page();
  for (uint32_t round = 0; page.stop == 0; ++round) {
    if (round % 8 == 0) open_again(segment, arguments.at(1));
    if (segment) vandal.attack(segment->layout());
    usleep(round % 64 == 0 ? 100'000 : 2'000);
    if (segment) page.progress.fetch_add(1);
  }
}

}  // namespace

const std::map<std::string, Role>& hostile_roles() {
  static const std::map<std::string, Role> all = {
      {"honest", honest}, {"idle", idle}, {"vandal", vandal}};
  return all;
}

}  // namespace conclave::test
