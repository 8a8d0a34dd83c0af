/* Threads for a capture. A pthreads program that is linked with this file and the
 * options in wrap.txt runs all its threads in one thread of the kernel: they take turns
 * in a fixed order, at locks, barriers and their ends. So the same program has the
 * same capture every time, and marks can say in lackey's output who executes what.
 *
 * A mark is a call of capture_mark, which makes four loads: of an origin, at the kind's
 * and the number's distance from it, and of what the mark is about. The reader of the
 * capture (warptape trace import lackey --threads) knows the function by its name.
 * Each load has a register of its own: valgrind leaves out loads that nobody uses.
 *
 * What the functions below do for the capture is not recorded (between MARK_PAUSE and
 * MARK_RESUME); the atomic accesses that a lock and a barrier make on real machines are.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { MAX_THREADS = 1024, STACK_BYTES = 256 << 10 };

/* The marks, as trace/lackey has them. */
enum { MARK_PAUSE, MARK_THREAD, MARK_RESUME, MARK_LOCK, MARK_UNLOCK, MARK_BARRIER, MARK_CODE, MARK_END };

static char origin[MAX_THREADS + 1];

void capture_mark(const char *from, const char *kind, const char *number, const void *object);
__asm__(".text\n"
	".p2align 6\n"
	".globl capture_mark\n"
	".type capture_mark, @function\n"
	"capture_mark:\n"
	"\tmovzbl (%rdi), %edi\n"
	"\tmovzbl (%rsi), %esi\n"
	"\tmovzbl (%rdx), %edx\n"
	"\tmovzbl (%rcx), %ecx\n"
	"\tret\n"
	".size capture_mark, .-capture_mark\n");

struct thread {
	ucontext_t context;
	void *(*start)(void *);
	void *argument, *result;
	const void *waits; /* the lock or barrier that it waits for; NULL: it can go on */
	unsigned generation; /* of the barrier */
	int ended, joined;
};

/* Thread 0 is the one that the program begins with, which is not recorded. */
static struct thread threads[MAX_THREADS + 1];
static char stacks[MAX_THREADS][STACK_BYTES] __attribute__((aligned(4096)));
static int count = 1, current;

/* What a lock and a barrier are made of here, in the place of pthreads' own. */
struct lock {
	int word;  /* what the program's instructions write */
	int owner; /* 1 + thread; 0: free */
};

struct barrier {
	int word;
	unsigned holds, arrived, generation;
};

static void fail(const char *format, ...) {
	va_list list;
	va_start(list, format);
	fprintf(stderr, "capture: ");
	vfprintf(stderr, format, list);
	fprintf(stderr, "\n");
	va_end(list);
	exit(97);
}

static void mark(int kind, int number, const void *object) {
	capture_mark(origin, origin + kind, origin + number, object);
}

/* pause and resume stand around what the capture does by itself. */
static void pause_recording(void) { mark(MARK_PAUSE, 0, origin); }

static void resume_recording(void) {
	if (current == 0)
		return;
	mark(MARK_THREAD, current - 1, origin);
	mark(MARK_RESUME, 0, origin);
}

static void event(int kind, int number, const void *object) {
	if (current != 0)
		mark(kind, number, object);
}

static int ready(struct thread *t) {
	if (t->ended)
		return 0;
	if (t->waits == NULL)
		return 1;
	struct lock *l = (struct lock *)t->waits;
	struct barrier *b = (struct barrier *)t->waits;
	return t->generation == 0 ? l->owner == 0 : b->generation >= t->generation;
}

/* turn lets the next thread go on that can, in the order of their numbers. */
static void turn(void) {
	int from = current;
	for (int i = 1; i <= count; i++) {
		int next = (from + i) % count;
		if (!ready(&threads[next]))
			continue;
		current = next;
		if (next != from)
			swapcontext(&threads[from].context, &threads[next].context);
		return;
	}
	for (int i = 0; i < count; i++)
		if (!threads[i].ended)
			fprintf(stderr, "capture: thread %d waits for what is at %p\n", i - 1, threads[i].waits);
	fail("all threads wait for each other");
}

static void end_thread(void *result) {
	pause_recording();
	event(MARK_END, 0, origin);
	threads[current].result = result;
	threads[current].ended = 1;
	turn();
	fail("a thread went on after its end");
}

static void begin_thread(void) {
	struct thread *t = &threads[current];
	resume_recording();
	end_thread(t->start(t->argument));
}

int __wrap_pthread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
	(void)attributes;
	pause_recording();
	if (count > MAX_THREADS)
		fail("more than %d threads", MAX_THREADS);
	struct thread *t = &threads[count];
	t->start = start;
	t->argument = argument;
	if (getcontext(&t->context) != 0)
		fail("getcontext failed");
	t->context.uc_stack.ss_sp = stacks[count - 1];
	t->context.uc_stack.ss_size = STACK_BYTES;
	t->context.uc_link = NULL;
	makecontext(&t->context, begin_thread, 0);
	*id = (pthread_t)count++;
	resume_recording();
	return 0;
}

int __wrap_pthread_join(pthread_t id, void **result) {
	int i = (int)id;
	pause_recording();
	if (i < 1 || i >= count || i == current || threads[i].joined)
		fail("pthread_join of what is no thread, or twice of one");
	while (!threads[i].ended)
		turn();
	threads[i].joined = 1;
	if (result != NULL)
		*result = threads[i].result;
	resume_recording();
	return 0;
}

pthread_t __wrap_pthread_self(void) { return (pthread_t)current; }

void __wrap_pthread_exit(void *result) {
	if (current == 0)
		fail("pthread_exit of the first thread: let it join the others");
	end_thread(result);
	abort();
}

int __wrap_pthread_mutex_lock(pthread_mutex_t *m) {
	struct lock *l = (struct lock *)m;
	pause_recording();
	event(MARK_LOCK, 0, l);
	if (l->owner == current + 1)
		fail("thread %d takes a lock that it has", current - 1);
	threads[current].waits = l;
	turn();
	threads[current].waits = NULL;
	l->owner = current + 1;
	resume_recording();
	__atomic_exchange_n(&l->word, 1, __ATOMIC_ACQUIRE);
	return 0;
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *m) {
	struct lock *l = (struct lock *)m;
	__atomic_store_n(&l->word, 0, __ATOMIC_RELEASE);
	pause_recording();
	event(MARK_UNLOCK, 0, l);
	if (l->owner != current + 1)
		fail("thread %d gives back a lock that it does not have", current - 1);
	l->owner = 0;
	resume_recording();
	return 0;
}

int __wrap_pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attributes) {
	if (attributes != NULL)
		fail("mutexes with attributes are not captured");
	*(struct lock *)m = (struct lock){0, 0};
	return 0;
}

int __wrap_pthread_mutex_destroy(pthread_mutex_t *m) {
	(void)m;
	return 0;
}

int __wrap_pthread_barrier_init(pthread_barrier_t *p, const pthread_barrierattr_t *attributes, unsigned holds) {
	if (attributes != NULL || holds == 0)
		fail("barriers with attributes, or of no thread, are not captured");
	*(struct barrier *)p = (struct barrier){0, holds, 0, 1};
	return 0;
}

int __wrap_pthread_barrier_destroy(pthread_barrier_t *p) {
	(void)p;
	return 0;
}

int __wrap_pthread_barrier_wait(pthread_barrier_t *p) {
	struct barrier *b = (struct barrier *)p;
	int last = 0;
	__atomic_fetch_add(&b->word, 1, __ATOMIC_ACQ_REL);
	pause_recording();
	event(MARK_BARRIER, (int)b->holds, b);
	if (current == 0)
		fail("the first thread waits at a barrier: let it join the others");
	threads[current].waits = b;
	threads[current].generation = b->generation + 1;
	if (++b->arrived == b->holds) {
		b->arrived = 0;
		b->generation++;
		last = 1;
	}
	turn();
	threads[current].waits = NULL;
	threads[current].generation = 0;
	resume_recording();
	return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

int __real_mprotect(void *at, size_t bytes, int protection);

/* Code is written, and then made executable. */
int __wrap_mprotect(void *at, size_t bytes, int protection) {
	pause_recording();
	if (protection & PROT_EXEC)
		event(MARK_CODE, 0, at);
	int result = __real_mprotect(at, bytes, protection);
	resume_recording();
	return result;
}

/* What is not captured says so. */
#define REFUSE(name)                                                                     \
	int __wrap_##name(void) {                                                            \
		fail(#name " is not captured: use mutexes, barriers and atomic operations");     \
		return -1;                                                                       \
	}
REFUSE(pthread_cond_wait)
REFUSE(pthread_cond_timedwait)
REFUSE(pthread_mutex_trylock)
REFUSE(pthread_mutex_timedlock)
REFUSE(pthread_rwlock_rdlock)
REFUSE(pthread_rwlock_wrlock)
REFUSE(pthread_spin_lock)
REFUSE(pthread_once)
REFUSE(pthread_detach)
REFUSE(pthread_cancel)
REFUSE(sem_wait)
