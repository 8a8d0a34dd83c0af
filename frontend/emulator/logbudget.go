// SPDX-License-Identifier: Apache-2.0

package emulator

import "fmt"

// LargeRecorder is a Recorder that may count what a thread block does without storing it,
// part by part, while no thread block has begun.
type LargeRecorder interface {
	Recorder
	// CountsLarge reports whether it does. If not, the other methods are not called.
	CountsLarge() bool
	// CountPart counts what the calls of record say of a thread block, which begins later.
	CountPart(block uint64, record func()) error
	// CountedParts says of the thread block that has begun that parts of it were counted.
	CountedParts()
}

// DefaultLogBytes is the memory of the records of thread blocks that run in turns, unless
// Options say otherwise.
const DefaultLogBytes = 2 << 30

// The memory of what a log keeps. Slices grow by a quarter at a time, which is not counted.
const (
	entryBytes   = 12
	strideBytes  = 16
	addressBytes = WarpSize * 8
	patternBytes = 304
	// keptLogBytes is what a log keeps for the next thread block, and partBytes what one
	// that does not fit keeps before it hands the next part on.
	keptLogBytes = 64 << 20
	partBytes    = 8 << 20
)

// logBudget bounds the logs of the thread blocks of a launch that take turns: they are of
// all thread blocks of a cluster at the same time. When it is spent, the record of whatever
// thread block goes on is handed on to be counted, and so are its later parts: the trace
// does not hold that block.
type logBudget struct {
	recorder   Recorder
	used, most int64
	err        error
}

// spend notes the memory of an entry.
func (l *recordLog) spend(bytes int64) {
	if l.budget != nil {
		l.used += bytes
		l.budget.used += bytes
	}
}

// has makes room in the log for a visit that has nothing in it yet. It reports whether
// that went well.
func (b *logBudget) has(l *recordLog) bool {
	if b.err != nil {
		return false
	}
	if b.used < b.most && (!l.large || l.used < partBytes) || l.used == 0 {
		return true
	}
	takes, ok := b.recorder.(LargeRecorder)
	if !ok || !takes.CountsLarge() {
		b.err = fmt.Errorf("thread blocks of a cluster or a cooperative launch run in turns, and what they did until thread block %d ends takes more than %d MiB: record a smaller input", l.block, b.most>>20)
		return false
	}
	b.err = takes.CountPart(l.block, func() { l.handOn(takes) })
	l.forget()
	l.large = true
	return b.err == nil
}
