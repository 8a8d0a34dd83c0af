// Every thread interprets its own program, so that the lanes of a warp go to
// different cases of a switch.

// A switch that clang makes a tree of branches. Cases fall through, jump into
// each other, skip instructions, leave the loop, and one holds a loop with two
// entries, which no arrangement of if and while gives.
extern "C" __global__ void interpret(const unsigned char *__restrict__ program, unsigned *__restrict__ state,
                                     unsigned length, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned x = state[i], trips;
#pragma unroll 1
  for (unsigned pc = 0; pc < length; pc++) {
    switch (program[pc * n + i]) {
    case 0:
      x ^= x << 13;
      [[fallthrough]];
    case 1:
      x ^= x >> 17;
      [[fallthrough]];
    case 2:
      x ^= x << 5;
      break;
    case 3:
      if (x & 1)
        goto odd;
      x /= 2;
      break;
    case 4:
      x += 0x9e3779b9u;
    odd:
      x = 3 * x + 1;
      break;
    case 5:
      pc += x % 4;
      break;
    case 6:
      trips = x % 8;
      if (x & 8)
        goto middle;
#pragma unroll 1
      for (;;) {
        x = x << 7 | x >> 25;
      middle:
        x += 0x85ebca6bu;
        if (trips-- == 0)
          break;
      }
      break;
    default:
      goto done;
    }
  }
done:
  state[i] = x;
}

// A switch by an indexed branch, as other compilers make one. All paths meet
// again at `next`.
__device__ __forceinline__ unsigned jump(unsigned op, unsigned x) {
  asm volatile("{\n\t"
               ".reg .b32 t;\n\t"
               "cases: .branchtargets xor13, xor17, xor5, golden, triple, half, rotate;\n\t"
               "brx.idx %1, cases;\n"
               "xor13: shl.b32 t, %0, 13;\n\t"
               "xor.b32 %0, %0, t;\n"
               "xor17: shr.u32 t, %0, 17;\n\t"
               "xor.b32 %0, %0, t;\n"
               "xor5: shl.b32 t, %0, 5;\n\t"
               "xor.b32 %0, %0, t;\n\t"
               "bra next;\n"
               "golden: add.u32 %0, %0, 0x9e3779b9;\n"
               "triple: mad.lo.u32 %0, %0, 3, 1;\n\t"
               "bra next;\n"
               "half: shr.u32 %0, %0, 1;\n\t"
               "bra next;\n"
               "rotate: shf.l.wrap.b32 %0, %0, %0, 7;\n"
               "next: add.u32 %0, %0, 0x85ebca6b;\n\t"
               "}"
               : "+r"(x)
               : "r"(op));
  return x;
}

extern "C" __global__ void interpret_table(const unsigned char *__restrict__ program, unsigned *__restrict__ state,
                                           unsigned length, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned x = state[i];
#pragma unroll 1
  for (unsigned pc = 0; pc < length; pc++)
    x = jump(program[pc * n + i] % 7, x);
  state[i] = x;
}
