#!/usr/bin/env python3
"""Writes include/warptape_math_polynomials.h: the polynomials of the device mathematics.

Each is a Chebyshev fit in 60 digits (mpmath, Debian: python3-mpmath), rounded to its own
precision. Run it in this folder after a change; warptape's own builds do not need it.
"""
from mpmath import mp, mpf, chebyfit, sin, cos, tan, exp, log, log1p, expm1, atan, asin, tanh, sinh, erf, erfc, sqrt, pi, taylor, loggamma, findroot
import struct

mp.dps = 60
out = []


def single(x):
    return struct.unpack('f', struct.pack('f', float(x)))[0]


def emit(name, what, f, a, b, n):
    """n coefficients for single (name ends in f) or double precision."""
    is_single = name.endswith('f')
    c, err = chebyfit(f, [mpf(a), mpf(b)], n, error=True)
    c = list(reversed(c))
    t, fma, tail = ('float', '__builtin_fmaf', 'f') if is_single else ('double', '__builtin_fma', '')
    show = (lambda v: single(v).hex()) if is_single else (lambda v: float(v).hex())
    out.append(f'// {what} on [{mp.nstr(mpf(a), 4)}, {mp.nstr(mpf(b), 4)}], to {mp.nstr(err, 2)}')
    out.append(f'__WT_PRIVATE__ {t} __wt_poly_{name}({t} u) {{')
    out.append(f'  {t} p = {show(c[-1])}{tail};')
    for v in reversed(c[:-1]):
        out.append(f'  p = {fma}(p, u, {show(v)}{tail});')
    out.append('  return p;\n}')


def from_series(coefficients, closed, radius=mpf('1e-3')):
    def f(u):
        if abs(u) < radius:
            return sum(c * u**i for i, c in enumerate(coefficients))
        return closed(u)
    return f


fact = mp.factorial
# functions of u = r*r
sin_u = from_series([(-1)**(i + 1) / fact(2 * i + 3) for i in range(12)], lambda u: (sin(sqrt(u)) / sqrt(u) - 1) / u)
cos_u = from_series([(-1)**i / fact(2 * i + 4) for i in range(12)], lambda u: (cos(sqrt(u)) - 1 + u / 2) / u**2)
q4 = (pi / 4 * mpf('1.0001'))**2
emit('sinf', '(sin(r)/r - 1)/u, u = r*r', sin_u, 0, q4, 4)
emit('cosf', '(cos(r) - 1 + u/2)/u/u, u = r*r', cos_u, 0, q4, 3)
emit('sin', '(sin(r)/r - 1)/u, u = r*r', sin_u, 0, q4, 6)
emit('cos', '(cos(r) - 1 + u/2)/u/u, u = r*r', cos_u, 0, q4, 6)
tc = taylor(tan, 0, 31)
emit('tanf', '(tan(r)/r - 1)/u, u = r*r', from_series(tc[3::2], lambda u: (tan(sqrt(u)) / sqrt(u) - 1) / u), 0, q4, 8)
l2 = log(2) / 2 * mpf('1.0001')
e3 = from_series([1 / fact(i + 3) for i in range(14)], lambda r: (exp(r) - 1 - r - r * r / 2) / r**3)
emit('expm1f', '(exp(r) - 1 - r - r*r/2)/r^3', e3, -0.5, 0.5, 6)
emit('exp', '(exp(r) - 1 - r - r*r/2)/r^3', e3, -l2, l2, 10)
emit('expm1', '(exp(r) - 1 - r - r*r/2)/r^3', e3, -0.5, 0.5, 11)
emit('log1pf', '(log1p(f) - f + f*f/2)/f^3', from_series([(-1)**i / mpf(i + 3) for i in range(20)], lambda f: (log1p(f) - f + f * f / 2) / f**3), sqrt(mpf(1) / 2) - 1, sqrt(mpf(2)) - 1, 10)
w1 = mpf('0.1717')**2
emit('log', '(2*atanh(q)/q - 2)/w, w = q*q', from_series([mpf(2) / (2 * i + 3) for i in range(20)], lambda w: (2 * mp.atanh(sqrt(w)) / sqrt(w) - 2) / w), 0, w1, 8)
emit('logtail', '(2*atanh(q)/q - 2 - w*2/3)/w/w, w = q*q', from_series([mpf(2) / (2 * i + 5) for i in range(20)], lambda w: (2 * mp.atanh(sqrt(w)) / sqrt(w) - 2 - w * 2 / 3) / w**2), 0, w1, 8)
emit('logtailf', '(2*atanh(q)/q - 2 - w*2/3)/w/w, w = q*q', from_series([mpf(2) / (2 * i + 5) for i in range(20)], lambda w: (2 * mp.atanh(sqrt(w)) / sqrt(w) - 2 - w * 2 / 3) / w**2), 0, w1, 3)
atan_u = from_series([(-1)**(i + 1) / mpf(2 * i + 3) for i in range(30)], lambda u: (atan(sqrt(u)) / sqrt(u) - 1) / u)
emit('atanf', '(atan(x)/x - 1)/u, u = x*x', atan_u, 0, 1, 9)
emit('atan', '(atan(x)/x - 1)/u, u = x*x', atan_u, 0, 1, 20)
ac = taylor(asin, 0, 61)
asin_u = from_series(ac[3::2], lambda u: (asin(sqrt(u)) / sqrt(u) - 1) / u)
emit('asinf', '(asin(x)/x - 1)/u, u = x*x', asin_u, 0, mpf('0.317'), 6)
emit('asin', '(asin(x)/x - 1)/u, u = x*x', asin_u, 0, mpf('0.317'), 14)
hc = taylor(tanh, 0, 41)
tanh_u = from_series(hc[3::2], lambda u: (tanh(sqrt(u)) / sqrt(u) - 1) / u)
emit('tanhf', '(tanh(x)/x - 1)/u, u = x*x', tanh_u, 0, mpf('0.3026'), 6)
emit('tanh', '(tanh(x)/x - 1)/u, u = x*x', tanh_u, 0, mpf('0.3026'), 11)
sinh_u = from_series([1 / fact(2 * i + 3) for i in range(14)], lambda u: (sinh(sqrt(u)) / sqrt(u) - 1) / u)
emit('sinhf', '(sinh(x)/x - 1)/u, u = x*x', sinh_u, 0, 1, 4)
emit('sinh', '(sinh(x)/x - 1)/u, u = x*x', sinh_u, 0, 1, 7)
two = 2 / sqrt(pi)
erf_u = from_series([two * (-1)**i / (fact(i) * (2 * i + 1)) for i in range(20)], lambda u: erf(sqrt(u)) / sqrt(u))
erf_v = lambda u: erf_u(u) - 1
emit('erff', 'erf(x)/x - 1, u = x*x', erf_v, 0, 1, 8)
emit('erfdouble', 'erf(x)/x - 1, u = x*x', erf_v, 0, 1, 12)


def erfcx(x):
    if x > 40:
        return sum((-1)**k * mp.fac2(2 * k - 1) / (2 * x * x)**k for k in range(0, 30)) / (x * sqrt(pi))
    return exp(x * x) * erfc(x)


def erfcx_t(k):
    def f(t):
        if t >= 1:
            return 2 / sqrt(pi)
        x = k * (1 + t) / (1 - t)
        return erfcx(x) * (1 + 2 * x)
    return f


emit('erfcxf', 'erfcx(x)*(1 + 2*x), u = (x - 2)/(x + 2), x >= 0', erfcx_t(mpf(2)), -1, 1, 13)
emit('erfcx', 'erfcx(x)*(1 + 2*x), u = (x - 4)/(x + 4), x >= 0', erfcx_t(mpf(4)), -1, 1, 24)


def central(w):
    if w < mpf('1e-20'):
        return sqrt(pi) * pi / 24  # erfinv(x)/x = sqrt(pi)/2*(1 + pi/12*x*x + ...), and w is near x*x
    x = sqrt(-expm1(-w))
    return (mp.erfinv(x) / x - sqrt(pi) / 2) / w


def erfcinv_s(s):
    """The z with erfc(z) = exp(-s*s)."""
    z = sqrt(s * s - log(sqrt(pi) * s)) if s > 1.2 else s / 2
    return findroot(lambda z: log(erfc(z)) + s * s, z)


emit('erfinvcentralf', '(erfinv(x)/x - sqrt(pi)/2)/u, u = -log(1 - x*x)', central, 0, 4, 9)


def outer(u):
    w = (u + 3)**2
    x = sqrt(-expm1(-w))
    # erfc of it, without cancellation
    y = exp(-w) / (1 + x)
    return erfcinv_s(sqrt(-log(y))) / x


middle = outer(mpf(0))


def slope(u):
    if abs(u) < mpf('1e-25'):
        u = mpf('1e-25')
    return (outer(u) - middle) / u


emit('erfinvouterf', f'(erfinv(x)/x - {single(middle).hex()} - {single(middle - mpf(single(middle))).hex()})/u, u = sqrt(w) - 3, w = -log(1 - x*x)', slope, -1, mpf('1.2'), 13)
emit('erfcinvf', 'erfcinv(y)*t, u = t - 0.25, t = 1/sqrt(-log(y))', lambda u: erfcinv_s(1 / (u + mpf('0.25'))) * (u + mpf('0.25')), mpf('0.0364') - mpf('0.25'), mpf('0.45') - mpf('0.25'), 14)



def stirling(u):
    if u < mpf('1e-6'):
        return sum(mp.bernoulli(2 * k) / (2 * k * (2 * k - 1)) * u**(k - 1) for k in range(1, 9))
    x = 1 / sqrt(u)
    return (loggamma(x) - (x - mpf(1) / 2) * log(x) + x - log(2 * pi) / 2) * x


emit('stirling', '(lgamma(x) - (x - 1/2)*log(x) + x - log(2*pi)/2)*x, u = 1/x/x', stirling, 0, mpf(1) / 64, 7)


def lgamma_factor(center):
    """lgamma(x)/(x - 1)/(x - 2)"""
    def f(u):
        x = center + u
        for zero in (1, 2):
            if abs(x - zero) < mpf('1e-25'):
                x = zero + mpf('1e-25')
        return loggamma(x) / ((x - 1) * (x - 2))
    return f


emit('rgamma', '1/gamma(2 + u)', lambda u: mp.rgamma(2 + u), -0.5, 0.5, 17)
emit('lgamma1', 'lgamma(x)/(x - 1)/(x - 2), u = x - 1', lgamma_factor(1), -0.5, 0.5, 33)
emit('lgamma2', 'lgamma(x)/(x - 1)/(x - 2), u = x - 2', lgamma_factor(2), -0.5, 0.5, 23)
emit('lgamma3', 'lgamma(x)/(x - 1)/(x - 2), u = x - 3', lgamma_factor(3), -0.5, 0.5, 15)

header = '''// Polynomials of the device mathematics, written by polynomials.py.
#ifndef __WARPTAPE_MATH_POLYNOMIALS_H__
#define __WARPTAPE_MATH_POLYNOMIALS_H__
'''
with open('include/warptape_math_polynomials.h', 'w') as file:
    file.write(header + '\n'.join(out) + '\n#endif\n')
