# SPDX-License-Identifier: Apache-2.0
# OpenCV's functions give the same on the device (UMat) as on the CPU (arrays), within rounding.
import os
import sys

# OpenCV takes GPUs only, unless it is told otherwise.
os.environ["OPENCV_OPENCL_DEVICE"] = "Conclave:CPU:"
try:
    import cv2
    import numpy
except ImportError:
    print("skipped: OpenCV's Python module (python3-opencv) is not installed")
    sys.exit(77)

device = cv2.ocl.Device.getDefault()
print(f"OpenCV {cv2.__version__} on {device.name()}")
assert device.name().startswith("Conclave"), "another device"
random = numpy.random.default_rng(1)
photo = random.integers(0, 256, (240, 320, 3), dtype=numpy.uint8)
gray = photo[:, :, 0].copy()
real = random.random((240, 320), dtype=numpy.float32)
matrix = random.random((200, 96), dtype=numpy.float32)
other = random.random((96, 150), dtype=numpy.float32)
turn = numpy.float32([[0.9, 0.2, 5], [-0.2, 0.9, 40]])

# Name, function, its arguments that are images, the largest difference.
CASES = [
    ("GaussianBlur", lambda a: cv2.GaussianBlur(a, (7, 7), 1.5), [photo], 1),
    ("GaussianBlur of floats", lambda a: cv2.GaussianBlur(a, (9, 9), 2), [real], 1e-5),
    ("medianBlur", lambda a: cv2.medianBlur(a, 5), [gray], 0),
    ("bilateralFilter", lambda a: cv2.bilateralFilter(a, 5, 40, 40), [gray], 1),
    ("boxFilter", lambda a: cv2.boxFilter(a, -1, (5, 5)), [photo], 1),
    ("Sobel", lambda a: cv2.Sobel(a, cv2.CV_32F, 1, 0), [real], 1e-5),
    ("erode", lambda a: cv2.erode(a, numpy.ones((3, 3), numpy.uint8)), [gray], 0),
    ("dilate", lambda a: cv2.dilate(a, numpy.ones((3, 3), numpy.uint8)), [gray], 0),
    ("resize, larger", lambda a: cv2.resize(a, (500, 400)), [photo], 1),
    ("resize, smaller", lambda a: cv2.resize(a, (99, 77), interpolation=cv2.INTER_AREA), [photo], 1),
    ("warpAffine", lambda a: cv2.warpAffine(a, turn, (320, 240)), [photo], 2),
    ("cvtColor to gray", lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2GRAY), [photo], 1),
    ("cvtColor to HSV", lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2HSV), [photo], 1),
    ("cvtColor to YCrCb", lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2YCrCb), [photo], 1),
    ("threshold", lambda a: cv2.threshold(a, 100, 255, cv2.THRESH_BINARY)[1], [gray], 0),
    ("matchTemplate", lambda a, b: cv2.matchTemplate(a, b, cv2.TM_CCOEFF_NORMED), [gray, gray[40:60, 70:99]], 1e-3),
    ("gemm", lambda a, b: cv2.gemm(a, b, 1, None, 0), [matrix, other], 1e-3),
    ("add", lambda a, b: cv2.add(a, b), [gray, gray], 0),
    ("multiply", lambda a, b: cv2.multiply(a, b), [real, real], 1e-6),
    ("sqrt", lambda a: cv2.sqrt(a), [real], 1e-5),
    ("pow", lambda a: cv2.pow(a, 2.5), [real], 1e-5),
    ("integral", lambda a: cv2.integral(a), [gray], 0),
    ("calcHist", lambda a: cv2.equalizeHist(a), [gray], 0),
    ("dft", lambda a: cv2.dft(a, flags=cv2.DFT_COMPLEX_OUTPUT), [real[:128, :128].copy()], 1e-2),
    ("pyrDown", lambda a: cv2.pyrDown(a), [photo], 1),
]
failed = 0
for name, function, images, allowed in CASES:
    cv2.ocl.setUseOpenCL(False)
    wanted = function(*images).astype(numpy.float64)
    cv2.ocl.setUseOpenCL(True)
    got = function(*[cv2.UMat(image) for image in images])
    assert isinstance(got, cv2.UMat), name
    error = numpy.abs(got.get().astype(numpy.float64) - wanted).max()
    verdict = "ok" if error <= allowed else "FAILED"
    failed += verdict != "ok"
    print(f"{name}: {verdict}, largest difference {error:g}, allowed {allowed:g}")
sys.exit(failed != 0)
