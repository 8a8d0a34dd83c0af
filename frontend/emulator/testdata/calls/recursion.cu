// Recursion: with values live across calls, mutual, with locals on the stack,
// and with a depth that differs from lane to lane.
DEVICE int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

DEVICE int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

DEVICE bool odd(unsigned n);
DEVICE bool even(unsigned n) { return n == 0 ? true : odd(n - 1); }
DEVICE bool odd(unsigned n) { return n == 0 ? false : even(n - 1); }

DEVICE int place(int *columns, int row, int n) {
  if (row == n) return 1;
  int found = 0;
  for (int c = 0; c < n; c++) {
    bool free = true;
    for (int r = 0; r < row; r++) {
      int d = columns[r] - c;
      if (d == 0 || d == row - r || d == r - row) free = false;
    }
    if (!free) continue;
    columns[row] = c;
    found += place(columns, row + 1, n);
  }
  return found;
}

DEVICE int sort(int *a, int low, int high) {
  if (low >= high) return 0;
  int pivot = a[(low + high) / 2], i = low, j = high, swaps = 0;
  while (i <= j) {
    while (a[i] < pivot) i++;
    while (a[j] > pivot) j--;
    if (i <= j) {
      int t = a[i];
      a[i++] = a[j];
      a[j--] = t;
      swaps++;
    }
  }
  return swaps + sort(a, low, j) + sort(a, i, high);
}

KERNEL void calls(unsigned *out) {
  int t = (int)thread();
  int columns[8], numbers[24];
  unsigned seed = (unsigned)t * 2654435761u + 1;
  for (int i = 0; i < 24; i++) {
    seed = seed * 1664525u + 1013904223u;
    numbers[i] = (int)(seed >> 20);
  }
  int r = fibonacci(t % 11) + 100 * ackermann(t & 1, t % 5);
  r += even((unsigned)t) ? 7 : 13;
  if (t % 3 == 0) r += place(columns, 0, 4 + t % 2) * 1000;
  r += sort(numbers, 0, 23) * 10000;
  for (int i = 0; i < 24; i++) r = r * 31 + numbers[i];
  out[t] = (unsigned)r;
}
