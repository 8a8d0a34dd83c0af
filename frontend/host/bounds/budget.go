// SPDX-License-Identifier: Apache-2.0

package bounds

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Budget is what one program may take.
type Budget struct {
	thread *starlark.Thread
	steps  uint64
	// limit is for the objects of the process, in bytes.
	limit uint64
	// place is that of the last call that may take long, for goroutines that cannot ask the
	// thread itself; nil before the first.
	place atomic.Pointer[syntax.Position]
	stuck chan error
	// stopped says that the run is to end.
	stopped atomic.Bool
}

const (
	// watchPeriod is how often the watch looks; a gigabyte takes longer to fill.
	watchPeriod = 5 * time.Millisecond
	// cancelGrace is how long a program may take to notice that it is cancelled.
	cancelGrace = 300 * time.Millisecond
	// maxStackBytes is what stacks may grow to. Programs do not recurse: only values
	// that lie in each other by the hundred thousand make the interpreter do so.
	maxStackBytes = 64 << 20
	// roomBytes is how much is taken without asking.
	roomBytes = 1 << 20
)

// budgetKey is where a thread keeps its Budget.
const budgetKey = "warptape.host.budget"

// New makes a budget for a thread: so many steps, and so many bytes of objects beyond
// those that the process has. A limit on the process's addresses, if known, makes it
// less.
func New(thread *starlark.Thread, steps, bytes, addresses uint64) *Budget {
	const parts = 4 // the collector's garbage, and a step that doubles what there is
	bytes = min(bytes, addresses/parts)
	if soft := debug.SetMemoryLimit(-1); soft < math.MaxInt64 { // GOMEMLIMIT
		bytes = min(bytes, uint64(soft)/parts)
	}
	b := &Budget{thread: thread, steps: steps, limit: objects().bytes + bytes, stuck: make(chan error, 1)}
	thread.SetLocal(budgetKey, b)
	return b
}

func budgetOf(thread *starlark.Thread) *Budget {
	b, ok := thread.Local(budgetKey).(*Budget)
	if !ok {
		panic("BUG: a thread without bounds.New")
	}
	return b
}

// Stuck reports a program that is over its budget, or was cancelled, and does not come
// back from the step that it is in.
func (b *Budget) Stuck() <-chan error { return b.stuck }

// Place is where the program was when it last called something that may take long; zero
// if it has not.
func (b *Budget) Place() (line, column int) {
	if p := b.place.Load(); p != nil {
		return int(p.Line), int(p.Col)
	}
	return 0, 0
}

// room reports whether so many bytes may be taken in one step.
func (b *Budget) room(bytes uint64) error {
	if bytes <= roomBytes || b.fits(bytes) {
		return nil
	}
	runtime.GC()
	if b.fits(bytes) {
		return nil
	}
	return fmt.Errorf("out of memory: this needs %d bytes more, which the host program may not take: choose a smaller size, or keep large data in arrays", bytes)
}

func (b *Budget) fits(bytes uint64) bool {
	return bytes < b.limit && objects().bytes < b.limit-bytes
}

// work charges for going through so many elements, as a step for each.
func (b *Budget) work(elements uint64) error {
	b.Note()
	if elements > b.steps || b.thread.Steps+elements > b.steps {
		return fmt.Errorf("this goes through %d elements, and the program may take %d steps", elements, b.steps)
	}
	b.thread.Steps += elements
	return nil
}

// Begin tells the budget the place that the program starts at.
func (b *Budget) Begin(at syntax.Position) { b.place.Store(&at) }

// Note remembers where the program is.
func (b *Budget) Note() {
	for depth := range b.thread.CallStackDepth() {
		if at := b.thread.CallFrame(depth).Pos; at.Line > 0 {
			b.place.Store(&at)
			return
		}
	}
}

var errStack = errors.New("values lie in each other too deeply: flatten them into a list")

// Watch cancels the thread when it is over its budget, until stop is called; ended is
// closed when the run is to end.
func (b *Budget) Watch(ended <-chan struct{}) (stop func()) {
	// Stacks grow until the watch has seen it, and Go ends a process that has a larger
	// one than this.
	if math.MaxInt > math.MaxInt32 {
		debug.SetMaxStack(math.MaxInt32 &^ 0xfff)
	}
	// On one processor the watch would wait for the scheduler, which may take longer than a step
	// that copies stacks of hundreds of megabytes needs.
	processors := runtime.GOMAXPROCS(0)
	if processors == 1 {
		runtime.GOMAXPROCS(2)
	}
	done := make(chan struct{})
	go b.watch(ended, done, objects().stacks+maxStackBytes)
	return func() {
		close(done)
		if processors == 1 {
			runtime.GOMAXPROCS(1)
		}
	}
}

func (b *Budget) watch(ended, done <-chan struct{}, stacks uint64) {
	ticker := time.NewTicker(watchPeriod)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ended:
			b.stopped.Store(true)
			b.give(cancelGrace, done, errors.New("cancelled"))
			return
		case <-ticker.C:
		}
		now := objects()
		if now.stacks > stacks {
			b.thread.Cancel(errStack.Error())
			b.give(0, done, errStack)
			return
		}
		if now.bytes > b.limit {
			runtime.GC()
			if now = objects(); now.bytes > b.limit-b.limit/8 {
				err := fmt.Errorf("out of memory: %d bytes in use: choose a smaller size, or keep large data in arrays", now.bytes)
				b.thread.Cancel(err.Error())
				b.give(cancelGrace, done, err)
				return
			}
		}
	}
}

// give reports the program as stuck unless it ends in time, or sooner when it goes on
// taking memory.
func (b *Budget) give(grace time.Duration, done <-chan struct{}, err error) {
	for until := time.Now().Add(grace); time.Now().Before(until); {
		select {
		case <-done:
			return
		case <-time.After(watchPeriod):
		}
		if objects().bytes > b.limit+b.limit/4 {
			break
		}
	}
	b.stuck <- err
}

// usage is what the process has.
type usage struct{ bytes, stacks uint64 }

// objects reads the size of all objects, those included that the collector has not
// found dead yet, and of stacks.
func objects() usage {
	samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(samples)
	return usage{samples[0].Value.Uint64(), samples[1].Value.Uint64()}
}
