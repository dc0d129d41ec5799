# SPDX-License-Identifier: Apache-2.0
# What CPack makes Debian packages of: scripts/package, or cpack in the build tree. Each component of
# the installation is one package; packaging/debian/arrange.cmake moves its files to Debian's places.
set(CONCLAVE_MAINTAINER "Conclave's packagers <conclave@packages.invalid>" CACHE STRING
    "Who answers for the Debian packages: Name <address>")
set(debian ${PROJECT_SOURCE_DIR}/packaging/debian)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME conclave)
set(CPACK_PACKAGE_VENDOR Conclave)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT ${CONCLAVE_MAINTAINER})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL runtime tools dev examples symbols)
set(CPACK_PRE_BUILD_SCRIPTS ${debian}/arrange.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# For arrange.cmake.
set(CPACK_CONCLAVE_SOURCE ${PROJECT_SOURCE_DIR})
set(CPACK_CONCLAVE_LIBRARY_DIR lib/${CMAKE_LIBRARY_ARCHITECTURE})

# debian_package(<component> <name> <section> <what it is> <more, in lines>)
macro(debian_package component name section summary text)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${text}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA ${ARGN})
endmacro()

debian_package(runtime conclave-opencl-icd libs "OpenCL 3.0 on CPUs, shared fairly between processes"
"Conclave is an installable client driver: OpenCL programs find its device
through the loader. The device consists of compute units, one per CPU by
default. Processes take them in turn, and a short kernel does not wait behind
the long kernels of others. The compiler, which vectorizes whole kernels,
runs in a process of its own."
  ${debian}/runtime/conffiles ${debian}/runtime/triggers ${debian}/runtime/shlibs ${debian}/runtime/postrm)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_PROVIDES opencl-icd)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "ocl-icd-libopencl1 | libopencl1")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS
    "conclave-tools, libdw1, libomp5-19, llvm-spirv-15, spirv-tools")

debian_package(tools conclave-tools utils "daemon and tools for the OpenCL platform Conclave"
"The tool conclave shows who runs what on the device, writes metrics and checks
the configuration. The daemon ti-mctd lets users share the device without
sharing memory; it runs as a user without privileges, which systemd makes.
ti-mct-heap-check shows the heaps of the device."
  ${debian}/tools/conffiles ${debian}/tools/postinst ${debian}/tools/prerm ${debian}/tools/postrm)
set(CPACK_DEBIAN_TOOLS_PACKAGE_PREDEPENDS "init-system-helpers (>= 1.54~)")
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "conclave-opencl-icd (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "conclave-examples (= ${PROJECT_VERSION})")  # for conclave bench

debian_package(dev libconclave-dev libdevel "headers and libraries for programs of XRT and TI's OpenCL"
"What programs need that use more than OpenCL: XRT's C++ and C interface,
libocl_util of TI's programs, and the extensions in CL/cl_ext_conclave.h, for
CMake and pkg-config. OpenCL programs need ocl-icd-opencl-dev instead.")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
    "conclave-opencl-icd (= ${PROJECT_VERSION}), ocl-icd-opencl-dev | opencl-dev")

debian_package(examples conclave-examples misc "example programs for OpenCL, with their sources"
"Programs under the names of TI's examples, with their options and output:
matrix products, mandelbrot pictures, sub-devices, separate compilation, C code
and OpenMP in kernels, and more. They lie in /usr/libexec/conclave/examples.
The command conclave bench measures with a program of this package.")
set(CPACK_DEBIAN_EXAMPLES_PACKAGE_DEPENDS "conclave-opencl-icd (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_EXAMPLES_PACKAGE_SUGGESTS "libconclave-dev, libomp5-19")

debian_package(symbols conclave-dbgsym debug "debug symbols of the OpenCL platform Conclave"
"Names and lines of the platform's library, its compiler and its tools, for
debuggers and profilers.")
set(CPACK_DEBIAN_SYMBOLS_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_SYMBOLS_PACKAGE_RECOMMENDS "conclave-opencl-icd (= ${PROJECT_VERSION})")

if(TARGET mpi_stencil)
  list(APPEND CPACK_COMPONENTS_ALL mpi_examples)
  debian_package(mpi_examples conclave-examples-mpi misc "example programs for OpenCL and MPI"
"A matrix product and a stencil whose ranks share the OpenCL device of their
node, with tables of strong and weak scaling. Their sources are in the package
conclave-examples.")
  set(CPACK_DEBIAN_MPI_EXAMPLES_PACKAGE_DEPENDS "conclave-opencl-icd (= ${PROJECT_VERSION})")
  set(CPACK_DEBIAN_MPI_EXAMPLES_PACKAGE_SUGGESTS "openmpi-bin, conclave-examples")
endif()

include(CPack)
