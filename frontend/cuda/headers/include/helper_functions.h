// SPDX-License-Identifier: Apache-2.0
// The samples' helpers in one file.
#ifndef COMMON_HELPER_FUNCTIONS_H_
#define COMMON_HELPER_FUNCTIONS_H_
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "helper_string.h"
#include "helper_timer.h"
// Whether the root of the squares' sum of the differences is at most so much of the reference's.
static inline bool sdkCompareL2fe(const float *reference, const float *data, unsigned int n, float epsilon) {
  double error = 0, whole = 0;
  for (unsigned int i = 0; i < n; i++) {
    double d = (double)reference[i] - data[i];
    error += d * d;
    whole += (double)reference[i] * reference[i];
  }
  return whole > 1e-14 && sqrt(error) < epsilon * sqrt(whole);
}
#endif
