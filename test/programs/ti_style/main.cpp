// SPDX-License-Identifier: Apache-2.0
// The host's side of a matrix product in the way of TI's programs: their headers, bindings of
// OpenCL 1.2, an embedded binary, a functor bound to a queue, memory from __malloc_ddr and on the
// chip.
#include <CL/cl_ext.h>
#include <math.h>
#include <ocl_util.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iostream>

#include "kernel.dsp_h"

using namespace std;
using namespace cl;

const int M = 150, N = 70, K = 90;
float alpha = 2.0f, beta = 0.5f;

int main() {
  int errs = 0;
  try {
    Context context(CL_DEVICE_TYPE_ACCELERATOR);
    std::vector<Device> devices = context.getInfo<CL_CONTEXT_DEVICES>();
    CommandQueue Q(context, devices[0], CL_QUEUE_PROFILING_ENABLE);

    cl_uint units = 0;
    cl_ulong msmc = 0;
    devices[0].getInfo(CL_DEVICE_MAX_COMPUTE_UNITS, &units);
    devices[0].getInfo(CL_DEVICE_MSMC_MEM_SIZE_TI, &msmc);
    if (msmc < units * M * sizeof(float)) {
      cerr << "not enough memory on the chip" << endl;
      return 1;
    }

    Program::Binaries binary(1, make_pair(kernel_dsp_bin, sizeof(kernel_dsp_bin)));
    Program program = Program(context, devices, binary);
    program.build(devices);

    float* A = (float*)__malloc_ddr(M * K * sizeof(float));
    float* B = (float*)__malloc_ddr(K * N * sizeof(float));
    float* C = (float*)__malloc_ddr(M * N * sizeof(float));
    if (!A || !B || !C || !__is_in_malloced_region(B + K * N - 1)) return 2;
    for (int i = 0; i < M * K; ++i) A[i] = 1 + (i & 7);
    for (int i = 0; i < K * N; ++i) B[i] = 1 + (i & 11);
    for (int i = 0; i < M * N; ++i) C[i] = 1 + (i & 5);

    Buffer bufA(context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, M * K * sizeof(float), A);
    Buffer bufB(context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, K * N * sizeof(float), B);
    Buffer bufC(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, M * N * sizeof(float), C);
    Buffer* bufMsmc =
        new Buffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_MSMC_TI, units * M * sizeof(float));

    Kernel kernel(program, "columns");
    KernelFunctor matmul = kernel.bind(Q, NDRange(units), NDRange(1));
    Event ev = matmul(M, N, K, alpha, bufA, bufB, beta, bufC, __local(K * sizeof(float)), *bufMsmc);
    ev.wait();
    ocl_event_times(ev, "Kernel Exec");
    ocl_relative_times(ev, "Relative", ev.getProfilingInfo<CL_PROFILING_COMMAND_QUEUED>());
    delete bufMsmc;

    for (int j = 0; j < N; ++j)
      for (int i = 0; i < M; ++i) {
        float gold = beta * (1 + ((j * M + i) & 5));
        for (int k = 0; k < K; ++k) gold += alpha * A[k * M + i] * B[j * K + k];
        if (fabs(C[j * M + i] - gold) > 0.01 * gold && ++errs < 13)
          printf("Error [%d,%d]: %f <==> %f\n", i, j, C[j * M + i], gold);
      }
    __free_ddr(A);
    __free_ddr(B);
    __free_ddr(C);

    char* text = 0;
    if (ocl_read_binary("/nonexistent", text) != 0 || text) errs++;
    const char fifo[] = "ti_style.fifo";  // which nobody writes to
    mkfifo(fifo, 0600);
    if (ocl_read_binary(fifo, text) != 0 || text) errs++;
    unlink(fifo);
    int length = ocl_read_binary("/proc/self/exe", text);
    if (length < 4 || text[1] != 'E') errs++;
    delete[] text;

    // What goes wrong is told in words.
    KernelFunctor too_much = kernel.bind(Q, NDRange(units), NDRange(1 << 20));
    too_much(M);
    errs++;
  } catch (Error& err) {
    cout << "ERROR: " << err.what() << "(" << err.err() << ", " << ocl_decode_error(err.err())
         << ")" << endl;
  }
  if (errs > 0)
    cout << "FAIL with " << errs << " errors!" << endl;
  else
    cout << "PASS!" << endl;
  return errs;
}
