// SPDX-License-Identifier: Apache-2.0
// Requests that all runtime libraries have.
#include "connection.h"

int send_image(const void *data, size_t bytes, bool registered, uint64_t *module) {
  struct buffer m = {0}, r = {0};
  put64(&m, registered);
  put_bytes(&m, data, bytes);
  int e = ask(MESSAGE_MODULE, &m, &r);
  if (!e) *module = take64(&r);
  if (!e && r.broken) e = ERROR_UNKNOWN;
  release(&r);
  return e;
}

static uint64_t *numbers(uint64_t n) { return calloc(n ? n : 1, sizeof(uint64_t)); }

int find_function(uint64_t module, const char *name, struct function **function) {
  struct buffer m = {0}, r = {0};
  put64(&m, module);
  put_bytes(&m, name, strlen(name));
  int e = ask(MESSAGE_FUNCTION, &m, &r);
  struct function *f = e ? NULL : calloc(1, sizeof *f);
  if (!e && !f) e = ERROR_MEMORY;
  if (!e) {
    f->module = module;
    f->name = strdup(name);
    f->id = take64(&r);
    f->registers = take64(&r);
    f->shared = take64(&r);
    f->local = take64(&r);
    f->constant = take64(&r);
    f->most_threads = take64(&r);
    f->version = take64(&r);
    f->target = take64(&r);
    for (int i = 0; i < 3; i++) f->cluster[i] = take64(&r);
    f->most_cluster = take64(&r);
    f->parameter_bytes = take64(&r);
    f->parameters = take64(&r);
    if (f->parameters > r.length / 24) r.broken = true;
    f->offsets = numbers(r.broken ? 0 : f->parameters);
    f->sizes = numbers(r.broken ? 0 : f->parameters);
    f->spaces = numbers(r.broken ? 0 : f->parameters);
    for (uint64_t i = 0; i < f->parameters && !r.broken; i++) {
      f->offsets[i] = take64(&r);
      f->sizes[i] = take64(&r);
      f->spaces[i] = take64(&r);
      if (f->offsets[i] > f->parameter_bytes || f->sizes[i] > f->parameter_bytes - f->offsets[i]) r.broken = true;
    }
    if (r.broken) e = ERROR_UNKNOWN;
    *function = f;
  }
  release(&r);
  return e;
}

int request(int kind, uint64_t bytes, uint64_t *address, uint64_t *offset) {
  struct buffer m = {0}, r = {0};
  put64(&m, (uint64_t)kind);
  put64(&m, bytes);
  int e = ask(MESSAGE_ALLOCATE, &m, &r);
  if (!e) {
    *address = take64(&r);
    *offset = take64(&r);
    if (r.broken || *offset > window_bytes() || bytes > window_bytes() - *offset) e = ERROR_UNKNOWN;
  }
  release(&r);
  return e;
}

// post_numbers sends a message of numbers alone.
static int post_numbers(int kind, const uint64_t *numbers, size_t n) {
  struct buffer m = {0};
  for (size_t i = 0; i < n; i++) put64(&m, numbers[i]);
  return post(kind, &m);
}
#define POST(kind, ...) post_numbers(kind, (uint64_t[]){__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / 8)

void give_up(uint64_t address) { POST(MESSAGE_FREE, address); }
int post_copied(bool to_device, uint64_t address, uint64_t host, uint64_t bytes, uint64_t stream, bool blocking) {
  return POST(MESSAGE_COPIED, to_device, address, host, bytes, stream, blocking);
}
int post_move(const struct rows *r, uint64_t stream) {
  return POST(MESSAGE_MOVE, r->to, r->from, r->width, r->height, r->to_pitch, r->from_pitch, stream);
}
int post_fill(uint64_t address, uint64_t value, uint64_t element, uint64_t width, uint64_t height, uint64_t pitch, uint64_t stream) {
  return POST(MESSAGE_FILL, address, value, element, width, height, pitch, stream);
}
int post_record(uint64_t event, uint64_t stream) { return POST(MESSAGE_RECORD, event, stream); }
int post_stream_wait(uint64_t stream, uint64_t event) { return POST(MESSAGE_STREAM_WAIT, stream, event); }
