// Branches within loops within branches within a loop, all of which the lanes of
// a warp decide differently. A thread hashes the bytes of its own string: a
// digit as often as it says, a lower-case letter by one of three rules, of which
// two loop, and everything else is skipped. The hash is Fowler, Noll and Vo's.
__device__ __forceinline__ unsigned mix(unsigned hash, unsigned value) { return (hash ^ value) * 16777619u; }

extern "C" __global__ void nested(const int *__restrict__ offsets, const unsigned char *__restrict__ text,
                                  unsigned *__restrict__ hashes, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned hash = 2166136261u;
  int end = offsets[i + 1];
#pragma unroll 1
  for (int at = offsets[i]; at < end; at++) {
    unsigned c = text[at];
    if (c >= '0' && c <= '9') {
#pragma unroll 1
      for (unsigned k = c - '0'; k > 0; k--)
        hash = mix(hash, c);
    } else if (c >= 'a' && c <= 'z') {
      unsigned letter = c - 'a';
      if (letter % 3 == 0) {
#pragma unroll 1
        for (unsigned k = 0; k < letter; k += 3) {
          hash = mix(hash, k);
          if (hash & 1) {
#pragma unroll 1
            for (unsigned half = letter; half > 0; half /= 2)
              hash = mix(hash, half);
          }
        }
      } else if (letter % 3 == 1) {
#pragma unroll 1
        for (unsigned k = hash % 8; k > 0; k--)
          hash = mix(hash, letter);
      } else {
        hash = mix(hash, c);
      }
    }
  }
  hashes[i] = hash;
}
