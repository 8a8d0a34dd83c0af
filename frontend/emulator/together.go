package emulator

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/warptape/warptape/frontend/ptx"
)

// Thread blocks run on several cores in the hope that they do not depend on each
// other; what they touch is watched (see footprint). The first block runs alone
// and shows which memory the kernel writes to. If a later one meets a conflict, or
// a fault, memory is put back and the blocks run one after the other. So results,
// traces and faults are those of the serial order.
//
// A block's record can be handed on as soon as all blocks before it are done
// without a conflict. For whatever it read had not been written by a later block,
// which would have been a conflict of its own, nor by an earlier one, which would
// have been theirs.

const (
	// minTogether is the number of warp instructions that a launch must have for
	// several cores to pay.
	minTogether = 1 << 13
	// bytesPerInstruction is the memory that may have to be watched for each.
	bytesPerInstruction = 64
	maxWatchedBytes     = 1 << 30
	// runAhead is the number of blocks per worker that wait for their turn.
	runAhead = 4
)

// mayTogether reports whether nothing in a kernel says that its blocks depend on
// their order: atomics on global memory, which other blocks see, calls, which
// may allocate and print, and what depends on time.
func mayTogether(k *LoadedKernel) bool {
	if _, ok := k.program.(*program); !ok || len(k.Static().TimingDependent) > 0 {
		return false
	}
	body := k.contaminated.PTX.Body
	for i := range body {
		switch in := &body[i]; in.Op {
		case ptx.OpCall:
			return false
		case ptx.OpAtom, ptx.OpRed:
			if in.Space != ptx.SpaceShared {
				return false
			}
		}
	}
	return true
}

// run executes all blocks of a launch.
func (s *scheduler) run() error {
	blocks := s.launch.Grid.Count()
	workers := min(uint64(max(s.device.options.Workers, 1)), blocks)
	if workers < 2 || blocks > maxClaimBlock || s.kernel.ordered || !mayTogether(s.kernel) {
		return s.runInOrder(0, blocks, 0)
	}
	f := &footprint{noting: true}
	s.launch.footprint = f
	err := s.runInOrder(0, 1, 0)
	s.launch.footprint = nil
	if err != nil {
		return err
	}
	work := s.result.WarpInstructions * (blocks - 1)
	if work < minTogether || f.bytes() > min(work*bytesPerInstruction, maxWatchedBytes) {
		return s.runInOrder(1, blocks, 0)
	}
	alone := s.result
	f.watch()
	done, err := s.runTogether(f, int(workers))
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, errRecorder) {
		f.restore()
		s.kernel.ordered = true
		s.result = alone
		return s.runInOrder(1, blocks, done)
	}
	f.forget()
	var r *recorderError
	if errors.As(err, &r) {
		return r.err
	}
	return err
}

// runInOrder executes the blocks from first to before end one after the other.
// Those before recorded are in the trace already.
func (s *scheduler) runInOrder(first, end, recorded uint64) error {
	recorder := s.request.Recorder
	defer func() { s.request.Recorder = recorder }()
	for block := first; block < end; block++ {
		s.request.Recorder = recorder
		if block < recorded && recorder != nil {
			s.request.Recorder = &recordLog{}
		}
		if err := s.runBlock(block); err != nil {
			return err
		}
		if s.request.Progress != nil && block >= recorded {
			s.request.Progress(block + 1)
		}
	}
	return nil
}

// bytes is the size of the memory that was written to.
func (f *footprint) bytes() (n uint64) {
	for _, a := range f.written {
		n += a.bytes
	}
	return n
}

// watch begins to watch the memory that the first block wrote to, and keeps a
// copy of it.
func (f *footprint) watch() {
	f.noting = false
	for _, a := range f.written {
		a.claims = make([]atomic.Uint32, (a.bytes+claimBytes-1)/claimBytes)
		a.saved = slices.Clone(a.data)
	}
}

// restore puts memory back to what it was when watch was called.
func (f *footprint) restore() {
	for _, a := range f.written {
		copy(a.data, a.saved)
	}
	f.forget()
}

func (f *footprint) forget() {
	for _, a := range f.written {
		a.claims, a.saved = nil, nil
	}
}

// blockRun is the execution of one block by a worker.
type blockRun struct {
	block  uint64
	log    recordLog
	result LaunchResult
	err    error
	done   chan struct{}
}

// recorderError is an error of the Recorder, which no other order would avoid.
type recorderError struct{ err error }

func (e *recorderError) Error() string        { return e.err.Error() }
func (e *recorderError) Is(target error) bool { return target == errRecorder }

var errRecorder = errors.New("the recorder failed")

// runTogether executes all blocks but the first, and gives the number of blocks
// whose records were handed on.
func (s *scheduler) runTogether(f *footprint, workers int) (done uint64, err error) {
	jobs := make(chan *blockRun, workers*runAhead)
	var all sync.WaitGroup
	for i := range workers {
		w := newScheduler(s.device, s.request, i)
		w.launch.footprint = f
		all.Go(func() { w.work(jobs) })
	}
	done, err = s.collect(jobs)
	if err != nil {
		f.stopped.Store(true)
	}
	close(jobs)
	all.Wait()
	return done, err
}

// collect gives out blocks in ascending order and takes them back in that order.
func (s *scheduler) collect(jobs chan<- *blockRun) (done uint64, err error) {
	blocks := s.launch.Grid.Count()
	ring := make([]blockRun, cap(jobs))
	for i := range ring {
		ring[i].done = make(chan struct{}, 1)
	}
	next := uint64(1)
	for done = 1; done < blocks; done++ {
		for ; next < blocks && next < done+uint64(len(ring)); next++ {
			r := &ring[next%uint64(len(ring))]
			r.block = next
			jobs <- r
		}
		r := &ring[done%uint64(len(ring))]
		<-r.done
		if r.err != nil {
			return done, r.err
		}
		if err := s.hand(r); err != nil {
			return done, err
		}
	}
	return done, nil
}

// hand counts a block and hands its record on.
func (s *scheduler) hand(r *blockRun) error {
	s.result.ThreadBlocks += r.result.ThreadBlocks
	s.result.Warps += r.result.Warps
	s.result.Visits += r.result.Visits
	s.result.WarpInstructions += r.result.WarpInstructions
	if limit := s.device.options.MaxInstructions; limit != 0 && s.result.WarpInstructions > limit {
		return errOrder // the serial order finds the place
	}
	if s.request.Recorder != nil {
		if err := r.log.replay(r.block, s.request.Recorder); err != nil {
			return &recorderError{err}
		}
	}
	if s.request.Progress != nil {
		s.request.Progress(r.block + 1)
	}
	return nil
}

// work executes blocks until there are no more.
func (s *scheduler) work(jobs <-chan *blockRun) {
	request := *s.request
	recording := request.Recorder != nil
	s.request = &request
	for r := range jobs {
		if recording {
			request.Recorder = &r.log
		}
		s.result = LaunchResult{}
		s.launch.claimant = claimant(r.block)
		r.err = s.runBlock(r.block)
		r.result = s.result
		r.done <- struct{}{}
	}
}
