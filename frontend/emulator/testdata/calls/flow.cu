// Calls under every kind of control flow: in loops with different trip counts,
// with several returns, in chains, and with values live across them.
DEVICE unsigned step(unsigned x) {
  if (x & 1) {
    if (x % 3 == 0) return x / 3;
    return 3 * x + 1;
  }
  if (x % 4 == 2) return x / 2;
  for (unsigned i = 0; i < 4; i++)
    if (x % (5 + i) == 0) return x / (5 + i) + i;
  return x >> 1;
}

DEVICE unsigned walk(unsigned x, unsigned limit) {
  unsigned n = 0;
  while (x > 1 && n < limit) {
    x = step(x);
    n++;
    if (x == 7) return n | 0x100;
  }
  return n * 64 + (x & 63);
}

DEVICE double average(double a, double b, float weight, unsigned short count) {
  double w = weight;
  return (a * w + b * (1.0 - w)) / count;
}

DEVICE void store(unsigned *p, unsigned long long v) { *p ^= (unsigned)(v >> 32) + (unsigned)v; }

KERNEL void calls(unsigned *out) {
  unsigned t = thread(), r = t * 7919 + 13;
  for (unsigned i = 0; i < t % 9; i++) r += walk(r % 1000 + i, 10 + t);
  switch (t % 4) {
    case 0: r ^= step(r); break;
    case 1: r = walk(r & 4095, 50) + step(step(t)); break;
    case 2: r += (unsigned)(1000.0 * average(t, r % 17, 0.25f, (unsigned short)(t + 1)));
    default: r ^= 0x5555;
  }
  unsigned cell = r;
  store(&cell, (unsigned long long)r * 2654435761ull);
  out[t] = cell;
}
