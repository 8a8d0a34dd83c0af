// Sorts 64 words by exchanging neighbours.
extern "C" __global__ void oddeven(unsigned seed) {
  __shared__ int words[64];
  int i = TX;
  unsigned x = (i + 1) * seed;
  x ^= x >> 7; x *= 40503; x ^= x >> 11;
  words[i] = x;
  sync();
  for (int round = 0; round < 64; round++) {
    int left = 2 * i + (round & 1);
    if (left + 1 < 64) {
      int a = words[left], b = words[left + 1];
      if (a > b) { words[left] = b; words[left + 1] = a; }
    }
    sync();
  }
}
