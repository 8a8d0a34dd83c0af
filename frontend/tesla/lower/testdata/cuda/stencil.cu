// Three rounds of a sum of neighbours, edges kept.
extern "C" __global__ void stencil(int rounds) {
  __shared__ int words[66];
  int i = TX;
  words[i + 1] = i * i;
  if (i == 0) { words[0] = 1; words[65] = 2; }
  sync();
  for (int r = 0; r < rounds; r++) {
    int v = words[i] + words[i + 1] + words[i + 2];
    sync();
    words[i + 1] = v;
    sync();
  }
}
