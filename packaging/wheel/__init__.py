# SPDX-License-Identifier: Apache-2.0
"""Conclave: OpenCL 3.0 on CPUs, shared fairly between processes.

PyOpenCL's wheels find the platform by themselves. For other programs, set OCL_ICD_VENDORS to LIBRARY.
"""

import pathlib

DIRECTORY = pathlib.Path(__file__).resolve().parent
LIBRARY = str(DIRECTORY / "lib" / "libconclave.so")
