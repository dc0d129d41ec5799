/* SPDX-License-Identifier: Apache-2.0 */
/* Older programs look here for xrt/xrt_graph.h. */
#ifndef CONCLAVE_EXPERIMENTAL_XRT_GRAPH_H_
#define CONCLAVE_EXPERIMENTAL_XRT_GRAPH_H_

#include "../xrt/xrt_graph.h"

#endif /* CONCLAVE_EXPERIMENTAL_XRT_GRAPH_H_ */
