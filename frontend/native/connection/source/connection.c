// SPDX-License-Identifier: Apache-2.0
// The connection to the recorder.
#include "connection.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { STATUS_OUTPUT = 0xffffffff };   // a reply that has what kernels printed
static const uint32_t status_sticky = 1u << 31; // the context is lost

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int connection = -1, memory = -1, lost; // lost: the error of a session that failed
static bool begun, closed;
static struct device properties;
static unsigned char *memory_at;
static uint64_t memory_bytes;
static uint64_t posted; // messages since the last reply
static int sticky;

void lock(void) { pthread_mutex_lock(&mutex); }
void unlock(void) { pthread_mutex_unlock(&mutex); }
void sleep_until(void *condition) { pthread_cond_wait(condition, &mutex); }

static void grow(struct buffer *b, size_t n) {
  if (b->length + n <= b->capacity) return;
  size_t capacity = b->capacity ? b->capacity : 256;
  while (capacity < b->length + n) capacity *= 2;
  unsigned char *data = realloc(b->data, capacity);
  if (!data) { b->broken = true; return; }
  b->data = data;
  b->capacity = capacity;
}

void put64(struct buffer *b, uint64_t v) {
  grow(b, 8);
  if (b->broken) return;
  memcpy(b->data + b->length, &v, 8);
  b->length += 8;
}

void put_bytes(struct buffer *b, const void *data, size_t n) {
  put64(b, n);
  grow(b, n);
  if (b->broken) return;
  if (n) memcpy(b->data + b->length, data, n);
  b->length += n;
}

uint64_t take64(struct buffer *b) {
  uint64_t v = 0;
  if (b->length - b->at < 8) { b->broken = true; return 0; }
  memcpy(&v, b->data + b->at, 8);
  b->at += 8;
  return v;
}

const void *take_bytes(struct buffer *b, size_t *n) {
  uint64_t length = take64(b);
  *n = 0;
  if (b->broken || length > b->length - b->at) { b->broken = true; return b->data; }
  const void *p = b->data + b->at;
  b->at += length;
  *n = length;
  return p;
}

void release(struct buffer *b) {
  free(b->data);
  memset(b, 0, sizeof *b);
}

static void say(const char *text) {
  fflush(stdout);
  fprintf(stderr, "warptape: %s\n", text);
}

// lose ends the session for good.
static int lose(const char *why) {
  if (why && !lost) say(why);
  if (connection >= 0) close(connection);
  connection = -1;
  return lost = ERROR_UNAVAILABLE;
}

static bool write_all(const void *data, size_t n) {
  const char *p = data;
  while (n > 0) {
    ssize_t done = send(connection, p, n, MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    p += done;
    n -= (size_t)done;
  }
  return true;
}

static bool read_all(void *data, size_t n) {
  char *p = data;
  while (n > 0) {
    ssize_t done = recv(connection, p, n, 0);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    p += done;
    n -= (size_t)done;
  }
  return true;
}

// read_with_descriptor reads the head of the first reply, beside which the memory comes.
static bool read_with_descriptor(void *data, size_t n, int *descriptor) {
  char control[CMSG_SPACE(sizeof(int))] = {0};
  struct iovec part = {data, n};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  ssize_t done;
  do done = recvmsg(connection, &message, MSG_CMSG_CLOEXEC); while (done < 0 && errno == EINTR);
  if (done <= 0) return false;
  for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c))
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) memcpy(descriptor, CMSG_DATA(c), sizeof *descriptor);
  return (size_t)done == n || read_all((char *)data + done, n - (size_t)done);
}

static int send_message(int kind, struct buffer *message) {
  if (message->broken) { release(message); return ERROR_MEMORY; }
  if (message->length > MAX_MESSAGE_BYTES) { // a module, or a source
    fprintf(stderr, "warptape: %zu bytes in one message; the recorder takes at most %zu\n", message->length, (size_t)MAX_MESSAGE_BYTES);
    release(message);
    return ERROR_MEMORY;
  }
  uint32_t head[2] = {(uint32_t)kind, (uint32_t)message->length};
  bool sent;
  if (message->length <= 4096) { // one system call for the usual message
    unsigned char both[4096 + sizeof head];
    memcpy(both, head, sizeof head);
    if (message->length) memcpy(both + sizeof head, message->data, message->length);
    sent = write_all(both, sizeof head + message->length);
  } else {
    sent = write_all(head, sizeof head) && write_all(message->data, message->length);
  }
  release(message);
  return sent ? 0 : lose("the recorder has ended; the rest of the program is not recorded");
}

static int read_reply(struct buffer *reply, int *descriptor) {
  for (;;) {
    uint32_t head[2];
    if (!(descriptor ? read_with_descriptor(head, sizeof head, descriptor) : read_all(head, sizeof head)))
      return lose("the recorder has ended; the rest of the program is not recorded");
    struct buffer b = {0};
    grow(&b, head[1] ? head[1] : 1);
    if (b.broken) return lose("out of memory");
    if (!read_all(b.data, head[1])) { release(&b); return lose("the recorder has ended; the rest of the program is not recorded"); }
    b.length = head[1];
    if (head[0] == STATUS_OUTPUT) {
      fwrite(b.data, 1, b.length, stdout);
      release(&b);
      continue;
    }
    posted = 0;
    if (head[0] & status_sticky) sticky = (int)(head[0] & 0xffff);
    if (reply) *reply = b; else release(&b);
    return (int)(head[0] & 0xffff);
  }
}

int post(int kind, struct buffer *message) {
  if (lost) { release(message); return lost; }
  if (sticky) { release(message); return sticky; }
  posted++;
  return send_message(kind, message);
}

int ask(int kind, struct buffer *message, struct buffer *reply) {
  if (lost) { release(message); return lost; }
  if (sticky && kind != MESSAGE_GOODBYE) { release(message); return sticky; }
  int e = send_message(kind, message);
  return e ? e : read_reply(reply, NULL);
}

int drain(void) {
  if (posted == 0 || connection < 0) return lost ? lost : sticky;
  struct buffer m = {0};
  put64(&m, 2);
  put64(&m, 0);
  return ask(MESSAGE_WAIT, &m, NULL);
}

static int dial(void) {
  const char *path = getenv("WARPTAPE_SOCKET");
  if (!path || !*path) {
    say("this program has no device: start it with `warptape run -- PROGRAM`");
    lost = ERROR_NO_DEVICE;
    return lost;
  }
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return lose("the path in WARPTAPE_SOCKET is too long");
  strcpy(address.sun_path, path);
  connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection < 0 || connect(connection, (struct sockaddr *)&address, sizeof address) < 0)
    return lose("no recorder answers at WARPTAPE_SOCKET");
  return 0;
}

static int begin(void) {
  int e = dial();
  if (e) return e;
  struct buffer m = {0}, r = {0};
  put64(&m, WIRE_VERSION);
  put64(&m, api);
  put_bytes(&m, program_invocation_short_name, strlen(program_invocation_short_name));
  if ((e = send_message(MESSAGE_HELLO, &m)) || (e = read_reply(&r, &memory))) {
    release(&r);
    return lost ? lost : (lost = e);
  }
  memory_bytes = take64(&r);
  uint64_t count = take64(&r);
  for (uint64_t i = 0; i < count && !r.broken; i++) {
    uint64_t v = take64(&r);
    if (i < DEVICE_PROPERTIES) properties.property[i] = v;
  }
  size_t n;
  const void *name = take_bytes(&r, &n);
  if (n >= sizeof properties.name) n = sizeof properties.name - 1;
  memcpy(properties.name, name, n);
  bool bad = r.broken || memory < 0;
  release(&r);
  if (bad) return lose("the recorder speaks another version: build the program and record it with the same warptape");
  memory_at = mmap(NULL, memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory, 0);
  if (memory_at == MAP_FAILED) return lose("device memory cannot be mapped: the limit of the address space (ulimit -v) is too low");
  return 0;
}

static void in_child(void) { // the session belongs to the parent
  pthread_mutex_init(&mutex, NULL);
  if (connection >= 0) { close(connection); connection = -1; lost = ERROR_INITIALIZATION; }
}

int connected(void) {
  if (!begun) {
    begun = true;
    pthread_atfork(NULL, NULL, in_child);
    begin();
  }
  return lost;
}

bool connected_already(void) { return begun && !lost; }
const struct device *device(void) { return &properties; }
unsigned char *window(uint64_t offset) { return memory_at + offset; }
uint64_t window_bytes(void) { return memory_bytes; }
int window_descriptor(void) { return memory; }
int broken(void) { return lost ? lost : sticky; }
void name_missing(const char *call, const char *instead, void *place) {
  static const char *named[256];
  static unsigned count;
  for (unsigned i = 0; i < count; i++)
    if (named[i] == call) return;
  if (count < sizeof named / sizeof *named) named[count++] = call;
  Dl_info at = {0};
  fflush(stdout);
  fprintf(stderr, "warptape: %s is not supported", call);
  if (dladdr(place, &at) && at.dli_fname)
    fprintf(stderr, " (called from %s%s%s+0x%zx)", at.dli_sname ? at.dli_sname : "", at.dli_sname ? " in " : "", at.dli_fname,
            (size_t)((char *)place - (char *)at.dli_fbase));
  fprintf(stderr, "%s%s\n", instead ? ": " : "", instead ? instead : "");
}

__attribute__((destructor)) static void goodbye(void) {
  lock();
  if (connection >= 0 && !closed) {
    closed = true;
    struct buffer m = {0};
    ask(MESSAGE_GOODBYE, &m, NULL);
    fflush(stdout);
    if (connection >= 0) close(connection);
    connection = -1;
    lost = ERROR_UNLOADING;
  }
  unlock();
}

void end_session(void) {
  goodbye();
  lock();
  if (memory >= 0) close(memory);
  if (memory_at && memory_at != MAP_FAILED) munmap(memory_at, memory_bytes);
  memory = -1;
  memory_at = NULL;
  unlock();
}
