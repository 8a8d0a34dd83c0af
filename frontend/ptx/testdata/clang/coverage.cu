// Kernels that make clang's NVPTX back end use as much of PTX as it can. They
// are parsed and contaminated, never run. The .ptx files beside this are:
//   clang-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib -S
//     -Xclang -target-feature -Xclang +ptx63 -fdebug-compilation-dir=. VARIANT coverage.cu
// with VARIANT -O3; -O0; -O1 -g; -O2 -ffast-math -fcuda-flush-denormals-to-zero.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define TX __nvvm_read_ptx_sreg_tid_x()
#define BX __nvvm_read_ptx_sreg_ctaid_x()
#define BDX __nvvm_read_ptx_sreg_ntid_x()
#define SYNC() __nvvm_bar_sync(0)
typedef unsigned u32;
typedef unsigned long long u64;
typedef unsigned char u8;
typedef signed char s8;
typedef short s16;
typedef unsigned short u16;
struct P {
  float a[5];
  int n;
  char c;
  double d;
  u64 p;
};
__constant__ float table[16] = {1.5f, 2, 3, 4, 5};
__constant__ int ktab[4][4] = {{1,2},{3},{4,5,6,7}};
__device__ int counter;
__device__ float garr[64];
__device__ u8 msg[] = "hello";
__device__ float *gptr = garr + 3;
__device__ u64 seeds[3] = {1,2,0xffffffffffffffffull};
extern __shared__ float dyn[];
#define K extern "C" __global__ void
K ints(int*o,int a,int b,u32 c,long d,long e,u64 f,u64 g,s16 h,u16 i,s8 j,u8 l){
  int t=TX;
  o[0]=a/b+a%b;
  o[1]=c/(u32)b;
  o[2]=c%7;
  ((long*)o)[2]=d/e+d%e;
  ((u64*)o)[3]=f/g+f%g+f*g;
  o[10]=__builtin_popcount(c)+__builtin_popcountll(f)+__builtin_clz(c)+__builtin_clzll(f)+__builtin_ctz(c)+__builtin_ffs(a);
  o[11]=__builtin_bitreverse32(c);
  ((u64*)o)[6]=__builtin_bitreverse64(f)+__builtin_bswap64(g);
  o[14]=__builtin_bswap32(c);
  o[15]=(c<<(t&31))|(c>>(32-(t&31)));
  o[16]=h*i+j*l;
  o[17]=(s8)a+(u8)b+(s16)a+(u16)b;
  o[18]=a>b?a:b;
  o[19]=c<7?c:7;
  ((u64*)o)[10]=(u64)(((__int128)d*e)>>64);
  o[22]=h/ (i|1)+ j%(l|1);
  o[23]= __builtin_rotateleft32(c,t);
  ((u64*)o)[12]=__builtin_rotateright64(f,t);
  o[26]=(a^b)&c|~a;
  o[27]= __builtin_abs(a);
  ((long*)o)[14]=d<0?-d:d;
  o[30]=a>>b;
  ((long*)o)[16]=d>>b;
  o[34]=(a>>5)&0x3f;
  o[35]=((int)c<<20)>>25;
  o[36]= (long)a*b>>32;
  o[37]=(u64)c*b>>32;
  __builtin_memcpy(o+40,&f,8);
  ((s8*)o)[200]=a;
  ((u8*)o)[201]=b;
  ((s16*)o)[101]=c;
  __int128 q=((__int128)d<<64)|f;
  q+= (((__int128)e<<64)|g);
  ((u64*)o)[30]=(u64)(q>>64);
}
K floats(float*o,double*q,float a,float b,double c,double d,int i,u32 u,long l,u64 m){
  o[0]=a/b;
  o[1]=__builtin_sqrtf(a);
  o[2]=1.0f/a;
  o[3]=__builtin_fmaf(a,b,1.5f);
  o[4]=__builtin_fminf(a,b)+__builtin_fmaxf(a,b);
  o[5]=__builtin_floorf(a)+__builtin_ceilf(b)+__builtin_truncf(a)+__builtin_rintf(b);
  o[6]=(float)i+(float)u+(float)l+(float)m;
  o[7]=(float)c;
  ((int*)o)[8]=(int)a;
  ((u32*)o)[9]=(u32)a;
  ((long*)o)[5]=(long)a;
  ((u64*)o)[6]=(u64)b;
  o[14]=a<b?a:b;
  o[15]=__builtin_fabsf(a)-(-b);
  o[16]=__builtin_copysignf(a,b);
  q[0]=c/d;
  q[1]=__builtin_sqrt(c);
  q[2]=__builtin_fma(c,d,1.0);
  q[3]=(double)a+(double)i+(double)u+(double)l+(double)m;
  q[4]=__builtin_floor(c)+__builtin_trunc(d);
  q[5]=c<d?c:d;
  ((int*)q)[12]=(int)c;
  ((u64*)q)[7]=(u64)c;
  q[8]=__builtin_fabs(c)*-d;
  q[9]=__builtin_fmin(c,d);
  q[10]=__builtin_copysign(c,d);
  if(a!=b) o[20]=1;
  if(!(a<b)) o[21]=2;
  if(__builtin_isnan(a)) o[22]=3;
  if (__builtin_isinf(b)) o[23]=4;
  if(a>=b||c<=d) o[24]=5;
  if(__builtin_isunordered(a,b)) o[25]=6;
  o[26] = __nvvm_sin_approx_f(a)+__nvvm_cos_approx_f(a)+__nvvm_ex2_approx_f(a)+__nvvm_lg2_approx_f(b)+__nvvm_rsqrt_approx_f(a)+__nvvm_rcp_approx_ftz_d(c);
  o[27]=__builtin_roundf(a);
  o[28]=__nvvm_saturate_f(a);
  o[29]=__nvvm_div_approx_f(a,b);
}
K half_(__fp16*o,const __fp16*i,int n){
  int t=TX;
  _Float16 x=i[t];
  _Float16 y=i[t+1];
  o[t]=x*y+x;
  o[t+n]=x<y?x:y;
  o[t+2*n]=(float)x*2.0f;
  o[t+3*n]=n;
  o[t+4*n]=(_Float16)((int)x);
}
K atomics(int*p,u32*u,u64*w,float*f,double*d,int v){
  __shared__ int s[32];
  __shared__ float sf;
  s[TX]=0;
  SYNC();
  __nvvm_atom_add_gen_i(p,v);
  __nvvm_atom_max_gen_i(p+1,v);
  __nvvm_atom_min_gen_ui(u,v);
  __nvvm_atom_xchg_gen_i(p+2,v);
  p[3]=__nvvm_atom_cas_gen_i(p+4,v,v+1);
  __nvvm_atom_inc_gen_ui(u+1,7);
  __nvvm_atom_dec_gen_ui(u+2,7);
  __nvvm_atom_and_gen_i(p+5,v);
  __nvvm_atom_or_gen_i(p+6,v);
  __nvvm_atom_xor_gen_i(p+7,v);
  __nvvm_atom_add_gen_f(f,1.0f);
  __nvvm_atom_add_gen_d(d,1.0);
  __nvvm_atom_add_gen_ll((long long*)w,5);
  __nvvm_atom_cas_gen_ll((long long*)w+1,5,6);
  __nvvm_atom_add_gen_i(&s[v&31],v);
  __nvvm_atom_cas_gen_i(&s[3],v,2);
  __nvvm_atom_add_gen_f(&sf,2.f);
  while(__nvvm_atom_cas_gen_i(p+9,0,1)!=0);
  __nvvm_membar_gl();
  __nvvm_membar_cta();
  __nvvm_membar_sys();
  *(volatile int*)(p+9)=0;
  SYNC();
  p[TX+20]=s[TX];
  __c11_atomic_fetch_add((_Atomic int*)p,1,__ATOMIC_SEQ_CST);
  __atomic_fetch_add(p+1,1,__ATOMIC_RELAXED);
  int z=__atomic_load_n(p+2,__ATOMIC_RELAXED);
  __atomic_store_n(p+3,z,__ATOMIC_RELAXED);
}
K warp(int*p,u32 m){
  int v=p[TX];
  v+=__nvvm_shfl_sync_down_i32(m,v,16,31);
  v+=__nvvm_shfl_sync_bfly_i32(-1,v,8,31);
  v+=__nvvm_shfl_sync_idx_i32(-1,v,m,31);
  v+=__nvvm_shfl_sync_up_i32(-1,v,1,0);
  p[TX]=v;
  p[TX+1]=__nvvm_vote_ballot_sync(-1,v>3);
  p[2]=__nvvm_vote_all_sync(-1,v>4)+__nvvm_vote_any_sync(m,v>4)+__nvvm_vote_uni_sync(m,v>4);
  __nvvm_bar_warp_sync(m);
  p[4]=__nvvm_read_ptx_sreg_laneid()+__nvvm_read_ptx_sreg_lanemask_lt()+__nvvm_read_ptx_sreg_warpid()+__nvvm_read_ptx_sreg_smid()+__nvvm_read_ptx_sreg_clock();
  ((u64*)p)[4]=__nvvm_read_ptx_sreg_clock64();
  p[6]=__nvvm_bar0_popc(v)+__nvvm_bar0_and(v)+__nvvm_bar0_or(v);
  __nvvm_barrier_sync(3);
  __nvvm_barrier_sync_cnt(3,64);
  p[7]=__nvvm_match_any_sync_i32(-1,v);
  int pr;
  p[8]=__nvvm_match_all_sync_i32p(-1,v,&pr);
  p[9]=pr;
  p[10]=__nvvm_prmt(v,m,0x1234);
}
K sw(int*p,int n,const float* __restrict__ r,struct P s){
  int v;
  switch(p[TX]){
    case 0:v=n*3;
    p[1]=4;
    break;
    case 1:v=n^5;
    p[7]++;
    break;
    case 2:v=n-9;
    p[5]--;
    break;
    case 3:v=p[9];
    break;
    case 4:v=n*n;
    break;
    case 5:v=8;
    p[8]=1;
    break;
    case 6:v=n/3;
    break;
    case 9:v=77;
    break;
    default:v=0;
  }
  p[2]=v;
  ((float*)p)[TX+3]=table[TX&15]+r[TX]+s.a[TX%5]+s.d+s.c+dyn[TX]+ktab[n&3][TX&3]+garr[n]+*gptr+msg[n]+seeds[n%3];
  float4: counter++;
  local: {
    int buf[32];
    for(int i=0;i<32;i++) buf[(i*n)&31]=i;
    p[40]=buf[p[3]&31];
  }
}
typedef float f4 __attribute__((ext_vector_type(4)));
typedef float f2 __attribute__((ext_vector_type(2)));
typedef int i4 __attribute__((ext_vector_type(4)));
typedef double d2 __attribute__((ext_vector_type(2)));
typedef u8 c4 __attribute__((ext_vector_type(4)));
K vec(f4*a,f2*b,i4*c,d2*d,c4*e){
  int t=TX;
  f4 x=a[t];
  a[t+1]=x*x+x.wzyx;
  b[t]=x.xy;
  i4 y=c[t];
  y.x+=y.w;
  c[t]=y;
  d[t]+=d[t+1];
  c4 z=e[t];
  z+=z.wzyx;
  e[t]=z;
  __shared__ f4 s[32];
  s[t]=x;
  SYNC();
  a[t]=s[31-t];
}
