// SPDX-License-Identifier: Apache-2.0
// What Faults.java calls: kernels that are right and kernels that fault. Each thread of Java has
// its own queue and buffer.
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <jni.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1024 };

static const char* const kSource =
    "kernel void faulty(global int* out, int how) {\n"
    "  size_t i = get_global_id(0);\n"
    "  if (i == 7 && how == 0) *(volatile global int*)0 = 1;\n"
    "  if (i == 7 && how == 1) *(volatile global int*)0x123456789000ul = 1;\n"
    "  if (i == 7 && how == 2) __builtin_trap();\n"
    "  out[i] = 1;\n"
    "}\n"
    "kernel void healthy(global int* out, int seed) {\n"
    "  out[get_global_id(0)] = seed + 3 * get_global_id(0);\n"
    "}\n";

static cl_device_id device;
static cl_context context;
static cl_program program;

static void check(cl_int error, const char* what) {
  if (error == CL_SUCCESS) return;
  fprintf(stderr, "%s: error %d\n", what, error);
  exit(1);
}

JNIEXPORT void JNICALL Java_Faults_open(JNIEnv* env, jclass self) {
  (void)env, (void)self;
  cl_platform_id platform;
  cl_int error;
  check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
  check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  check(error, "clCreateContext");
  const char* text = kSource;
  program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
  check(error, "clCreateProgramWithSource");
  check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
}

// Runs a kernel, and returns its event's status; the results are in `results`.
static cl_int run(const char* name, cl_int argument, cl_int* results) {
  cl_int error, status = 0;
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
  check(error, "clCreateCommandQueueWithProperties");
  cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, COUNT * sizeof(cl_int), NULL, &error);
  check(error, "clCreateBuffer");
  cl_kernel kernel = clCreateKernel(program, name, &error);
  check(error, "clCreateKernel");
  check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
  check(clSetKernelArg(kernel, 1, sizeof argument, &argument), "clSetKernelArg");
  const size_t items = COUNT;
  cl_event event;
  check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, &event),
        "clEnqueueNDRangeKernel");
  clWaitForEvents(1, &event);  // that it fails is told by the status
  check(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
        "clGetEventInfo");
  check(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, COUNT * sizeof(cl_int), results, 0, NULL,
                            NULL),
        "clEnqueueReadBuffer");
  clReleaseEvent(event);
  clReleaseKernel(kernel);
  clReleaseMemObject(buffer);
  clReleaseCommandQueue(queue);
  return status;
}

JNIEXPORT jint JNICALL Java_Faults_runHealthy(JNIEnv* env, jclass self, jint seed) {
  (void)env, (void)self;
  cl_int results[COUNT];
  if (run("healthy", seed, results) != CL_COMPLETE) return COUNT;
  jint wrong = 0;
  for (cl_int i = 0; i < COUNT; ++i) wrong += results[i] != seed + 3 * i;
  return wrong;
}

JNIEXPORT jint JNICALL Java_Faults_runFaulty(JNIEnv* env, jclass self, jint how) {
  (void)env, (void)self;
  cl_int results[COUNT];
  return run("faulty", how, results);
}

JNIEXPORT void JNICALL Java_Faults_writeToNull(JNIEnv* env, jclass self) {
  (void)env, (void)self;
  *(volatile int*)NULL = 1;
}
