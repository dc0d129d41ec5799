# SPDX-License-Identifier: Apache-2.0
"""tinygrad's functions on the device against NumPy's. tinygrad writes kernels for them, builds these,
reads the binaries back and builds those in turn. tinygrad.sh calls it."""
import sys

import numpy
from tinygrad import Device, Tensor

random = numpy.random.default_rng(1)
failures = []


def check(what, tensor, wanted, tolerance=1e-5):
    got = tensor.numpy().astype(numpy.float64)
    scale = max(1, numpy.abs(wanted).max())
    same = got.shape == wanted.shape and numpy.abs(got - wanted).max() <= tolerance * scale
    print(f"{what}: {'right' if same else 'WRONG'}", flush=True)
    if not same:
        failures.append(what)


def normal(*shape):
    return random.standard_normal(shape, dtype=numpy.float32)


def softmax(a):
    e = numpy.exp(a - a.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def convolve(x, w, groups):
    """`x`: batch, channels, rows, columns; `w`: output channels, channels of a group, 3, 3."""
    batch, channels, rows, columns = x.shape
    result = numpy.zeros((batch, len(w), rows, columns))
    padded = numpy.pad(x.astype(float), ((0, 0), (0, 0), (1, 1), (1, 1)))
    ins, outs = channels // groups, len(w) // groups
    for g in range(groups):
        for i in range(3):
            for j in range(3):
                part = padded[:, g * ins:(g + 1) * ins, i:i + rows, j:j + columns]
                result[:, g * outs:(g + 1) * outs] += numpy.einsum(
                    "nchw,oc->nohw", part, w[g * outs:(g + 1) * outs, :, i, j])
    return result


def check_products():
    for n in (64, 100, 257, 512):
        a, b = normal(n, n), normal(n, n + 3)
        check(f"product of {n}", Tensor(a) @ Tensor(b), a.astype(float) @ b)
    half = normal(200, 200).astype(numpy.float16)
    check("product of halves", (Tensor(half) @ Tensor(half)).float(), half.astype(float) @ half, 3e-3)
    x, w = normal(2, 12, 30, 31), normal(24, 6, 3, 3)
    check("convolution", Tensor(x).conv2d(Tensor(w), groups=2, padding=1), convolve(x, w, 2))
    q, k, v = (normal(2, 4, 50, 32) for _ in range(3))
    weights = softmax(numpy.einsum("bhqd,bhkd->bhqk", q, k) / numpy.sqrt(32))
    check("attention", Tensor(q).scaled_dot_product_attention(Tensor(k), Tensor(v)),
          numpy.einsum("bhqk,bhkd->bhqd", weights, v))


def check_rows():
    a = normal(300, 700)
    t = Tensor(a)
    check("softmax", t.softmax(), softmax(a))
    check("normal rows", t.layernorm(), (a - a.mean(1, keepdims=True)) /
          numpy.sqrt(a.var(1, keepdims=True) + 1e-5))
    check("sums of columns", t.sum(0), a.astype(float).sum(0))
    check("running sums", t.cumsum(1), a.astype(float).cumsum(1))
    check("maximum", t.max(1), a.max(1))
    check("place of the maximum", t.argmax(1), a.argmax(1))
    check("sorted", t.sort(1)[0], numpy.sort(a, 1))
    check("transposed", t.T.contiguous() * 2, a.T * 2)
    image = normal(2, 12, 30, 30)
    check("maximum of 2 x 2", Tensor(image).max_pool2d(),
          image.reshape(2, 12, 15, 2, 15, 2).max((3, 5)))


def check_elements():
    a = numpy.abs(normal(300, 700))
    for name in ("sin", "cos", "exp", "tanh", "sqrt"):
        check(name, getattr(Tensor(a), name)(), getattr(numpy, name)(a.astype(float)))
    i = random.integers(-1000, 1000, (77, 99)).astype(numpy.int32)
    check("integers", Tensor(i) // 7 + Tensor(i) % 5, i // 7 + i % 5, 0)


def check_gradient():
    x, w = normal(8, 20), normal(20, 10)
    weights = Tensor(w)
    weights.requires_grad = True
    (Tensor(x) @ weights).tanh().sum().backward()
    check("gradient", weights.grad, x.T.astype(float) @ (1 - numpy.tanh(x.astype(float) @ w)**2), 1e-4)


print("device", Device.DEFAULT)
for part in (check_products, check_rows, check_elements, check_gradient):
    part()
sys.exit(1 if failures else 0)
