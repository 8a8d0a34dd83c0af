// Kernels that each keep one part of a machine busy. What a replay says of a
// launch divided by what the launch did is that part's latency or rate.
//
// The PTX is written out where a compiler would shorten a chain or choose a
// cache; another compiler has the same in C++.
#ifdef __CUDA__
#define CHAIN(type, constraint, ptx, plain) asm volatile(ptx : "+" constraint(x) : constraint(a), constraint(b))
#define LOAD(ptx, value, address) asm volatile(ptx : "=l"(value) : "l"(address) : "memory")
#define LOAD_SHARED(x) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(x)::"memory")
#define ADD_UNSEEN(p) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(p) : "memory")
#else
#define CHAIN(type, constraint, ptx, plain) x = plain
#define LOAD(ptx, value, address) value = *(word *)(address)
#define LOAD_SHARED(x) x = own[x / 4]
#define ADD_UNSEEN(p) (*(p) += 1)
#endif

typedef unsigned long long word;

// Chains: `loops` times 64 instructions, each of which reads what the one before it wrote.
#define KERNEL_OF_A_CHAIN(name, type, constraint, ptx, plain)                               \
  extern "C" __global__ void name(type *__restrict__ results, type x, type a, type b, unsigned loops) { \
    _Pragma("unroll 1") for (unsigned loop = 0; loop < loops; loop++) {                     \
      _Pragma("unroll") for (unsigned i = 0; i < 64; i++) CHAIN(type, constraint, ptx, plain); \
    }                                                                                       \
    results[threadIdx.x] = x;                                                               \
  }
KERNEL_OF_A_CHAIN(chain_f32_fma, float, "f", "fma.rn.f32 %0, %0, %1, %2;", fmaf(x, a, b))
KERNEL_OF_A_CHAIN(chain_int_add, unsigned, "r", "add.u32 %0, %0, %2;", x + b)
KERNEL_OF_A_CHAIN(chain_int_mad, unsigned, "r", "mad.lo.u32 %0, %0, %1, %2;", x *a + b)
KERNEL_OF_A_CHAIN(chain_f64_fma, double, "d", "fma.rn.f64 %0, %0, %1, %2;", __builtin_fma(x, a, b))

// Where memory lies: the host makes pointers of it.
extern "C" __global__ void address(const word *nodes, word *where) { *where = word(nodes); }

// Each thread begins at its own node, follows `loops` times 4 pointers, and says at which node
// it has come to.
#define KERNEL_OF_A_CHASE(name, ptx)                                                              \
  extern "C" __global__ void name(word *nodes, unsigned *__restrict__ ends, unsigned stride, unsigned loops) { \
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;                                      \
    word at = word(nodes + thread * stride);                                                      \
    _Pragma("unroll 1") for (unsigned loop = 0; loop < loops; loop++) {                           \
      _Pragma("unroll") for (unsigned i = 0; i < 4; i++) LOAD(ptx, at, at);                       \
    }                                                                                             \
    ends[thread] = unsigned((at - word(nodes)) / 8) / stride;                                     \
  }
KERNEL_OF_A_CHASE(chase, "ld.global.u64 %0, [%1];")
KERNEL_OF_A_CHASE(chase_l2, "ld.global.cg.u64 %0, [%1];")

// Each thread has four pointers, each to itself, and follows them `loops` times.
#define KERNEL_OF_A_RATE(name, ptx)                                                                    \
  extern "C" __global__ void name(word *nodes, unsigned *__restrict__ ends, unsigned loops) {          \
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;         \
    word at[4];                                                                                        \
    _Pragma("unroll") for (unsigned i = 0; i < 4; i++) at[i] = word(nodes + i * threads + thread);     \
    _Pragma("unroll 1") for (unsigned loop = 0; loop < loops; loop++) {                                \
      _Pragma("unroll") for (unsigned i = 0; i < 4; i++) LOAD(ptx, at[i], at[i]);                      \
    }                                                                                                  \
    _Pragma("unroll") for (unsigned i = 0; i < 4; i++) ends[i * threads + thread] =                    \
        unsigned((at[i] - word(nodes)) / 8);                                                           \
  }
KERNEL_OF_A_RATE(rate_l1, "ld.global.u64 %0, [%1];")
KERNEL_OF_A_RATE(rate_l2, "ld.global.cg.u64 %0, [%1];")

// The same in shared memory, where each thread has a pointer to itself: of the words of a warp
// `degree` lie in each bank that has any.
extern "C" __global__ void chase_shared(unsigned *__restrict__ ends, unsigned degree, unsigned loops) {
  __shared__ unsigned own[1024];
  unsigned lane = threadIdx.x % warpSize;
  unsigned place = lane % degree * warpSize + lane / degree;
#ifdef __CUDA__
  unsigned first;
  asm("{\n\t.reg .b64 t;\n\tcvta.to.shared.u64 t, %1;\n\tcvt.u32.u64 %0, t;\n\t}" : "=r"(first) : "l"(own));
#else
  unsigned first = 0;
#endif
  unsigned at = first + place * 4;
  if (threadIdx.x < warpSize)
    own[place] = at;
  __syncthreads();
#pragma unroll 1
  for (unsigned loop = 0; loop < loops; loop++) {
#pragma unroll
    for (unsigned i = 0; i < 4; i++)
      LOAD_SHARED(at);
  }
  ends[blockIdx.x * blockDim.x + threadIdx.x] = (at - first) / 4;
}

// Reads memory once, `loops` words a thread.
extern "C" __global__ void read_memory(const word *data, word *__restrict__ sums, unsigned loops) {
  unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  word sum = 0;
#pragma unroll 4
  for (unsigned i = 0; i < loops; i++)
    sum += data[i * threads + thread];
  sums[thread] = sum;
}

// A thread adds to a word what the word held when it added last.
extern "C" __global__ void chain_of_atomics(unsigned *counter, unsigned *__restrict__ last, unsigned loops) {
  unsigned old = 1;
#pragma unroll 1
  for (unsigned loop = 0; loop < loops; loop++)
    old = atomicAdd(counter, old);
  *last = old;
}

// Threads count in words that are `apart` words from each other: zero for one word.
extern "C" __global__ void atomics(unsigned *counters, unsigned apart, unsigned loops) {
  unsigned *p = counters + (blockIdx.x * blockDim.x + threadIdx.x) * apart;
#pragma unroll 1
  for (unsigned loop = 0; loop < loops; loop++) {
    ADD_UNSEEN(p);
    ADD_UNSEEN(p);
    ADD_UNSEEN(p);
    ADD_UNSEEN(p);
  }
}

// The warps of a block meet `loops` times 16 times.
extern "C" __global__ void barriers(unsigned *__restrict__ met, unsigned loops) {
#pragma unroll 1
  for (unsigned loop = 0; loop < loops; loop++) {
#pragma unroll
    for (unsigned i = 0; i < 16; i++)
      __syncthreads();
  }
  met[threadIdx.x] = loops * 16;
}

extern "C" __global__ void empty() {}

// Each thread moves a double, as small kernels do that follow one another.
extern "C" __global__ void scale(double *__restrict__ to, const double *__restrict__ from, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] = from[i] * 0.25;
}
