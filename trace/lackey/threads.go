// SPDX-License-Identifier: Apache-2.0

package lackey

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// markFunction is the function of traces/cpu/capture whose loads are marks.
const markFunction = "capture_mark"

// The marks, by the kind's distance from the origin.
const (
	markPause  = iota // what follows is the capture's own
	markThread        // the thread of a number goes on
	markResume        // what follows is the program's again
	markLock          // events of the thread that goes on
	markUnlock
	markBarrier // of as many threads as the number
	markCode
	markEnd // of the thread

	markCount
)

var markSyncs = [markCount]trace.CPUSyncKind{markLock: trace.CPULock, markUnlock: trace.CPUUnlock, markBarrier: trace.CPUBarrier, markCode: trace.CPUCode}

// markLoads are of the origin, the kind, the number, and what the mark is about. The
// instruction after them returns.
const markLoads = 4

// maxThreads of a capture, as in traces/cpu/capture.
const maxThreads = 1024

// threads tells the threads of a process apart, by their marks. They come in turns,
// and a trace holds one after the other, so each is spooled to a file of its own.
type threads struct {
	folder  string
	spools  []*spool
	current int // -1: the first thread, which is not recorded
	left    int // threads that have begun and not ended

	begin  uint64 // address of markFunction
	at     int    // instructions of a mark that have begun; 0: none
	fields [markLoads]uint64
}

// readThreads records lackey's output as the CPU threads of a process.
func readThreads(w *wtape.Writer, in io.Reader, d *Disassembly, c *Capture) (err error) {
	begin, ok := d.functions[markFunction]
	if !ok {
		return fmt.Errorf("the disassembly has no function %s: link the program with traces/cpu/capture/capture.c and the options in wrap.txt beside it", markFunction)
	}
	folder, err := os.MkdirTemp("", "warptape-threads-")
	if err != nil {
		return err
	}
	t := &threads{folder: folder, current: -1, begin: begin}
	defer func() { err = errors.Join(err, t.close()) }()
	r := &recorder{d: d, c: c, threads: t}
	if _, err := r.lines(in); err != nil {
		return err
	}
	if t.left > 0 {
		return fmt.Errorf("is cut off: %d of %d threads have not ended; capture it again, with --log-file", t.left, len(t.spools))
	}
	if len(t.spools) == 0 {
		return errors.New("no thread begins in it: does the program create any, with pthread_create?")
	}
	for i, s := range t.spools {
		if s == nil {
			return fmt.Errorf("thread %d never runs, and thread %d does", i, len(t.spools)-1)
		}
		if _, err := w.BeginCPUThread(); err != nil {
			return err
		}
		if err := s.copyTo(w); err != nil {
			return fmt.Errorf("thread %d: %w", i, err)
		}
	}
	return nil
}

func (t *threads) close() error {
	for _, s := range t.spools {
		if s != nil {
			s.file.Close()
		}
	}
	return os.RemoveAll(t.folder)
}

// mark takes an instruction that is part of a mark; false when it is not. The call of a
// mark is not recorded either.
func (t *threads) mark(r *recorder, ip uint64) (bool, error) {
	if t.at > 0 && t.at <= markLoads {
		if r.nLoads != 1 {
			return true, fmt.Errorf("instruction %d of %s makes %d loads, want 1: link the program with traces/cpu/capture/capture.c of this version", t.at, markFunction, r.nLoads)
		}
		t.fields[t.at-1] = r.loads[0]
	}
	switch {
	case ip == t.begin:
		r.inside, t.at = false, 1
	case t.at > 0 && t.at <= markLoads:
		t.at++
	case t.at > markLoads:
		t.at = 0
		r.pending = false
		return false, t.take(r)
	default:
		return false, nil
	}
	r.pending, r.ip, r.nLoads, r.nStores = true, ip, 0, 0
	return true, nil
}

// take does what a mark says.
func (t *threads) take(r *recorder) error {
	kind, number, object := t.fields[1]-t.fields[0], t.fields[2]-t.fields[0], t.fields[3]
	if kind >= markCount || number > maxThreads {
		return fmt.Errorf("a mark of kind %d and number %d: link the program with traces/cpu/capture/capture.c of this version", kind, number)
	}
	switch kind {
	case markPause:
	case markThread:
		return t.choose(int(number))
	case markResume:
		if t.current < 0 {
			return errors.New("recording goes on without a thread")
		}
		r.w, r.inside = t.spools[t.current], true
	default:
		if t.current < 0 || t.spools[t.current].ended {
			return errors.New("a lock, a barrier or an end is of no thread")
		}
		if kind == markEnd {
			t.spools[t.current].ended = true
			t.left--
			return nil
		}
		s := trace.CPUSync{Kind: markSyncs[kind], Object: object}
		if kind == markBarrier {
			s.Threads = uint32(number)
		}
		return t.spools[t.current].addSync(&s)
	}
	return nil
}

// choose makes a thread the one that goes on.
func (t *threads) choose(number int) error {
	if number >= maxThreads {
		return fmt.Errorf("thread %d, of at most %d", number, maxThreads)
	}
	for len(t.spools) <= number {
		t.spools = append(t.spools, nil)
	}
	if s := t.spools[number]; s != nil && s.ended {
		return fmt.Errorf("thread %d goes on after its end", number)
	}
	if t.spools[number] == nil {
		s, err := newSpool(t.folder, number)
		if err != nil {
			return err
		}
		t.spools[number] = s
		t.left++
	}
	t.current = number
	return nil
}

// orders records that the pending instruction orders accesses, if it does.
func (t *threads) orders(r *recorder) error {
	kind := r.d.syncs[r.ip]
	if kind == trace.CPUNoSync {
		return nil
	}
	s := trace.CPUSync{Kind: kind}
	switch {
	case kind == trace.CPUFence:
	case r.nStores > 0:
		s.Object = r.stores[0]
	case r.nLoads > 0:
		s.Object = r.loads[0] // a compare that failed
	}
	return t.spools[t.current].addSync(&s)
}
