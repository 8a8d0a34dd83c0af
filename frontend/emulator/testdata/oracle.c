// Results of a C compiler and a host processor for PTX instructions, one per
// line: mnemonic, three operands, result, all bits in hexadecimal.
//
//   clang-19 -O1 -frounding-math -ffp-contract=off oracle.c -o oracle -lm && ./oracle > oracle.txt
#include <fenv.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t state = 88172645463325252u;
static uint64_t draw(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

static float f32(uint32_t v) { float f; memcpy(&f, &v, 4); return f; }
static double f64(uint64_t v) { double f; memcpy(&f, &v, 8); return f; }
static uint32_t b32(float f) { uint32_t v; memcpy(&v, &f, 4); return v; }
static uint64_t b64(double f) { uint64_t v; memcpy(&v, &f, 8); return v; }
static uint16_t b16(_Float16 f) { uint16_t v; memcpy(&v, &f, 2); return v; }

static const uint32_t edges32[] = {0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x00800000, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001,
                                   0x3f000000, 0x4b000001, 0x4b7fffff, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x0d800000, 0x7e800000};
static uint32_t operand32(void) {
  uint64_t r = draw();
  if (r % 3 == 0) return edges32[(r >> 8) % (sizeof edges32 / 4)];
  if (r % 3 == 1) return (uint32_t)((r >> 8) & 0x807fffff) | (uint32_t)(100 + (r >> 40) % 56) << 23;
  return (uint32_t)(r >> 16);
}
static uint64_t operand64(void) {
  uint64_t r = draw();
  if (r % 3 == 0) return b64(f32(operand32()));
  if (r % 3 == 1) return (draw() & 0x800fffffffffffffu) | (uint64_t)(1000 + (r >> 40) % 46) << 52;
  return draw();
}

static void line(const char *name, uint64_t a, uint64_t b, uint64_t c, uint64_t r) {
  printf("%s %llx %llx %llx %llx\n", name, (unsigned long long)a, (unsigned long long)b, (unsigned long long)c, (unsigned long long)r);
}
// PTX has one NaN for results in single precision and another in double.
static void line32(const char *name, uint64_t a, uint64_t b, uint64_t c, float r) { line(name, a, b, c, isnan(r) ? 0x7fffffff : b32(r)); }
static void line64(const char *name, uint64_t a, uint64_t b, uint64_t c, double r) { line(name, a, b, c, isnan(r) ? 0xfff8000000000000u : b64(r)); }

static const struct { const char *name; int mode; } modes[] = {{"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};

static void floats(int i) {
  volatile float a = f32(operand32()), b = f32(operand32()), c = f32(operand32());
  volatile double x = f64(operand64()), y = f64(operand64()), z = f64(operand64());
  volatile int64_t n = (int64_t)(draw() >> draw() % 64);
  volatile uint64_t u = draw() >> draw() % 64;
  char name[32];
  const char *m = modes[i % 4].name;
  fesetround(modes[i % 4].mode);
#define N(form) (snprintf(name, sizeof name, form, m), name)
  float r32;
  double r64;
  r32 = a + b; line32(N("add.%s.f32"), b32(a), b32(b), 0, r32);
  r32 = a * b; line32(N("mul.%s.f32"), b32(a), b32(b), 0, r32);
  r32 = a / b; line32(N("div.%s.f32"), b32(a), b32(b), 0, r32);
  r32 = sqrtf(a); line32(N("sqrt.%s.f32"), b32(a), 0, 0, r32);
  r32 = fmaf(a, b, c); line32(N("fma.%s.f32"), b32(a), b32(b), b32(c), r32);
  r64 = x + y; line64(N("add.%s.f64"), b64(x), b64(y), 0, r64);
  r64 = x * y; line64(N("mul.%s.f64"), b64(x), b64(y), 0, r64);
  r64 = x / y; line64(N("div.%s.f64"), b64(x), b64(y), 0, r64);
  r64 = sqrt(x); line64(N("sqrt.%s.f64"), b64(x), 0, 0, r64);
  r64 = fma(x, y, z); line64(N("fma.%s.f64"), b64(x), b64(y), b64(z), r64);
  r32 = (float)x; line32(N("cvt.%s.f32.f64"), b64(x), 0, 0, r32);
  r32 = (float)n; line32(N("cvt.%s.f32.s64"), n, 0, 0, r32);
  r64 = (double)n; line64(N("cvt.%s.f64.s64"), n, 0, 0, r64);
  r32 = rintf(a); snprintf(name, sizeof name, "cvt.%si.f32.f32", m); line32(name, b32(a), 0, 0, r32);
  r64 = rint(x); snprintf(name, sizeof name, "cvt.%si.f64.f64", m); line64(name, b64(x), 0, 0, r64);
  if (fabsf(a) < 2147483648.0f) { snprintf(name, sizeof name, "cvt.%si.s32.f32", m); line(name, b32(a), 0, 0, (uint32_t)(int32_t)rintf(a)); }
  if (fabs(x) < 9.2e18) { snprintf(name, sizeof name, "cvt.%si.s64.f64", m); line(name, b64(x), 0, 0, (uint64_t)(int64_t)rint(x)); }
  fesetround(FE_TONEAREST);
  r32 = (float)u; line32("cvt.rn.f32.u64", u, 0, 0, r32);
  r64 = (double)u; line64("cvt.rn.f64.u64", u, 0, 0, r64);
  if (!isnan(a)) line("cvt.rn.f16.f32", b32(a), 0, 0, b16((_Float16)a));
  if (!isnan(x)) line("cvt.rn.f16.f64", b64(x), 0, 0, b16((_Float16)x));
}

static void integers(void) {
  uint64_t a = draw() >> draw() % 64, b = draw() >> draw() % 64;
  int64_t s = (int64_t)a, t = (int64_t)b;
  if (draw() % 2) s = -s;
  line("mul.hi.u64", a, b, 0, (uint64_t)(((unsigned __int128)a * b) >> 64));
  line("mul.hi.s64", s, t, 0, (uint64_t)(((__int128)s * t) >> 64));
  line("mul.wide.s32", (uint32_t)s, (uint32_t)t, 0, (uint64_t)((int64_t)(int32_t)s * (int32_t)t));
  if (t != 0 && !(s == INT64_MIN && t == -1)) {
    line("div.s64", s, t, 0, (uint64_t)(s / t));
    line("rem.s64", s, t, 0, (uint64_t)(s % t));
    line("div.u64", a, b, 0, a / b);
  }
  if ((int32_t)t != 0 && !((int32_t)s == INT32_MIN && (int32_t)t == -1)) {
    line("div.s32", (uint32_t)s, (uint32_t)t, 0, (uint32_t)((int32_t)s / (int32_t)t));
    line("rem.s32", (uint32_t)s, (uint32_t)t, 0, (uint32_t)((int32_t)s % (int32_t)t));
  }
  line("clz.b64", a, 0, 0, a ? __builtin_clzll(a) : 64);
  line("popc.b64", a, 0, 0, __builtin_popcountll(a));
  line("brev.b32", (uint32_t)a, 0, 0, __builtin_bitreverse32((uint32_t)a));
}

int main(void) {
  for (int i = 0; i < 100; i++) {
    floats(i);
    if (i % 4 == 0) integers();
  }
}
