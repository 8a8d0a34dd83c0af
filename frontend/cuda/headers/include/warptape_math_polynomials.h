// SPDX-License-Identifier: Apache-2.0
// Polynomials of the device mathematics, written by polynomials.py.
#ifndef __WARPTAPE_MATH_POLYNOMIALS_H__
#define __WARPTAPE_MATH_POLYNOMIALS_H__
// (sin(r)/r - 1)/u, u = r*r on [0.0, 0.617], to 2.8e-11
__WT_PRIVATE__ float __wt_poly_sinf(float u) {
  float p = 0x1.6dbdd20000000p-19f;
  p = __builtin_fmaf(p, u, -0x1.a013a60000000p-13f);
  p = __builtin_fmaf(p, u, 0x1.11110e0000000p-7f);
  p = __builtin_fmaf(p, u, -0x1.5555560000000p-3f);
  return p;
}
// (cos(r) - 1 + u/2)/u/u, u = r*r on [0.0, 0.617], to 2.0e-9
__WT_PRIVATE__ float __wt_poly_cosf(float u) {
  float p = 0x1.9bd8640000000p-16f;
  p = __builtin_fmaf(p, u, -0x1.6c12d20000000p-10f);
  p = __builtin_fmaf(p, u, 0x1.5555540000000p-5f);
  return p;
}
// (sin(r)/r - 1)/u, u = r*r on [0.0, 0.617], to 2.0e-17
__WT_PRIVATE__ double __wt_poly_sin(double u) {
  double p = 0x1.5e0af186af739p-33;
  p = __builtin_fma(p, u, -0x1.ae600a926c89ap-26);
  p = __builtin_fma(p, u, 0x1.71de37961e4c6p-19);
  p = __builtin_fma(p, u, -0x1.a01a019e8357dp-13);
  p = __builtin_fma(p, u, 0x1.1111111110bb1p-7);
  p = __builtin_fma(p, u, -0x1.5555555555555p-3);
  return p;
}
// (cos(r) - 1 + u/2)/u/u, u = r*r on [0.0, 0.617], to 1.3e-18
__WT_PRIVATE__ double __wt_poly_cos(double u) {
  double p = -0x1.907d7aebd5e3dp-37;
  p = __builtin_fma(p, u, 0x1.1eeb68b109173p-29);
  p = __builtin_fma(p, u, -0x1.27e4fa17a41b4p-22);
  p = __builtin_fma(p, u, 0x1.a01a019f4e867p-16);
  p = __builtin_fma(p, u, -0x1.6c16c16c16966p-10);
  p = __builtin_fma(p, u, 0x1.5555555555555p-5);
  return p;
}
// (tan(r)/r - 1)/u, u = r*r on [0.0, 0.617], to 6.2e-10
__WT_PRIVATE__ float __wt_poly_tanf(float u) {
  float p = 0x1.d528580000000p-10f;
  p = __builtin_fmaf(p, u, -0x1.da28980000000p-21f);
  p = __builtin_fmaf(p, u, 0x1.2210020000000p-8f);
  p = __builtin_fmaf(p, u, 0x1.1a196a0000000p-7f);
  p = __builtin_fmaf(p, u, 0x1.66fc420000000p-6f);
  p = __builtin_fmaf(p, u, 0x1.ba14d40000000p-5f);
  p = __builtin_fmaf(p, u, 0x1.11111e0000000p-3f);
  p = __builtin_fmaf(p, u, 0x1.5555560000000p-2f);
  return p;
}
// (exp(r) - 1 - r - r*r/2)/r^3 on [-0.5, 0.5], to 1.4e-9
__WT_PRIVATE__ float __wt_poly_expm1f(float u) {
  float p = 0x1.a1d6cc0000000p-16f;
  p = __builtin_fmaf(p, u, 0x1.a2463a0000000p-13f);
  p = __builtin_fmaf(p, u, 0x1.6c161a0000000p-10f);
  p = __builtin_fmaf(p, u, 0x1.1110400000000p-7f);
  p = __builtin_fmaf(p, u, 0x1.5555560000000p-5f);
  p = __builtin_fmaf(p, u, 0x1.5555560000000p-3f);
  return p;
}
// (exp(r) - 1 - r - r*r/2)/r^3 on [-0.3466, 0.3466], to 8.1e-18
__WT_PRIVATE__ double __wt_poly_exp(double u) {
  double p = 0x1.1f66df7fca49fp-29;
  p = __builtin_fma(p, u, 0x1.af38a9b0ec855p-26);
  p = __builtin_fma(p, u, 0x1.27e4e1f48534fp-22);
  p = __builtin_fma(p, u, 0x1.71de0dae63bb3p-19);
  p = __builtin_fma(p, u, 0x1.a01a01a47b054p-16);
  p = __builtin_fma(p, u, 0x1.a01a01a7c41d5p-13);
  p = __builtin_fma(p, u, 0x1.6c16c16c167e1p-10);
  p = __builtin_fma(p, u, 0x1.11111111109b3p-7);
  p = __builtin_fma(p, u, 0x1.5555555555555p-5);
  p = __builtin_fma(p, u, 0x1.5555555555556p-3);
  return p;
}
// (exp(r) - 1 - r - r*r/2)/r^3 on [-0.5, 0.5], to 5.7e-18
__WT_PRIVATE__ double __wt_poly_expm1(double u) {
  double p = 0x1.624cd2b47095bp-33;
  p = __builtin_fma(p, u, 0x1.200388a5cc269p-29);
  p = __builtin_fma(p, u, 0x1.ae63c232f9947p-26);
  p = __builtin_fma(p, u, 0x1.27e47065de3d4p-22);
  p = __builtin_fma(p, u, 0x1.71de3a75df20ep-19);
  p = __builtin_fma(p, u, 0x1.a01a01dcf5efdp-16);
  p = __builtin_fma(p, u, 0x1.a01a01a014362p-13);
  p = __builtin_fma(p, u, 0x1.6c16c16c0be2fp-10);
  p = __builtin_fma(p, u, 0x1.1111111111116p-7);
  p = __builtin_fma(p, u, 0x1.5555555555567p-5);
  p = __builtin_fma(p, u, 0x1.5555555555555p-3);
  return p;
}
// (log1p(f) - f + f*f/2)/f^3 on [-0.2929, 0.4142], to 4.6e-9
__WT_PRIVATE__ float __wt_poly_log1pf(float u) {
  float p = -0x1.fc06e20000000p-5f;
  p = __builtin_fmaf(p, u, 0x1.af581e0000000p-4f);
  p = __builtin_fmaf(p, u, -0x1.b4116a0000000p-4f);
  p = __builtin_fmaf(p, u, 0x1.c41b8c0000000p-4f);
  p = __builtin_fmaf(p, u, -0x1.fdfb820000000p-4f);
  p = __builtin_fmaf(p, u, 0x1.2496880000000p-3f);
  p = __builtin_fmaf(p, u, -0x1.555c540000000p-3f);
  p = __builtin_fmaf(p, u, 0x1.9999a80000000p-3f);
  p = __builtin_fmaf(p, u, -0x1.fffff20000000p-3f);
  p = __builtin_fmaf(p, u, 0x1.5555560000000p-2f);
  return p;
}
// (2*atanh(q)/q - 2)/w, w = q*q on [0.0, 0.02948], to 2.1e-18
__WT_PRIVATE__ double __wt_poly_log(double u) {
  double p = 0x1.0c0e8f3c98b3ep-3;
  p = __builtin_fma(p, u, 0x1.0fbd899eaf6e0p-3);
  p = __builtin_fma(p, u, 0x1.3b1c3f6063f3cp-3);
  p = __builtin_fma(p, u, 0x1.745cf8d558977p-3);
  p = __builtin_fma(p, u, 0x1.c71c7201ca461p-3);
  p = __builtin_fma(p, u, 0x1.24924924768ccp-2);
  p = __builtin_fma(p, u, 0x1.9999999999a39p-2);
  p = __builtin_fma(p, u, 0x1.5555555555555p-1);
  return p;
}
// (2*atanh(q)/q - 2 - w*2/3)/w/w, w = q*q on [0.0, 0.02948], to 1.9e-18
__WT_PRIVATE__ double __wt_poly_logtail(double u) {
  double p = 0x1.e040ef6d0ea22p-4;
  p = __builtin_fma(p, u, 0x1.df7b03bbfc5c4p-4);
  p = __builtin_fma(p, u, 0x1.1118d05c4c72cp-3);
  p = __builtin_fma(p, u, 0x1.3b1395aa36ffcp-3);
  p = __builtin_fma(p, u, 0x1.745d177af5a52p-3);
  p = __builtin_fma(p, u, 0x1.c71c71c6ea34fp-3);
  p = __builtin_fma(p, u, 0x1.2492492492523p-2);
  p = __builtin_fma(p, u, 0x1.999999999999ap-2);
  return p;
}
// (2*atanh(q)/q - 2 - w*2/3)/w/w, w = q*q on [0.0, 0.02948], to 1.6e-7
__WT_PRIVATE__ float __wt_poly_logtailf(float u) {
  float p = 0x1.d80d4e0000000p-3f;
  p = __builtin_fmaf(p, u, 0x1.247a1e0000000p-2f);
  p = __builtin_fmaf(p, u, 0x1.9999a40000000p-2f);
  return p;
}
// (atan(x)/x - 1)/u, u = x*x on [0.0, 1.0], to 1.6e-8
__WT_PRIVATE__ float __wt_poly_atanf(float u) {
  float p = -0x1.38de560000000p-9f;
  p = __builtin_fmaf(p, u, 0x1.ba9f660000000p-7f);
  p = __builtin_fmaf(p, u, -0x1.25dc120000000p-5f);
  p = __builtin_fmaf(p, u, 0x1.0001c60000000p-4f);
  p = __builtin_fmaf(p, u, -0x1.6295f80000000p-4f);
  p = __builtin_fmaf(p, u, 0x1.c3f1680000000p-4f);
  p = __builtin_fmaf(p, u, -0x1.246cd20000000p-3f);
  p = __builtin_fmaf(p, u, 0x1.99983c0000000p-3f);
  p = __builtin_fmaf(p, u, -0x1.5555540000000p-2f);
  return p;
}
// (atan(x)/x - 1)/u, u = x*x on [0.0, 1.0], to 3.1e-17
__WT_PRIVATE__ double __wt_poly_atan(double u) {
  double p = 0x1.2f07811f9f6e9p-16;
  p = __builtin_fma(p, u, -0x1.a359b96a4eee4p-13);
  p = __builtin_fma(p, u, 0x1.1325b2f8964bep-10);
  p = __builtin_fma(p, u, -0x1.ca3677db66678p-9);
  p = __builtin_fma(p, u, 0x1.123baedb61abdp-7);
  p = __builtin_fma(p, u, -0x1.fd0e4de8fed90p-7);
  p = __builtin_fma(p, u, 0x1.843f4bca23369p-6);
  p = __builtin_fma(p, u, -0x1.00390504e9f2fp-5);
  p = __builtin_fma(p, u, 0x1.3328700bb8169p-5);
  p = __builtin_fma(p, u, -0x1.5d02278205cc7p-5);
  p = __builtin_fma(p, u, 0x1.841dcf603a209p-5);
  p = __builtin_fma(p, u, -0x1.aebbb1647a168p-5);
  p = __builtin_fma(p, u, 0x1.e1d0239d392a6p-5);
  p = __builtin_fma(p, u, -0x1.110fff599e4d2p-4);
  p = __builtin_fma(p, u, 0x1.3b1399d1dcdc7p-4);
  p = __builtin_fma(p, u, -0x1.745d15ee35819p-4);
  p = __builtin_fma(p, u, 0x1.c71c71bb00a6cp-4);
  p = __builtin_fma(p, u, -0x1.24924924753ecp-3);
  p = __builtin_fma(p, u, 0x1.9999999999620p-3);
  p = __builtin_fma(p, u, -0x1.5555555555555p-2);
  return p;
}
// (asin(x)/x - 1)/u, u = x*x on [0.0, 0.317], to 2.3e-8
__WT_PRIVATE__ float __wt_poly_asinf(float u) {
  float p = 0x1.51f3400000000p-5f;
  p = __builtin_fmaf(p, u, 0x1.9445c80000000p-7f);
  p = __builtin_fmaf(p, u, 0x1.07781c0000000p-5f);
  p = __builtin_fmaf(p, u, 0x1.6c96340000000p-5f);
  p = __builtin_fmaf(p, u, 0x1.3337320000000p-4f);
  p = __builtin_fmaf(p, u, 0x1.5555540000000p-3f);
  return p;
}
// (asin(x)/x - 1)/u, u = x*x on [0.0, 0.317], to 5.1e-17
__WT_PRIVATE__ double __wt_poly_asin(double u) {
  double p = 0x1.9f490e9c18c7fp-5;
  p = __builtin_fma(p, u, -0x1.d24c3af78a1e2p-5);
  p = __builtin_fma(p, u, 0x1.94d548db9880bp-5);
  p = __builtin_fma(p, u, -0x1.60d48509aec03p-7);
  p = __builtin_fma(p, u, 0x1.b8a789309bccap-7);
  p = __builtin_fma(p, u, 0x1.1ff5dcacb88ffp-7);
  p = __builtin_fma(p, u, 0x1.7ecd9627d4a78p-7);
  p = __builtin_fma(p, u, 0x1.c9346294ce2a0p-7);
  p = __builtin_fma(p, u, 0x1.1c51ed1924873p-6);
  p = __builtin_fma(p, u, 0x1.6e8b826ab05a5p-6);
  p = __builtin_fma(p, u, 0x1.f1c71d3941e07p-6);
  p = __builtin_fma(p, u, 0x1.6db6db6c787c3p-5);
  p = __builtin_fma(p, u, 0x1.3333333333fabp-4);
  p = __builtin_fma(p, u, 0x1.5555555555554p-3);
  return p;
}
// (tanh(x)/x - 1)/u, u = x*x on [0.0, 0.3026], to 3.8e-10
__WT_PRIVATE__ float __wt_poly_tanhf(float u) {
  float p = 0x1.4b1a280000000p-9f;
  p = __builtin_fmaf(p, u, -0x1.1762740000000p-7f);
  p = __builtin_fmaf(p, u, 0x1.6579040000000p-6f);
  p = __builtin_fmaf(p, u, -0x1.ba142c0000000p-5f);
  p = __builtin_fmaf(p, u, 0x1.1111040000000p-3f);
  p = __builtin_fmaf(p, u, -0x1.5555560000000p-2f);
  return p;
}
// (tanh(x)/x - 1)/u, u = x*x on [0.0, 0.3026], to 7.7e-18
__WT_PRIVATE__ double __wt_poly_tanh(double u) {
  double p = -0x1.59962093e21d0p-16;
  p = __builtin_fma(p, u, 0x1.64f707d11ba4fp-14);
  p = __builtin_fma(p, u, -0x1.ec0e9550d42c9p-13);
  p = __builtin_fma(p, u, 0x1.34c57de48a611p-11);
  p = __builtin_fma(p, u, -0x1.7d97cb7a94b76p-10);
  p = __builtin_fma(p, u, 0x1.d6d338edc6017p-9);
  p = __builtin_fma(p, u, -0x1.226e32eebbb26p-7);
  p = __builtin_fma(p, u, 0x1.664f48770be76p-6);
  p = __builtin_fma(p, u, -0x1.ba1ba1b9feb3cp-5);
  p = __builtin_fma(p, u, 0x1.1111111111032p-3);
  p = __builtin_fma(p, u, -0x1.5555555555555p-2);
  return p;
}
// (sinh(x)/x - 1)/u, u = x*x on [0.0, 1.0], to 2.0e-10
__WT_PRIVATE__ float __wt_poly_sinhf(float u) {
  float p = 0x1.78a70e0000000p-19f;
  p = __builtin_fmaf(p, u, 0x1.a009000000000p-13f);
  p = __builtin_fmaf(p, u, 0x1.11111e0000000p-7f);
  p = __builtin_fmaf(p, u, 0x1.5555560000000p-3f);
  return p;
}
// (sinh(x)/x - 1)/u, u = x*x on [0.0, 1.0], to 3.5e-19
__WT_PRIVATE__ double __wt_poly_sinh(double u) {
  double p = 0x1.b41232cf9950fp-41;
  p = __builtin_fma(p, u, 0x1.611cb330c1fe8p-33);
  p = __builtin_fma(p, u, 0x1.ae6460fae3728p-26);
  p = __builtin_fma(p, u, 0x1.71de3a4e14f40p-19);
  p = __builtin_fma(p, u, 0x1.a01a01a01ee70p-13);
  p = __builtin_fma(p, u, 0x1.11111111110fdp-7);
  p = __builtin_fma(p, u, 0x1.5555555555555p-3);
  return p;
}
// erf(x)/x - 1, u = x*x on [0.0, 1.0], to 3.4e-11
__WT_PRIVATE__ float __wt_poly_erff(float u) {
  float p = -0x1.445f480000000p-17f;
  p = __builtin_fmaf(p, u, 0x1.d887500000000p-14f);
  p = __builtin_fmaf(p, u, -0x1.bccf660000000p-11f);
  p = __builtin_fmaf(p, u, 0x1.562a600000000p-8f);
  p = __builtin_fmaf(p, u, -0x1.b829c80000000p-6f);
  p = __builtin_fmaf(p, u, 0x1.ce2f080000000p-4f);
  p = __builtin_fmaf(p, u, -0x1.8127460000000p-2f);
  p = __builtin_fmaf(p, u, 0x1.06eba80000000p-3f);
  return p;
}
// erf(x)/x - 1, u = x*x on [0.0, 1.0], to 7.4e-18
__WT_PRIVATE__ double __wt_poly_erfdouble(double u) {
  double p = -0x1.ac9585a44fe29p-31;
  p = __builtin_fma(p, u, 0x1.d76af6ca49787p-27);
  p = __builtin_fma(p, u, -0x1.5c131500d3f88p-23);
  p = __builtin_fma(p, u, 0x1.b981d78881a5dp-20);
  p = __builtin_fma(p, u, -0x1.f4ca838adb73bp-17);
  p = __builtin_fma(p, u, 0x1.f9a2be4f731a1p-14);
  p = __builtin_fma(p, u, -0x1.c02db0665e53dp-11);
  p = __builtin_fma(p, u, 0x1.565bccfa44156p-8);
  p = __builtin_fma(p, u, -0x1.b82ce31203772p-6);
  p = __builtin_fma(p, u, 0x1.ce2f21a040f66p-4);
  p = __builtin_fma(p, u, -0x1.812746b0379c1p-2);
  p = __builtin_fma(p, u, 0x1.06eba8214db68p-3);
  return p;
}
// erfcx(x)*(1 + 2*x), u = (x - 2)/(x + 2), x >= 0 on [-1.0, 1.0], to 5.2e-9
__WT_PRIVATE__ float __wt_poly_erfcxf(float u) {
  float p = -0x1.515f340000000p-16f;
  p = __builtin_fmaf(p, u, 0x1.08a94e0000000p-14f);
  p = __builtin_fmaf(p, u, 0x1.cfb1160000000p-13f);
  p = __builtin_fmaf(p, u, -0x1.7687360000000p-12f);
  p = __builtin_fmaf(p, u, -0x1.7fa69c0000000p-10f);
  p = __builtin_fmaf(p, u, 0x1.3ef10a0000000p-10f);
  p = __builtin_fmaf(p, u, 0x1.1de0b00000000p-7f);
  p = __builtin_fmaf(p, u, -0x1.06c1320000000p-7f);
  p = __builtin_fmaf(p, u, -0x1.bc2bf80000000p-5f);
  p = __builtin_fmaf(p, u, 0x1.4ff9220000000p-3f);
  p = __builtin_fmaf(p, u, -0x1.5407be0000000p-3f);
  p = __builtin_fmaf(p, u, -0x1.7bf5da0000000p-4f);
  p = __builtin_fmaf(p, u, 0x1.46e80e0000000p+0f);
  return p;
}
// erfcx(x)*(1 + 2*x), u = (x - 4)/(x + 4), x >= 0 on [-1.0, 1.0], to 4.5e-17
__WT_PRIVATE__ double __wt_poly_erfcx(double u) {
  double p = 0x1.0967e527911a9p-30;
  p = __builtin_fma(p, u, 0x1.afe473b552685p-30);
  p = __builtin_fma(p, u, -0x1.af097381d257bp-27);
  p = __builtin_fma(p, u, -0x1.1904891a069b4p-26);
  p = __builtin_fma(p, u, 0x1.cad9b27d6d663p-24);
  p = __builtin_fma(p, u, 0x1.31744dd9b56d0p-24);
  p = __builtin_fma(p, u, -0x1.b9339da7bf70bp-21);
  p = __builtin_fma(p, u, 0x1.400a0021a32f1p-22);
  p = __builtin_fma(p, u, 0x1.7f01a118598aep-18);
  p = __builtin_fma(p, u, -0x1.78a738afaf645p-17);
  p = __builtin_fma(p, u, -0x1.99551e5f87e20p-16);
  p = __builtin_fma(p, u, 0x1.3be12bafabe1fp-13);
  p = __builtin_fma(p, u, -0x1.a1df4a1e543bcp-13);
  p = __builtin_fma(p, u, -0x1.8d4aaa8fbedbcp-11);
  p = __builtin_fma(p, u, 0x1.49c672b9685cep-8);
  p = __builtin_fma(p, u, -0x1.0962386da3254p-6);
  p = __builtin_fma(p, u, 0x1.3079edf5d9d05p-5);
  p = __builtin_fma(p, u, -0x1.0fb06dfee4790p-4);
  p = __builtin_fma(p, u, 0x1.7fee004e16d41p-4);
  p = __builtin_fma(p, u, -0x1.9ddb23c3e0c24p-4);
  p = __builtin_fma(p, u, 0x1.16ecefcfa5214p-4);
  p = __builtin_fma(p, u, 0x1.f7f5df66fc17fp-7);
  p = __builtin_fma(p, u, -0x1.1df1ad154a28ep-3);
  p = __builtin_fma(p, u, 0x1.3ba5916e9fd7fp+0);
  return p;
}
// (erfinv(x)/x - sqrt(pi)/2)/u, u = -log(1 - x*x) on [0.0, 4.0], to 2.8e-9
__WT_PRIVATE__ float __wt_poly_erfinvcentralf(float u) {
  float p = -0x1.27bd7a0000000p-27f;
  p = __builtin_fmaf(p, u, 0x1.da0bee0000000p-23f);
  p = __builtin_fmaf(p, u, -0x1.0c5be20000000p-19f);
  p = __builtin_fmaf(p, u, 0x1.19186a0000000p-18f);
  p = __builtin_fmaf(p, u, 0x1.6f4e800000000p-15f);
  p = __builtin_fmaf(p, u, -0x1.0821360000000p-13f);
  p = __builtin_fmaf(p, u, -0x1.322b8c0000000p-9f);
  p = __builtin_fmaf(p, u, 0x1.7a73e20000000p-7f);
  p = __builtin_fmaf(p, u, 0x1.db29fa0000000p-3f);
  return p;
}
// (erfinv(x)/x - 0x1.6a9efc0000000p+1 - -0x1.4c8a8c0000000p-26)/u, u = sqrt(w) - 3, w = -log(1 - x*x) on [-1.0, 1.2], to 2.1e-9
__WT_PRIVATE__ float __wt_poly_erfinvouterf(float u) {
  float p = -0x1.33041e0000000p-19f;
  p = __builtin_fmaf(p, u, 0x1.e1c7140000000p-17f);
  p = __builtin_fmaf(p, u, -0x1.8d21e00000000p-16f);
  p = __builtin_fmaf(p, u, -0x1.34496e0000000p-15f);
  p = __builtin_fmaf(p, u, 0x1.a94f120000000p-13f);
  p = __builtin_fmaf(p, u, -0x1.2ecd860000000p-12f);
  p = __builtin_fmaf(p, u, -0x1.335ea20000000p-13f);
  p = __builtin_fmaf(p, u, 0x1.855c6e0000000p-10f);
  p = __builtin_fmaf(p, u, -0x1.d28c260000000p-9f);
  p = __builtin_fmaf(p, u, 0x1.7492840000000p-8f);
  p = __builtin_fmaf(p, u, -0x1.f4f0aa0000000p-8f);
  p = __builtin_fmaf(p, u, 0x1.3582d40000000p-7f);
  p = __builtin_fmaf(p, u, 0x1.006dca0000000p+0f);
  return p;
}
// erfcinv(y)*t, u = t - 0.25, t = 1/sqrt(-log(y)) on [-0.2136, 0.2], to 1.2e-8
__WT_PRIVATE__ float __wt_poly_erfcinvf(float u) {
  float p = 0x1.d6ae6c0000000p+14f;
  p = __builtin_fmaf(p, u, -0x1.7e505c0000000p+12f);
  p = __builtin_fmaf(p, u, -0x1.3ac8940000000p+11f);
  p = __builtin_fmaf(p, u, 0x1.6baeaa0000000p+8f);
  p = __builtin_fmaf(p, u, 0x1.29656e0000000p+7f);
  p = __builtin_fmaf(p, u, -0x1.cabcb60000000p+4f);
  p = __builtin_fmaf(p, u, 0x1.43734a0000000p+1f);
  p = __builtin_fmaf(p, u, -0x1.c043180000000p+0f);
  p = __builtin_fmaf(p, u, 0x1.01f7400000000p+0f);
  p = __builtin_fmaf(p, u, -0x1.6879240000000p-1f);
  p = __builtin_fmaf(p, u, 0x1.36ad5c0000000p-1f);
  p = __builtin_fmaf(p, u, -0x1.18884c0000000p-2f);
  p = __builtin_fmaf(p, u, -0x1.8113f00000000p-2f);
  p = __builtin_fmaf(p, u, 0x1.e02c8a0000000p-1f);
  return p;
}
// (lgamma(x) - (x - 1/2)*log(x) + x - log(2*pi)/2)*x, u = 1/x/x on [0.0, 0.01563], to 6.0e-19
__WT_PRIVATE__ double __wt_poly_stirling(double u) {
  double p = 0x1.4bffc9d8b455bp-8;
  p = __builtin_fma(p, u, -0x1.ef8d748aeb0f2p-10);
  p = __builtin_fma(p, u, 0x1.b92c33f9445e5p-11);
  p = __builtin_fma(p, u, -0x1.38134d4f8896fp-11);
  p = __builtin_fma(p, u, 0x1.a01a017dcf9e1p-11);
  p = __builtin_fma(p, u, -0x1.6c16c16c149f4p-9);
  p = __builtin_fma(p, u, 0x1.5555555555555p-4);
  return p;
}
// 1/gamma(2 + u) on [-0.5, 0.5], to 1.1e-20
__WT_PRIVATE__ double __wt_poly_rgamma(double u) {
  double p = -0x1.5a7ce0d62d36cp-30;
  p = __builtin_fma(p, u, 0x1.b5ce829b9edd0p-28);
  p = __builtin_fma(p, u, -0x1.6b83a3b7f2a21p-33);
  p = __builtin_fma(p, u, -0x1.b95766476db40p-23);
  p = __builtin_fma(p, u, 0x1.674d37f037915p-20);
  p = __builtin_fma(p, u, -0x1.5b7cdd320a207p-19);
  p = __builtin_fma(p, u, -0x1.265ee50341814p-16);
  p = __builtin_fma(p, u, 0x1.3156553b7dd5bp-13);
  p = __builtin_fma(p, u, -0x1.7a5da9eb2dfa8p-12);
  p = __builtin_fma(p, u, -0x1.a5b350a5eb124p-11);
  p = __builtin_fma(p, u, 0x1.06e8179e66e49p-7);
  p = __builtin_fma(p, u, -0x1.2119851175b06p-6);
  p = __builtin_fma(p, u, -0x1.92449b66f2a53p-6);
  p = __builtin_fma(p, u, 0x1.875ac5782250cp-3);
  p = __builtin_fma(p, u, -0x1.dd603fb6ac11bp-3);
  p = __builtin_fma(p, u, -0x1.b0ee6072093cep-2);
  p = __builtin_fma(p, u, 0x1.0000000000000p+0);
  return p;
}
// lgamma(x)/(x - 1)/(x - 2), u = x - 1 on [-0.5, 0.5], to 6.6e-21
__WT_PRIVATE__ double __wt_poly_lgamma1(double u) {
  double p = 0x1.0781d6ad3fb81p-3;
  p = __builtin_fma(p, u, -0x1.0ea093386c560p-3);
  p = __builtin_fma(p, u, -0x1.0956740762b6ap-3);
  p = __builtin_fma(p, u, 0x1.10122a5b3a599p-3);
  p = __builtin_fma(p, u, 0x1.ccb93c8af7843p-4);
  p = __builtin_fma(p, u, -0x1.d956260aa5ca8p-4);
  p = __builtin_fma(p, u, -0x1.5fc9e5813f1a7p-6);
  p = __builtin_fma(p, u, 0x1.65633896e60e4p-6);
  p = __builtin_fma(p, u, 0x1.fa5a921367cabp-6);
  p = __builtin_fma(p, u, -0x1.061e2791f2a43p-5);
  p = __builtin_fma(p, u, 0x1.369f0e0e85271p-6);
  p = __builtin_fma(p, u, -0x1.451e1c4999acbp-6);
  p = __builtin_fma(p, u, 0x1.82753a327a4b5p-6);
  p = __builtin_fma(p, u, -0x1.952881a29ddabp-6);
  p = __builtin_fma(p, u, 0x1.a33598676e13cp-6);
  p = __builtin_fma(p, u, -0x1.b9daf556b16ccp-6);
  p = __builtin_fma(p, u, 0x1.d3c92431e942cp-6);
  p = __builtin_fma(p, u, -0x1.f01641c0fb2cep-6);
  p = __builtin_fma(p, u, 0x1.07fd0672c71c6p-5);
  p = __builtin_fma(p, u, -0x1.1a28a37063efbp-5);
  p = __builtin_fma(p, u, 0x1.2f04beb360ef7p-5);
  p = __builtin_fma(p, u, -0x1.47367756c7881p-5);
  p = __builtin_fma(p, u, 0x1.639f38e491865p-5);
  p = __builtin_fma(p, u, -0x1.85792d0718d7bp-5);
  p = __builtin_fma(p, u, 0x1.ae8a99e93bdbcp-5);
  p = __builtin_fma(p, u, -0x1.e18246f268f7bp-5);
  p = __builtin_fma(p, u, 0x1.115549e6156b3p-4);
  p = __builtin_fma(p, u, -0x1.3cb1f9d3bdd38p-4);
  p = __builtin_fma(p, u, 0x1.79cf9c4c59f07p-4);
  p = __builtin_fma(p, u, -0x1.d7a3e6a8f23a2p-4);
  p = __builtin_fma(p, u, 0x1.3e54520481ec5p-3);
  p = __builtin_fma(p, u, -0x1.f6465978d46e9p-3);
  p = __builtin_fma(p, u, 0x1.2788cfc6fb619p-1);
  return p;
}
// lgamma(x)/(x - 1)/(x - 2), u = x - 2 on [-0.5, 0.5], to 1.2e-22
__WT_PRIVATE__ double __wt_poly_lgamma2(double u) {
  double p = 0x1.cdeeea49cb6a0p-28;
  p = __builtin_fma(p, u, -0x1.e0cacee21ae3bp-27);
  p = __builtin_fma(p, u, 0x1.4f43079474d75p-26);
  p = __builtin_fma(p, u, -0x1.5ecc88dd157b4p-25);
  p = __builtin_fma(p, u, 0x1.89cb506ae00c6p-24);
  p = __builtin_fma(p, u, -0x1.9daaf64e50d10p-23);
  p = __builtin_fma(p, u, 0x1.b15f751bb2ec0p-22);
  p = __builtin_fma(p, u, -0x1.c9cfcf8deae72p-21);
  p = __builtin_fma(p, u, 0x1.e55d300f60868p-20);
  p = __builtin_fma(p, u, -0x1.02310d0453eaap-18);
  p = __builtin_fma(p, u, 0x1.13e40c5180adcp-17);
  p = __builtin_fma(p, u, -0x1.28504f7713e9dp-16);
  p = __builtin_fma(p, u, 0x1.402f10fbebbe8p-15);
  p = __builtin_fma(p, u, -0x1.5c86b67103494p-14);
  p = __builtin_fma(p, u, 0x1.7ed733aa37175p-13);
  p = __builtin_fma(p, u, -0x1.a96a401073c91p-12);
  p = __builtin_fma(p, u, 0x1.dfebcf8e84247p-11);
  p = __builtin_fma(p, u, -0x1.145121f99d84ep-9);
  p = __builtin_fma(p, u, 0x1.47974853aa18cp-8);
  p = __builtin_fma(p, u, -0x1.95ce223a9cbbep-7);
  p = __builtin_fma(p, u, 0x1.0e0c9df293532p-5);
  p = __builtin_fma(p, u, -0x1.9ae6509ea109fp-4);
  p = __builtin_fma(p, u, 0x1.b0ee6072093cep-2);
  return p;
}
// lgamma(x)/(x - 1)/(x - 2), u = x - 3 on [-0.5, 0.5], to 4.4e-18
__WT_PRIVATE__ double __wt_poly_lgamma3(double u) {
  double p = 0x1.b4ada8fac1a25p-28;
  p = __builtin_fma(p, u, -0x1.5b645ec1be81cp-26);
  p = __builtin_fma(p, u, 0x1.f7eb08d99e1eep-25);
  p = __builtin_fma(p, u, -0x1.9502d4cbf10f6p-23);
  p = __builtin_fma(p, u, 0x1.48baa1f3a055ap-21);
  p = __builtin_fma(p, u, -0x1.0bd0a2a8b9df8p-19);
  p = __builtin_fma(p, u, 0x1.b866434a84575p-18);
  p = __builtin_fma(p, u, -0x1.6e60836bc225ep-16);
  p = __builtin_fma(p, u, 0x1.35711f51c2678p-14);
  p = __builtin_fma(p, u, -0x1.0ab1114c6bef9p-12);
  p = __builtin_fma(p, u, 0x1.d8cdb770a8b9bp-11);
  p = __builtin_fma(p, u, -0x1.b4c4ca547a3a4p-9);
  p = __builtin_fma(p, u, 0x1.aede3660fcb7ap-7);
  p = __builtin_fma(p, u, -0x1.def8bd738680ep-5);
  p = __builtin_fma(p, u, 0x1.62e42fefa39efp-2);
  return p;
}
#endif
