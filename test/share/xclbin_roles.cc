// SPDX-License-Identifier: Apache-2.0
#include "xclbin_roles.h"

#include <CL/cl.h>
#include <CL/cl_ext_conclave.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "platform/share/layout.h"
#include "xrt/xrt.h"

namespace conclave::test {
namespace {

constexpr int kCount = 1000;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

int input(int which, int i) {
  return which * 3 + i % 17;
}

// X adds, Y multiplies.
void check(const int* result, const std::string& xclbin) {
  for (int i = 0; i < kCount; ++i) {
    const int a = input(1, i), b = input(2, i);
    if (result[i] != (xclbin == "X" ? a + b : a * b))
      throw std::runtime_error("the result is wrong at " + std::to_string(i));
  }
}

// What a line says: a word and its arguments.
std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

// Writes into the segment of this process, as one that is bent on mischief would.
int forge_units(unsigned count) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(" rw-s ") == line.npos) continue;
    auto* header = reinterpret_cast<share::Header*>(std::stoul(line, nullptr, 16));
    if (header->magic.load() != share::kMagic) continue;
    // Behind the count of stores in the word.
    reinterpret_cast<std::atomic<uint64_t>&>(header->xclbin_compute_units) = uint64_t{count} << 24;
    return 0;
  }
  return -1;
}

// --- XRT's C interface ---

class XclClient {
 public:
  int step(const std::vector<std::string>& words) {
    const std::string& verb = words.at(0);
    const auto number = [&](size_t i) { return static_cast<unsigned>(std::stoul(words.at(i))); };
    if (verb == "open") return (handle_ = xclOpen(0, nullptr, XCL_QUIET)) ? 0 : -1;
    if (verb == "close") return xclClose(handle_), 0;
    if (verb == "load") return load(words.at(1));
    if (verb == "context")
      return xclOpenContext(handle_, uuid(xclbin_ = words.at(1)), number(2),
                            words.at(3) == "shared");
    if (verb == "uncontext") return xclCloseContext(handle_, uuid(words.at(1)), number(2));
    if (verb == "exec") return exec(number(1));
    if (verb == "again") return xclExecBuf(handle_, buffers_.back());
    if (verb == "wait") return wait();
    if (verb == "fork") return in_child({words.begin() + 1, words.end()});
    if (verb == "forge") return forge_units(number(1));
    throw std::runtime_error("unknown step " + verb);
  }

 private:
  const std::string& file(const std::string& name) {
    std::string& bytes = files_[name];
    if (bytes.empty()) bytes = read_file(xclbin_file(name));
    return bytes;
  }
  const unsigned char* uuid(const std::string& name) {
    return reinterpret_cast<const axlf*>(file(name).data())->m_header.uuid;
  }
  int load(const std::string& name) {
    return xclLoadXclBin(handle_, reinterpret_cast<const axlf*>(file(name).data()));
  }

  uint64_t buffer(int which) {
    const xclBufferHandle bo = xclAllocBO(handle_, kCount * sizeof(int), 0, 0);
    auto* words = static_cast<int*>(xclMapBO(handle_, bo, true));
    if (!words) throw std::runtime_error("no buffer object");
    for (int i = 0; i < kCount; ++i) words[i] = which ? input(which, i) : -1;
    xclSyncBO(handle_, bo, XCL_BO_SYNC_BO_TO_DEVICE, kCount * sizeof(int), 0);
    buffers_.push_back(bo);
    xclBOProperties properties;
    xclGetBOProperties(handle_, bo, &properties);
    return properties.paddr;
  }

  int exec(unsigned unit) {
    for (xclBufferHandle bo : buffers_) xclFreeBO(handle_, bo);
    buffers_.clear();
    const xclBufferHandle command = xclAllocBO(handle_, 4096, 0, XCL_BO_FLAGS_EXECBUF);
    packet_ = static_cast<ert_start_kernel_cmd*>(xclMapBO(handle_, command, true));
    if (!packet_) throw std::runtime_error("no buffer object");
    packet_->state = ERT_CMD_STATE_NEW;
    packet_->opcode = ERT_START_CU;
    packet_->cu_mask = 1u << unit;
    uint32_t* registers = packet_->data;
    const auto address = [&](uint32_t offset, uint64_t value) {
      std::memcpy(reinterpret_cast<char*>(registers) + offset, &value, sizeof value);
    };
    address(0x10, buffer(1));
    address(0x1c, buffer(2));
    address(0x28, buffer(0));
    registers[0x34 / 4] = kCount;
    registers[0x3c / 4] = kCount + 24;  // global size
    packet_->count = 1 + 0x54 / 4;
    buffers_.push_back(command);
    return xclExecBuf(handle_, command);
  }

  int wait() {
    const int ended = xclExecWait(handle_, 30'000);
    if (ended < 0) return ended;
    if (ended == 0 || packet_->state != ERT_CMD_STATE_COMPLETED) return -1;
    int result[kCount];
    xclSyncBO(handle_, buffers_[2], XCL_BO_SYNC_BO_FROM_DEVICE, sizeof result, 0);
    xclReadBO(handle_, buffers_[2], result, sizeof result, 0);
    check(result, xclbin_);
    return 0;
  }

  int in_child(const std::vector<std::string>& words) {
    const pid_t child = fork();
    if (child == 0) _exit(-step(words));
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? -WEXITSTATUS(status) : -1;
  }

  xclDeviceHandle handle_ = nullptr;
  std::map<std::string, std::string> files_;
  std::string xclbin_;
  std::vector<xclBufferHandle> buffers_;
  ert_start_kernel_cmd* packet_ = nullptr;
};

void xcl(const Arguments&) {
  XclClient client;
  for (;;) {
    const std::string line = listen();
    if (line == "error")
      tell(xclConclaveErrorText());
    else if (line == "end")
      return;
    else
      tell(std::to_string(client.step(words_of(line))));
  }
}

// --- OpenCL ---

std::string g_told;
void CL_CALLBACK keep_text(const char* text, const void*, size_t, void*) {
  g_told = text;
}

class OpenClClient {
 public:
  OpenClClient() {
    cl_platform_id platform;
    clGetPlatformIDs(1, &platform, nullptr);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr);
    context_ = clCreateContext(nullptr, 1, &device_, keep_text, nullptr, nullptr);
    queue_ = clCreateCommandQueue(context_, device_, 0, nullptr);
  }
  cl_int step(const std::vector<std::string>& words) {
    const std::string& verb = words.at(0);
    if (verb == "load") return load(words.at(1));
    if (verb == "unload") return clReleaseProgram(program_);
    if (verb == "kernel") {
      cl_int code;
      kernel_ = clCreateKernel(program_, words.at(1).c_str(), &code);
      return code;
    }
    if (verb == "count") {
      cl_uint count = 0;
      clGetKernelInfo(kernel_, CL_KERNEL_COMPUTE_UNIT_COUNT, sizeof count, &count, nullptr);
      return static_cast<cl_int>(count);
    }
    if (verb == "unkernel") return clReleaseKernel(kernel_);
    if (verb == "run") return words.size() > 1 ? run_on_part(std::stoul(words[1])) : run(queue_);
    if (verb == "binary") return binary_is_the_file() ? 0 : -1;
    if (verb == "rebuild") return clBuildProgram(program_, 0, nullptr, "", nullptr, nullptr);
    throw std::runtime_error("unknown step " + verb);
  }
  std::string names() const {
    char text[256] = "";
    clGetProgramInfo(program_, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, nullptr);
    return text;
  }
  std::string log() const {
    char text[4096] = "";
    clGetProgramBuildInfo(program_, device_, CL_PROGRAM_BUILD_LOG, sizeof text, text, nullptr);
    return text;
  }

 private:
  cl_int load(const std::string& name) {
    xclbin_ = name;
    const std::string bytes = read_file(xclbin_file(name));
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    const size_t size = bytes.size();
    cl_int status, code;
    program_ = clCreateProgramWithBinary(context_, 1, &device_, &size, &data, &status, &code);
    return code;
  }

  bool binary_is_the_file() {
    const std::string file = read_file(xclbin_file(xclbin_));
    size_t size = 0;
    clGetProgramInfo(program_, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr);
    std::string bytes(size, '\0');
    char* to = bytes.data();
    clGetProgramInfo(program_, CL_PROGRAM_BINARIES, sizeof to, &to, nullptr);
    return bytes == file;
  }

  // On one of the sub-devices of one compute unit each.
  cl_int run_on_part(size_t index) {
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_device_id parts[2];
    const cl_int split = clCreateSubDevices(device_, equally, 2, parts, nullptr);
    if (split != CL_SUCCESS) return split;
    cl_command_queue queue = clCreateCommandQueue(context_, parts[index], 0, nullptr);
    const cl_int code = run(queue);
    clReleaseCommandQueue(queue);
    for (cl_device_id part : parts) clReleaseDevice(part);
    return code;
  }

  cl_int run(cl_command_queue queue) {
    cl_mem buffers[3];
    for (int which = 0; which < 3; ++which) {
      int words[kCount];
      for (int i = 0; i < kCount; ++i) words[i] = input(which + 1, i);
      buffers[which] = clCreateBuffer(context_, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                      sizeof words, words, nullptr);
      clSetKernelArg(kernel_, static_cast<cl_uint>(which), sizeof(cl_mem), &buffers[which]);
    }
    const int count = kCount;
    clSetKernelArg(kernel_, 3, sizeof count, &count);
    const size_t global = kCount;
    const cl_int code =
        clEnqueueNDRangeKernel(queue, kernel_, 1, nullptr, &global, nullptr, 0, nullptr, nullptr);
    int result[kCount];
    clEnqueueReadBuffer(queue, buffers[2], CL_TRUE, 0, sizeof result, result, 0, nullptr, nullptr);
    for (cl_mem buffer : buffers) clReleaseMemObject(buffer);
    if (code == CL_SUCCESS) check(result, xclbin_);
    return code;
  }

  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  cl_kernel kernel_ = nullptr;
  std::string xclbin_;
};

std::string in_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

void opencl(const Arguments&) {
  OpenClClient client;
  for (;;) {
    const std::string line = listen();
    if (line == "told")
      tell(in_one_line(g_told));
    else if (line == "log")
      tell(in_one_line(client.log()));
    else if (line == "names")
      tell(client.names());
    else if (line == "end")
      return;
    else
      tell(std::to_string(client.step(words_of(line))));
  }
}

}  // namespace

const std::map<std::string, Role>& xclbin_roles() {
  static const std::map<std::string, Role> roles = {{"xcl", xcl}, {"opencl", opencl}};
  return roles;
}

std::string xclbin_file(const std::string& name) {
  return name == "X" ? XCLBIN_X_FILE : XCLBIN_Y_FILE;
}

}  // namespace conclave::test
