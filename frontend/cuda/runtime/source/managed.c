// SPDX-License-Identifier: Apache-2.0
// __managed__ variables. The host's side of one begins at a page of a section of their own,
// and that page, and those behind it, become the memory of the device's variable: both sides
// have the same bytes. They have two addresses; the host's become the device's in arguments
// of kernels, copies and fills.
#include "warptape.h"
#include <sys/mman.h>
#include <unistd.h>
#include "cuda_runtime_api.h"

struct range { uint64_t first, end; };
static struct range *sections; // of the program and of its libraries
static size_t section_count;

struct managed {
  uint64_t host, bytes, address;
  const void *image;
  bool linked; // the image is a part of a text that is linked
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

// Files whose device code is linked: those that the program and its libraries have, each with
// a byte in a section of their own, and those that are registered so far.
static size_t announced, registered;
static const void **announcements; // the sections' beginnings
static size_t announcement_count;

// __warptapeLinked tells where the bytes of such files are; the headers call it before
// anything is registered, once for each file of the same program or library.
EXPORT void __warptapeLinked(const void *first, const void *end) {
  lock();
  for (size_t i = 0; i < announcement_count; i++)
    if (announcements[i] == first) { unlock(); return; }
  announcements = grown(announcements, announcement_count + 1, sizeof *announcements);
  announcements[announcement_count++] = first;
  announced += (size_t)((const char *)end - (const char *)first);
  unlock();
}

void note_managed(const void *host, uint64_t bytes, const void *image, bool linked) {
  for (size_t i = 0; i < section_count; i++) {
    if ((uint64_t)host < sections[i].first || (uint64_t)host >= sections[i].end) continue;
    list = grown(list, count + 1, sizeof *list);
    list[count++] = (struct managed){.host = (uint64_t)host, .bytes = bytes, .image = image, .linked = linked};
  }
}

static bool written(const unsigned char *p, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i++)
    if (p[i]) return true;
  return false;
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
  // The host's side begins with zeros: other bytes are what a static constructor has written.
  if (written((void *)m->host, m->bytes)) {
    if (written(at, m->bytes)) return cudaErrorIllegalState; // over an initial value, of which it saw nothing
    memcpy(at, (void *)m->host, m->bytes);
  }
  if (mmap((void *)m->host, whole, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, window_descriptor(), (off_t)(a->offset + m->address - a->address)) == MAP_FAILED)
    return cudaErrorMemoryAllocation;
  m->shared = true;
  return 0;
}

// share_managed shares the variables of an image once all of it is registered, before the
// program's main function: it may use them before it calls anything. Images that are linked
// have theirs shared when the last of them is registered: until then the text is not whole.
void share_managed(const void *image, bool linked) {
  if (linked && ++registered < announced) return;
  for (size_t i = 0; i < count; i++) {
    struct managed *m = &list[i];
    if (!(linked ? m->linked : m->image == image) || m->shared || connected()) continue; // without a recorder the program learns so from its first call
    int e = share(m);
    if (!e) continue;
    fprintf(stderr, "warptape: a __managed__ variable cannot be shared with the device: %s\n",
            e == cudaErrorIllegalState ? "a static constructor writes to it, and it has an initial value" : cudaGetErrorString(e));
    fflush(NULL);
    _exit(1); // what runs at the exit would wait for the lock
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
