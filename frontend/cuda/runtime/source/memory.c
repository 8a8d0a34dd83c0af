// SPDX-License-Identifier: Apache-2.0
// Memory of the device, as the program knows it.
#include "warptape.h"
#include <sys/mman.h>
#include <unistd.h>
#include "cuda_runtime_api.h"

// The allocations that live, by address.
static struct allocation *list;
static size_t count, capacity;
static const uint64_t page = 4096;

// below gives the place behind the last allocation that begins at or before an address.
static size_t below(uint64_t address) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (list[middle].address <= address) low = middle + 1; else high = middle;
  }
  return low;
}

struct allocation *allocation_at(uint64_t address, uint64_t bytes) {
  size_t i = below(address);
  if (i == 0) return NULL;
  struct allocation *a = &list[i - 1];
  uint64_t offset = address - a->address;
  return offset < a->bytes && bytes <= a->bytes - offset ? a : NULL;
}

// allocation_at_host finds memory that the host has, too.
struct allocation *allocation_at_host(const void *p) {
  struct allocation *a = allocation_at((uint64_t)p, 0);
  if (a) return a->kind == MEMORY_MANAGED || a->kind == MEMORY_PINNED ? a : NULL;
  for (size_t i = 0; i < count; i++)
    if (list[i].kind == MEMORY_REGISTERED && (uint64_t)p - (uint64_t)list[i].host < list[i].host_bytes) return &list[i];
  return NULL;
}

static int insert(struct allocation a) {
  if (count == capacity) {
    size_t more = capacity ? 2 * capacity : 64;
    struct allocation *grown = realloc(list, more * sizeof *list);
    if (!grown) return cudaErrorMemoryAllocation;
    list = grown;
    capacity = more;
  }
  size_t i = below(a.address);
  memmove(&list[i + 1], &list[i], (count - i) * sizeof *list);
  list[i] = a;
  count++;
  return 0;
}

static void discard(struct allocation *a) {
  size_t i = (size_t)(a - list);
  memmove(&list[i], &list[i + 1], (count - i - 1) * sizeof *list);
  count--;
}

int note_variable(uint64_t address, uint64_t bytes, uint64_t offset) {
  struct allocation *known = allocation_at(address, 0);
  if (known || bytes == 0) return 0;
  bool constant = offset == UINT64_MAX;
  return insert((struct allocation){.address = address, .bytes = bytes, .offset = offset, .kind = constant ? MEMORY_CONSTANT : MEMORY_VARIABLE});
}

// forget_variable ends what note_variable began.
void forget_variable(uint64_t address) {
  struct allocation *a = allocation_at(address, 0);
  if (a && a->address == address && (a->kind == MEMORY_VARIABLE || a->kind == MEMORY_CONSTANT)) discard(a);
}

// memory_of asks for memory of the device.
static int memory_of(int kind, uint64_t bytes, struct allocation *a) {
  a->bytes = bytes;
  a->kind = kind;
  return request(kind, bytes, &a->address, &a->offset);
}

static uint64_t pages(uint64_t n) { return (n + page - 1) / page * page; }

int allocate(int kind, uint64_t bytes, unsigned flags, uint64_t *address) {
  struct allocation a = {0};
  int e = memory_of(kind, bytes, &a);
  if (e) return e;
  a.flags = flags;
  if (kind == MEMORY_MANAGED || kind == MEMORY_PINNED) {
    // Both sides have the memory at one address.
    void *at = mmap((void *)a.address, pages(bytes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, window_descriptor(), (off_t)a.offset);
    if (at != (void *)a.address) {
      if (at != MAP_FAILED) munmap(at, pages(bytes));
      give_up(a.address);
      return cudaErrorMemoryAllocation;
    }
  }
  if ((e = insert(a))) return e;
  *address = a.address;
  return 0;
}

int release_memory(uint64_t address, bool host) {
  struct allocation *a = allocation_at(address, 0);
  bool pinned = a && a->kind == MEMORY_PINNED;
  if (!a || a->address != address || a->kind > MEMORY_PINNED || pinned != host) return cudaErrorInvalidValue;
  int e = drain();
  if (a->pool) pool_gave(a->pool, a->bytes);
  if (a->kind != MEMORY_DEVICE) munmap((void *)a->address, pages(a->bytes));
  discard(a);
  if (e) return e;
  give_up(address);
  return 0;
}

int register_memory(void *p, size_t n, unsigned flags) {
  if (!p || !n) return cudaErrorInvalidValue;
  if (allocation_at((uint64_t)p, 0) || allocation_at_host(p)) return cudaErrorHostMemoryAlreadyRegistered;
  uint64_t first = (uint64_t)p / page * page, end = pages((uint64_t)p + n);
  struct allocation a = {0};
  int e = memory_of(MEMORY_REGISTERED, end - first, &a);
  if (e) return e;
  // The program's pages move into device memory, under the addresses that they have.
  memcpy(window(a.offset), (void *)first, end - first);
  if (mmap((void *)first, end - first, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, window_descriptor(), (off_t)a.offset) == MAP_FAILED) {
    give_up(a.address);
    return cudaErrorMemoryAllocation;
  }
  a.flags = flags;
  a.host = (void *)first;
  a.host_bytes = end - first;
  return insert(a);
}

int unregister_memory(void *p) {
  struct allocation *a = allocation_at_host(p);
  if (!a || a->kind != MEMORY_REGISTERED) return cudaErrorHostMemoryNotRegistered;
  int e = drain();
  // They move back: private pages with the same bytes.
  void *copy = malloc(a->host_bytes);
  if (!copy) return cudaErrorMemoryAllocation;
  memcpy(copy, a->host, a->host_bytes);
  if (mmap(a->host, a->host_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
    free(copy);
    return cudaErrorMemoryAllocation;
  }
  memcpy(a->host, copy, a->host_bytes);
  free(copy);
  uint64_t address = a->address;
  discard(a);
  if (!e) give_up(address);
  return e;
}
