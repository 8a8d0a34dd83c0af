// SPDX-License-Identifier: Apache-2.0
// The errors of the runtime.
#include "warptape.h"
#include "cuda_runtime_api.h"

const uint64_t api = 0;
static _Thread_local int last;

void forget(void) { last = 0; }

int done(int error) {
  if (error) last = error;
  return error;
}

int kept_error(void) { return last; }
void restore_error(int error) { last = error; }

int last_error(bool clear) {
  int e = last ? last : broken();
  if (clear) last = 0;
  return e;
}

int unsupported(const char *call, const char *instead, void *place) {
  name_missing(call, instead, place);
  return done(cudaErrorNotSupported);
}
