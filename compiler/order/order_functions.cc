// SPDX-License-Identifier: Apache-2.0
// Build tool: runs a program and writes down which of its functions it calls, in the order of their
// first calls. The linker then puts them side by side (--symbol-ordering-file).
//
//   order_functions OUTPUT PROGRAM ARGUMENT...
//
// Each function begins with a breakpoint, which goes away when the function is called. The program
// is linked statically, at a fixed address, and not stripped. Where processes may not be traced the
// output is empty: the program then is as fast as without an order.
#include <elf.h>
#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr unsigned char kBreakpoint = 0xcc;  // int3

using Functions = std::map<uint64_t, std::string>;  // names by addresses

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "order_functions: %s\n", what.c_str());
  std::exit(1);
}

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  if (!file) fail(std::string("cannot read ") + path);
  return content.str();
}

template <class T>
T read_at(const std::string& file, uint64_t offset) {
  T value;
  if (offset > file.size() || sizeof value > file.size() - offset) fail("damaged ELF file");
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

Functions find_functions(const std::string& file) {
  const auto header = read_at<Elf64_Ehdr>(file, 0);
  const auto section = [&](unsigned index) {
    return read_at<Elf64_Shdr>(file, header.e_shoff + index * sizeof(Elf64_Shdr));
  };
  Functions functions;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr symbols = section(i);
    if (symbols.sh_type != SHT_SYMTAB) continue;
    const uint64_t names = section(symbols.sh_link).sh_offset;
    for (uint64_t offset = 0; offset < symbols.sh_size; offset += sizeof(Elf64_Sym)) {
      const auto symbol = read_at<Elf64_Sym>(file, symbols.sh_offset + offset);
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_size > 0)
        functions.emplace(symbol.st_value, file.c_str() + names + symbol.st_name);
    }
  }
  return functions;
}

// A process whose functions begin with breakpoints.
class TracedProcess {
 public:
  TracedProcess(char** words, const Functions& functions) : process_(fork()) {
    if (process_ == 0) {
      if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0) execv(words[0], words);
      _exit(127);
    }
    if (process_ < 0 || !stopped() || status_ >> 8 != SIGTRAP) return;
    ptrace(PTRACE_SETOPTIONS, process_, nullptr, PTRACE_O_EXITKILL);
    memory_ = open(("/proc/" + std::to_string(process_) + "/mem").c_str(), O_RDWR | O_CLOEXEC);
    for (const auto& [address, name] : functions) {
      unsigned char byte;
      if (pread(memory_, &byte, 1, static_cast<off_t>(address)) != 1) continue;
      if (write_byte(address, kBreakpoint)) bytes_[address] = byte;
    }
  }
  ~TracedProcess() {
    if (memory_ >= 0) close(memory_);
  }

  // Runs to the begin of the next function that was not called before. Returns its address, 0 at
  // the end of the process.
  uint64_t next() {
    int signal = 0;
    for (;;) {
      if (memory_ < 0 || ptrace(PTRACE_CONT, process_, nullptr, signal) != 0 || !stopped())
        return 0;
      user_regs_struct registers;
      ptrace(PTRACE_GETREGS, process_, nullptr, &registers);
      const auto byte = bytes_.find(--registers.rip);
      signal = WSTOPSIG(status_);
      if (signal != SIGTRAP || byte == bytes_.end()) continue;
      write_byte(byte->first, byte->second);
      bytes_.erase(byte);
      ptrace(PTRACE_SETREGS, process_, nullptr, &registers);
      return registers.rip;
    }
  }

  bool succeeded() const { return WIFEXITED(status_) && WEXITSTATUS(status_) == 0; }

 private:
  bool stopped() { return waitpid(process_, &status_, 0) == process_ && WIFSTOPPED(status_); }
  bool write_byte(uint64_t address, unsigned char byte) {
    return pwrite(memory_, &byte, 1, static_cast<off_t>(address)) == 1;
  }

  pid_t process_;
  int status_ = -1;
  int memory_ = -1;
  std::map<uint64_t, unsigned char> bytes_;  // what was where the breakpoints are
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) fail("usage: order_functions OUTPUT PROGRAM ARGUMENT...");
  const Functions functions = find_functions(read_file(argv[2]));
  TracedProcess process(argv + 2, functions);
  std::string order;
  while (const uint64_t address = process.next()) order += functions.at(address) + "\n";
  if (!process.succeeded()) {
    std::fprintf(stderr, "order_functions: %s cannot be traced, so its functions have no order\n",
                 argv[2]);
    order.clear();
  }
  std::ofstream file(argv[1], std::ios::binary);
  file << order;
  return file.flush() ? 0 : 1;
}
