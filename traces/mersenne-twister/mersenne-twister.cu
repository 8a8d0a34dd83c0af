// Random numbers from many Mersenne twisters of 607 bits, one a thread
// (Matsumoto and Nishimura, "Mersenne twister", ACM TOMACS 8, 1998, and
// "Dynamic creation of pseudorandom number generators", 1998), and normally
// distributed ones from those (Box and Muller, 1958).
#define WORDS 19         // of state
#define MIDDLE 9         // distance of the word that goes into the next
#define UPPER 0xfffffffeu // all but the lowest of 19 * 32 - 607 = 1 bits
#define TWO_PI 6.28318531f

// A generator has the last row of its matrix, its two tempering masks, and a
// seed. Thread i writes elements i, i + generators, ... in (0, 1].
extern "C" __global__ void twist(const int4 *__restrict__ parameters, float *__restrict__ out, int generators,
                                 int count) {
  int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= generators)
    return;
  int4 own = parameters[i];
  unsigned matrix = unsigned(own.x), maskB = unsigned(own.y), maskC = unsigned(own.z);
  unsigned state[WORDS];
  state[0] = unsigned(own.w);
#pragma unroll 1
  for (int k = 1; k < WORDS; k++)
    state[k] = 1812433253u * (state[k - 1] ^ state[k - 1] >> 30) + unsigned(k);

  int at = 0, middle = MIDDLE;
#pragma unroll 1
  for (int n = 0; n < count; n++) {
    int next = at + 1 < WORDS ? at + 1 : 0;
    unsigned bits = (state[at] & UPPER) | (state[next] & ~UPPER);
    unsigned word = state[middle] ^ bits >> 1 ^ (bits & 1 ? matrix : 0);
    state[at] = word;
    at = next;
    middle = middle + 1 < WORDS ? middle + 1 : 0;

    word ^= word >> 12;
    word ^= word << 7 & maskB;
    word ^= word << 15 & maskC;
    word ^= word >> 18;
    out[i + n * generators] = (float(word) + 1.0f) * 2.32830644e-10f;
  }
}

// Makes pairs of uniform numbers pairs of normally distributed ones, in place.
extern "C" __global__ void box_muller(float *__restrict__ numbers, int generators, int count) {
  int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= generators)
    return;
#pragma unroll 1
  for (int n = 0; n + 1 < count; n += 2) {
    float *pair = numbers + i + n * generators;
    float radius = sqrtf(-2.0f * logf(pair[0]));
    float angle = TWO_PI * pair[generators];
    pair[0] = radius * cosf(angle);
    pair[generators] = radius * sinf(angle);
  }
}
