// Inclusive sums of 64 words (Hillis and Steele).
extern "C" __global__ void scan(int step) {
  __shared__ int words[64];
  int i = TX;
  words[i] = i * step + 1;
  sync();
  for (int n = 1; n < 64; n *= 2) {
    int v = 0;
    if (i >= n) v = words[i - n];
    sync();
    words[i] += v;
    sync();
  }
}
