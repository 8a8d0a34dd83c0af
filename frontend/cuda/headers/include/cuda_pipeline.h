// SPDX-License-Identifier: Apache-2.0
// Pipelines of copies: the interface of functions. That of classes is libcu++'s (<cuda/pipeline>).
#ifndef _CUDA_PIPELINE_H_
#define _CUDA_PIPELINE_H_
#include "cuda_pipeline_primitives.h"
#endif
