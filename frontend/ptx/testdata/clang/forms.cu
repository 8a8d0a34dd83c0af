// What compilers write for sm_90: clusters, warp reductions, half precision,
// 128-bit integers, indirect calls, structures by value. Parsed, never run. The
// .ptx files beside this are:
//   clang-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_90 -nocudainc -nocudalib -S
//     -Xclang -target-feature -Xclang +ptx81 -fdebug-compilation-dir=. VARIANT forms.cu
// with VARIANT -O3; -O0 -gline-tables-only; and with sm_60, +ptx64 and -DOLD, -O2.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
typedef unsigned u; typedef unsigned long long ull;
__constant__ int tab[16] = {1,2,3};
struct S { int a; double b; char c[7]; };
#ifndef OLD
extern "C" __global__ void cl(u* p, u n){
  __shared__ u sh[32]; u t=__nvvm_read_ptx_sreg_tid_x(); sh[t]=p[t];
  __nvvm_barrier_cluster_arrive(); __nvvm_barrier_cluster_wait();
  __nvvm_barrier_cluster_arrive_relaxed(); __nvvm_fence_sc_cluster(); __nvvm_barrier_cluster_wait();
  p[t] = sh[31-t] + __nvvm_read_ptx_sreg_cluster_ctarank() + __nvvm_read_ptx_sreg_clusterid_x()+__nvvm_read_ptx_sreg_nclusterid_y() + __nvvm_is_explicit_cluster();
  __attribute__((address_space(3))) void* q = (__attribute__((address_space(3))) void*)sh;
  p[t] += __nvvm_getctarank_shared_cluster(q) + __nvvm_getctarank(sh);
  p[t] += ((u*)__nvvm_mapa(sh, 0))[t];
}
#endif
extern "C" __global__ void simd(u*p, float* f, double* d, long long* l){ int t=__nvvm_read_ptx_sreg_tid_x();
  p[t]= 
#ifndef OLD
  __nvvm_redux_sync_add(p[t], -1); p[t]+= __nvvm_match_any_sync_i32(-1,p[t]);
#else
  0;
#endif
  p[t] += __nvvm_vote_ballot_sync(-1, p[t]>3); p[t] ^= __nvvm_activemask();
  __nvvm_atom_cta_add_gen_i((int*)p, 3); __nvvm_atom_sys_add_gen_f(f, 2.f); __nvvm_atom_add_gen_d(d, 1.0); __nvvm_atom_cas_gen_ll(l, 3, 4);
  
#ifndef OLD
  f[t] = __nvvm_fmin_ftz_nan_f(f[t], f[t+1]); __nvvm_nanosleep(20);
#endif
  f[t]=__nvvm_ex2_approx_ftz_f(f[t]); f[t] = __nvvm_fma_rz_ftz_f(f[t],f[t],f[t]);
  __nvvm_membar_gl(); __nvvm_bar_warp_sync(-1); l[t]=__nvvm_read_ptx_sreg_clock64() + __nvvm_read_ptx_sreg_globaltimer();
}
template<class T> __device__ T red(T v){ for(int o=16;o;o>>=1) v += __nvvm_shfl_sync_bfly_i32(-1, v, o, 31); return v; }
extern "C" __global__ void st(S s, S* o, volatile int* v, const int* __restrict__ c){ int t=__nvvm_read_ptx_sreg_tid_x(); S x=s; x.c[t&7]=t; switch(t){case 0: x.a=tab[3];break;case 1:x.a=2;break;case 2:x.b=3;break;case 3: x.a=9;break;case 4:x.a=19;break; case 5: x.a = 33;break; default: x.a=red(t);} v[t]=c[t]; o[t]=x; if(x.a==77) __builtin_trap(); }
__device__ int fa(int x){return x+1;} __device__ int fb(int x){return x*3;}
extern "C" __global__ void ind(int* p, int n){ int (*f)(int) = n>2?fa:fb; p[0]=f(n); if(n==99) __builtin_unreachable(); }
extern "C" __global__ void hf(_Float16* h, __bf16* b, float* f){ int t=__nvvm_read_ptx_sreg_tid_x(); h[t]=h[t]*h[t+1]+(_Float16)f[t]; f[t]=(float)h[t]+(float)b[t]; b[t]=(__bf16)f[t]; h[t+2] = h[t] > h[t+1] ? -h[t] : __builtin_fabsf16(h[t]); f[t+1]=__builtin_fminf(f[t],2.f); }
typedef float f4 __attribute__((ext_vector_type(4))); typedef __int128 i128;
extern "C" __global__ void vec(f4* a, f4* b, i128* w, ull* x){ int t=__nvvm_read_ptx_sreg_tid_x(); a[t]+=b[t]*2.f; w[t]=w[t]*w[t+1]/3; x[t]=__builtin_bitreverse64(x[t])+__builtin_popcountll(x[t])+__builtin_rotateleft64(x[t],t)+__builtin_rotateleft32((u)x[t],t); __atomic_fetch_add(x, 1ull, __ATOMIC_RELAXED); __atomic_fetch_xor((u*)x, 1, __ATOMIC_RELAXED);   }
