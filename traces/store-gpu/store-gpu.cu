// MD5 digests (RFC 1321) of overlapping windows of a text, as a storage system
// computes them to find out which parts of a file it has already.
#define THREADS 128
#define CHUNK 16     // words of a message that one round of the digest takes
#define MAX_WINDOW 64 // words

// floor(2^32 * |sin(i + 1)|)
static constexpr unsigned sines[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};
static constexpr unsigned turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

// One of the 64 steps: which word it takes, and its function of three words.
__device__ __forceinline__ constexpr int word_of(int step) {
  return step < 16 ? step : step < 32 ? (5 * step + 1) % 16 : step < 48 ? (3 * step + 5) % 16 : 7 * step % 16;
}
__device__ __forceinline__ unsigned mix(int step, unsigned b, unsigned c, unsigned d) {
  return step < 16 ? (b & c) | (~b & d) : step < 32 ? (b & d) | (c & ~d) : step < 48 ? b ^ c ^ d : c ^ (b | ~d);
}

// Word k of the padded message of `words` words: the message, a one bit, zeros,
// and the length in bits at the end of the last chunk.
__device__ __forceinline__ unsigned padded(const unsigned *message, int words, int last, int k) {
  return k < words ? message[k] : k == words ? 0x80u : k == last - 2 ? unsigned(words) * 32u : 0u;
}

// Thread i has the window of `words` words from word i on. A block loads the
// words of all its windows into shared memory.
extern "C" __global__ void __launch_bounds__(THREADS)
    hash_windows(const unsigned *__restrict__ text, int4 *__restrict__ digests, int words, int windows) {
  __shared__ unsigned tile[THREADS + MAX_WINDOW];
  int t = int(threadIdx.x);
  int first = int(blockIdx.x) * THREADS;
  int end = windows + words - 1; // of the text
#pragma unroll 1
  for (int k = t; k < THREADS + words - 1; k += THREADS)
    tile[k] = first + k < end ? text[first + k] : 0;
  __syncthreads();
  if (first + t >= windows)
    return;

  unsigned a0 = 0x67452301u, b0 = 0xefcdab89u, c0 = 0x98badcfeu, d0 = 0x10325476u;
  int last = (words + 2 + CHUNK) / CHUNK * CHUNK; // two words hold the length, one the one bit
#pragma unroll 1
  for (int from = 0; from < last; from += CHUNK) {
    unsigned message[CHUNK];
#pragma unroll
    for (int k = 0; k < CHUNK; k++)
      message[k] = padded(tile + t, words, last, from + k);
    unsigned a = a0, b = b0, c = c0, d = d0;
#pragma unroll
    for (int step = 0; step < 64; step++) {
      unsigned sum = a + mix(step, b, c, d) + message[word_of(step)] + sines[step];
      unsigned turn = turns[step / 16][step % 4];
      a = d;
      d = c;
      c = b;
      b += sum << turn | sum >> (32 - turn);
    }
    a0 += a;
    b0 += b;
    c0 += c;
    d0 += d;
  }
  digests[first + t] = {int(a0), int(b0), int(c0), int(d0)};
}
