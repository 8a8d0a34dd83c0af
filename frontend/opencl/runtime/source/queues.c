// SPDX-License-Identifier: Apache-2.0
// Queues, events, and when commands are carried out.
//
// A command is sent to the recorder when the program enqueues it, unless it waits for an
// event that the program itself sets: then the library keeps it until that is set.
#include "objects.h"
#include <pthread.h>
#include <time.h>

static pthread_cond_t changed = PTHREAD_COND_INITIALIZER; // an event is done
static struct command *kept, **kept_end = &kept;           // commands that wait, in order

// Marks stand for events in the trace. Numbers of events that are gone are used again.
static uint64_t next_mark = 1, next_stream = 1;
static uint64_t *free_marks;
static size_t free_count, free_capacity;

static uint64_t new_mark(void) { return free_count ? free_marks[--free_count] : next_mark++; }
static void free_mark(uint64_t mark) {
  if (!mark) return;
  if (free_count == free_capacity) {
    size_t more = free_capacity ? 2 * free_capacity : 64;
    uint64_t *grown = realloc(free_marks, more * sizeof *grown);
    if (!grown) return; // the number is not used again
    free_marks = grown;
    free_capacity = more;
  }
  free_marks[free_count++] = mark;
}

bool event_done(cl_event e) { return e->state <= CL_COMPLETE; }

// Callbacks run on a thread of their own, one after the other.
static pthread_mutex_t callback_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t callback_changed = PTHREAD_COND_INITIALIZER;
static struct callback *callbacks, **callbacks_end = &callbacks;
static unsigned callbacks_open;
static bool callback_thread_runs;
static pthread_t callback_thread;

static void *run_callbacks(void *unused) {
  pthread_mutex_lock(&callback_mutex);
  for (;;) {
    while (!callbacks) pthread_cond_wait(&callback_changed, &callback_mutex);
    struct callback *c = callbacks;
    callbacks = c->next;
    if (!callbacks) callbacks_end = &callbacks;
    pthread_mutex_unlock(&callback_mutex);
    lock();
    cl_int e = status(drain());
    unlock();
    c->function(c->event, c->status == CL_COMPLETE && e ? e : c->status, c->data);
    lock();
    release_any(c->event);
    unlock();
    free(c);
    pthread_mutex_lock(&callback_mutex);
    callbacks_open--;
    pthread_cond_broadcast(&callback_changed);
  }
  return unused;
}

static void call_back(struct callback *c, cl_int state) {
  c->status = state < 0 ? state : c->at;
  c->next = NULL;
  pthread_mutex_lock(&callback_mutex);
  if (!callback_thread_runs) callback_thread_runs = pthread_create(&callback_thread, NULL, run_callbacks, NULL) == 0;
  *callbacks_end = c;
  callbacks_end = &c->next;
  callbacks_open++;
  pthread_cond_broadcast(&callback_changed);
  pthread_mutex_unlock(&callback_mutex);
}

// settle lets callbacks end before the program goes on from where it waited, as programs
// expect that are not careful; who holds a lock that a callback wants is not kept for long.
static void settle(void) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec++;
  pthread_mutex_lock(&callback_mutex);
  while (callbacks_open && !(callback_thread_runs && pthread_equal(pthread_self(), callback_thread)))
    if (pthread_cond_timedwait(&callback_changed, &callback_mutex, &until)) break;
  pthread_mutex_unlock(&callback_mutex);
}

static void end_event(cl_event e, cl_int state) {
  e->state = state;
  for (struct callback *c = e->callbacks, *next; c; c = next) {
    next = c->next;
    call_back(c, state);
  }
  e->callbacks = NULL;
  pthread_cond_broadcast(&changed);
}

static cl_event new_event(cl_context context, cl_command_queue q, cl_uint type) {
  cl_event e = make(EVENT, sizeof *e);
  if (!e) return NULL;
  e->context = context;
  e->queue = q;
  e->type = type;
  e->state = CL_QUEUED;
  retain(context);
  if (q) retain(q);
  return e;
}

struct command *new_command(cl_uint type, cl_command_queue q, bool blocking, cl_int (*run)(struct command *, uint64_t)) {
  struct command *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->type = type;
  c->queue = q;
  c->blocking = blocking;
  c->run = run;
  retain(q);
  return c;
}

void hold(struct command *c, void *object) {
  void **held = realloc(c->held, (c->held_count + 1) * sizeof *held);
  if (!held) abort();
  c->held = held;
  held[c->held_count++] = object;
  retain(object);
}

void discard_command(struct command *c) {
  for (unsigned i = 0; i < c->wait_count; i++) release_any(c->waits[i]);
  for (unsigned i = 0; i < c->held_count; i++) release_any(c->held[i]);
  if (c->event) release_any(c->event);
  release_any(c->queue);
  free(c->waits);
  free(c->held);
  free(c->launch.arguments);
  free(c->launch.constants);
  free(c);
}

static bool in_order(cl_command_queue q) { return !(q->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE); }

static void open_lane(struct lane *l) {
  l->stream = next_stream++;
  struct buffer m = {0};
  put64(&m, 1);
  put64(&m, l->stream);
  put64(&m, 1); // no other stream waits for it unasked
  post(MESSAGE_STREAM, &m);
}

// lane_for chooses the lane of a command: the one whose last command it waits for, else one
// without commands, else the next in turn.
static struct lane *lane_for(struct command *c) {
  cl_command_queue q = c->queue;
  struct lane *l = NULL;
  if (in_order(q)) l = q->lanes;
  for (unsigned i = 0; i < c->wait_count && !l; i++)
    for (unsigned k = 0; k < LANES && !l; k++)
      if (c->waits[i]->mark && q->lanes[k].used && q->lanes[k].last == c->waits[i]->mark) l = &q->lanes[k];
  for (unsigned k = 0; k < LANES && !l; k++)
    if (!q->lanes[k].used) l = &q->lanes[k];
  if (!l) l = &q->lanes[q->next++ % LANES];
  if (!l->stream) open_lane(l);
  if (l->barrier != q->barrier) {
    post_stream_wait(l->stream, q->barrier_mark);
    l->barrier = q->barrier;
  }
  l->used = true;
  return l;
}

// join marks what a marker or barrier of a queue out of order waits for: its events, or all
// that the queue has.
static uint64_t join(struct command *c) {
  cl_command_queue q = c->queue;
  struct buffer m = {0}, list = {0};
  uint64_t mark = new_mark(), count = 0, own[LANES] = {0};
  for (unsigned i = 0; i < c->wait_count; i++)
    if (c->waits[i]->mark) { put64(&list, c->waits[i]->mark); count++; }
  for (unsigned k = 0; k < LANES && !c->wait_count; k++) {
    if (!q->lanes[k].used) continue;
    own[k] = new_mark();
    post_record(own[k], q->lanes[k].stream);
    put64(&list, own[k]);
    count++;
  }
  if (q->barrier_mark) { put64(&list, q->barrier_mark); count++; }
  put64(&m, mark);
  put64(&m, count);
  for (uint64_t i = 0; i < count; i++) put64(&m, take64(&list));
  release(&list);
  post(MESSAGE_JOIN, &m);
  for (unsigned k = 0; k < LANES; k++) free_mark(own[k]);
  return mark;
}

static cl_int carry_out_join(struct command *c) {
  uint64_t mark = join(c);
  if (c->barrier) {
    free_mark(c->queue->barrier_mark);
    c->queue->barrier++;
    c->queue->barrier_mark = mark;
  }
  if (c->event && c->barrier) { // the queue keeps the mark
    c->event->mark = new_mark();
    struct buffer m = {0};
    put64(&m, c->event->mark);
    put64(&m, 1);
    put64(&m, mark);
    post(MESSAGE_JOIN, &m);
  } else if (c->event) {
    c->event->mark = mark;
  } else if (!c->barrier) {
    free_mark(mark);
  }
  return status(broken());
}

static cl_int carry_out(struct command *c) {
  for (unsigned i = 0; i < c->wait_count; i++)
    if (c->waits[i]->state < 0) return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  if (!c->run && !in_order(c->queue)) return carry_out_join(c);
  struct lane *l = lane_for(c);
  for (unsigned i = 0; i < c->wait_count; i++)
    if (c->waits[i]->mark) post_stream_wait(l->stream, c->waits[i]->mark);
  cl_int e = c->run ? c->run(c, l->stream) : status(broken());
  l->last = 0;
  if (e || !c->event) return e;
  c->event->mark = l->last = new_mark();
  return status(post_record(c->event->mark, l->stream));
}

// may_run says whether a command need not wait for the program, nor for one that does.
static bool may_run(struct command *c) {
  for (unsigned i = 0; i < c->wait_count; i++)
    if (!event_done(c->waits[i])) return false;
  for (struct command *k = kept; k && k != c; k = k->next)
    if (k->queue == c->queue && (in_order(c->queue) || k->barrier || (!c->run && c->wait_count == 0))) return false;
  return true;
}

// pump carries out what no longer waits.
static void pump(void) {
  for (struct command **at = &kept; *at;) {
    struct command *c = *at;
    if (!may_run(c)) { at = &c->next; continue; }
    *at = c->next;
    if (!kept) kept_end = &kept; else for (kept_end = &kept; *kept_end;) kept_end = &(*kept_end)->next;
    cl_int e = carry_out(c);
    if (c->event) end_event(c->event, e);
    discard_command(c);
    pthread_cond_broadcast(&changed);
    at = &kept;
  }
}

cl_int enqueue(struct command *c, cl_uint count, const cl_event *waits, cl_event *reply) {
  if (!c) return CL_OUT_OF_HOST_MEMORY;
  cl_int e = (count == 0) != (waits == NULL) ? CL_INVALID_EVENT_WAIT_LIST : CL_SUCCESS;
  for (cl_uint i = 0; i < count && !e; i++) {
    if (!IS(waits[i], EVENT)) e = CL_INVALID_EVENT_WAIT_LIST;
    else if (waits[i]->context != c->queue->context) e = CL_INVALID_CONTEXT;
  }
  if (!e && count && !(c->waits = calloc(count, sizeof *waits))) e = CL_OUT_OF_HOST_MEMORY;
  for (cl_uint i = 0; i < count && !e; i++) {
    c->waits[c->wait_count++] = waits[i];
    retain(waits[i]);
  }
  bool now = !e && may_run(c);
  if (!e && (reply || (c->blocking && !now)) && !(c->event = new_event(c->queue->context, c->queue, c->type))) e = CL_OUT_OF_HOST_MEMORY;
  if (e) { discard_command(c); return e; }
  cl_event event = c->event;
  if (event) retain(event);
  if (now) {
    e = carry_out(c);
    if (event && (!e || !c->blocking)) end_event(event, e);
    // An event tells of what its command waited for; other failures the call itself.
    if (e == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST && !c->blocking) e = CL_SUCCESS;
    discard_command(c);
  } else {
    bool blocking = c->blocking;
    *kept_end = c;
    kept_end = &c->next;
    while (blocking && !event_done(event)) sleep_until(&changed);
    if (blocking && event->state < 0) e = event->state;
  }
  if (reply && !e) *reply = event; else if (event) release_any(event);
  return e;
}

// wait_stream waits for a stream, which the trace tells.
static int wait_message(uint64_t mode, uint64_t of) {
  struct buffer m = {0};
  put64(&m, mode);
  put64(&m, of);
  return ask(MESSAGE_WAIT, &m, NULL);
}

cl_int finish(cl_command_queue q) {
  for (struct command *k = kept; k;) {
    if (k->queue != q) { k = k->next; continue; }
    sleep_until(&changed);
    k = kept;
  }
  int e = broken();
  for (unsigned i = 0; i < LANES && !e; i++) {
    struct lane *l = &q->lanes[i];
    if (l->used) e = wait_message(0, l->stream);
    l->used = false;
    l->last = 0;
  }
  q->next = 0;
  return status(e);
}

EXPORT cl_command_queue clCreateCommandQueue(cl_context c, cl_device_id d, cl_bitfield properties, cl_int *error) {
  if (!IS(c, CONTEXT)) FAIL(CL_INVALID_CONTEXT);
  if (!is_the_device(d)) FAIL(CL_INVALID_DEVICE);
  if (properties & ~(cl_bitfield)(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)) FAIL(CL_INVALID_VALUE);
  LOCKED;
  cl_command_queue q = make(QUEUE, sizeof *q);
  if (!q) FAIL(CL_OUT_OF_HOST_MEMORY);
  q->context = c;
  q->properties = properties;
  retain(c);
  if (error) *error = CL_SUCCESS;
  return q;
}
EXPORT cl_command_queue clCreateCommandQueueWithProperties(cl_context c, cl_device_id d, const cl_ulong *properties, cl_int *error) {
  cl_bitfield flags = 0;
  for (; properties && *properties; properties += 2) {
    if (*properties != CL_QUEUE_PROPERTIES) FAIL(CL_INVALID_QUEUE_PROPERTIES);
    flags = properties[1];
  }
  if (flags & ~(cl_bitfield)3) FAIL(CL_INVALID_QUEUE_PROPERTIES);
  return clCreateCommandQueue(c, d, flags, error);
}
EXPORT cl_int clSetCommandQueueProperty(cl_command_queue q, cl_bitfield properties, cl_uint enable, cl_bitfield *old) {
  if (!IS(q, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  if (properties & ~(cl_bitfield)3) return CL_INVALID_VALUE;
  LOCKED;
  if (old) *old = q->properties;
  cl_int e = finish(q);
  if (enable) q->properties |= properties; else q->properties &= ~properties;
  return e;
}
EXPORT cl_int clRetainCommandQueue(cl_command_queue q) {
  if (!IS(q, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  LOCKED;
  retain(q);
  return CL_SUCCESS;
}
EXPORT cl_int clReleaseCommandQueue(cl_command_queue q) {
  if (!IS(q, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  LOCKED;
  release_any(q);
  return CL_SUCCESS;
}
EXPORT cl_int clGetCommandQueueInfo(cl_command_queue q, cl_uint what, size_t size, void *to, size_t *needed) {
  if (!IS(q, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  switch (what) {
  case CL_QUEUE_CONTEXT: GIVE(cl_context, q->context);
  case CL_QUEUE_DEVICE: GIVE(cl_device_id, &the_device);
  case CL_QUEUE_REFERENCE_COUNT: GIVE(cl_uint, (cl_uint)q->object.references);
  case CL_QUEUE_PROPERTIES: GIVE(cl_bitfield, q->properties);
  }
  return CL_INVALID_VALUE;
}
EXPORT cl_int clFlush(cl_command_queue q) { return IS(q, QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE; }
EXPORT cl_int clFinish(cl_command_queue q) {
  if (!IS(q, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  lock();
  cl_int e = finish(q);
  unlock();
  settle();
  return e;
}

// Markers and barriers.
static cl_int marker(cl_command_queue q, bool barrier, cl_uint count, const cl_event *waits, cl_event *reply) {
  if (!IS(q, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  LOCKED;
  struct command *c = new_command(barrier ? CL_COMMAND_BARRIER : CL_COMMAND_MARKER, q, false, NULL);
  if (c) c->barrier = barrier;
  return enqueue(c, count, waits, reply);
}
EXPORT cl_int clEnqueueMarkerWithWaitList(cl_command_queue q, cl_uint count, const cl_event *waits, cl_event *reply) { return marker(q, false, count, waits, reply); }
EXPORT cl_int clEnqueueBarrierWithWaitList(cl_command_queue q, cl_uint count, const cl_event *waits, cl_event *reply) { return marker(q, true, count, waits, reply); }
EXPORT cl_int clEnqueueMarker(cl_command_queue q, cl_event *reply) { return reply ? marker(q, false, 0, NULL, reply) : CL_INVALID_VALUE; }
EXPORT cl_int clEnqueueBarrier(cl_command_queue q) { return marker(q, true, 0, NULL, NULL); }
EXPORT cl_int clEnqueueWaitForEvents(cl_command_queue q, cl_uint count, const cl_event *waits) {
  if (!count || !waits) return CL_INVALID_VALUE;
  cl_int e = marker(q, true, count, waits, NULL);
  return e == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : e;
}

// Events.
EXPORT cl_event clCreateUserEvent(cl_context c, cl_int *error) {
  if (!IS(c, CONTEXT)) FAIL(CL_INVALID_CONTEXT);
  LOCKED;
  cl_event e = new_event(c, NULL, CL_COMMAND_USER);
  if (!e) FAIL(CL_OUT_OF_HOST_MEMORY);
  e->state = CL_SUBMITTED;
  if (error) *error = CL_SUCCESS;
  return e;
}
EXPORT cl_int clSetUserEventStatus(cl_event e, cl_int state) {
  if (!IS(e, EVENT)) return CL_INVALID_EVENT;
  if (state > CL_COMPLETE) return CL_INVALID_VALUE;
  LOCKED;
  if (e->type != CL_COMMAND_USER) return CL_INVALID_EVENT;
  if (event_done(e)) return CL_INVALID_OPERATION;
  end_event(e, state);
  pump();
  return CL_SUCCESS;
}
EXPORT cl_int clRetainEvent(cl_event e) {
  if (!IS(e, EVENT)) return CL_INVALID_EVENT;
  LOCKED;
  retain(e);
  return CL_SUCCESS;
}
EXPORT cl_int clReleaseEvent(cl_event e) {
  if (!IS(e, EVENT)) return CL_INVALID_EVENT;
  LOCKED;
  release_any(e);
  return CL_SUCCESS;
}
EXPORT cl_int clWaitForEvents(cl_uint count, const cl_event *events) {
  if (!count || !events) return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < count; i++) {
    if (!IS(events[i], EVENT)) return CL_INVALID_EVENT;
    if (events[i]->context != events[0]->context) return CL_INVALID_CONTEXT;
  }
  lock();
  cl_int result = CL_SUCCESS;
  int e = 0;
  for (cl_uint i = 0; i < count; i++) {
    while (!event_done(events[i])) sleep_until(&changed);
    if (events[i]->state < 0) result = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    else if (events[i]->mark && !e) e = wait_message(3, events[i]->mark);
  }
  unlock();
  settle();
  return e ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : result;
}
EXPORT cl_int clGetEventInfo(cl_event v, cl_uint what, size_t size, void *to, size_t *needed) {
  if (!IS(v, EVENT)) return CL_INVALID_EVENT;
  LOCKED;
  switch (what) {
  case CL_EVENT_COMMAND_QUEUE: GIVE(cl_command_queue, v->queue);
  case CL_EVENT_CONTEXT: GIVE(cl_context, v->context);
  case CL_EVENT_COMMAND_TYPE: GIVE(cl_uint, v->type);
  case CL_EVENT_REFERENCE_COUNT: GIVE(cl_uint, (cl_uint)v->object.references);
  case CL_EVENT_COMMAND_EXECUTION_STATUS: {
    cl_int state = v->state;
    if (state == CL_COMPLETE && v->queue) state = status(drain()); // who asks again and again gets on
    GIVE(cl_int, state);
  }
  }
  return CL_INVALID_VALUE;
}
EXPORT cl_int clSetEventCallback(cl_event v, cl_int at, void (*function)(cl_event, cl_int, void *), void *data) {
  if (!IS(v, EVENT)) return CL_INVALID_EVENT;
  if (!function || at < CL_COMPLETE || at > CL_SUBMITTED) return CL_INVALID_VALUE;
  LOCKED;
  struct callback *c = calloc(1, sizeof *c);
  if (!c) return CL_OUT_OF_HOST_MEMORY;
  *c = (struct callback){.function = function, .event = v, .at = at, .data = data};
  retain(v);
  if (event_done(v)) { call_back(c, v->state); return CL_SUCCESS; }
  struct callback **end = &v->callbacks;
  while (*end) end = &(*end)->next;
  *end = c;
  return CL_SUCCESS;
}
EXPORT cl_int clGetEventProfilingInfo(cl_event v, cl_uint what, size_t size, void *to, size_t *needed) {
  if (!IS(v, EVENT)) return CL_INVALID_EVENT;
  LOCKED;
  if (!v->queue || !(v->queue->properties & CL_QUEUE_PROFILING_ENABLE) || v->state != CL_COMPLETE || !v->mark) return CL_PROFILING_INFO_NOT_AVAILABLE;
  if (!v->timed) {
    struct buffer m = {0}, r = {0};
    put64(&m, v->mark);
    int e = ask(MESSAGE_PROFILE, &m, &r);
    for (int i = 0; i < 3 && !e; i++) v->times[i] = take64(&r);
    if (!e && r.broken) e = ERROR_UNKNOWN;
    release(&r);
    if (e) return status(e);
    v->timed = true;
  }
  switch (what) {
  case CL_PROFILING_COMMAND_QUEUED: case CL_PROFILING_COMMAND_SUBMIT: GIVE(cl_ulong, v->times[0]);
  case CL_PROFILING_COMMAND_START: GIVE(cl_ulong, v->times[1]);
  case CL_PROFILING_COMMAND_END: GIVE(cl_ulong, v->times[2]);
  }
  return CL_INVALID_VALUE;
}

// release_any takes a reference from an object of any kind.
void release_any(void *object) {
  switch (((struct object *)object)->kind) {
  case MEMORY: release_memory(object); return;
  case PROGRAM: release_program(object); return;
  case CONTEXT: release_context(object); return;
  }
  int kind = ((struct object *)object)->kind;
  if (!drop(object)) return;
  if (kind == EVENT) {
    cl_event e = object;
    free_mark(e->mark);
    if (e->queue) release_any(e->queue);
    release_context(e->context);
  } else if (kind == QUEUE) {
    cl_command_queue q = object;
    free_mark(q->barrier_mark);
    release_context(q->context);
  } else if (kind == SAMPLER) {
    release_context(((cl_sampler)object)->context);
  } else if (kind == KERNEL) {
    cl_kernel k = object;
    for (unsigned i = 0; i < k->info->arguments; i++) free(k->arguments[i].value);
    free(k->arguments);
    k->program->attached--;
    release_program(k->program);
  }
  free(object);
}
