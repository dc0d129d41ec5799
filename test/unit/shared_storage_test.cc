// SPDX-License-Identifier: Apache-2.0
// Buffers' bytes that several processes can have.
#include "platform/model/shared_storage.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <utility>

#include "platform/base/error.h"

namespace conclave {
namespace {

TEST(SharedStorage, KeepsItsBytesAndAddressWhenItIsShared) {
  SharedStorage storage(10'000);
  EXPECT_FALSE(storage.is_shared());
  EXPECT_EQ(storage.data()[9'999], std::byte{0});
  std::memset(storage.data(), 7, storage.size());
  std::byte* const before = storage.data();
  storage.share();
  EXPECT_TRUE(storage.is_shared());
  EXPECT_EQ(storage.data(), before);
  EXPECT_EQ(before[9'999], std::byte{7});
  storage.share();  // again is nothing
  EXPECT_EQ(storage.data(), before);
}

TEST(SharedStorage, IsTheSameMemoryByItsDescriptor) {
  SharedStorage storage(10'000);
  storage.share();
  const int descriptor = storage.new_descriptor();
  SharedStorage other = SharedStorage::import(descriptor);
  close(descriptor);
  EXPECT_TRUE(other.is_imported());
  EXPECT_EQ(other.size(), 10'000u);
  EXPECT_NE(other.data(), storage.data());
  storage.data()[5'000] = std::byte{3};
  EXPECT_EQ(other.data()[5'000], std::byte{3});
  // The import lives on without the storage that it came from.
  {
    const SharedStorage gone = std::move(storage);
  }
  other.data()[5'000] = std::byte{4};
  const int again = other.new_descriptor();
  EXPECT_EQ(SharedStorage::import(again).data()[5'000], std::byte{4});
  close(again);
}

TEST(SharedStorage, SizesThatCannotBe) {
  EXPECT_THROW(SharedStorage(~size_t{0}), Error);
  EXPECT_THROW(SharedStorage(size_t{1} << 60), Error);
}

// The number of the storage's own descriptor; -1 if there is none.
int own_descriptor() {
  for (int number = 3; number < 64; ++number) {
    char target[256];
    const std::string link = "/proc/self/fd/" + std::to_string(number);
    const ssize_t length = readlink(link.c_str(), target, sizeof target);
    if (length > 0 && std::string(target, static_cast<size_t>(length)).find("conclave-buffer") !=
                          std::string::npos)
      return number;
  }
  return -1;
}

// The host has closed it, and opened something else under its number.
TEST(SharedStorage, DescriptorThatIsNoLongerOurs) {
  SharedStorage storage(4096);
  storage.share();
  const int own = own_descriptor();
  ASSERT_GE(own, 0);
  const int other = memfd_create("other", MFD_CLOEXEC);
  ASSERT_EQ(dup2(other, own), own);
  EXPECT_THROW(storage.new_descriptor(), Error);
  {
    const SharedStorage gone = std::move(storage);
  }
  EXPECT_NE(fcntl(own, F_GETFD), -1) << "what is not its own stays open";
  close(other);
  close(own);
}

}  // namespace
}  // namespace conclave
