// SPDX-License-Identifier: Apache-2.0
// A launch as the oracle sends it on standard input: the kernel's name, its
// arguments, and the device's memory, which is mapped at the device's addresses
// so that pointers mean the same here. The memory after the launch goes to
// standard output.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <tuple>
#include <utility>

#include "threads.h"

namespace warptape {

inline void fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  exit(1);
}

inline void read_bytes(void *p, size_t n) {
  if (n != 0 && fread(p, n, 1, stdin) != 1)
    fail("the description of the launch ends early");
}
inline uint64_t read_number() {
  uint64_t v;
  read_bytes(&v, 8);
  return v;
}
inline std::string read_string() {
  std::string s(read_number(), 0);
  read_bytes(s.data(), s.size());
  return s;
}

// Arguments lie one after the other, each aligned to its type's alignment.
template <typename... A, size_t... I> void call(void (*kernel)(A...), const char *arguments, std::index_sequence<I...>) {
  std::tuple<std::remove_cv_t<A>...> values;
  size_t at = 0;
  auto take = [&](auto &v) {
    at = (at + alignof(decltype(v)) - 1) / alignof(decltype(v)) * alignof(decltype(v));
    memcpy(reinterpret_cast<void *>(&v), arguments + at, sizeof v);
    at += sizeof v;
  };
  (take(std::get<I>(values)), ...);
  std::apply(kernel, values);
}
template <typename... A> void call(void (*kernel)(A...), const char *arguments) {
  call(kernel, arguments, std::index_sequence_for<A...>{});
}

struct Buffer { uint64_t address, bytes; };

inline char *dynamic_shared;

// map makes n bytes usable at an address of the device.
inline void map(uint64_t address, uint64_t bytes) {
  static uint64_t mapped = 0; // up to here; buffers come in ascending order
  uint64_t first = address & ~uint64_t(4095), end = (address + bytes + 4095) & ~uint64_t(4095);
  first = first > mapped ? first : mapped;
  if (first >= end)
    return;
  if (mmap(reinterpret_cast<void *>(first), end - first, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
    fail("the device's addresses are not free here");
  mapped = end;
}

// run_launch does what standard input describes; kernel and symbol find what the
// workload defines.
template <typename Kernel, typename Symbol> int run_launch(Kernel kernel, Symbol symbol) {
  std::string name = read_string();
  uint64_t dimensions[6];
  read_bytes(dimensions, sizeof dimensions);
  block.grid = {unsigned(dimensions[0]), unsigned(dimensions[1]), unsigned(dimensions[2])};
  block.size = {unsigned(dimensions[3]), unsigned(dimensions[4]), unsigned(dimensions[5])};
  dynamic_shared = static_cast<char *>(aligned_alloc(4096, (read_number() + 4096) / 4096 * 4096));
  std::string arguments = read_string();
  textures.resize(read_number());
  for (Texture &t : textures) {
    t.address = read_number();
    t.width = int(read_number()), t.height = int(read_number());
  }
  for (uint64_t n = read_number(); n > 0; n--) {
    std::string variable = read_string(), content = read_string();
    void *p = symbol(variable);
    if (!p)
      fail(("there is no variable " + variable).c_str());
    memcpy(p, content.data(), content.size());
  }
  std::vector<Buffer> buffers(read_number());
  for (Buffer &b : buffers) {
    b.address = read_number(), b.bytes = read_number();
    map(b.address, b.bytes);
    read_bytes(reinterpret_cast<void *>(b.address), b.bytes);
  }
  block.body = kernel(name, arguments.data());
  if (!block.body)
    fail(("there is no kernel " + name).c_str());
  for (block.index.z = 0; block.index.z < block.grid.z; block.index.z++)
    for (block.index.y = 0; block.index.y < block.grid.y; block.index.y++)
      for (block.index.x = 0; block.index.x < block.grid.x; block.index.x++)
        run_block();
  for (Buffer &b : buffers)
    if (fwrite(reinterpret_cast<void *>(b.address), b.bytes, 1, stdout) != 1)
      fail("standard output is closed");
  return fflush(stdout);
}

} // namespace warptape
