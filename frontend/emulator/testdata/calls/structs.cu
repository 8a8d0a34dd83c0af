// Structs by value, in and out; arrays inside them indexed by variables.
struct Vector { float x, y, z; int tag; };
struct Table { int entry[20]; };
struct Mixed { char c; short s; double d; long long l; };

DEVICE Vector scale(float a, Vector b) {
  Vector r;
  r.x = a * b.x;
  r.y = b.y + a;
  r.z = b.z - a;
  r.tag = b.tag + 1;
  return r;
}

DEVICE int sum(Table t, int start) {
  int s = 0;
  for (int j = 0; j < 20; j++) s += t.entry[(start + j) % 20] * j;
  return s;
}

DEVICE Mixed mix(Mixed m, bool flip, unsigned char b, short s) {
  Mixed r = m;
  r.c = (char)(m.c + b);
  r.s = (short)(flip ? m.s - s : m.s + s);
  r.d = m.d * 0.5;
  r.l = m.l << 3;
  return r;
}

DEVICE Table rotate(Table t, int by) {
  Table r;
  for (int j = 0; j < 20; j++) r.entry[j] = t.entry[(j + by) % 20];
  return r;
}

KERNEL void calls(unsigned *out) {
  int t = (int)thread();
  Vector v = {1.f, 2.f, 3.f, t};
  v = scale((float)t, v);
  v = scale(0.5f, v);
  Table table;
  for (int i = 0; i < 20; i++) table.entry[i] = t * i + 7;
  Mixed m = {(char)t, (short)(t * 300), t * 1.25, t * 1000000007LL};
  m = mix(m, t & 1, (unsigned char)(t * 9), (short)-t);
  int r = (int)(v.x + v.y + v.z) + v.tag + sum(rotate(table, t), t);
  out[t] = (unsigned)(r ^ m.c ^ (m.s << 8) ^ (int)m.d ^ (int)m.l);
}
