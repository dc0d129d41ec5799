// SPDX-License-Identifier: Apache-2.0
// What every API test starts from: the platform under test, owned handles, readable error codes,
// rows of calls that have to fail, and a fixture with a context and a queue.
#ifndef CONCLAVE_TEST_API_API_TEST_H_
#define CONCLAVE_TEST_API_API_TEST_H_

#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace conclave::test {

// The platform named Conclave, or the first whose name contains $CONCLAVE_TEST_PLATFORM, and its
// first device. Looked up at the first call, so that a process may fork before. Null if not there.
cl_platform_id platform();
cl_device_id device();

// Whether the platform under test is Conclave: some tests hold it to more than the specification
// asks, such as noticing handles of the wrong kind, where others may crash.
bool is_conclave();
#define CONCLAVE_ONLY() \
  if (!::conclave::test::is_conclave()) GTEST_SKIP() << "the specification does not ask for this"

// "CL_INVALID_VALUE (-30)"; an unknown code is just its number.
std::string error_name(cl_int code);
#define EXPECT_CL(expected, call) \
  EXPECT_EQ(::conclave::test::error_name(expected), ::conclave::test::error_name(call))
#define ASSERT_CL(expected, call) \
  ASSERT_EQ(::conclave::test::error_name(expected), ::conclave::test::error_name(call))
#define EXPECT_OK(call) EXPECT_CL(CL_SUCCESS, call)
#define ASSERT_OK(call) ASSERT_CL(CL_SUCCESS, call)

inline cl_int release(cl_device_id h) {
  return clReleaseDevice(h);
}
inline cl_int release(cl_context h) {
  return clReleaseContext(h);
}
inline cl_int release(cl_command_queue h) {
  return clReleaseCommandQueue(h);
}
inline cl_int release(cl_mem h) {
  return clReleaseMemObject(h);
}
inline cl_int release(cl_sampler h) {
  return clReleaseSampler(h);
}
inline cl_int release(cl_program h) {
  return clReleaseProgram(h);
}
inline cl_int release(cl_kernel h) {
  return clReleaseKernel(h);
}
inline cl_int release(cl_event h) {
  return clReleaseEvent(h);
}

// A handle that is released when it goes out of scope.
template <typename H>
class Owned {
 public:
  Owned() = default;
  explicit Owned(H handle) : handle_(handle) {}
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Owned() { reset(); }
  operator H() const { return handle_; }
  H get() const { return handle_; }
  // An API call stores a new handle here; the former handle is released.
  H* out() {
    reset();
    return &handle_;
  }
  const H* list() const { return &handle_; }
  void reset() {
    if (handle_) {
      EXPECT_OK(release(handle_));
    }
    handle_ = nullptr;
  }

 private:
  H handle_ = nullptr;
};
using Device = Owned<cl_device_id>;
using Context = Owned<cl_context>;
using Queue = Owned<cl_command_queue>;
using Buffer = Owned<cl_mem>;
using Program = Owned<cl_program>;
using Kernel = Owned<cl_kernel>;
using Event = Owned<cl_event>;

// A handle of another kind, for passing where a To is wanted.
template <typename To, typename From>
To as(From handle) {
  return reinterpret_cast<To>(handle);
}

// One call that has to be refused: its text, the code the specification asks for, and the call.
struct Row {
  const char* call;
  cl_int expected;
  std::function<cl_int()> run;
};
void expect_all(const std::vector<Row>& rows);

// What `create` (a call with an errcode_ret argument) reports. It must return null, even if
// no errcode_ret is given.
template <typename Create>
cl_int creation_error(const Create& create) {
  cl_int code = 0x7fffffff;  // no implementation sets this, so a code that is not set shows
  auto handle = create(&code);
  EXPECT_EQ(nullptr, handle) << "an object was created";
  EXPECT_EQ(nullptr, create(nullptr)) << "an object was created with errcode_ret null";
  return code;
}
#define BAD(expected, ...)                                          \
  ::conclave::test::Row {                                           \
    #__VA_ARGS__, expected, [&]() -> cl_int { return __VA_ARGS__; } \
  }
// The call names its errcode_ret argument `err`.
#define BAD_CREATE(expected, ...)                                                        \
  ::conclave::test::Row {                                                                \
    #__VA_ARGS__, expected, [&]() -> cl_int {                                            \
      return ::conclave::test::creation_error([&](cl_int* err) { return __VA_ARGS__; }); \
    }                                                                                    \
  }

// How large the answer to a query has to be.
struct InfoSize {
  enum Kind { kExact, kString, kArray } kind;
  size_t bytes;  // of the value, or of an element
};
template <typename T>
constexpr InfoSize one = {InfoSize::kExact, sizeof(T)};
template <typename T>
constexpr InfoSize list_of = {InfoSize::kArray, sizeof(T)};
constexpr InfoSize text = {InfoSize::kString, 1};

// A clGet*Info call with its object and parameter name bound.
using Query = std::function<cl_int(size_t, void*, size_t*)>;

// The answer to `query`. Checks that its size is as reported and as `size` says, that it is refused
// if one byte is missing, and that nothing is written beyond it.
std::vector<char> checked_info(const Query& query, InfoSize size);

template <typename T, typename Handle>
T info(cl_int(CL_API_CALL* get)(Handle, cl_uint, size_t, void*, size_t*),
       std::type_identity_t<Handle> handle, cl_uint name) {
  T value{};
  EXPECT_OK(get(handle, name, sizeof value, &value, nullptr)) << "parameter " << name;
  return value;
}
std::string device_text(cl_device_id device, cl_device_info name);
std::string platform_text(cl_platform_info name);
std::string build_log(cl_program program, cl_device_id device = test::device());
cl_int event_status(cl_event event);

// The kernels that most tests share (see api_test.cc), so that one build, cached, serves all.
extern const char kKernels[];

// `source` as a text that no cache knows, so that it is compiled. (Notes about launches are kept for
// what it is compiled to.)
std::string fresh(const std::string& source);

Context make_context();
Queue make_queue(cl_context context, cl_command_queue_properties properties = 0);
Program make_program(cl_context context, const std::string& source);
Program build(cl_context context, const std::string& source, const char* options = "");
Kernel make_kernel(cl_program program, const char* name);
Buffer make_buffer(cl_context context, size_t size, cl_mem_flags flags = CL_MEM_READ_WRITE,
                   void* host = nullptr);
Buffer make_buffer(cl_context context, const std::vector<int>& data);
Buffer sub_buffer(cl_mem parent, size_t origin, size_t size, cl_mem_flags flags = 0);
// The binary of a program for one device.
std::vector<unsigned char> binary_of(cl_program program);
Event user_event(cl_context context);
// Launches `kernel` over `items` work-items in groups of 64; its arguments are `out` and the
// numbers.
Event launch(cl_command_queue queue, cl_kernel kernel, cl_mem out, const std::vector<int>& numbers,
             size_t items, const std::vector<cl_event>& wait = {});
std::vector<int> contents(cl_command_queue queue, cl_mem buffer, size_t count);

class ApiTest : public ::testing::Test {
 protected:
  void SetUp() override;

  // Kernel `name` of kKernels, built at the first call.
  Kernel kernel(const char* name);

  Context context_;
  Queue queue_;  // in order, with profiling
  Program program_;
};

}  // namespace conclave::test

#endif  // CONCLAVE_TEST_API_API_TEST_H_
