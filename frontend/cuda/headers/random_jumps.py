#!/usr/bin/env python3
"""Writes include/warptape_random_jumps.h: how XORWOW skips numbers.

The linear part of XORWOW (G. Marsaglia, Xorshift RNGs, 2003) is a matrix T over GF(2). Its
characteristic polynomial p comes from the algorithm of Berlekamp and Massey, and
x^n mod p, taken of T, is T^n (H. Haramoto and others, Efficient jump ahead for F2-linear
random number generators, 2008). Run it in this folder after a change.
"""
MASK = 0xffffffff


def step(s):
    x, y, z, w, v = s
    t = x ^ (x >> 2)
    return (y, z, w, v, v ^ ((v << 4) & MASK) ^ t ^ ((t << 1) & MASK))


def minimal_polynomial(bits):
    c, b, length, shift = 1, 1, 0, 1
    for n in range(len(bits)):
        if sum(bits[n - i] for i in range(length + 1) if c >> i & 1) % 2 == 0:
            shift += 1
        elif 2 * length <= n:
            c, b, length, shift = c ^ b << shift, c, n + 1 - length, 1
        else:
            c, shift = c ^ b << shift, shift + 1
    return int(''.join(str(c >> i & 1) for i in range(length + 1)), 2), length


def times(a, b, p):
    r = 0
    while b:
        if b & 1:
            r ^= a
        a, b = a << 1, b >> 1
        if a >> 160:
            a ^= p
    return r


def jumped(polynomial, s):
    sum_ = (0,) * 5
    for i in range(160):
        if polynomial >> i & 1:
            sum_ = tuple(a ^ b for a, b in zip(sum_, s))
        s = step(s)
    return sum_


def main():
    s, bits = (123456789, 362436069, 521288629, 88675123, 5783321), []
    first = s
    for _ in range(400):
        bits.append(s[0] & 1)
        s = step(s)
    p, length = minimal_polynomial(bits)
    assert length == 160
    powers = [2]  # of x, whose exponents are powers of two
    for _ in range(160):
        powers.append(times(powers[-1], powers[-1], p))
    assert powers[160] == 2
    s = first
    for _ in range(1024):
        s = step(s)
    assert jumped(powers[10], first) == s
    out = ['''// SPDX-License-Identifier: Apache-2.0
// How XORWOW skips numbers, written by random_jumps.py: x^(d*4^i) modulo the characteristic
// polynomial, for the digit i of what is skipped; of numbers, and of sequences of 2^67.
#ifndef __WARPTAPE_RANDOM_JUMPS_H__
#define __WARPTAPE_RANDOM_JUMPS_H__
static __device__ const unsigned int __wt_xorwow_jumps[2][32][3][5] = {''']
    for begin in (0, 67):
        out.append('{')
        for i in range(32):
            one, two = powers[begin + 2 * i], powers[begin + 2 * i + 1]
            rows = ['{' + ','.join(f'0x{q >> 32 * w & MASK:x}' for w in range(5)) + '}' for q in (one, two, times(one, two, p))]
            out.append(' {' + ','.join(rows) + '},')
        out.append('},')
    out.append('};\n#endif')
    with open('include/warptape_random_jumps.h', 'w') as file:
        file.write('\n'.join(out) + '\n')


if __name__ == '__main__':
    main()
