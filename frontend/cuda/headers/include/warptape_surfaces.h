// SPDX-License-Identifier: Apache-2.0
// Reads and writes of surfaces. An access moves 1, 2, 4, 8 or 16 bytes; x counts bytes.
#ifndef __WARPTAPE_SURFACES_H__
#define __WARPTAPE_SURFACES_H__
#include "surface_types.h"
#define __WARPTAPE_SURFACE__ static __inline__ __attribute__((device, always_inline))
template <int n> struct __warptape_surface;
template <> struct __warptape_surface<1> {
  typedef unsigned short word;
  enum { words = 1 };
  __attribute__((device)) static void read1D_zero(word *w, unsigned long long s, int x) { asm volatile("suld.b.1d.b8.zero %0, [%1, {%2}];" : "=h"(w[0]) : "l"(s), "r"(x)); }
  __attribute__((device)) static void write1D_zero(const word *w, unsigned long long s, int x) { asm volatile("sust.b.1d.b8.zero [%0, {%1}], %2;" :: "l"(s), "r"(x), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read1D_clamp(word *w, unsigned long long s, int x) { asm volatile("suld.b.1d.b8.clamp %0, [%1, {%2}];" : "=h"(w[0]) : "l"(s), "r"(x)); }
  __attribute__((device)) static void write1D_clamp(const word *w, unsigned long long s, int x) { asm volatile("sust.b.1d.b8.clamp [%0, {%1}], %2;" :: "l"(s), "r"(x), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read1D_trap(word *w, unsigned long long s, int x) { asm volatile("suld.b.1d.b8.trap %0, [%1, {%2}];" : "=h"(w[0]) : "l"(s), "r"(x)); }
  __attribute__((device)) static void write1D_trap(const word *w, unsigned long long s, int x) { asm volatile("sust.b.1d.b8.trap [%0, {%1}], %2;" :: "l"(s), "r"(x), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read2D_zero(word *w, unsigned long long s, int x, int y) { asm volatile("suld.b.2d.b8.zero %0, [%1, {%2, %3}];" : "=h"(w[0]) : "l"(s), "r"(x), "r"(y)); }
  __attribute__((device)) static void write2D_zero(const word *w, unsigned long long s, int x, int y) { asm volatile("sust.b.2d.b8.zero [%0, {%1, %2}], %3;" :: "l"(s), "r"(x), "r"(y), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read2D_clamp(word *w, unsigned long long s, int x, int y) { asm volatile("suld.b.2d.b8.clamp %0, [%1, {%2, %3}];" : "=h"(w[0]) : "l"(s), "r"(x), "r"(y)); }
  __attribute__((device)) static void write2D_clamp(const word *w, unsigned long long s, int x, int y) { asm volatile("sust.b.2d.b8.clamp [%0, {%1, %2}], %3;" :: "l"(s), "r"(x), "r"(y), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read2D_trap(word *w, unsigned long long s, int x, int y) { asm volatile("suld.b.2d.b8.trap %0, [%1, {%2, %3}];" : "=h"(w[0]) : "l"(s), "r"(x), "r"(y)); }
  __attribute__((device)) static void write2D_trap(const word *w, unsigned long long s, int x, int y) { asm volatile("sust.b.2d.b8.trap [%0, {%1, %2}], %3;" :: "l"(s), "r"(x), "r"(y), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read3D_zero(word *w, unsigned long long s, int x, int y, int z) { asm volatile("suld.b.3d.b8.zero %0, [%1, {%2, %3, %4, %4}];" : "=h"(w[0]) : "l"(s), "r"(x), "r"(y), "r"(z)); }
  __attribute__((device)) static void write3D_zero(const word *w, unsigned long long s, int x, int y, int z) { asm volatile("sust.b.3d.b8.zero [%0, {%1, %2, %3, %3}], %4;" :: "l"(s), "r"(x), "r"(y), "r"(z), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read3D_clamp(word *w, unsigned long long s, int x, int y, int z) { asm volatile("suld.b.3d.b8.clamp %0, [%1, {%2, %3, %4, %4}];" : "=h"(w[0]) : "l"(s), "r"(x), "r"(y), "r"(z)); }
  __attribute__((device)) static void write3D_clamp(const word *w, unsigned long long s, int x, int y, int z) { asm volatile("sust.b.3d.b8.clamp [%0, {%1, %2, %3, %3}], %4;" :: "l"(s), "r"(x), "r"(y), "r"(z), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read3D_trap(word *w, unsigned long long s, int x, int y, int z) { asm volatile("suld.b.3d.b8.trap %0, [%1, {%2, %3, %4, %4}];" : "=h"(w[0]) : "l"(s), "r"(x), "r"(y), "r"(z)); }
  __attribute__((device)) static void write3D_trap(const word *w, unsigned long long s, int x, int y, int z) { asm volatile("sust.b.3d.b8.trap [%0, {%1, %2, %3, %3}], %4;" :: "l"(s), "r"(x), "r"(y), "r"(z), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read1DLayered_zero(word *w, unsigned long long s, int x, int layer) { asm volatile("suld.b.a1d.b8.zero %0, [%1, {%3, %2}];" : "=h"(w[0]) : "l"(s), "r"(x), "r"(layer)); }
  __attribute__((device)) static void write1DLayered_zero(const word *w, unsigned long long s, int x, int layer) { asm volatile("sust.b.a1d.b8.zero [%0, {%2, %1}], %3;" :: "l"(s), "r"(x), "r"(layer), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read1DLayered_clamp(word *w, unsigned long long s, int x, int layer) { asm volatile("suld.b.a1d.b8.clamp %0, [%1, {%3, %2}];" : "=h"(w[0]) : "l"(s), "r"(x), "r"(layer)); }
  __attribute__((device)) static void write1DLayered_clamp(const word *w, unsigned long long s, int x, int layer) { asm volatile("sust.b.a1d.b8.clamp [%0, {%2, %1}], %3;" :: "l"(s), "r"(x), "r"(layer), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read1DLayered_trap(word *w, unsigned long long s, int x, int layer) { asm volatile("suld.b.a1d.b8.trap %0, [%1, {%3, %2}];" : "=h"(w[0]) : "l"(s), "r"(x), "r"(layer)); }
  __attribute__((device)) static void write1DLayered_trap(const word *w, unsigned long long s, int x, int layer) { asm volatile("sust.b.a1d.b8.trap [%0, {%2, %1}], %3;" :: "l"(s), "r"(x), "r"(layer), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read2DLayered_zero(word *w, unsigned long long s, int x, int y, int layer) { asm volatile("suld.b.a2d.b8.zero %0, [%1, {%4, %2, %3, %3}];" : "=h"(w[0]) : "l"(s), "r"(x), "r"(y), "r"(layer)); }
  __attribute__((device)) static void write2DLayered_zero(const word *w, unsigned long long s, int x, int y, int layer) { asm volatile("sust.b.a2d.b8.zero [%0, {%3, %1, %2, %2}], %4;" :: "l"(s), "r"(x), "r"(y), "r"(layer), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read2DLayered_clamp(word *w, unsigned long long s, int x, int y, int layer) { asm volatile("suld.b.a2d.b8.clamp %0, [%1, {%4, %2, %3, %3}];" : "=h"(w[0]) : "l"(s), "r"(x), "r"(y), "r"(layer)); }
  __attribute__((device)) static void write2DLayered_clamp(const word *w, unsigned long long s, int x, int y, int layer) { asm volatile("sust.b.a2d.b8.clamp [%0, {%3, %1, %2, %2}], %4;" :: "l"(s), "r"(x), "r"(y), "r"(layer), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read2DLayered_trap(word *w, unsigned long long s, int x, int y, int layer) { asm volatile("suld.b.a2d.b8.trap %0, [%1, {%4, %2, %3, %3}];" : "=h"(w[0]) : "l"(s), "r"(x), "r"(y), "r"(layer)); }
  __attribute__((device)) static void write2DLayered_trap(const word *w, unsigned long long s, int x, int y, int layer) { asm volatile("sust.b.a2d.b8.trap [%0, {%3, %1, %2, %2}], %4;" :: "l"(s), "r"(x), "r"(y), "r"(layer), "h"(w[0]) : "memory"); }
};
template <> struct __warptape_surface<2> {
  typedef unsigned short word;
  enum { words = 1 };
  __attribute__((device)) static void read1D_zero(word *w, unsigned long long s, int x) { asm volatile("suld.b.1d.b16.zero %0, [%1, {%2}];" : "=h"(w[0]) : "l"(s), "r"(x)); }
  __attribute__((device)) static void write1D_zero(const word *w, unsigned long long s, int x) { asm volatile("sust.b.1d.b16.zero [%0, {%1}], %2;" :: "l"(s), "r"(x), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read1D_clamp(word *w, unsigned long long s, int x) { asm volatile("suld.b.1d.b16.clamp %0, [%1, {%2}];" : "=h"(w[0]) : "l"(s), "r"(x)); }
  __attribute__((device)) static void write1D_clamp(const word *w, unsigned long long s, int x) { asm volatile("sust.b.1d.b16.clamp [%0, {%1}], %2;" :: "l"(s), "r"(x), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read1D_trap(word *w, unsigned long long s, int x) { asm volatile("suld.b.1d.b16.trap %0, [%1, {%2}];" : "=h"(w[0]) : "l"(s), "r"(x)); }
  __attribute__((device)) static void write1D_trap(const word *w, unsigned long long s, int x) { asm volatile("sust.b.1d.b16.trap [%0, {%1}], %2;" :: "l"(s), "r"(x), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read2D_zero(word *w, unsigned long long s, int x, int y) { asm volatile("suld.b.2d.b16.zero %0, [%1, {%2, %3}];" : "=h"(w[0]) : "l"(s), "r"(x), "r"(y)); }
  __attribute__((device)) static void write2D_zero(const word *w, unsigned long long s, int x, int y) { asm volatile("sust.b.2d.b16.zero [%0, {%1, %2}], %3;" :: "l"(s), "r"(x), "r"(y), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read2D_clamp(word *w, unsigned long long s, int x, int y) { asm volatile("suld.b.2d.b16.clamp %0, [%1, {%2, %3}];" : "=h"(w[0]) : "l"(s), "r"(x), "r"(y)); }
  __attribute__((device)) static void write2D_clamp(const word *w, unsigned long long s, int x, int y) { asm volatile("sust.b.2d.b16.clamp [%0, {%1, %2}], %3;" :: "l"(s), "r"(x), "r"(y), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read2D_trap(word *w, unsigned long long s, int x, int y) { asm volatile("suld.b.2d.b16.trap %0, [%1, {%2, %3}];" : "=h"(w[0]) : "l"(s), "r"(x), "r"(y)); }
  __attribute__((device)) static void write2D_trap(const word *w, unsigned long long s, int x, int y) { asm volatile("sust.b.2d.b16.trap [%0, {%1, %2}], %3;" :: "l"(s), "r"(x), "r"(y), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read3D_zero(word *w, unsigned long long s, int x, int y, int z) { asm volatile("suld.b.3d.b16.zero %0, [%1, {%2, %3, %4, %4}];" : "=h"(w[0]) : "l"(s), "r"(x), "r"(y), "r"(z)); }
  __attribute__((device)) static void write3D_zero(const word *w, unsigned long long s, int x, int y, int z) { asm volatile("sust.b.3d.b16.zero [%0, {%1, %2, %3, %3}], %4;" :: "l"(s), "r"(x), "r"(y), "r"(z), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read3D_clamp(word *w, unsigned long long s, int x, int y, int z) { asm volatile("suld.b.3d.b16.clamp %0, [%1, {%2, %3, %4, %4}];" : "=h"(w[0]) : "l"(s), "r"(x), "r"(y), "r"(z)); }
  __attribute__((device)) static void write3D_clamp(const word *w, unsigned long long s, int x, int y, int z) { asm volatile("sust.b.3d.b16.clamp [%0, {%1, %2, %3, %3}], %4;" :: "l"(s), "r"(x), "r"(y), "r"(z), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read3D_trap(word *w, unsigned long long s, int x, int y, int z) { asm volatile("suld.b.3d.b16.trap %0, [%1, {%2, %3, %4, %4}];" : "=h"(w[0]) : "l"(s), "r"(x), "r"(y), "r"(z)); }
  __attribute__((device)) static void write3D_trap(const word *w, unsigned long long s, int x, int y, int z) { asm volatile("sust.b.3d.b16.trap [%0, {%1, %2, %3, %3}], %4;" :: "l"(s), "r"(x), "r"(y), "r"(z), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read1DLayered_zero(word *w, unsigned long long s, int x, int layer) { asm volatile("suld.b.a1d.b16.zero %0, [%1, {%3, %2}];" : "=h"(w[0]) : "l"(s), "r"(x), "r"(layer)); }
  __attribute__((device)) static void write1DLayered_zero(const word *w, unsigned long long s, int x, int layer) { asm volatile("sust.b.a1d.b16.zero [%0, {%2, %1}], %3;" :: "l"(s), "r"(x), "r"(layer), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read1DLayered_clamp(word *w, unsigned long long s, int x, int layer) { asm volatile("suld.b.a1d.b16.clamp %0, [%1, {%3, %2}];" : "=h"(w[0]) : "l"(s), "r"(x), "r"(layer)); }
  __attribute__((device)) static void write1DLayered_clamp(const word *w, unsigned long long s, int x, int layer) { asm volatile("sust.b.a1d.b16.clamp [%0, {%2, %1}], %3;" :: "l"(s), "r"(x), "r"(layer), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read1DLayered_trap(word *w, unsigned long long s, int x, int layer) { asm volatile("suld.b.a1d.b16.trap %0, [%1, {%3, %2}];" : "=h"(w[0]) : "l"(s), "r"(x), "r"(layer)); }
  __attribute__((device)) static void write1DLayered_trap(const word *w, unsigned long long s, int x, int layer) { asm volatile("sust.b.a1d.b16.trap [%0, {%2, %1}], %3;" :: "l"(s), "r"(x), "r"(layer), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read2DLayered_zero(word *w, unsigned long long s, int x, int y, int layer) { asm volatile("suld.b.a2d.b16.zero %0, [%1, {%4, %2, %3, %3}];" : "=h"(w[0]) : "l"(s), "r"(x), "r"(y), "r"(layer)); }
  __attribute__((device)) static void write2DLayered_zero(const word *w, unsigned long long s, int x, int y, int layer) { asm volatile("sust.b.a2d.b16.zero [%0, {%3, %1, %2, %2}], %4;" :: "l"(s), "r"(x), "r"(y), "r"(layer), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read2DLayered_clamp(word *w, unsigned long long s, int x, int y, int layer) { asm volatile("suld.b.a2d.b16.clamp %0, [%1, {%4, %2, %3, %3}];" : "=h"(w[0]) : "l"(s), "r"(x), "r"(y), "r"(layer)); }
  __attribute__((device)) static void write2DLayered_clamp(const word *w, unsigned long long s, int x, int y, int layer) { asm volatile("sust.b.a2d.b16.clamp [%0, {%3, %1, %2, %2}], %4;" :: "l"(s), "r"(x), "r"(y), "r"(layer), "h"(w[0]) : "memory"); }
  __attribute__((device)) static void read2DLayered_trap(word *w, unsigned long long s, int x, int y, int layer) { asm volatile("suld.b.a2d.b16.trap %0, [%1, {%4, %2, %3, %3}];" : "=h"(w[0]) : "l"(s), "r"(x), "r"(y), "r"(layer)); }
  __attribute__((device)) static void write2DLayered_trap(const word *w, unsigned long long s, int x, int y, int layer) { asm volatile("sust.b.a2d.b16.trap [%0, {%3, %1, %2, %2}], %4;" :: "l"(s), "r"(x), "r"(y), "r"(layer), "h"(w[0]) : "memory"); }
};
template <> struct __warptape_surface<4> {
  typedef unsigned int word;
  enum { words = 1 };
  __attribute__((device)) static void read1D_zero(word *w, unsigned long long s, int x) { asm volatile("suld.b.1d.b32.zero %0, [%1, {%2}];" : "=r"(w[0]) : "l"(s), "r"(x)); }
  __attribute__((device)) static void write1D_zero(const word *w, unsigned long long s, int x) { asm volatile("sust.b.1d.b32.zero [%0, {%1}], %2;" :: "l"(s), "r"(x), "r"(w[0]) : "memory"); }
  __attribute__((device)) static void read1D_clamp(word *w, unsigned long long s, int x) { asm volatile("suld.b.1d.b32.clamp %0, [%1, {%2}];" : "=r"(w[0]) : "l"(s), "r"(x)); }
  __attribute__((device)) static void write1D_clamp(const word *w, unsigned long long s, int x) { asm volatile("sust.b.1d.b32.clamp [%0, {%1}], %2;" :: "l"(s), "r"(x), "r"(w[0]) : "memory"); }
  __attribute__((device)) static void read1D_trap(word *w, unsigned long long s, int x) { asm volatile("suld.b.1d.b32.trap %0, [%1, {%2}];" : "=r"(w[0]) : "l"(s), "r"(x)); }
  __attribute__((device)) static void write1D_trap(const word *w, unsigned long long s, int x) { asm volatile("sust.b.1d.b32.trap [%0, {%1}], %2;" :: "l"(s), "r"(x), "r"(w[0]) : "memory"); }
  __attribute__((device)) static void read2D_zero(word *w, unsigned long long s, int x, int y) { asm volatile("suld.b.2d.b32.zero %0, [%1, {%2, %3}];" : "=r"(w[0]) : "l"(s), "r"(x), "r"(y)); }
  __attribute__((device)) static void write2D_zero(const word *w, unsigned long long s, int x, int y) { asm volatile("sust.b.2d.b32.zero [%0, {%1, %2}], %3;" :: "l"(s), "r"(x), "r"(y), "r"(w[0]) : "memory"); }
  __attribute__((device)) static void read2D_clamp(word *w, unsigned long long s, int x, int y) { asm volatile("suld.b.2d.b32.clamp %0, [%1, {%2, %3}];" : "=r"(w[0]) : "l"(s), "r"(x), "r"(y)); }
  __attribute__((device)) static void write2D_clamp(const word *w, unsigned long long s, int x, int y) { asm volatile("sust.b.2d.b32.clamp [%0, {%1, %2}], %3;" :: "l"(s), "r"(x), "r"(y), "r"(w[0]) : "memory"); }
  __attribute__((device)) static void read2D_trap(word *w, unsigned long long s, int x, int y) { asm volatile("suld.b.2d.b32.trap %0, [%1, {%2, %3}];" : "=r"(w[0]) : "l"(s), "r"(x), "r"(y)); }
  __attribute__((device)) static void write2D_trap(const word *w, unsigned long long s, int x, int y) { asm volatile("sust.b.2d.b32.trap [%0, {%1, %2}], %3;" :: "l"(s), "r"(x), "r"(y), "r"(w[0]) : "memory"); }
  __attribute__((device)) static void read3D_zero(word *w, unsigned long long s, int x, int y, int z) { asm volatile("suld.b.3d.b32.zero %0, [%1, {%2, %3, %4, %4}];" : "=r"(w[0]) : "l"(s), "r"(x), "r"(y), "r"(z)); }
  __attribute__((device)) static void write3D_zero(const word *w, unsigned long long s, int x, int y, int z) { asm volatile("sust.b.3d.b32.zero [%0, {%1, %2, %3, %3}], %4;" :: "l"(s), "r"(x), "r"(y), "r"(z), "r"(w[0]) : "memory"); }
  __attribute__((device)) static void read3D_clamp(word *w, unsigned long long s, int x, int y, int z) { asm volatile("suld.b.3d.b32.clamp %0, [%1, {%2, %3, %4, %4}];" : "=r"(w[0]) : "l"(s), "r"(x), "r"(y), "r"(z)); }
  __attribute__((device)) static void write3D_clamp(const word *w, unsigned long long s, int x, int y, int z) { asm volatile("sust.b.3d.b32.clamp [%0, {%1, %2, %3, %3}], %4;" :: "l"(s), "r"(x), "r"(y), "r"(z), "r"(w[0]) : "memory"); }
  __attribute__((device)) static void read3D_trap(word *w, unsigned long long s, int x, int y, int z) { asm volatile("suld.b.3d.b32.trap %0, [%1, {%2, %3, %4, %4}];" : "=r"(w[0]) : "l"(s), "r"(x), "r"(y), "r"(z)); }
  __attribute__((device)) static void write3D_trap(const word *w, unsigned long long s, int x, int y, int z) { asm volatile("sust.b.3d.b32.trap [%0, {%1, %2, %3, %3}], %4;" :: "l"(s), "r"(x), "r"(y), "r"(z), "r"(w[0]) : "memory"); }
  __attribute__((device)) static void read1DLayered_zero(word *w, unsigned long long s, int x, int layer) { asm volatile("suld.b.a1d.b32.zero %0, [%1, {%3, %2}];" : "=r"(w[0]) : "l"(s), "r"(x), "r"(layer)); }
  __attribute__((device)) static void write1DLayered_zero(const word *w, unsigned long long s, int x, int layer) { asm volatile("sust.b.a1d.b32.zero [%0, {%2, %1}], %3;" :: "l"(s), "r"(x), "r"(layer), "r"(w[0]) : "memory"); }
  __attribute__((device)) static void read1DLayered_clamp(word *w, unsigned long long s, int x, int layer) { asm volatile("suld.b.a1d.b32.clamp %0, [%1, {%3, %2}];" : "=r"(w[0]) : "l"(s), "r"(x), "r"(layer)); }
  __attribute__((device)) static void write1DLayered_clamp(const word *w, unsigned long long s, int x, int layer) { asm volatile("sust.b.a1d.b32.clamp [%0, {%2, %1}], %3;" :: "l"(s), "r"(x), "r"(layer), "r"(w[0]) : "memory"); }
  __attribute__((device)) static void read1DLayered_trap(word *w, unsigned long long s, int x, int layer) { asm volatile("suld.b.a1d.b32.trap %0, [%1, {%3, %2}];" : "=r"(w[0]) : "l"(s), "r"(x), "r"(layer)); }
  __attribute__((device)) static void write1DLayered_trap(const word *w, unsigned long long s, int x, int layer) { asm volatile("sust.b.a1d.b32.trap [%0, {%2, %1}], %3;" :: "l"(s), "r"(x), "r"(layer), "r"(w[0]) : "memory"); }
  __attribute__((device)) static void read2DLayered_zero(word *w, unsigned long long s, int x, int y, int layer) { asm volatile("suld.b.a2d.b32.zero %0, [%1, {%4, %2, %3, %3}];" : "=r"(w[0]) : "l"(s), "r"(x), "r"(y), "r"(layer)); }
  __attribute__((device)) static void write2DLayered_zero(const word *w, unsigned long long s, int x, int y, int layer) { asm volatile("sust.b.a2d.b32.zero [%0, {%3, %1, %2, %2}], %4;" :: "l"(s), "r"(x), "r"(y), "r"(layer), "r"(w[0]) : "memory"); }
  __attribute__((device)) static void read2DLayered_clamp(word *w, unsigned long long s, int x, int y, int layer) { asm volatile("suld.b.a2d.b32.clamp %0, [%1, {%4, %2, %3, %3}];" : "=r"(w[0]) : "l"(s), "r"(x), "r"(y), "r"(layer)); }
  __attribute__((device)) static void write2DLayered_clamp(const word *w, unsigned long long s, int x, int y, int layer) { asm volatile("sust.b.a2d.b32.clamp [%0, {%3, %1, %2, %2}], %4;" :: "l"(s), "r"(x), "r"(y), "r"(layer), "r"(w[0]) : "memory"); }
  __attribute__((device)) static void read2DLayered_trap(word *w, unsigned long long s, int x, int y, int layer) { asm volatile("suld.b.a2d.b32.trap %0, [%1, {%4, %2, %3, %3}];" : "=r"(w[0]) : "l"(s), "r"(x), "r"(y), "r"(layer)); }
  __attribute__((device)) static void write2DLayered_trap(const word *w, unsigned long long s, int x, int y, int layer) { asm volatile("sust.b.a2d.b32.trap [%0, {%3, %1, %2, %2}], %4;" :: "l"(s), "r"(x), "r"(y), "r"(layer), "r"(w[0]) : "memory"); }
};
template <> struct __warptape_surface<8> {
  typedef unsigned int word;
  enum { words = 2 };
  __attribute__((device)) static void read1D_zero(word *w, unsigned long long s, int x) { asm volatile("suld.b.1d.v2.b32.zero {%0, %1}, [%2, {%3}];" : "=r"(w[0]), "=r"(w[1]) : "l"(s), "r"(x)); }
  __attribute__((device)) static void write1D_zero(const word *w, unsigned long long s, int x) { asm volatile("sust.b.1d.v2.b32.zero [%0, {%1}], {%2, %3};" :: "l"(s), "r"(x), "r"(w[0]), "r"(w[1]) : "memory"); }
  __attribute__((device)) static void read1D_clamp(word *w, unsigned long long s, int x) { asm volatile("suld.b.1d.v2.b32.clamp {%0, %1}, [%2, {%3}];" : "=r"(w[0]), "=r"(w[1]) : "l"(s), "r"(x)); }
  __attribute__((device)) static void write1D_clamp(const word *w, unsigned long long s, int x) { asm volatile("sust.b.1d.v2.b32.clamp [%0, {%1}], {%2, %3};" :: "l"(s), "r"(x), "r"(w[0]), "r"(w[1]) : "memory"); }
  __attribute__((device)) static void read1D_trap(word *w, unsigned long long s, int x) { asm volatile("suld.b.1d.v2.b32.trap {%0, %1}, [%2, {%3}];" : "=r"(w[0]), "=r"(w[1]) : "l"(s), "r"(x)); }
  __attribute__((device)) static void write1D_trap(const word *w, unsigned long long s, int x) { asm volatile("sust.b.1d.v2.b32.trap [%0, {%1}], {%2, %3};" :: "l"(s), "r"(x), "r"(w[0]), "r"(w[1]) : "memory"); }
  __attribute__((device)) static void read2D_zero(word *w, unsigned long long s, int x, int y) { asm volatile("suld.b.2d.v2.b32.zero {%0, %1}, [%2, {%3, %4}];" : "=r"(w[0]), "=r"(w[1]) : "l"(s), "r"(x), "r"(y)); }
  __attribute__((device)) static void write2D_zero(const word *w, unsigned long long s, int x, int y) { asm volatile("sust.b.2d.v2.b32.zero [%0, {%1, %2}], {%3, %4};" :: "l"(s), "r"(x), "r"(y), "r"(w[0]), "r"(w[1]) : "memory"); }
  __attribute__((device)) static void read2D_clamp(word *w, unsigned long long s, int x, int y) { asm volatile("suld.b.2d.v2.b32.clamp {%0, %1}, [%2, {%3, %4}];" : "=r"(w[0]), "=r"(w[1]) : "l"(s), "r"(x), "r"(y)); }
  __attribute__((device)) static void write2D_clamp(const word *w, unsigned long long s, int x, int y) { asm volatile("sust.b.2d.v2.b32.clamp [%0, {%1, %2}], {%3, %4};" :: "l"(s), "r"(x), "r"(y), "r"(w[0]), "r"(w[1]) : "memory"); }
  __attribute__((device)) static void read2D_trap(word *w, unsigned long long s, int x, int y) { asm volatile("suld.b.2d.v2.b32.trap {%0, %1}, [%2, {%3, %4}];" : "=r"(w[0]), "=r"(w[1]) : "l"(s), "r"(x), "r"(y)); }
  __attribute__((device)) static void write2D_trap(const word *w, unsigned long long s, int x, int y) { asm volatile("sust.b.2d.v2.b32.trap [%0, {%1, %2}], {%3, %4};" :: "l"(s), "r"(x), "r"(y), "r"(w[0]), "r"(w[1]) : "memory"); }
  __attribute__((device)) static void read3D_zero(word *w, unsigned long long s, int x, int y, int z) { asm volatile("suld.b.3d.v2.b32.zero {%0, %1}, [%2, {%3, %4, %5, %5}];" : "=r"(w[0]), "=r"(w[1]) : "l"(s), "r"(x), "r"(y), "r"(z)); }
  __attribute__((device)) static void write3D_zero(const word *w, unsigned long long s, int x, int y, int z) { asm volatile("sust.b.3d.v2.b32.zero [%0, {%1, %2, %3, %3}], {%4, %5};" :: "l"(s), "r"(x), "r"(y), "r"(z), "r"(w[0]), "r"(w[1]) : "memory"); }
  __attribute__((device)) static void read3D_clamp(word *w, unsigned long long s, int x, int y, int z) { asm volatile("suld.b.3d.v2.b32.clamp {%0, %1}, [%2, {%3, %4, %5, %5}];" : "=r"(w[0]), "=r"(w[1]) : "l"(s), "r"(x), "r"(y), "r"(z)); }
  __attribute__((device)) static void write3D_clamp(const word *w, unsigned long long s, int x, int y, int z) { asm volatile("sust.b.3d.v2.b32.clamp [%0, {%1, %2, %3, %3}], {%4, %5};" :: "l"(s), "r"(x), "r"(y), "r"(z), "r"(w[0]), "r"(w[1]) : "memory"); }
  __attribute__((device)) static void read3D_trap(word *w, unsigned long long s, int x, int y, int z) { asm volatile("suld.b.3d.v2.b32.trap {%0, %1}, [%2, {%3, %4, %5, %5}];" : "=r"(w[0]), "=r"(w[1]) : "l"(s), "r"(x), "r"(y), "r"(z)); }
  __attribute__((device)) static void write3D_trap(const word *w, unsigned long long s, int x, int y, int z) { asm volatile("sust.b.3d.v2.b32.trap [%0, {%1, %2, %3, %3}], {%4, %5};" :: "l"(s), "r"(x), "r"(y), "r"(z), "r"(w[0]), "r"(w[1]) : "memory"); }
  __attribute__((device)) static void read1DLayered_zero(word *w, unsigned long long s, int x, int layer) { asm volatile("suld.b.a1d.v2.b32.zero {%0, %1}, [%2, {%4, %3}];" : "=r"(w[0]), "=r"(w[1]) : "l"(s), "r"(x), "r"(layer)); }
  __attribute__((device)) static void write1DLayered_zero(const word *w, unsigned long long s, int x, int layer) { asm volatile("sust.b.a1d.v2.b32.zero [%0, {%2, %1}], {%3, %4};" :: "l"(s), "r"(x), "r"(layer), "r"(w[0]), "r"(w[1]) : "memory"); }
  __attribute__((device)) static void read1DLayered_clamp(word *w, unsigned long long s, int x, int layer) { asm volatile("suld.b.a1d.v2.b32.clamp {%0, %1}, [%2, {%4, %3}];" : "=r"(w[0]), "=r"(w[1]) : "l"(s), "r"(x), "r"(layer)); }
  __attribute__((device)) static void write1DLayered_clamp(const word *w, unsigned long long s, int x, int layer) { asm volatile("sust.b.a1d.v2.b32.clamp [%0, {%2, %1}], {%3, %4};" :: "l"(s), "r"(x), "r"(layer), "r"(w[0]), "r"(w[1]) : "memory"); }
  __attribute__((device)) static void read1DLayered_trap(word *w, unsigned long long s, int x, int layer) { asm volatile("suld.b.a1d.v2.b32.trap {%0, %1}, [%2, {%4, %3}];" : "=r"(w[0]), "=r"(w[1]) : "l"(s), "r"(x), "r"(layer)); }
  __attribute__((device)) static void write1DLayered_trap(const word *w, unsigned long long s, int x, int layer) { asm volatile("sust.b.a1d.v2.b32.trap [%0, {%2, %1}], {%3, %4};" :: "l"(s), "r"(x), "r"(layer), "r"(w[0]), "r"(w[1]) : "memory"); }
  __attribute__((device)) static void read2DLayered_zero(word *w, unsigned long long s, int x, int y, int layer) { asm volatile("suld.b.a2d.v2.b32.zero {%0, %1}, [%2, {%5, %3, %4, %4}];" : "=r"(w[0]), "=r"(w[1]) : "l"(s), "r"(x), "r"(y), "r"(layer)); }
  __attribute__((device)) static void write2DLayered_zero(const word *w, unsigned long long s, int x, int y, int layer) { asm volatile("sust.b.a2d.v2.b32.zero [%0, {%3, %1, %2, %2}], {%4, %5};" :: "l"(s), "r"(x), "r"(y), "r"(layer), "r"(w[0]), "r"(w[1]) : "memory"); }
  __attribute__((device)) static void read2DLayered_clamp(word *w, unsigned long long s, int x, int y, int layer) { asm volatile("suld.b.a2d.v2.b32.clamp {%0, %1}, [%2, {%5, %3, %4, %4}];" : "=r"(w[0]), "=r"(w[1]) : "l"(s), "r"(x), "r"(y), "r"(layer)); }
  __attribute__((device)) static void write2DLayered_clamp(const word *w, unsigned long long s, int x, int y, int layer) { asm volatile("sust.b.a2d.v2.b32.clamp [%0, {%3, %1, %2, %2}], {%4, %5};" :: "l"(s), "r"(x), "r"(y), "r"(layer), "r"(w[0]), "r"(w[1]) : "memory"); }
  __attribute__((device)) static void read2DLayered_trap(word *w, unsigned long long s, int x, int y, int layer) { asm volatile("suld.b.a2d.v2.b32.trap {%0, %1}, [%2, {%5, %3, %4, %4}];" : "=r"(w[0]), "=r"(w[1]) : "l"(s), "r"(x), "r"(y), "r"(layer)); }
  __attribute__((device)) static void write2DLayered_trap(const word *w, unsigned long long s, int x, int y, int layer) { asm volatile("sust.b.a2d.v2.b32.trap [%0, {%3, %1, %2, %2}], {%4, %5};" :: "l"(s), "r"(x), "r"(y), "r"(layer), "r"(w[0]), "r"(w[1]) : "memory"); }
};
template <> struct __warptape_surface<16> {
  typedef unsigned int word;
  enum { words = 4 };
  __attribute__((device)) static void read1D_zero(word *w, unsigned long long s, int x) { asm volatile("suld.b.1d.v4.b32.zero {%0, %1, %2, %3}, [%4, {%5}];" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(s), "r"(x)); }
  __attribute__((device)) static void write1D_zero(const word *w, unsigned long long s, int x) { asm volatile("sust.b.1d.v4.b32.zero [%0, {%1}], {%2, %3, %4, %5};" :: "l"(s), "r"(x), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]) : "memory"); }
  __attribute__((device)) static void read1D_clamp(word *w, unsigned long long s, int x) { asm volatile("suld.b.1d.v4.b32.clamp {%0, %1, %2, %3}, [%4, {%5}];" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(s), "r"(x)); }
  __attribute__((device)) static void write1D_clamp(const word *w, unsigned long long s, int x) { asm volatile("sust.b.1d.v4.b32.clamp [%0, {%1}], {%2, %3, %4, %5};" :: "l"(s), "r"(x), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]) : "memory"); }
  __attribute__((device)) static void read1D_trap(word *w, unsigned long long s, int x) { asm volatile("suld.b.1d.v4.b32.trap {%0, %1, %2, %3}, [%4, {%5}];" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(s), "r"(x)); }
  __attribute__((device)) static void write1D_trap(const word *w, unsigned long long s, int x) { asm volatile("sust.b.1d.v4.b32.trap [%0, {%1}], {%2, %3, %4, %5};" :: "l"(s), "r"(x), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]) : "memory"); }
  __attribute__((device)) static void read2D_zero(word *w, unsigned long long s, int x, int y) { asm volatile("suld.b.2d.v4.b32.zero {%0, %1, %2, %3}, [%4, {%5, %6}];" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(s), "r"(x), "r"(y)); }
  __attribute__((device)) static void write2D_zero(const word *w, unsigned long long s, int x, int y) { asm volatile("sust.b.2d.v4.b32.zero [%0, {%1, %2}], {%3, %4, %5, %6};" :: "l"(s), "r"(x), "r"(y), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]) : "memory"); }
  __attribute__((device)) static void read2D_clamp(word *w, unsigned long long s, int x, int y) { asm volatile("suld.b.2d.v4.b32.clamp {%0, %1, %2, %3}, [%4, {%5, %6}];" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(s), "r"(x), "r"(y)); }
  __attribute__((device)) static void write2D_clamp(const word *w, unsigned long long s, int x, int y) { asm volatile("sust.b.2d.v4.b32.clamp [%0, {%1, %2}], {%3, %4, %5, %6};" :: "l"(s), "r"(x), "r"(y), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]) : "memory"); }
  __attribute__((device)) static void read2D_trap(word *w, unsigned long long s, int x, int y) { asm volatile("suld.b.2d.v4.b32.trap {%0, %1, %2, %3}, [%4, {%5, %6}];" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(s), "r"(x), "r"(y)); }
  __attribute__((device)) static void write2D_trap(const word *w, unsigned long long s, int x, int y) { asm volatile("sust.b.2d.v4.b32.trap [%0, {%1, %2}], {%3, %4, %5, %6};" :: "l"(s), "r"(x), "r"(y), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]) : "memory"); }
  __attribute__((device)) static void read3D_zero(word *w, unsigned long long s, int x, int y, int z) { asm volatile("suld.b.3d.v4.b32.zero {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(s), "r"(x), "r"(y), "r"(z)); }
  __attribute__((device)) static void write3D_zero(const word *w, unsigned long long s, int x, int y, int z) { asm volatile("sust.b.3d.v4.b32.zero [%0, {%1, %2, %3, %3}], {%4, %5, %6, %7};" :: "l"(s), "r"(x), "r"(y), "r"(z), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]) : "memory"); }
  __attribute__((device)) static void read3D_clamp(word *w, unsigned long long s, int x, int y, int z) { asm volatile("suld.b.3d.v4.b32.clamp {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(s), "r"(x), "r"(y), "r"(z)); }
  __attribute__((device)) static void write3D_clamp(const word *w, unsigned long long s, int x, int y, int z) { asm volatile("sust.b.3d.v4.b32.clamp [%0, {%1, %2, %3, %3}], {%4, %5, %6, %7};" :: "l"(s), "r"(x), "r"(y), "r"(z), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]) : "memory"); }
  __attribute__((device)) static void read3D_trap(word *w, unsigned long long s, int x, int y, int z) { asm volatile("suld.b.3d.v4.b32.trap {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(s), "r"(x), "r"(y), "r"(z)); }
  __attribute__((device)) static void write3D_trap(const word *w, unsigned long long s, int x, int y, int z) { asm volatile("sust.b.3d.v4.b32.trap [%0, {%1, %2, %3, %3}], {%4, %5, %6, %7};" :: "l"(s), "r"(x), "r"(y), "r"(z), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]) : "memory"); }
  __attribute__((device)) static void read1DLayered_zero(word *w, unsigned long long s, int x, int layer) { asm volatile("suld.b.a1d.v4.b32.zero {%0, %1, %2, %3}, [%4, {%6, %5}];" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(s), "r"(x), "r"(layer)); }
  __attribute__((device)) static void write1DLayered_zero(const word *w, unsigned long long s, int x, int layer) { asm volatile("sust.b.a1d.v4.b32.zero [%0, {%2, %1}], {%3, %4, %5, %6};" :: "l"(s), "r"(x), "r"(layer), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]) : "memory"); }
  __attribute__((device)) static void read1DLayered_clamp(word *w, unsigned long long s, int x, int layer) { asm volatile("suld.b.a1d.v4.b32.clamp {%0, %1, %2, %3}, [%4, {%6, %5}];" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(s), "r"(x), "r"(layer)); }
  __attribute__((device)) static void write1DLayered_clamp(const word *w, unsigned long long s, int x, int layer) { asm volatile("sust.b.a1d.v4.b32.clamp [%0, {%2, %1}], {%3, %4, %5, %6};" :: "l"(s), "r"(x), "r"(layer), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]) : "memory"); }
  __attribute__((device)) static void read1DLayered_trap(word *w, unsigned long long s, int x, int layer) { asm volatile("suld.b.a1d.v4.b32.trap {%0, %1, %2, %3}, [%4, {%6, %5}];" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(s), "r"(x), "r"(layer)); }
  __attribute__((device)) static void write1DLayered_trap(const word *w, unsigned long long s, int x, int layer) { asm volatile("sust.b.a1d.v4.b32.trap [%0, {%2, %1}], {%3, %4, %5, %6};" :: "l"(s), "r"(x), "r"(layer), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]) : "memory"); }
  __attribute__((device)) static void read2DLayered_zero(word *w, unsigned long long s, int x, int y, int layer) { asm volatile("suld.b.a2d.v4.b32.zero {%0, %1, %2, %3}, [%4, {%7, %5, %6, %6}];" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(s), "r"(x), "r"(y), "r"(layer)); }
  __attribute__((device)) static void write2DLayered_zero(const word *w, unsigned long long s, int x, int y, int layer) { asm volatile("sust.b.a2d.v4.b32.zero [%0, {%3, %1, %2, %2}], {%4, %5, %6, %7};" :: "l"(s), "r"(x), "r"(y), "r"(layer), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]) : "memory"); }
  __attribute__((device)) static void read2DLayered_clamp(word *w, unsigned long long s, int x, int y, int layer) { asm volatile("suld.b.a2d.v4.b32.clamp {%0, %1, %2, %3}, [%4, {%7, %5, %6, %6}];" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(s), "r"(x), "r"(y), "r"(layer)); }
  __attribute__((device)) static void write2DLayered_clamp(const word *w, unsigned long long s, int x, int y, int layer) { asm volatile("sust.b.a2d.v4.b32.clamp [%0, {%3, %1, %2, %2}], {%4, %5, %6, %7};" :: "l"(s), "r"(x), "r"(y), "r"(layer), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]) : "memory"); }
  __attribute__((device)) static void read2DLayered_trap(word *w, unsigned long long s, int x, int y, int layer) { asm volatile("suld.b.a2d.v4.b32.trap {%0, %1, %2, %3}, [%4, {%7, %5, %6, %6}];" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "l"(s), "r"(x), "r"(y), "r"(layer)); }
  __attribute__((device)) static void write2DLayered_trap(const word *w, unsigned long long s, int x, int y, int layer) { asm volatile("sust.b.a2d.v4.b32.trap [%0, {%3, %1, %2, %2}], {%4, %5, %6, %7};" :: "l"(s), "r"(x), "r"(y), "r"(layer), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]) : "memory"); }
};
template <class T> __WARPTAPE_SURFACE__ T surf1Dread(cudaSurfaceObject_t s, int x, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  typedef __warptape_surface<sizeof(T)> __wt_S;
  typename __wt_S::word w[__wt_S::words];
  if (mode == cudaBoundaryModeZero) __wt_S::read1D_zero(w, s, x);
  else if (mode == cudaBoundaryModeClamp) __wt_S::read1D_clamp(w, s, x);
  else __wt_S::read1D_trap(w, s, x);
  T r;
  __builtin_memcpy(&r, w, sizeof(T));
  return r;
}
template <class T> __WARPTAPE_SURFACE__ void surf1Dread(T *r, cudaSurfaceObject_t s, int x, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { *r = surf1Dread<T>(s, x, mode); }
template <class T> __WARPTAPE_SURFACE__ void surf1Dwrite(T v, cudaSurfaceObject_t s, int x, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  typedef __warptape_surface<sizeof(T)> __wt_S;
  typename __wt_S::word w[__wt_S::words] = {0};
  __builtin_memcpy(w, &v, sizeof(T));
  if (mode == cudaBoundaryModeZero) __wt_S::write1D_zero(w, s, x);
  else if (mode == cudaBoundaryModeClamp) __wt_S::write1D_clamp(w, s, x);
  else __wt_S::write1D_trap(w, s, x);
}
template <class T> __WARPTAPE_SURFACE__ T surf2Dread(cudaSurfaceObject_t s, int x, int y, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  typedef __warptape_surface<sizeof(T)> __wt_S;
  typename __wt_S::word w[__wt_S::words];
  if (mode == cudaBoundaryModeZero) __wt_S::read2D_zero(w, s, x, y);
  else if (mode == cudaBoundaryModeClamp) __wt_S::read2D_clamp(w, s, x, y);
  else __wt_S::read2D_trap(w, s, x, y);
  T r;
  __builtin_memcpy(&r, w, sizeof(T));
  return r;
}
template <class T> __WARPTAPE_SURFACE__ void surf2Dread(T *r, cudaSurfaceObject_t s, int x, int y, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { *r = surf2Dread<T>(s, x, y, mode); }
template <class T> __WARPTAPE_SURFACE__ void surf2Dwrite(T v, cudaSurfaceObject_t s, int x, int y, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  typedef __warptape_surface<sizeof(T)> __wt_S;
  typename __wt_S::word w[__wt_S::words] = {0};
  __builtin_memcpy(w, &v, sizeof(T));
  if (mode == cudaBoundaryModeZero) __wt_S::write2D_zero(w, s, x, y);
  else if (mode == cudaBoundaryModeClamp) __wt_S::write2D_clamp(w, s, x, y);
  else __wt_S::write2D_trap(w, s, x, y);
}
template <class T> __WARPTAPE_SURFACE__ T surf3Dread(cudaSurfaceObject_t s, int x, int y, int z, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  typedef __warptape_surface<sizeof(T)> __wt_S;
  typename __wt_S::word w[__wt_S::words];
  if (mode == cudaBoundaryModeZero) __wt_S::read3D_zero(w, s, x, y, z);
  else if (mode == cudaBoundaryModeClamp) __wt_S::read3D_clamp(w, s, x, y, z);
  else __wt_S::read3D_trap(w, s, x, y, z);
  T r;
  __builtin_memcpy(&r, w, sizeof(T));
  return r;
}
template <class T> __WARPTAPE_SURFACE__ void surf3Dread(T *r, cudaSurfaceObject_t s, int x, int y, int z, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { *r = surf3Dread<T>(s, x, y, z, mode); }
template <class T> __WARPTAPE_SURFACE__ void surf3Dwrite(T v, cudaSurfaceObject_t s, int x, int y, int z, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  typedef __warptape_surface<sizeof(T)> __wt_S;
  typename __wt_S::word w[__wt_S::words] = {0};
  __builtin_memcpy(w, &v, sizeof(T));
  if (mode == cudaBoundaryModeZero) __wt_S::write3D_zero(w, s, x, y, z);
  else if (mode == cudaBoundaryModeClamp) __wt_S::write3D_clamp(w, s, x, y, z);
  else __wt_S::write3D_trap(w, s, x, y, z);
}
template <class T> __WARPTAPE_SURFACE__ T surf1DLayeredread(cudaSurfaceObject_t s, int x, int layer, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  typedef __warptape_surface<sizeof(T)> __wt_S;
  typename __wt_S::word w[__wt_S::words];
  if (mode == cudaBoundaryModeZero) __wt_S::read1DLayered_zero(w, s, x, layer);
  else if (mode == cudaBoundaryModeClamp) __wt_S::read1DLayered_clamp(w, s, x, layer);
  else __wt_S::read1DLayered_trap(w, s, x, layer);
  T r;
  __builtin_memcpy(&r, w, sizeof(T));
  return r;
}
template <class T> __WARPTAPE_SURFACE__ void surf1DLayeredread(T *r, cudaSurfaceObject_t s, int x, int layer, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { *r = surf1DLayeredread<T>(s, x, layer, mode); }
template <class T> __WARPTAPE_SURFACE__ void surf1DLayeredwrite(T v, cudaSurfaceObject_t s, int x, int layer, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  typedef __warptape_surface<sizeof(T)> __wt_S;
  typename __wt_S::word w[__wt_S::words] = {0};
  __builtin_memcpy(w, &v, sizeof(T));
  if (mode == cudaBoundaryModeZero) __wt_S::write1DLayered_zero(w, s, x, layer);
  else if (mode == cudaBoundaryModeClamp) __wt_S::write1DLayered_clamp(w, s, x, layer);
  else __wt_S::write1DLayered_trap(w, s, x, layer);
}
template <class T> __WARPTAPE_SURFACE__ T surf2DLayeredread(cudaSurfaceObject_t s, int x, int y, int layer, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  typedef __warptape_surface<sizeof(T)> __wt_S;
  typename __wt_S::word w[__wt_S::words];
  if (mode == cudaBoundaryModeZero) __wt_S::read2DLayered_zero(w, s, x, y, layer);
  else if (mode == cudaBoundaryModeClamp) __wt_S::read2DLayered_clamp(w, s, x, y, layer);
  else __wt_S::read2DLayered_trap(w, s, x, y, layer);
  T r;
  __builtin_memcpy(&r, w, sizeof(T));
  return r;
}
template <class T> __WARPTAPE_SURFACE__ void surf2DLayeredread(T *r, cudaSurfaceObject_t s, int x, int y, int layer, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) { *r = surf2DLayeredread<T>(s, x, y, layer, mode); }
template <class T> __WARPTAPE_SURFACE__ void surf2DLayeredwrite(T v, cudaSurfaceObject_t s, int x, int y, int layer, enum cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {
  typedef __warptape_surface<sizeof(T)> __wt_S;
  typename __wt_S::word w[__wt_S::words] = {0};
  __builtin_memcpy(w, &v, sizeof(T));
  if (mode == cudaBoundaryModeZero) __wt_S::write2DLayered_zero(w, s, x, y, layer);
  else if (mode == cudaBoundaryModeClamp) __wt_S::write2DLayered_clamp(w, s, x, y, layer);
  else __wt_S::write2DLayered_trap(w, s, x, y, layer);
}
#undef __WARPTAPE_SURFACE__
#endif
