# SPDX-License-Identifier: Apache-2.0
"""SYCL on the device: allocations, copies and a kernel from SPIR-V through dpctl, and dpnp's compiled
kernels if that is installed. sycl.py <a module of SPIR-V with the kernel axpy>; sycl.sh calls it."""
import ctypes
import sys

import dpctl
import dpctl.memory
import dpctl.program
import numpy

COUNT = 1000


def check(what, right):
    print(f"{what}: {'right' if right else 'WRONG'}", flush=True)
    if not right:
        sys.exit(1)


def find_queue():
    platforms = [platform.name for platform in dpctl.get_platforms()]
    check(f"platforms {platforms}", platforms == ["Conclave"])
    queue = dpctl.SyclQueue("opencl:cpu", property="enable_profiling")
    print(queue.sycl_device.name, queue.sycl_device.driver_version)
    return queue


def check_memory(queue):
    numbers = numpy.arange(COUNT, dtype=numpy.int32)
    for kind in ("Shared", "Device", "Host"):
        allocate = getattr(dpctl.memory, "MemoryUSM" + kind)
        memory, other = (allocate(numbers.nbytes, queue=queue) for _ in range(2))
        check(f"a {memory.get_usm_type()} allocation", memory.get_usm_type() == kind.lower())
        memory.copy_from_host(numbers.view(numpy.uint8))
        other.copy_from_device(memory)
        check("a copy", numpy.array_equal(other.copy_to_host().view(numpy.int32), numbers))


def check_kernel(queue, module):
    program = dpctl.program.create_program_from_spirv(queue, module)
    kernel = program.get_sycl_kernel("axpy")
    check("the kernel's arguments", kernel.get_num_args() == 3)
    x = dpctl.memory.MemoryUSMShared(4 * COUNT, queue=queue)
    y = dpctl.memory.MemoryUSMDevice(4 * COUNT, queue=queue)
    numbers = numpy.arange(COUNT, dtype=numpy.float32)
    x.copy_from_host(numbers.view(numpy.uint8))
    y.copy_from_host(numpy.ones(COUNT, numpy.float32).view(numpy.uint8))
    # In order by their events: each adds 2 * x.
    event = queue.submit(kernel, [x, y, ctypes.c_float(2)], [COUNT])
    event = queue.submit(kernel, [x, y, ctypes.c_float(2)], [COUNT], [50], [event])
    event.wait()
    check("the kernel's time", event.profiling_info_end >= event.profiling_info_start > 0)
    result = y.copy_to_host().view(numpy.float32)
    check("the kernel's result", numpy.array_equal(result, 4 * numbers + 1))


def check_arrays():
    try:
        import dpnp
    except ImportError:
        print("dpnp is not installed")
        return
    random = numpy.random.default_rng(1)
    for dtype in ("int32", "int64", "float32", "float64", "uint8", "complex64"):
        a = (random.random(COUNT) * 100 + 1).astype(dtype)
        b = (random.random(COUNT) * 50 + 1).astype(dtype)
        x, y = dpnp.array(a), dpnp.array(b)

        def same(what, got, wanted):
            check(f"{what} of {dtype}", numpy.allclose(dpnp.asnumpy(got), wanted, rtol=1e-3))

        for name in ("add", "subtract", "multiply", "divide", "maximum", "equal", "less"):
            same(name, getattr(dpnp, name)(x, y), getattr(numpy, name)(a, b))
        for name in ("sum", "max", "min", "argmax", "mean", "any", "cumsum", "sort", "unique"):
            same(name, getattr(dpnp, name)(x), getattr(numpy, name)(a))
        same("sum of columns", x.reshape(10, -1).sum(axis=0), a.reshape(10, -1).sum(axis=0))
        same("where", dpnp.where(x > y, x, y), numpy.where(a > b, a, b))
        same("mask", x[x > y], a[a > b])
        rows, columns = a[:900].reshape(30, 30), b[:900].reshape(30, 30)
        same("matmul", dpnp.matmul(dpnp.array(rows), dpnp.array(columns)), rows @ columns)
        if dtype not in ("uint8", "int32", "int64"):
            for name in ("sqrt", "exp", "sin", "tanh"):
                same(name, getattr(dpnp, name)(x / 100), getattr(numpy, name)(a / 100))


queue = find_queue()
check_memory(queue)
with open(sys.argv[1], "rb") as file:
    check_kernel(queue, file.read())
check_arrays()
