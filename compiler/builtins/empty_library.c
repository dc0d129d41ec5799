// SPDX-License-Identifier: Apache-2.0
// A shared object without content; its SONAME is given when it is built (see embedded.h).
typedef int conclave_empty_library;
