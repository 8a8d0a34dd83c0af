// Calls through pointers: tables, arguments, virtual functions, lanes of a warp
// that call different functions, and some that call none.
typedef int (*Operation)(int, int);
DEVICE int add(int a, int b) { return a + b; }
DEVICE int subtract(int a, int b) { return a - b; }
DEVICE int multiply(int a, int b) { return a * b; }
DEVICE int loop(int a, int b) {
  int s = 0;
  for (int i = 0; i < (b & 15); i++) s = s * 3 + a;
  return s;
}
DATA Operation operations[4] = {add, subtract, multiply, loop};

DEVICE int fold(Operation f, const int *values, int n) {
  int r = 1;
  for (int i = 0; i < n; i++) r = f(r, values[i]);
  return r;
}

struct Shape {
  int size;
  DEVICE virtual int area(int scale) { return size * scale; }
};
struct Square : Shape {
  DEVICE int area(int scale) override { return size * size * scale; }
};
struct Cube : Square {
  DEVICE int area(int scale) override { return 6 * Square::area(scale); }
};
DEVICE int measure(Shape *s, int scale) { return s->area(scale); }

KERNEL void calls(unsigned *out) {
  int t = (int)thread();
  int values[6];
  for (int i = 0; i < 6; i++) values[i] = t * i + 3;
  int r = operations[t & 3](t, 5);
  if (t % 5 != 0) r += operations[(t >> 1) & 3](r, t);
  Operation chosen = t < 20 ? add : t < 40 ? multiply : subtract;
  r += fold(chosen, values, t % 7 < 6 ? t % 7 : 6);
  Shape shape;
  Square square;
  Cube cube;
  shape.size = square.size = cube.size = t + 1;
  Shape *shapes[3] = {&shape, &square, &cube};
  r ^= measure(shapes[t % 3], 3) << 4;
  out[t] = (unsigned)r;
}
