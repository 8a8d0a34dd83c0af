// Transposes 8 by 8 words, block of 8 by 8 threads.
extern "C" __global__ void transpose(unsigned scale, int bias) {
  __shared__ unsigned tile[8][8];
  unsigned x = TX, y = TY;
  tile[y][x] = (y * 8 + x) * scale;
  sync();
  unsigned v = tile[x][y];
  sync();
  tile[y][x] = (int)v >> 1 > bias ? v : v + 7;
}
