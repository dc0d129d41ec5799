// SPDX-License-Identifier: Apache-2.0
#include "graph_roles.h"

#include <CL/cl_ext_conclave.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "graph_hostile_roles.h"
#include "hostile_roles.h"
#include "xrt/xrt_aie.h"
#include "xrt/xrt_graph.h"
#include "xrt/xrt_kernel.h"

namespace conclave::test {
namespace {

// Kernels that write a stream have the arguments out, first, n; those that read one in, to, n.
bool is_writer(const std::string& kernel) {
  return kernel.starts_with("source") || kernel.starts_with("triples") ||
         kernel.starts_with("pages");
}

std::string difference(const int* values, int first, int count) {
  for (int i = 0; i < count; ++i)
    if (values[i] != first + i)
      return "number " + std::to_string(i) + " is " + std::to_string(values[i]);
  return "0";
}

void must(cl_int code) {
  if (code != CL_SUCCESS) throw std::runtime_error("OpenCL failed: " + std::to_string(code));
}

// A kernel of the xclbin, from OpenCL.
class ClClient {
 public:
  explicit ClClient(const std::string& file) {
    cl_platform_id platform = nullptr;
    cl_device_id device = nullptr;
    must(clGetPlatformIDs(1, &platform, nullptr));
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr));
    context_ = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
    queue_ = clCreateCommandQueueWithProperties(context_, device, nullptr, nullptr);
    std::ifstream stream(file, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
    const size_t size = bytes.size();
    const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    cl_int code = CL_SUCCESS;
    program_ = clCreateProgramWithBinary(context_, 1, &device, &size, &data, nullptr, &code);
    must(code);
  }

  void start(const std::string& name, int first, int count) {
    cl_int code = CL_SUCCESS;
    cl_kernel kernel = clCreateKernel(program_, name.c_str(), &code);
    must(code);
    if (is_writer(name)) {
      must(clSetKernelArg(kernel, 1, sizeof first, &first));
    } else {
      values_.assign(static_cast<size_t>(count), -2);
      buffer_ = clCreateBuffer(context_, CL_MEM_USE_HOST_PTR, values_.size() * sizeof(int),
                               values_.data(), &code);
      must(code);
      must(clSetKernelArg(kernel, 1, sizeof buffer_, &buffer_));
    }
    must(clSetKernelArg(kernel, 2, sizeof count, &count));
    const size_t one = 1;
    must(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, nullptr, 0, nullptr, &event_));
    must(clFlush(queue_));
    must(clReleaseKernel(kernel));
  }
  cl_int finish() {
    clWaitForEvents(1, &event_);
    cl_int status = CL_QUEUED;
    must(
        clGetEventInfo(event_, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr));
    clReleaseEvent(event_);
    return status;
  }
  bool has_values() const { return !values_.empty(); }
  const int* values() {
    const size_t bytes = values_.size() * sizeof(int);
    must(clEnqueueReadBuffer(queue_, buffer_, CL_TRUE, 0, bytes, values_.data(), 0, nullptr,
                             nullptr));
    return values_.data();
  }

 private:
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  cl_mem buffer_ = nullptr;
  cl_event event_ = nullptr;
  std::vector<int> values_;
};

class GraphClient {
 public:
  std::string step(const std::vector<std::string>& words) {
    const std::string& verb = words.at(0);
    const auto number = [&](size_t i) { return std::stoull(words.at(i)); };
    if (verb == "cpu") return cpu();
    if (!device_) device_ = xrt::device(0);
    if (verb == "load") {
      file_ = words.size() > 1 ? words[1] : graph_xclbin_file();
      uuid_ = device_.load_xclbin(file_);
    } else if (verb == "graph") {
      graph_ = xrt::graph(device_, uuid_, words.at(1), mode<xrt::graph::access_mode>(words.at(2)));
    } else if (verb == "array") {
      arrays_.emplace_back(device_, mode<xrt::aie::device::access_mode>(words.at(1)));
    } else if (verb == "noarray") {
      arrays_.clear();
    } else if (verb == "close") {
      graph_ = {};
    } else if (verb == "reset") {
      graph_.reset();
    } else if (verb == "run") {
      graph_.run(static_cast<uint32_t>(number(1)));
    } else if (verb == "wait") {
      graph_.wait(std::chrono::milliseconds(number(1)));
    } else if (verb == "cycles") {
      graph_.wait(static_cast<uint64_t>(number(1)));
    } else if (verb == "suspend") {
      graph_.suspend();
    } else if (verb == "resume") {
      graph_.resume();
    } else if (verb == "end") {
      graph_.end(number(1));
    } else if (verb == "timestamp") {
      if (graph_.get_timestamp() == 0) return "no time";
    } else if (verb == "update") {
      graph_.update(words.at(1), std::stoi(words.at(2)));
    } else if (verb == "update_nb") {
      graph_.update_nb(words.at(1), std::stoi(words.at(2)));
    } else if (verb == "read" || verb == "read_nb") {
      int value = 0;
      verb == "read" ? graph_.read(words.at(1), value) : graph_.read_nb(words.at(1), value);
      return "= " + std::to_string(value);
    } else if (verb == "start") {
      start(words.at(1), std::stoi(words.at(2)), std::stoi(words.at(3)));
    } else if (verb == "finish") {
      return std::to_string(run_.wait(std::chrono::milliseconds(number(1))));
    } else if (verb == "send" || verb == "receive") {
      move(verb == "send", words);
    } else if (verb == "moved") {
      moved_.wait();
    } else if (verb == "clstart") {
      if (!cl_) cl_ = new ClClient(file_);
      cl_->start(words.at(1), std::stoi(words.at(2)), std::stoi(words.at(3)));
    } else if (verb == "clfinish") {
      return std::to_string(cl_->finish());
    } else if (verb == "fill" || verb == "filled") {
      return fill(words.at(1), number(2), words.size() > 3 ? std::stoi(words[3]) : -1);
    } else if (verb == "context") {
      if (!cl_) cl_ = new ClClient(file_);
    } else if (verb == "check") {
      const int first = std::stoi(words.at(1)), count = std::stoi(words.at(2));
      return difference(cl_ && cl_->has_values() ? cl_->values() : buffer_.map<int*>(), first,
                        count);
    } else {
      throw std::runtime_error("unknown step " + verb);
    }
    return "0";
  }

 private:
  template <class Mode>
  static Mode mode(const std::string& name) {
    if (name == "exclusive") return Mode::exclusive;
    return name == "shared" ? Mode::shared : Mode::primary;
  }

  static std::string cpu() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto us = [](const timeval& time) { return time.tv_sec * 1'000'000 + time.tv_usec; };
    return std::to_string(us(used.ru_utime) + us(used.ru_stime));
  }

  // Writes so many times `value`; or, where that is -1, reads them.
  std::string fill(const std::string& port, size_t count, int value) {
    std::vector<unsigned char> bytes(count, static_cast<unsigned char>(value));
    if (value >= 0) {
      graph_.update(port, bytes.data(), count);
      return "0";
    }
    graph_.read(port, bytes.data(), count);
    return std::count(bytes.begin(), bytes.end(), bytes[0]) == static_cast<ptrdiff_t>(count)
               ? "= " + std::to_string(bytes[0])
               : "of several values";
  }

  void start(const std::string& name, int first, int count) {
    run_ = xrt::run(xrt::kernel(device_, uuid_, name));
    if (is_writer(name)) {
      run_.set_arg(1, first);
    } else {
      buffer_ = xrt::bo(device_, static_cast<size_t>(count) * sizeof(int), 0);
      std::fill_n(buffer_.map<int*>(), count, -2);
      run_.set_arg(1, buffer_);
    }
    run_.set_arg(2, count);
    run_.start();
  }

  void move(bool sends, const std::vector<std::string>& words) {
    const int count = std::stoi(words.back());
    xrt::aie::bo bo(device_, static_cast<size_t>(count) * sizeof(int), 0);
    if (sends) std::iota(bo.map<int*>(), bo.map<int*>() + count, std::stoi(words.at(2)));
    buffer_ = bo;
    moved_ = bo.async(words.at(1), sends ? XCL_BO_SYNC_BO_GMIO_TO_AIE : XCL_BO_SYNC_BO_AIE_TO_GMIO);
  }

  xrt::device device_;
  xrt::uuid uuid_;
  std::string file_;
  xrt::graph graph_;
  std::vector<xrt::aie::device> arrays_;
  xrt::run run_;
  xrt::bo buffer_;
  xrt::bo::async_handle moved_;
  // Not released: programs end without that, too. Static, so that it is no leak.
  static inline ClClient* cl_ = nullptr;
};

void graphs_role(const Arguments&) {
  GraphClient client;
  for (;;) {
    std::istringstream line(listen());
    const std::vector<std::string> words{std::istream_iterator<std::string>(line), {}};
    if (words.at(0) == "leave") return;
    try {
      tell(client.step(words));
    } catch (const xrt::system_error& error) {
      tell(std::to_string(error.get_code()));
    }
  }
}

}  // namespace

const std::map<std::string, Role>& graph_roles() {
  static const std::map<std::string, Role> roles = [] {
    std::map<std::string, Role> all = {{"graphs", graphs_role}};
    all.insert(graph_hostile_roles().begin(), graph_hostile_roles().end());
    all.insert(hostile_roles().begin(), hostile_roles().end());
    return all;
  }();
  return roles;
}

std::string graph_xclbin_file() {
  return GRAPH_XCLBIN_FILE;
}

std::string one_unit_xclbin_file() {
  return ONE_UNIT_XCLBIN_FILE;
}

std::string gmio_xclbin_file() {
  return GMIO_XCLBIN_FILE;
}

}  // namespace conclave::test
