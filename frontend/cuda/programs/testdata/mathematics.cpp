// The same functions compiled for the host, where a million points cost a second.
#include "mathematics_oracles.h"
#include "warptape_math_core.h"
#include "warptape_math_polynomials.h"
#include "warptape_math_trigonometry.h"
#include "warptape_math_exponential.h"
#include "warptape_math_error.h"
#include "warptape_math_root.h"
#include "warptape_math_double.h"
#include "warptape_math_special.h"
// Those that are one instruction of the device.
static float __nv_rintf(float x) { return rintf(x); }
static double __nv_rint(double x) { return rint(x); }
static float __nv_truncf(float x) { return truncf(x); }
static double __nv_trunc(double x) { return trunc(x); }
static float __nv_floorf(float x) { return floorf(x); }
static double __nv_floor(double x) { return floor(x); }
static float __nv_ceilf(float x) { return ceilf(x); }
static double __nv_ceil(double x) { return ceil(x); }
static float __nv_copysignf(float x, float y) { return copysignf(x, y); }
static double __nv_copysign(double x, double y) { return copysign(x, y); }
template <class T, class F> static void run1(const char *name, F f, Wide (*oracle)(Wide), double bound, int points) {
  double worst = 0;
  T at = 0;
  if (strstr(name, "inv")) points /= 32;
  for (int i = 0; i < points; i++) {
    T x = argument<T>(i);
    if (outside(name, x)) continue;
    double p = places(f(x), oracle(x));
    if (!(p <= worst)) worst = p, at = x;
  }
  judge(name, worst, bound, at, at);
}
template <class T, class F> static void run2(const char *name, F f, Wide (*oracle)(Wide, Wide), double bound, int points) {
  double worst = 0;
  T at = 0, with = 0;
  for (int i = 0; i < points; i++) {
    T x = argument<T>(i < kEdgeCount * kEdgeCount ? i / kEdgeCount : i), y = argument<T>(i < kEdgeCount * kEdgeCount ? i % kEdgeCount : (int)(draw() >> 8));
    double p = places(f(x, y), oracle(x, y));
    if (!(p <= worst)) worst = p, at = x, with = y;
  }
  judge(name, worst, bound, at, with);
}
#define RUN1(name, oracle, single, twice) run1<float>(#name "f", __nv_##name##f, oracle, single, points); run1<double>(#name, __nv_##name, oracle, twice, points);
#define RUN2(name, oracle, single, twice) run2<float>(#name "f", __nv_##name##f, oracle, single, points); run2<double>(#name, __nv_##name, oracle, twice, points);
int main(int, char **arguments) {
  int points = atoi(arguments[1]);
  FUNCTIONS1(RUN1)
  FUNCTIONS2(RUN2)
  if (failures) return 1;
  printf("ok\n");
}
