// SPDX-License-Identifier: Apache-2.0
// Defined in dgemm_omp.c, which describes the arguments.
void dgemm_omp(__global const double* a, long a_line, long a_depth, __global const double* b,
               long b_line, long b_depth, long m, long n, long depth, double alpha, double beta,
               __global double* c, __global double* packed_a, __global double* packed_b);

// Enqueued as a task.
__kernel void dgemm(__global const double* a, long a_line, long a_depth, __global const double* b,
                    long b_line, long b_depth, long m, long n, long depth, double alpha,
                    double beta, __global double* c, __global double* packed_a,
                    __global double* packed_b) {
  dgemm_omp(a, a_line, a_depth, b, b_line, b_depth, m, n, depth, alpha, beta, c, packed_a,
            packed_b);
}

__kernel void empty(void) {}
