#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Buffers, kernels and reductions through PyOpenCL, checked against NumPy."""

import sys

import numpy
import pyopencl
import pyopencl.array

SOURCE = """
__kernel void axpy(float alpha, __global const float *x, __global float *y) {
  const size_t i = get_global_id(0);
  y[i] += alpha * x[i];
}

__kernel void group_sums(__global const int *in, __global int *out, __local int *partial) {
  const size_t l = get_local_id(0);
  partial[l] = in[get_global_id(0)];
  for (size_t reach = get_local_size(0) / 2; reach > 0; reach /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < reach) partial[l] += partial[l + reach];
  }
  if (l == 0) out[get_group_id(0)] = partial[0];
}
"""


def check(what, right):
    print(f"{what}: {'right' if right else 'WRONG'}")
    if not right:
        sys.exit(f"FAILED: {what}")


def main():
    device = pyopencl.get_platforms()[0].get_devices()[0]
    print(f"{device.platform.name}: {device.name}")
    check("platform", device.platform.name.startswith("Conclave"))
    context = pyopencl.Context([device])
    queue = pyopencl.CommandQueue(context)
    program = pyopencl.Program(context, SOURCE).build()
    generator = numpy.random.default_rng(1)
    flags = pyopencl.mem_flags

    count = 100003
    x = generator.random(count, dtype=numpy.float32)
    y = generator.random(count, dtype=numpy.float32)
    x_buffer = pyopencl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=x)
    y_buffer = pyopencl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=y)
    program.axpy(queue, (count,), None, numpy.float32(2.5), x_buffer, y_buffer)
    result = numpy.empty_like(y)
    pyopencl.enqueue_copy(queue, result, y_buffer)
    check("axpy", numpy.allclose(result, 2.5 * x + y, rtol=1e-6))

    group, groups = 64, 50
    numbers = generator.integers(-1000, 1000, group * groups, dtype=numpy.int32)
    in_buffer = pyopencl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=numbers)
    out_buffer = pyopencl.Buffer(context, flags.WRITE_ONLY, groups * 4)
    program.group_sums(queue, (group * groups,), (group,), in_buffer, out_buffer,
                       pyopencl.LocalMemory(group * 4))
    sums = numpy.empty(groups, dtype=numpy.int32)
    pyopencl.enqueue_copy(queue, sums, out_buffer)
    check("group sums", numpy.array_equal(sums, numbers.reshape(groups, group).sum(axis=1)))

    # PyOpenCL generates the kernels for these itself.
    array = pyopencl.array.to_device(queue, x)
    check("array arithmetic", numpy.allclose((3 * array + 1).get(), 3 * x + 1, rtol=1e-6))
    check("array sum", abs(pyopencl.array.sum(array).get() / x.sum(dtype=numpy.float64) - 1) < 1e-4)

    try:
        pyopencl.Program(context, "__kernel void broken() { nonsense; }").build()
        check("a program with an error is refused", False)
    except pyopencl.RuntimeError as error:
        check("the build log names the error", "nonsense" in str(error))


main()
