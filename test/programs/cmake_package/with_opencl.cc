// SPDX-License-Identifier: Apache-2.0
#include <CL/cl_ext_conclave.h>
#include <ti/ocl_util.h>

int main(int, char** arguments) {
  char* binary = nullptr;
  const size_t size = ocl_read_binary(arguments[1], binary);
  const unsigned char* bytes = reinterpret_cast<unsigned char*>(binary);

  cl_platform_id platform;
  cl_device_id device;
  clGetPlatformIDs(1, &platform, nullptr);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  cl_program program =
      clCreateProgramWithBinary(context, 1, &device, &size, &bytes, nullptr, nullptr);
  clBuildProgram(program, 1, &device, nullptr, nullptr, nullptr);
  cl_int error = CL_SUCCESS;
  clCreateKernel(program, "twice", &error);
  return error;
}
