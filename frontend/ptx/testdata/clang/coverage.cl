// OpenCL kernels over libclc's mathematics. The .ptx beside this is:
//   clang-19 -x cl -cl-std=CL1.2 --target=nvptx64--nvidiacl -Xclang -finclude-default-header -S -O3
//     -Xclang -target-cpu -Xclang sm_70 -Xclang -target-feature -Xclang +ptx63
//     -Xclang -mlink-builtin-bitcode -Xclang nvptx64--nvidiacl.bc coverage.cl
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__constant float tab[8] = {1,2,3,4,5,6,7,8};
__kernel void maths(__global float* o, __global const float* a, __local float* l, int n, float4 v){ int i=get_global_id(0); float x=a[i]; o[i]=sin(x)+cos(x)+exp(x)+log(x)+pow(x,2.5f)+sqrt(x)+rsqrt(x)+tan(x)+atan2(x,3.f)+floor(x)+fmod(x,2.f)+tab[i&7]; l[get_local_id(0)]=x*v.x; barrier(CLK_LOCAL_MEM_FENCE); o[i+n]=l[get_local_size(0)-1-get_local_id(0)]+dot(v,v)+length(v); }
__kernel void dm(__global double*o,__global const double*a){int i=get_global_id(0); double x=a[i]; o[i]=sin(x)+exp(x)+log(x)+pow(x,1.5)+sqrt(x);}
__kernel void ii(__global int*o,__global const int4*a,__global uchar*b,__global short*c){int i=get_global_id(0); int4 x=a[i]; o[i]=mul24(x.x,x.y)+mad24(x.x,x.y,x.z)+mul_hi(x.x,x.w)+rotate(x.x,x.y)+clamp(x.z,0,9)+hadd(x.x,x.y)+add_sat(x.x,x.y)+(int)clz(x.w)+popcount(x.x)+abs_diff(x.x,x.y)+max(x.x,x.y)+convert_int_sat(as_float(x.x)); b[i]=add_sat(b[i],(uchar)x.x); c[i]=sub_sat(c[i],(short)x.y); atomic_inc(o); atomic_add(o+1,x.x); atomic_max(o+2,x.y); atomic_cmpxchg(o+3,1,2); atomic_xchg(o+4,3); float f=convert_float_rtz(x.x); o[i+1]=convert_int_rte(f); o[i+2]=convert_uchar_sat(x.z); o[i+3]=isless(f,2.f)+isnan(f)+signbit(f)+isordered(f,f)+isfinite(f)+isnormal(f);}
