// Each thread block reverses words that depend on its number.
extern "C" __global__ void reverse(int seed) {
  __shared__ int words[64];
  int i = TX;
  words[i] = (i + seed) * (BX + 1) ^ (BY << 4) ^ (BZ << 8);
  sync();
  int v = words[i ^ 63];
  sync();
  words[i] = v;
}
