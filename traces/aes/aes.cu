// AES-128 encryption (FIPS 197) of independent blocks of 16 bytes. A thread has a
// column of the state, four bytes: SubBytes, ShiftRows and MixColumns of a round
// are a look-up for each, in tables that Daemen and Rijmen's "The Design of
// Rijndael" gives (4.2), and the exclusive or of the four.
#define THREADS 256
#define ROUNDS 10
#define TABLE 256

__constant__ unsigned roundKeys[4 * (ROUNDS + 1)];

// Byte `row` of a column, which byte 0 of the word comes first in.
__device__ __forceinline__ unsigned byte(unsigned column, unsigned row) { return column >> 8 * row & 255; }

extern "C" __global__ void __launch_bounds__(THREADS)
    aes_encrypt(unsigned *__restrict__ out, const unsigned *__restrict__ in, const unsigned *__restrict__ tables,
                unsigned words) {
  __shared__ unsigned t0[TABLE], t1[TABLE], t2[TABLE], t3[TABLE];
  // The threads of a block of 16 bytes exchange columns here; two rounds take
  // turns, so that a barrier a round is enough.
  __shared__ unsigned state[2][THREADS];
  unsigned t = threadIdx.x, i = blockIdx.x * THREADS + t;
  t0[t] = tables[t];
  t1[t] = tables[TABLE + t];
  t2[t] = tables[2 * TABLE + t];
  t3[t] = tables[3 * TABLE + t];

  unsigned column = t % 4;
  unsigned second = t - column + (column + 1) % 4;
  unsigned third = t - column + (column + 2) % 4;
  unsigned fourth = t - column + (column + 3) % 4;
  unsigned mine = (i < words ? in[i] : 0) ^ roundKeys[column];
#pragma unroll 1
  for (unsigned round = 1; round < ROUNDS; round++) {
    unsigned *now = state[round % 2];
    now[t] = mine;
    __syncthreads();
    mine = t0[byte(mine, 0)] ^ t1[byte(now[second], 1)] ^ t2[byte(now[third], 2)] ^ t3[byte(now[fourth], 3)] ^
           roundKeys[4 * round + column];
  }
  // The last round does not mix columns: the S-box alone is byte 1 of t0.
  unsigned *now = state[ROUNDS % 2];
  now[t] = mine;
  __syncthreads();
  mine = byte(t0[byte(mine, 0)], 1) | byte(t0[byte(now[second], 1)], 1) << 8 |
         byte(t0[byte(now[third], 2)], 1) << 16 | byte(t0[byte(now[fourth], 3)], 1) << 24;
  if (i < words)
    out[i] = mine ^ roundKeys[4 * ROUNDS + column];
}
