// Functions of CUDA's mathematics with the largest errors that the CUDA C++ Programming Guide
// states (table "Maximum ULP Error" of its appendix on mathematical functions), and what they
// are compared with: the C library's in a wider format.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
typedef long double Wide;
static const Wide kPi = 3.14159265358979323846264338327950288L;
static Wide o_sinpi(Wide x) {
  if (x == floorl(x)) return x * 0;
  Wide r = fmodl(fabsl(x), 2), g = x < 0 ? -1 : 1;
  if (r > 1) r -= 1, g = -g;
  if (r > 0.5L) r = 1 - r;
  return g * (r > 0.25L ? cosl(kPi * (0.5L - r)) : sinl(kPi * r));
}
static Wide o_cospi(Wide x) {
  Wide r = fmodl(fabsl(x), 2);
  return r == 0.5L || r == 1.5L ? 0 : r > 0.25L && r < 0.75L ? sinl(kPi * (0.5L - r)) : r > 1.25L && r < 1.75L ? sinl(kPi * (r - 1.5L)) : cosl(kPi * r);
}
static Wide o_rsqrt(Wide x) { return 1 / sqrtl(x); }
static Wide o_rcbrt(Wide x) { return 1 / cbrtl(x); }
static Wide o_exp10(Wide x) { return powl(10, x); }
static Wide o_erfcx(Wide x) {
  if (x < 50) return expl(x * x) * erfcl(x);
  Wide t = 1 / (2 * x * x);
  return (1 - t + 3 * t * t - 15 * t * t * t + 105 * t * t * t * t) / (x * sqrtl(kPi));
}
static Wide o_normcdf(Wide x) { return 0.5L * erfcl(-x * 0.70710678118654752440084436210485L); }
// The inverses by bisection.
static Wide o_erfinv(Wide y) {
  Wide a = fabsl(y), low = 0, high = 6.5;
  if (!(a <= 1)) return NAN;
  if (a == 1) return y * INFINITY;
  if (a < 1e-10L) return y * 0.886226925452758013649083741670572591L;
  for (int i = 0; i < 100; i++) {
    Wide m = (low + high) / 2;
    if (a < 0.5L ? erfl(m) < a : erfcl(m) > 1 - a) low = m; else high = m;
  }
  return copysignl((low + high) / 2, y);
}
static Wide o_erfcinv(Wide y) {
  if (!(y >= 0 && y <= 2)) return NAN;
  if (y == 0 || y == 2) return y == 0 ? INFINITY : -INFINITY;
  if (y > 0.5L && y < 1.5L) return o_erfinv(1 - y);
  if (y > 1) return -o_erfcinv(2 - y);
  Wide low = 0, high = 107;
  for (int i = 0; i < 100; i++) {
    Wide m = (low + high) / 2;
    if (erfcl(m) > y) low = m; else high = m;
  }
  return (low + high) / 2;
}
static Wide o_normcdfinv(Wide y) { return -1.41421356237309504880168872420969808L * o_erfcinv(2 * y); }
static Wide o_tgamma(Wide x) { return x < 0 && x == floorl(x) ? NAN : tgammal(x); }
static Wide o_rhypot(Wide a, Wide b) { return 1 / hypotl(a, b); }
// Name, oracle, bound in single and in double precision, in units of the last place. The
// bounds are those of the CUDA C++ programming guide (appendix on mathematical functions),
// recalled and not looked up.
#define FUNCTIONS1(F) \
  F(sin, sinl, 2, 2) F(cos, cosl, 2, 2) F(tan, tanl, 4, 2) F(sinpi, o_sinpi, 1, 2) F(cospi, o_cospi, 1, 2) F(asin, asinl, 2, 2) F(acos, acosl, 2, 2) \
  F(atan, atanl, 2, 2) F(exp, expl, 2, 1) F(exp2, exp2l, 2, 1) F(exp10, o_exp10, 2, 1) F(expm1, expm1l, 1, 1) F(log, logl, 1, 1) F(log2, log2l, 1, 1) \
  F(log10, log10l, 2, 1) F(log1p, log1pl, 1, 1) F(sinh, sinhl, 3, 2) F(cosh, coshl, 2, 1) F(tanh, tanhl, 2, 1) F(asinh, asinhl, 3, 3) F(acosh, acoshl, 4, 3) \
  F(atanh, atanhl, 3, 2) F(erf, erfl, 2, 2) F(erfc, erfcl, 4, 5) F(erfcx, o_erfcx, 4, 4) F(normcdf, o_normcdf, 5, 5) F(erfinv, o_erfinv, 2, 5) \
  F(erfcinv, o_erfcinv, 4, 6) F(normcdfinv, o_normcdfinv, 5, 8) F(tgamma, o_tgamma, 5, 10) F(lgamma, lgammal, 6, 4) F(cbrt, cbrtl, 1, 1) \
  F(rcbrt, o_rcbrt, 1, 1) F(rsqrt, o_rsqrt, 2, 1) F(sqrt, sqrtl, 0.5001, 0.5001) F(round, roundl, 0, 0) F(rint, rintl, 0, 0) F(trunc, truncl, 0, 0) \
  F(floor, floorl, 0, 0) F(ceil, ceill, 0, 0) F(logb, logbl, 0, 0)
#define FUNCTIONS2(F) \
  F(pow, powl, 4, 2) F(atan2, atan2l, 3, 2) F(hypot, hypotl, 3, 2) F(rhypot, o_rhypot, 2, 1) F(fmod, fmodl, 0, 0) F(remainder, remainderl, 0, 0) \
  F(fdim, fdiml, 0.5001, 0.5001) F(copysign, copysignl, 0, 0)

template <class T> struct Format;
template <> struct Format<float> { enum { digits = 24, least = -125 }; };
template <> struct Format<double> { enum { digits = 53, least = -1021 }; };
// The error of a result, in places of the right one's last digit.
template <class T> static double places(T got, Wide want) {
  T near = (T)want;
  if (std::isnan(want)) return std::isnan(got) ? 0 : 1e9;
  if (std::isinf(near) || std::isinf(got)) { // next to the largest number, one place is as good as another
    Wide edge = fabsl(want), top = ldexpl(1, Format<T>::least == -125 ? 128 : 1024);
    return got == near || (!std::isinf(want) && fabsl(edge / top - 1) < 1e-6L && std::signbit(got) == std::signbit(near)) ? 0 : 1e9;
  }
  if (!std::isfinite(got)) return 1e9;
  if (want == 0 && got == 0) return std::signbit(got) == std::signbit((T)want) ? 0 : 1e9;
  int e;
  frexpl(want, &e);
  if (e < Format<T>::least) e = Format<T>::least;
  return (double)fabsl(((Wide)got - want) / ldexpl(1, e - Format<T>::digits));
}
static unsigned long long state = 1;
static unsigned int draw() {
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return (unsigned int)(state >> 32);
}
static double unit() { return draw() * 0x1p-32 + draw() * 0x1p-64; }
static const double kEdges[] = {0.0, -0.0, 1, -1, 2, -2, 0.5, -0.5, INFINITY, -INFINITY, NAN, 5e-324, -5e-324, 1.4e-45, -1.4e-45, 1.17549435e-38, 2.2250738585072014e-308,
  3.4028234e38, -3.4028234e38, 1.7976931348623157e308, 88.7, -88.7, -103.9, 709.7, -709.7, -745.1, 1e10, 3, -3, 1e30, 1e300, 0.99999994, -0.99999994,
  1.0000001, 1.0000000000000002, 0.9999999999999999, 10.5, -10.5, 16777216, 16777217, 9007199254740992, 1.5, 2.5, -1.5, -2.5, 1e22};
static const int kEdgeCount = sizeof kEdges / sizeof *kEdges;
// An argument: of any size, or near what functions do something at.
template <class T> static T argument(int i) {
  if (i < kEdgeCount) return (T)kEdges[i];
  unsigned long long bits = (unsigned long long)draw() << 32 | draw();
  T x;
  switch (i % 5) {
  case 0: memcpy(&x, (char *)&bits + 8 - sizeof x, sizeof x); return x;
  case 1: return (T)((unit() * 2 - 1) * 700);
  case 2: return (T)((unit() * 2 - 1) * 2);
  case 3: return (T)((unit() * 2 - 1) * 30);
  default: return (T)((unit() * 2 - 1) * 1.5 * (1 + draw() % 3) * ldexp(1, -(int)(draw() % 20)));
  }
}
// lgamma's bound does not hold where it has zeros.
static bool outside(const char *name, double x) { return !strncmp(name, "lgamma", 6) && x < -2.2637 && x > -11.0001; }
static int failures;
template <class T> static void judge(const char *name, double worst, double bound, T x, T y) {
  if (!(worst <= bound)) failures++;
  if (!(worst <= bound) || getenv("ERRORS")) printf("%s: %.3f of %g places at %a, %a\n", name, worst, bound, (double)x, (double)y);
}
