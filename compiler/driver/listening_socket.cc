// SPDX-License-Identifier: Apache-2.0
#include "compiler/driver/listening_socket.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <utility>

namespace conclave::compiler {
namespace {

constexpr int kWaiting = 64;  // connections that have not been accepted
constexpr int kPlaces = 4;    // of a user's servers: each of them keeps tens of MB

std::string lock_beside(const std::string& path) {
  return path + ".lock";
}

// Empty if another process has the lock.
Descriptor take_lock(const std::string& path) {
  while (true) {
    Descriptor lock(
        open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600));
    if (!lock || flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return Descriptor();
    struct stat status;
    if (fstat(lock.get(), &status) != 0) return Descriptor();
    if (status.st_nlink > 0) return lock;  // else its former holder has just removed it
  }
}

// One of the places that those who listen in this directory have; empty if all are taken.
Descriptor take_place(const std::string& directory) {
  Descriptor place;
  for (int i = 0; !place && i < kPlaces; ++i)
    place = take_lock(directory + "/clocl-place-" + std::to_string(i) + ".lock");
  return place;
}

}  // namespace

ListeningSocket::ListeningSocket(std::string path, Descriptor lock, Descriptor place,
                                 Descriptor socket)
    : path_(std::move(path)),
      lock_(std::move(lock)),
      place_(std::move(place)),
      socket_(std::move(socket)) {}

std::optional<ListeningSocket> ListeningSocket::at(const std::string& path) {
  // The name appears when the process listens: who finds it can connect.
  const std::string made = path + ".new";
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (made.size() >= sizeof address.sun_path) return std::nullopt;
  made.copy(address.sun_path, made.size());
  Descriptor lock = take_lock(lock_beside(path));
  if (!lock) return std::nullopt;
  Descriptor place = take_place(path.substr(0, path.rfind('/')));
  if (!place) {
    unlink(lock_beside(path).c_str());
    return std::nullopt;
  }
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  unlink(made.c_str());
  if (!socket || bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      chmod(made.c_str(), 0600) != 0 || listen(socket.get(), kWaiting) != 0 ||
      rename(made.c_str(), path.c_str()) != 0)
    return std::nullopt;
  return ListeningSocket(path, std::move(lock), std::move(place), std::move(socket));
}

Descriptor ListeningSocket::accept() const {
  return Descriptor(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
}

void ListeningSocket::close() {
  socket_.close();
  place_.close();
  lock_.close();
}

void ListeningSocket::remove() {
  unlink(path_.c_str());
  unlink(lock_beside(path_).c_str());
  close();
}

}  // namespace conclave::compiler
