// Every shape of the compiler's matrix builtins, both layouts of memory, and
// mma.sync as libraries write it, in inline assembly. They are parsed and
// loaded, never run. The .ptx beside this is:
//   clang-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -S
//     -Xclang -target-feature -Xclang +ptx70 -O3 matrix.cu
#define __global__ __attribute__((global))

#define HALF_KERNEL(shape)                                                                          \
  extern "C" __global__ void half_##shape(const int *a, const int *b, int *h, float *f, int stride) { \
    int x[8], y[8], narrow[4];                                                                       \
    float wide[8];                                                                                   \
    __hmma_##shape##_ld_a(x, a, stride, 0);                                                          \
    __hmma_##shape##_ld_b(y, b, stride, 1);                                                          \
    __hmma_##shape##_ld_c_f16(narrow, h, stride, 1);                                                 \
    __hmma_##shape##_mma_f32f16(wide, x, y, narrow, 1, 0);                                           \
    __hmma_##shape##_mma_f32f32(wide, x, y, wide, 1, 0);                                             \
    __hmma_##shape##_mma_f16f32(narrow, x, y, wide, 1, 0);                                           \
    __hmma_##shape##_mma_f16f16(narrow, x, y, narrow, 1, 0);                                         \
    __hmma_##shape##_st_c_f16(h, narrow, stride, 0);                                                 \
    __hmma_##shape##_ld_c_f32(wide, f, stride, 0);                                                   \
    __hmma_##shape##_mma_f32f32(wide, x, y, wide, 1, 0);                                             \
    __hmma_##shape##_st_c_f32(f, wide, stride, 1);                                                   \
  }
HALF_KERNEL(m16n16k16)
HALF_KERNEL(m8n32k16)
HALF_KERNEL(m32n8k16)

#define BYTE_KERNEL(shape, type, registers_a, registers_b)                                           \
  extern "C" __global__ void type##_##shape(const int *a, const int *b, int *c, int stride) {        \
    int x[registers_a], y[registers_b], sum[8];                                                      \
    __imma_##shape##_ld_a_##type(x, a, stride, 1);                                                   \
    __imma_##shape##_ld_b_##type(y, b, stride, 0);                                                   \
    __imma_##shape##_ld_c(sum, c, stride, 1);                                                        \
    __imma_##shape##_mma_##type(sum, x, y, sum, 2, 0);                                               \
    __imma_##shape##_mma_##type(sum, x, y, sum, 2, 1);                                               \
    __imma_##shape##_st_c_i32(c, sum, stride, 0);                                                    \
  }
BYTE_KERNEL(m16n16k16, s8, 2, 2)
BYTE_KERNEL(m16n16k16, u8, 2, 2)
BYTE_KERNEL(m8n32k16, s8, 1, 4)
BYTE_KERNEL(m8n32k16, u8, 1, 4)
BYTE_KERNEL(m32n8k16, s8, 4, 1)
BYTE_KERNEL(m32n8k16, u8, 4, 1)

extern "C" __global__ void mma(const int *a, const int *b, float *c) {
  int lane = __nvvm_read_ptx_sreg_tid_x();
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[lane]), "r"(a[lane + 1]), "r"(a[lane + 2]), "r"(a[lane + 3]), "r"(b[lane]), "r"(b[lane + 1]));
  asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[lane]), "r"(a[lane + 1]), "r"(b[lane]));
}
