// SPDX-License-Identifier: Apache-2.0
// TI's header of the functions in ti_device.h, which programs have anyway, and of C's integer
// types, which they may have defined themselves where they do not include this.
#ifndef _DSP_C_H_
#define _DSP_C_H_

#include <ti_device.h>

typedef char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef uchar uint8_t;
typedef ushort uint16_t;
typedef uint uint32_t;
typedef ulong uint64_t;

#endif  // _DSP_C_H_
