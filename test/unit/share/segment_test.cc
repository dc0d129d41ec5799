// SPDX-License-Identifier: Apache-2.0
// Segments that somebody has prepared as a trap, and how the processes of a user meet.
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "platform/share/leases.h"
#include "platform/share/meeting_place.h"
#include "platform/share/segment.h"
#include "test_segment.h"

namespace conclave::share {
namespace {

constexpr uint32_t kSizeKb = 128;
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

Descriptor copy_of(const Descriptor& file) {
  return Descriptor(fcntl(file.get(), F_DUPFD_CLOEXEC, 3));
}

// A memory file with the bytes of a segment in it.
// `bytes`: of the tables.
Descriptor forged(const Segment& like, size_t bytes, int seals = kSeals) {
  Descriptor file(memfd_create("forged", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  EXPECT_EQ(ftruncate(file.get(), static_cast<off_t>(bytes + kGraphAreaBytes)), 0);
  const size_t size = std::min({bytes, bytes + kGraphAreaBytes, like.size()});
  EXPECT_EQ(pwrite(file.get(), like.layout().base, size, 0), static_cast<ssize_t>(size));
  if (seals) {
    EXPECT_EQ(fcntl(file.get(), F_ADD_SEALS, seals), 0);
  }
  return file;
}

std::string refusal(Descriptor file) {
  const Error error = error_of([&] { Segment::adopt("forged", std::move(file)); });
  EXPECT_EQ(error.code(), CL_DEVICE_NOT_AVAILABLE);
  return error.text();
}

TEST(Segment, NobodyCanTakePagesAway) {
  const auto segment = Segment::make("test", kSizeKb);
  EXPECT_NE(ftruncate(segment->file().get(), 0), 0);
  EXPECT_NE(ftruncate(segment->file().get(), 2 * kSizeKb << 10), 0);
  EXPECT_NE(fcntl(segment->file().get(), F_ADD_SEALS, F_SEAL_WRITE), 0);
  const auto other = Segment::adopt("test", copy_of(segment->file()));
  EXPECT_EQ(other->inode(), segment->inode());
  other->layout().header().next_ticket.store(7);
  EXPECT_EQ(segment->layout().header().next_ticket.load(), 7u);
}

TEST(Segment, TrapsAreRefused) {
  const auto whole = Segment::make("test", kSizeKb);
  EXPECT_NE(refusal(forged(*whole, whole->size(), 0)).find("no sealed memory file"),
            std::string::npos);
  EXPECT_NE(refusal(forged(*whole, whole->size(), F_SEAL_GROW)).find("no sealed memory file"),
            std::string::npos);
  EXPECT_NE(refusal(forged(*whole, 4096)).find("bytes"), std::string::npos);
  EXPECT_NE(refusal(forged(*whole, 4096 - kGraphAreaBytes)).find("4096 bytes"), std::string::npos);
  EXPECT_NE(refusal(forged(*whole, (kMaxSegmentKb + 4) << 10)).find("bytes"), std::string::npos);
  EXPECT_NE(refusal(forged(*whole, 2 * whole->size())).find("contradict"), std::string::npos);
  EXPECT_NE(refusal(Descriptor(open("/dev/null", O_RDWR | O_CLOEXEC))).find("no sealed"),
            std::string::npos);
  EXPECT_NE(refusal(Descriptor(open("/dev/zero", O_RDWR | O_CLOEXEC))).find("no sealed"),
            std::string::npos);
  refusal(Descriptor());
}

// Whatever stands in the header, it is used or refused.
TEST(Segment, GarbageInTheHeader) {
  const auto whole = Segment::make("test", kSizeKb);
  std::mt19937 random(1);
  for (size_t offset = 0; offset < 128; offset += 4)
    for (const uint32_t value : {0u, 1u, ~0u, 0x8000'0000u, static_cast<uint32_t>(random())}) {
      Descriptor file = forged(*whole, whole->size());
      ASSERT_EQ(pwrite(file.get(), &value, sizeof value, static_cast<off_t>(offset)), 4);
      const int status = run_child([&] {
        try {
          const auto segment = Segment::adopt("forged", std::move(file));
          Registry registry(segment->layout());
          const Owner self = registry.enter();
          Leases leases(segment->layout(), self);
          leases.take(0);
          leases.give(0);
          registry.remove(self);
        } catch (const Error& error) {
          if (error.text().empty()) _exit(2);
        }
      });
      EXPECT_EQ(status, 0) << "byte " << offset << ", value " << value;
    }
}

// A directory of this test for processes to meet in.
class MeetingPlaceTest : public testing::Test {
 protected:
  MeetingPlaceTest() {
    char name[] = "/tmp/conclave-meet-XXXXXX";
    directory_ = mkdtemp(name);
    if (const char* before = getenv("XDG_RUNTIME_DIR")) before_ = before;
    setenv("XDG_RUNTIME_DIR", name, 1);
  }
  ~MeetingPlaceTest() override {
    before_.empty() ? unsetenv("XDG_RUNTIME_DIR") : setenv("XDG_RUNTIME_DIR", before_.c_str(), 1);
    std::filesystem::remove_all(directory_);
  }
  // A process that meets the others and stays until it is killed.
  static pid_t member() {
    int ready[2];
    EXPECT_EQ(pipe(ready), 0);
    const pid_t child = start_child([&] {
      const auto segment = MeetingPlace("test").find_or_make(kSizeKb);
      const ino_t inode = segment->inode();
      EXPECT_EQ(write(ready[1], &inode, sizeof inode), ssize_t{sizeof inode});
      for (;;) pause();
    });
    ino_t inode = 0;
    EXPECT_EQ(read(ready[0], &inode, sizeof inode), ssize_t{sizeof inode});
    close(ready[0]);
    close(ready[1]);
    return child;
  }
  static void end(pid_t child) {
    kill(child, SIGKILL);
    wait_for(child);
  }

  std::string directory_, before_;
};

TEST_F(MeetingPlaceTest, TheSegmentLivesAsLongAsSomebodyHasIt) {
  EXPECT_EQ(MeetingPlace("test").find(), nullptr);
  const pid_t first = member(), second = member();
  const auto segment = MeetingPlace("test").find();
  ASSERT_TRUE(segment);
  end(first);
  const auto same = MeetingPlace("test").find();
  ASSERT_TRUE(same);
  EXPECT_EQ(same->inode(), segment->inode());
  end(second);
  EXPECT_EQ(MeetingPlace("test").find(), nullptr);
}

TEST_F(MeetingPlaceTest, NamesAreApart) {
  const pid_t child = member();
  EXPECT_EQ(MeetingPlace("other").find(), nullptr);
  end(child);
}

TEST_F(MeetingPlaceTest, TheLastOneTidiesUp) {
  const MeetingPlace place("test");
  const auto segment = place.find_or_make(kSizeKb);
  EXPECT_TRUE(place.shows(*segment));
  EXPECT_TRUE(std::filesystem::exists(place.path()));
  place.hide();
  EXPECT_FALSE(place.shows(*segment));
  EXPECT_FALSE(std::filesystem::exists(place.path()));
}

// Somebody has removed the links: they are made again.
TEST_F(MeetingPlaceTest, LinksComeBack) {
  const MeetingPlace place("test");
  const auto segment = place.find_or_make(kSizeKb);
  std::filesystem::remove_all(place.path());
  EXPECT_FALSE(place.shows(*segment));
  EXPECT_TRUE(place.show(*segment));
  const auto found = place.find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->inode(), segment->inode());
  place.hide();
}

// Others have met elsewhere meanwhile.
TEST_F(MeetingPlaceTest, TwoSegmentsAreNoticed) {
  const MeetingPlace place("test");
  const auto segment = place.find_or_make(kSizeKb);
  std::filesystem::remove_all(place.path());
  const pid_t child = member();
  EXPECT_FALSE(place.show(*segment));
  end(child);
  EXPECT_TRUE(place.show(*segment));
  place.hide();
}

// A host closes descriptors that are not its own, and opens something else under their numbers.
TEST_F(MeetingPlaceTest, DescriptorsOfSomethingElse) {
  const MeetingPlace place("test");
  const std::string link = place.path() + "/" + std::to_string(getpid()) + "." +
                           std::to_string(ProcessIdentity::self().start_time) + ".1";
  std::filesystem::create_directories(place.path());
  int fifo[2];
  ASSERT_EQ(pipe(fifo), 0);
  const int memory = memfd_create("unsealed", MFD_CLOEXEC);
  for (const std::string& target :
       {"/proc/self/fd/" + std::to_string(fifo[0]), "/proc/self/fd/" + std::to_string(memory),
        std::string("/dev/zero"), std::string("/dev/tty"), std::string("/proc/self/fd/999"),
        std::string("/proc/self/mem")}) {
    unlink(link.c_str());
    ASSERT_EQ(symlink(target.c_str(), link.c_str()), 0);
    EXPECT_EQ(place.find(), nullptr) << target;
  }
  close(fifo[0]);
  close(fifo[1]);
  close(memory);
}

// What is no link keeps nobody out, unless it cannot be removed.
TEST_F(MeetingPlaceTest, ThingsOfOthersInTheDirectory) {
  const MeetingPlace place("test");
  std::filesystem::create_directories(place.path());
  std::ofstream(place.path() + "/lock") << "1";
  std::ofstream(place.path() + "/1") << "1";
  EXPECT_EQ(place.find(), nullptr);
  EXPECT_TRUE(place.find_or_make(kSizeKb));
  place.hide();
  EXPECT_FALSE(std::filesystem::exists(place.path()));

  std::filesystem::create_directories(place.path() + "/folder");
  const Error error = error_of([&] { place.find_or_make(kSizeKb); });
  EXPECT_EQ(error.code(), CL_DEVICE_NOT_AVAILABLE);
  EXPECT_NE(error.text().find("folder is in the way"), std::string::npos) << error.text();
}

// What a process left that died while it made the directory.
TEST_F(MeetingPlaceTest, UnfinishedDirectoriesAreRemoved) {
  const MeetingPlace place("test");
  const std::filesystem::path path(place.path());
  const std::string left = path.parent_path() / ("~" + path.filename().string() + "." +
                                                 std::to_string(getpid()) + ".1.1");
  std::filesystem::create_directories(left);
  std::filesystem::create_symlink("/proc/1/fd/1", left + "/link");
  EXPECT_TRUE(place.find_or_make(kSizeKb));
  EXPECT_FALSE(std::filesystem::exists(left));
  place.hide();
}

// Members come and leave all the time; some are stopped, at any point, or killed. Nobody waits for
// them, and all who are there at once have the same segment.
TEST_F(MeetingPlaceTest, OneSegmentWhateverHappensToOthers) {
  constexpr int kMembers = 8, kRounds = 400;
  struct Shared {
    std::atomic<ino_t> inodes[kMembers];  // 0: not there
    std::atomic<uint32_t> meetings, disagreements;
  };
  auto* shared = static_cast<Shared*>(
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  const auto meet = [&](int i) {
    const MeetingPlace place("test");
    const auto segment = place.find_or_make(kSizeKb);
    shared->inodes[i] = segment->inode();
    usleep(100);
    for (const std::atomic<ino_t>& other : shared->inodes)
      if (const ino_t inode = other; inode && inode != segment->inode()) ++shared->disagreements;
    ++shared->meetings;
    shared->inodes[i] = 0;
    place.hide();
  };
  pid_t members[kMembers] = {};
  bool is_stopped[kMembers] = {};
  std::mt19937 random(1);
  for (int round = 0; round < kRounds; ++round) {
    const int i = static_cast<int>(1 + random() % (kMembers - 1));
    if (members[i] == 0) {
      members[i] = start_child([&] {
        for (;; usleep(1000)) meet(i);  // so that often nobody is there
      });
    } else if (is_stopped[i]) {
      kill(members[i], SIGCONT);
      is_stopped[i] = false;
    } else if (random() % 4 == 0) {
      kill(members[i], SIGSTOP);
      ASSERT_EQ(waitpid(members[i], nullptr, WUNTRACED), members[i]);
      shared->inodes[i] = 0;  // while it can neither change that nor have ended
      end(members[i]);
      members[i] = 0;
    } else {
      kill(members[i], SIGSTOP);
      is_stopped[i] = true;
    }
    usleep(random() % 2000);
    EXPECT_NO_THROW(meet(0));
  }
  for (int i = 1; i < kMembers; ++i)
    if (members[i]) end(members[i]);
  EXPECT_EQ(shared->disagreements, 0u);
  EXPECT_GT(shared->meetings, 2u * kRounds);
  meet(0);  // removes what the killed ones have left
  munmap(shared, sizeof(Shared));
  EXPECT_TRUE(std::filesystem::is_empty(directory_ + "/conclave"));
}

// Many that come at once all have the same segment.
TEST_F(MeetingPlaceTest, ManyAtOnce) {
  auto* inodes = static_cast<std::atomic<ino_t>*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::vector<pid_t> children;
  constexpr int kMany = 16;
  for (int i = 0; i < kMany; ++i)
    children.push_back(start_child([&] {
      const MeetingPlace place("test");
      const auto segment = place.find_or_make(kSizeKb);
      inodes[1 + i].store(segment->inode());
      ++inodes[0];
      while (inodes[0].load() < kMany) usleep(1000);
      place.hide();
    }));
  for (pid_t child : children) EXPECT_EQ(wait_for(child), 0);
  for (int i = 1; i < kMany; ++i) EXPECT_EQ(inodes[1 + i].load(), inodes[1].load());
  munmap(inodes, 4096);
  EXPECT_FALSE(std::filesystem::exists(MeetingPlace("test").path()));
}

}  // namespace
}  // namespace conclave::share
