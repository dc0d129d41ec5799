/* SPDX-License-Identifier: Apache-2.0 */
/* Programs for graphs on the array include this before XRT's headers, and use namespace adf. XRT's
 * interface is all that they need of it: graphs are reached by their names. */
#ifndef CONCLAVE_ADF_XRT_CONFIG_H_
#define CONCLAVE_ADF_XRT_CONFIG_H_

#ifdef __cplusplus
namespace adf {}
#endif

#endif /* CONCLAVE_ADF_XRT_CONFIG_H_ */
