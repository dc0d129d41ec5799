// SPDX-License-Identifier: Apache-2.0
// A compile server that does what the first word of the source says. FAKE_BINARY names the file
// that it answers with, FAKE_FOREIGN_BINARY one for another CPU, FAKE_COUNT a file to which each
// compilation adds a byte.
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "conclave/compile_protocol.h"

extern char** environ;

namespace {

using namespace conclave::protocol;

bool read_exactly(int fd, void* buffer, size_t size) {
  char* at = static_cast<char*>(buffer);
  while (size > 0) {
    const ssize_t count = read(fd, at, size);
    if (count <= 0) return false;
    at += count;
    size -= static_cast<size_t>(count);
  }
  return true;
}

void write_all(int fd, const std::string& bytes) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t count = send(fd, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (count <= 0) _exit(5);
    done += static_cast<size_t>(count);
  }
}

void write_number(int fd, uint64_t number) {
  write_all(fd, std::string(reinterpret_cast<const char*>(&number), sizeof number));
}

void answer(int fd, const Response& response) {
  const std::string body = encode(response);
  write_number(fd, body.size());
  write_all(fd, body);
}

// What a test may want to know about this process.
std::string describe_process() {
  std::ostringstream text;
  if (DIR* directory = opendir("/proc/self/fd")) {
    while (const dirent* entry = readdir(directory))
      if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(directory))
        text << "fd " << entry->d_name << "\n";
    closedir(directory);
  }
  for (char** variable = environ; *variable; ++variable) text << "env " << *variable << "\n";
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("Sig")) text << line << "\n";
  text << "server " << getppid() << "\n";
  return text.str();
}

void wait_for_cancel(int fd) {
  pollfd entry{fd, POLLRDHUP, 0};
  poll(&entry, 1, -1);
  _exit(6);
}

void count_compilation() {
  const char* path = getenv("FAKE_COUNT");
  if (!path) return;
  const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (write(fd, "x", 1) != 1) _exit(7);
  close(fd);
}

void serve(int fd) {
  uint64_t size = 0;
  if (!read_exactly(fd, &size, sizeof size)) _exit(3);
  std::string body(size, '\0');
  if (!read_exactly(fd, body.data(), size)) _exit(3);
  const Request request = decode_request(body);
  std::istringstream words(request.source);
  std::string word;
  words >> word;
  count_compilation();
  Response response;
  if (word == "hang") wait_for_cancel(fd);
  if (word == "crash") abort();
  if (word == "kill_server") {
    kill(getppid(), SIGKILL);
    _exit(0);
  }
  if (word == "long") return write_number(fd, ~uint64_t{0});
  if (word == "noise") {
    write_number(fd, 40);
    return write_all(fd, std::string(40, '\xa5'));
  }
  if (word == "cut") {
    write_number(fd, 1000);
    return write_all(fd, "half of it");
  }
  if (word == "bad_status") {
    response.status = static_cast<Status>(77);
    return answer(fd, response);
  }
  if (word == "fail") {
    usleep(20000);
    response.log = "program.cl:1:1: error: told to fail\n";
    return answer(fd, response);
  }
  if (word == "describe") {
    response.log = describe_process();
    return answer(fd, response);
  }
  int milliseconds = 0;
  if (word == "sleep") words >> milliseconds;
  usleep(static_cast<useconds_t>(milliseconds) * 1000);
  response.status = Status::kSuccess;
  response.log = "a warning\n";
  const char* file = getenv("FAKE_BINARY");
  if (word == "bad_binary") file = "/proc/self/exe";
  if (word == "foreign" && request.target_cpu.empty()) file = getenv("FAKE_FOREIGN_BINARY");
  std::ifstream binary(file, std::ios::binary);
  response.binary = {std::istreambuf_iterator<char>(binary), {}};
  answer(fd, response);
}

// The next connection, or -1 when the runtime has gone.
int take_connection() {
  char byte;
  iovec data{&byte, 1};
  alignas(cmsghdr) char attachment[CMSG_SPACE(sizeof(int))];
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = attachment;
  message.msg_controllen = sizeof attachment;
  if (recvmsg(kControlFd, &message, MSG_CMSG_CLOEXEC) != 1) return -1;
  int fd;
  std::memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
  return fd;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || std::string(argv[1]) != "--server") return 2;
  signal(SIGCHLD, SIG_IGN);
  for (int fd; (fd = take_connection()) >= 0;) {
    // Goes away without an answer, once, as an idle server does.
    const char* idle = getenv("FAKE_IDLE_ONCE");
    if (idle && unlink(idle) == 0) _exit(0);
    if (fork() == 0) {
      close(kControlFd);
      serve(fd);
      _exit(0);
    }
    close(fd);
  }
  return 0;
}
