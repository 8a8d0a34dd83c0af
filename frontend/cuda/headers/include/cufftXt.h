// SPDX-License-Identifier: Apache-2.0
// Plans of Fourier transforms by the types of elements (cufftXt). Single and double precision on one device are there.
#ifndef _CUFFTXT_H_
#define _CUFFTXT_H_
#include "cufft.h"
#ifdef __cplusplus
extern "C" {
#endif
cufftResult CUFFTAPI cufftXtMakePlanMany(cufftHandle plan, int rank, long long *n, long long *inembed, long long istride, long long idist, cudaDataType inputtype, long long *onembed, long long ostride,
                                         long long odist, cudaDataType outputtype, long long batch, size_t *workSize, cudaDataType executiontype);
cufftResult CUFFTAPI cufftXtGetSizeMany(cufftHandle plan, int rank, long long *n, long long *inembed, long long istride, long long idist, cudaDataType inputtype, long long *onembed, long long ostride,
                                        long long odist, cudaDataType outputtype, long long batch, size_t *workSize, cudaDataType executiontype);
cufftResult CUFFTAPI cufftXtExec(cufftHandle plan, void *in, void *out, int direction);
#ifdef __cplusplus
}
#endif
#endif
