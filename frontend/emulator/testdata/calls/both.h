// One source for the device and for the host: the host runs the kernel thread
// by thread and prints what the device must compute. No thread may depend on
// another. regenerate.sh makes everything in this folder.
#if defined(__CUDA__)
#define KERNEL extern "C" __attribute__((global))
#define DEVICE __attribute__((device)) __attribute__((noinline))
#define DATA __attribute__((device))
static __attribute__((device)) inline unsigned thread() { return __nvvm_read_ptx_sreg_tid_x(); }
#else
#include <stdio.h>
#define KERNEL extern "C"
#define DEVICE __attribute__((noinline))
#define DATA
static unsigned current;
static unsigned thread() { return current; }
KERNEL void calls(unsigned *out);
int main() {
  for (current = 0; current < 64; current++) {
    unsigned out[64] = {0};
    calls(out);
    printf("%u\n", out[current]);
  }
}
#endif
