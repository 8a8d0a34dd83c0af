// SPDX-License-Identifier: Apache-2.0
// What loading and linking of modules in the driver API share.
#pragma once
#include "cuda.h"

// The logs that a program wants; a size is that of a buffer which is there.
struct jit {
  char *error, *info;
  size_t error_bytes, info_bytes;
  void **error_size, **info_size;
};
void jit_options(struct jit *j, unsigned n, CUjit_option *o, void **v);
void jit_done(struct jit *j);
CUresult load_with_log(CUmodule *m, const void *image, struct jit *j);
// read_file gives a file's bytes, and a zero byte behind them, which ends a text.
CUresult read_file(const char *name, char **text, size_t *n);
