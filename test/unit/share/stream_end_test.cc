// SPDX-License-Identifier: Apache-2.0
// The ends of a stream: who may have one, how much may be moved, and what deaths and garbage do.
// The two processes are entries of the table that both name this one.
#include "platform/share/stream_end.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace conclave::share {
namespace {

using Side = StreamEnd::Side;
using Finding = StreamEnd::Finding;

constexpr uint64_t kBytes = 64;
constexpr size_t kOffset = sizeof(GraphHeader);

class StreamEndTest : public testing::Test {
 protected:
  struct Process {
    Process(Segment& segment, uint32_t slot) : owner(enter(segment, slot)), here(segment, owner) {}
    static Owner enter(Segment& segment, uint32_t slot) {
      const EntryState state{static_cast<uint32_t>(getpid()), 1, ProcessEntry::kLive};
      segment.layout().process(slot).state.store(state.word());
      return Owner(slot, 1);
    }
    void die() { here.segment.layout().process(owner.slot()).state.store(0); }

    const Owner owner;
    Membership here;
  };

  StreamEndTest() : segment_(Segment::make("stream-end-test", 512)) {
    for (uint32_t slot = 0; slot < 4; ++slot)
      processes_.push_back(std::make_unique<Process>(*segment_, slot));
  }
  std::unique_ptr<StreamEnd> end(size_t process, Side side) {
    return std::make_unique<StreamEnd>(processes_[process]->here, "s", kOffset, kBytes, side);
  }
  Stream& words() { return *reinterpret_cast<Stream*>(segment_->layout().graphs + kOffset); }

  // As a kernel does it: moves `size` bytes where that may be.
  static Finding put(StreamEnd& end, const std::string& packet) {
    const Finding finding = end.look(packet.size());
    if (finding != Finding::kCanMove) return finding;
    abi::Stream& view = end.view();
    EXPECT_GE(view.limit - view.position, packet.size());
    EXPECT_LE(view.limit - view.position, kBytes);
    for (const char c : packet) static_cast<char*>(view.buffer)[view.position++ & view.mask] = c;
    return finding;
  }
  static Finding get(StreamEnd& end, size_t size, std::string& packet) {
    packet.clear();
    const Finding finding = end.look(size);
    if (finding != Finding::kCanMove) return finding;
    abi::Stream& view = end.view();
    EXPECT_GE(view.limit - view.position, size);
    EXPECT_LE(view.limit - view.position, kBytes);
    while (packet.size() < size)
      packet += static_cast<char*>(view.buffer)[view.position++ & view.mask];
    return finding;
  }

  std::unique_ptr<Segment> segment_;
  std::vector<std::unique_ptr<Process>> processes_;
};

TEST_F(StreamEndTest, MovesWhatFits) {
  auto writer = end(0, Side::kWrite), reader = end(1, Side::kRead);
  ASSERT_TRUE(writer->attach());
  std::string packet;
  for (int i = 0; i < 5; ++i)
    ASSERT_EQ(put(*writer, std::string(12, static_cast<char>('a' + i))), Finding::kCanMove);
  EXPECT_EQ(put(*writer, "twelve bytes"), Finding::kHasToWait) << "4 are left of 64";
  EXPECT_EQ(writer->fill(), 60u);
  ASSERT_TRUE(reader->attach());
  EXPECT_EQ(reader->fill(), 60u);
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(get(*reader, 12, packet), Finding::kCanMove);
    EXPECT_EQ(packet, std::string(12, static_cast<char>('a' + i)));
  }
  EXPECT_EQ(get(*reader, 12, packet), Finding::kHasToWait);
  EXPECT_EQ(put(*writer, std::string(64, 'x')), Finding::kCanMove) << "the whole buffer";
  EXPECT_EQ(put(*writer, "y"), Finding::kHasToWait);
  EXPECT_EQ(get(*reader, 64, packet), Finding::kCanMove);
  EXPECT_EQ(packet, std::string(64, 'x'));
  EXPECT_EQ(put(*writer, std::string(65, 'x')), Finding::kBroken);
  EXPECT_NE(writer->defect().find("larger than its buffer of 64"), std::string::npos);
}

// Any packets, any turns: what is read is what was written.
TEST_F(StreamEndTest, RandomPackets) {
  std::mt19937 random(7);
  auto writer = end(0, Side::kWrite), reader = end(1, Side::kRead);
  std::string written, read, packet;
  char next = 0;
  for (int i = 0; i < 200'000; ++i) {
    StreamEnd& one = random() % 2 ? *writer : *reader;
    ASSERT_TRUE(one.attached() || one.attach());
    const size_t size = 1 + random() % (random() % 8 ? 12 : kBytes);
    Finding finding;
    if (&one == writer.get()) {
      packet.clear();
      for (size_t k = 0; k < size; ++k) packet += static_cast<char>(next + k);
      finding = put(one, packet);
      if (finding == Finding::kCanMove) next = static_cast<char>(next + size), written += packet;
    } else {
      finding = get(one, size, packet);
      read += packet;
    }
    ASSERT_NE(finding, Finding::kBroken);
    ASSERT_EQ(written.compare(0, read.size(), read), 0);
    if (random() % 50 == 0) one.detach();
    if (read.size() < 1000) continue;
    written.erase(0, read.size());
    read.clear();
  }
}

TEST_F(StreamEndTest, OneKernelAtATime) {
  auto first = end(0, Side::kRead), second = end(1, Side::kRead), third = end(0, Side::kRead);
  ASSERT_TRUE(first->attach());
  EXPECT_FALSE(second->attach());
  EXPECT_FALSE(third->attach()) << "of the same process";
  second->detach();
  EXPECT_FALSE(third->attach()) << "what was not attached gives back nothing";
  first->detach();
  EXPECT_TRUE(second->attach());
  second.reset();
  EXPECT_TRUE(third->attach());
}

TEST_F(StreamEndTest, DeathOfTheWriter) {
  auto writer = end(0, Side::kWrite), reader = end(1, Side::kRead);
  ASSERT_TRUE(writer->attach() && reader->attach());
  std::string packet;
  for (int i = 0; i < 3; ++i) put(*writer, "12345678");
  writer->look(0);
  processes_[0]->die();
  // What it has published can still be read.
  EXPECT_EQ(get(*reader, 8, packet), Finding::kCanMove);
  EXPECT_EQ(get(*reader, 8, packet), Finding::kCanMove);
  auto next = end(2, Side::kWrite);
  EXPECT_FALSE(next->attach()) << "the reader does not know of the death";
  EXPECT_EQ(get(*reader, 16, packet), Finding::kBroken);
  EXPECT_NE(reader->defect().find("wrote it has ended"), std::string::npos) << reader->defect();
  reader->detach();
  ASSERT_TRUE(next->attach());
  auto next_reader = end(3, Side::kRead);
  ASSERT_TRUE(next_reader->attach());
  EXPECT_EQ(get(*next_reader, 8, packet), Finding::kHasToWait) << "the dead one's bytes have gone";
  put(*next, "abcdefgh");
  next->look(0);
  EXPECT_EQ(get(*next_reader, 8, packet), Finding::kCanMove);
  EXPECT_EQ(packet, "abcdefgh");
}

TEST_F(StreamEndTest, DeathOfTheReader) {
  auto writer = end(0, Side::kWrite), reader = end(1, Side::kRead);
  ASSERT_TRUE(writer->attach() && reader->attach());
  while (put(*writer, "12345678") == Finding::kCanMove);
  processes_[1]->die();
  EXPECT_EQ(put(*writer, "12345678"), Finding::kBroken);
  EXPECT_NE(writer->defect().find("read it has ended"), std::string::npos) << writer->defect();
  auto next_reader = end(2, Side::kRead);
  EXPECT_FALSE(next_reader->attach());
  writer->detach();
  ASSERT_TRUE(next_reader->attach());
  std::string packet;
  EXPECT_EQ(get(*next_reader, 8, packet), Finding::kHasToWait);
  auto next = end(3, Side::kWrite);
  ASSERT_TRUE(next->attach());
  EXPECT_EQ(put(*next, std::string(64, 'z')), Finding::kCanMove);
  next->look(0);
  EXPECT_EQ(get(*next_reader, 64, packet), Finding::kCanMove);
  EXPECT_EQ(packet, std::string(64, 'z'));
}

TEST_F(StreamEndTest, DeathOfBoth) {
  for (const bool writer_first : {true, false}) {
    {
      auto writer = end(0, Side::kWrite), reader = end(1, Side::kRead);
      ASSERT_TRUE(writer->attach() && reader->attach());
      put(*writer, "12345678");
      writer->look(0);
      // A killed process does not give its end back.
      const uint32_t owners[] = {words().written.owner.load(), words().read.owner.load()};
      writer->detach();
      reader->detach();
      words().written.owner.store(owners[0]);
      words().read.owner.store(owners[1]);
      processes_[0]->die();
      processes_[1]->die();
    }
    auto writer = end(2, Side::kWrite), reader = end(3, Side::kRead);
    ASSERT_TRUE((writer_first ? writer : reader)->attach());
    ASSERT_TRUE((writer_first ? reader : writer)->attach());
    std::string packet;
    EXPECT_EQ(get(*reader, 1, packet), Finding::kHasToWait);
    EXPECT_EQ(put(*writer, std::string(64, 'z')), Finding::kCanMove);
    for (size_t i : {0u, 1u}) processes_[i]->enter(*segment_, static_cast<uint32_t>(i));
  }
}

TEST_F(StreamEndTest, AProcessWithoutAnEntryMovesNothing) {
  auto reader = end(1, Side::kRead);
  ASSERT_TRUE(reader->attach());
  processes_[1]->die();
  std::string packet;
  EXPECT_EQ(get(*reader, 8, packet), Finding::kBroken);
  EXPECT_NE(reader->defect().find("no longer"), std::string::npos) << reader->defect();
}

// Whatever stands in the shared words, never more is moved than fits, and the next pair works.
TEST_F(StreamEndTest, GarbagePositions) {
  std::mt19937_64 random(5);
  int broken = 0;
  for (int round = 0; round < 20'000; ++round) {
    const Side side = round % 2 ? Side::kRead : Side::kWrite;
    auto one = end(0, side);
    words().written.owner.store(0);
    words().read.owner.store(0);
    words().written.position.store(random() >> random() % 64);
    words().read.position.store(random() >> random() % 64);
    ASSERT_TRUE(one->attach());
    ASSERT_LE(one->fill(), kBytes);
    StreamSide& others = side == Side::kRead ? words().written : words().read;
    if (round % 3) others.position.store(random() >> random() % 64);
    if (round % 5 == 0) others.position.store(one->view().position + (random() % 200) - 100);
    const size_t size = 1 + random() % 70;
    const Finding finding = one->look(size);
    ASSERT_LE(one->view().limit - one->view().position, kBytes);
    if (finding == Finding::kCanMove) {
      ASSERT_LE(size, kBytes);
      ASSERT_GE(one->view().limit - one->view().position, size);
    }
    ASSERT_LE(one->fill(), kBytes);
    broken += finding == Finding::kBroken;
    ASSERT_TRUE(finding != Finding::kBroken || !one->defect().empty());
    one->detach();
  }
  EXPECT_GT(broken, 1000);
  auto writer = end(0, Side::kWrite), reader = end(1, Side::kRead);
  ASSERT_TRUE(writer->attach() && reader->attach());
  std::string packet;
  while (get(*reader, 1, packet) == Finding::kCanMove);
  reader->look(0);
  EXPECT_EQ(put(*writer, std::string(64, 'q')), Finding::kCanMove);
}

TEST_F(StreamEndTest, GarbageOwners) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    auto one = end(0, round % 2 ? Side::kRead : Side::kWrite);
    const auto garbage = static_cast<uint32_t>(random());
    (round % 2 ? words().read : words().written).owner.store(random() % 2 ? garbage : 0);
    StreamSide& others = round % 2 ? words().written : words().read;
    others.owner.store(random() % 2 ? static_cast<uint32_t>(random()) : 0);
    others.waits.store(1);
    // Only what looks like a living process's is respected.
    if (!one->attach()) continue;
    EXPECT_EQ(one->look(1) == Finding::kBroken, false) << "what it found dead has gone";
    others.owner.store(0xffffffff);
    one->view().position = one->view().limit;
    others.position.store(one->view().position - (round % 2 ? 0 : kBytes));
    EXPECT_EQ(one->look(1), Finding::kBroken);
    one->detach();
    words().written.owner.store(0);
    words().read.owner.store(0);
    words().written.position.store(0);
    words().read.position.store(0);
  }
}

}  // namespace
}  // namespace conclave::share
