// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"errors"

	"github.com/warptape/warptape/trace/wtape"
)

// maxLogEntries bounds a log. Thread blocks that do more run in order.
const maxLogEntries = 1 << 23

// errLongLog says that a thread block did more than a log takes.
var errLongLog = errors.New("BUG: thread blocks that are too long to run together were not run again in order")

// recordLog is a Recorder that keeps what one thread block does, to hand it on in
// the order of the blocks.
type recordLog struct {
	// bounded logs keep maxLogEntries at most, and their block ends with errLongLog.
	bounded bool
	// budget, if not nil, is the memory that this log and others have together.
	budget    *logBudget
	used      int64 // of the budget
	block     uint64
	large     bool // some of the block was handed on to be counted
	entries   []logEntry
	strides   []logStride
	addresses [][WarpSize]uint64
	patterns  []wtape.AccessPattern
	begun     uint64 // blocks
}

type logKind uint8

const (
	logVisit logKind = iota
	logGuard
	logAccess
	logStrided
	logPattern
)

// logEntry is one call of the Recorder.
type logEntry struct {
	kind              logKind
	warp              uint8
	basicBlock, lanes uint32
}

type logStride struct {
	base   uint64
	stride int64 // or the number of the pattern
}

// BeginBlock forgets the block before.
func (l *recordLog) BeginBlock(block uint64) {
	l.forget()
	l.block, l.large = block, false
}

// forget gives up what is kept, and the memory of much of it.
func (l *recordLog) forget() {
	if l.budget != nil {
		if l.budget.used -= l.used; l.used > keptLogBytes {
			l.entries, l.strides, l.addresses, l.patterns = nil, nil, nil, nil
		}
		l.used = 0
	}
	l.entries, l.strides, l.addresses, l.patterns = l.entries[:0], l.strides[:0], l.addresses[:0], l.patterns[:0]
	l.begun++
}

// full tells whether the log takes no more.
func (l *recordLog) full() bool { return l.bounded && len(l.entries) >= maxLogEntries }

func (l *recordLog) Visit(warp int, basicBlock, mask uint32) {
	if l.full() {
		return
	}
	if l.budget != nil && !l.budget.has(l) {
		return
	}
	l.spend(entryBytes)
	l.entries = append(l.entries, logEntry{logVisit, uint8(warp), basicBlock, mask})
}

func (l *recordLog) Guard(warp int, mask uint32) {
	if l.full() {
		return
	}
	l.spend(entryBytes)
	l.entries = append(l.entries, logEntry{kind: logGuard, warp: uint8(warp), lanes: mask})
}

func (l *recordLog) Access(warp int, mask uint32, addresses *[32]uint64) {
	if l.full() {
		return
	}
	l.spend(entryBytes + addressBytes)
	l.entries = append(l.entries, logEntry{kind: logAccess, warp: uint8(warp), lanes: mask})
	l.addresses = append(l.addresses, *addresses)
}

func (l *recordLog) AccessStrided(warp int, mask uint32, base uint64, stride int64) {
	if l.full() {
		return
	}
	l.spend(entryBytes + strideBytes)
	l.entries = append(l.entries, logEntry{kind: logStrided, warp: uint8(warp), lanes: mask})
	l.strides = append(l.strides, logStride{base, stride})
}

// AccessPattern keeps a copy of the pattern for each block.
func (l *recordLog) AccessPattern(warp int, base uint64, p *wtape.AccessPattern) {
	if l.full() {
		return
	}
	if p.Note.Recorder != l || p.Note.Epoch != l.begun {
		p.Note = wtape.PatternNote{Recorder: l, Epoch: l.begun, Number: int32(len(l.patterns))}
		l.spend(patternBytes)
		l.patterns = append(l.patterns, *p)
	}
	l.spend(entryBytes + strideBytes)
	l.entries = append(l.entries, logEntry{kind: logPattern, warp: uint8(warp)})
	l.strides = append(l.strides, logStride{base, int64(p.Note.Number)})
}

func (l *recordLog) EndBlock() error {
	if l.full() {
		return errLongLog
	}
	if l.budget != nil {
		return l.budget.err
	}
	return nil
}

// replay hands the block on, call by call.
func (l *recordLog) replay(block uint64, r Recorder) error {
	r.BeginBlock(block)
	if l.large {
		r.(LargeRecorder).CountedParts()
	}
	l.handOn(r)
	return r.EndBlock()
}

// handOn makes the calls that are kept.
func (l *recordLog) handOn(r Recorder) {
	strides, addresses := l.strides, l.addresses
	for i := range l.entries {
		switch e := &l.entries[i]; e.kind {
		case logVisit:
			r.Visit(int(e.warp), e.basicBlock, e.lanes)
		case logGuard:
			r.Guard(int(e.warp), e.lanes)
		case logAccess:
			r.Access(int(e.warp), e.lanes, &addresses[0])
			addresses = addresses[1:]
		case logStrided:
			r.AccessStrided(int(e.warp), e.lanes, strides[0].base, strides[0].stride)
			strides = strides[1:]
		case logPattern:
			l.replayPattern(r, int(e.warp), &l.patterns[strides[0].stride], strides[0].base)
			strides = strides[1:]
		}
	}
}

func (l *recordLog) replayPattern(r Recorder, warp int, p *wtape.AccessPattern, base uint64) {
	if takes, ok := r.(PatternRecorder); ok {
		takes.AccessPattern(warp, base, p)
		return
	}
	var addresses [WarpSize]uint64
	p.Place(base, &addresses)
	r.Access(warp, p.Mask, &addresses)
}
