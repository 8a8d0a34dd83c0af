// SPDX-License-Identifier: Apache-2.0
// __managed__ variables. The host's side of one begins at a page of a section of their own,
// and that page, and those behind it, become the memory of the device's variable: both sides
// have the same bytes. They have two addresses; the host's become the device's in arguments
// of kernels, copies and fills.
#include "warptape.h"
#include <sys/mman.h>
#include "cuda_runtime_api.h"

struct range { uint64_t first, end; };
static struct range *sections; // of the program and of its libraries
static size_t section_count;

struct managed {
  uint64_t host, bytes, address;
  const void *image;
  bool shared;
};
static struct managed *list;
static size_t count;
static const uint64_t page = 4096;

static void *grown(void *p, size_t n, size_t one) {
  p = realloc(p, n * one);
  if (!p) abort();
  return p;
}

// __warptapeManaged tells where a program's section of such variables is; the headers call
// it before anything is registered.
EXPORT void __warptapeManaged(const void *first, const void *end) {
  lock();
  for (size_t i = 0; i < section_count; i++)
    if (sections[i].first == (uint64_t)first) { unlock(); return; }
  sections = grown(sections, section_count + 1, sizeof *sections);
  sections[section_count++] = (struct range){(uint64_t)first, (uint64_t)end};
  unlock();
}

void note_managed(const void *host, uint64_t bytes, const void *image) {
  for (size_t i = 0; i < section_count; i++) {
    if ((uint64_t)host < sections[i].first || (uint64_t)host >= sections[i].end) continue;
    list = grown(list, count + 1, sizeof *list);
    list[count++] = (struct managed){.host = (uint64_t)host, .bytes = bytes, .image = image};
  }
}

// share makes the host's pages those of the device's variable. What lies behind the variable
// in the last page comes along.
static int share(struct managed *m) {
  uint64_t bytes, whole = (m->bytes + page - 1) / page * page;
  int e = symbol_of((const void *)m->host, &m->address, &bytes);
  if (e) return e;
  struct allocation *a = allocation_at(m->address, 0);
  if (!a || bytes < m->bytes || m->host % page) return cudaErrorInvalidSymbol;
  unsigned char *at = window(a->offset + m->address - a->address);
  memcpy(at + m->bytes, (void *)(m->host + m->bytes), whole - m->bytes);
  if (mmap((void *)m->host, whole, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, window_descriptor(), (off_t)(a->offset + m->address - a->address)) == MAP_FAILED)
    return cudaErrorMemoryAllocation;
  m->shared = true;
  return 0;
}

// share_managed shares the variables of an image once all of it is registered, before the
// program's main function: it may use them before it calls anything.
void share_managed(const void *image, bool unlinked) {
  for (size_t i = 0; i < count; i++) {
    struct managed *m = &list[i];
    if (m->image != image || m->shared || connected()) continue; // without a recorder the program learns so from its first call
    int e = unlinked ? cudaErrorNotSupported : share(m);
    if (!e) continue;
    fprintf(stderr, unlinked ? "warptape: __managed__ variables do not go with -rdc=true or -dc; compile the program's device code as one file\n"
                             : "warptape: a __managed__ variable cannot be shared with the device: error %d\n", e);
    exit(1);
  }
}

uint64_t on_device(uint64_t address) {
  for (size_t i = 0; i < count; i++)
    if (list[i].shared && address - list[i].host < list[i].bytes) return list[i].address + (address - list[i].host);
  return address;
}

// arguments_on_device replaces addresses in a kernel's arguments, which it copies first if
// there are any; *copied is what to free.
const unsigned char *arguments_on_device(const unsigned char *arguments, uint64_t bytes, unsigned char **copied) {
  *copied = NULL;
  for (uint64_t at = 0; count && at + 8 <= bytes; at += 8) {
    uint64_t before, now;
    memcpy(&before, arguments + at, 8);
    if ((now = on_device(before)) == before) continue;
    if (!*copied) {
      if (!(*copied = malloc(bytes))) abort();
      memcpy(*copied, arguments, bytes);
    }
    memcpy(*copied + at, &now, 8);
  }
  return *copied ? *copied : arguments;
}
