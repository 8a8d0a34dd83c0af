// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"context"
	"errors"
	"sync"

	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/emulator/interpreter"
	"github.com/warptape/warptape/frontend/ptx"
)

// Thread blocks run on several cores in the hope that they do not depend on each
// other; what they touch is watched (see footprint). The first block runs alone
// and shows which memory the kernel writes to. If a later one meets a conflict, or
// a fault, memory is put back and the blocks run one after the other. So results,
// traces and faults are those of the serial order.
//
// A block's record can be handed on as soon as all blocks before it are done
// without a conflict. For no later block had written what it read: that would have
// been a conflict of its own. Nor had an earlier block: that would have been a
// conflict of the earlier one.

const (
	// bytesPerInstruction is the memory that may have to be watched for each.
	bytesPerInstruction = 64
	maxWatchedBytes     = 1 << 30
	// runAhead is the number of blocks per worker that wait for their turn.
	runAhead = 4
)

// mayTogether reports whether nothing in a kernel says that its blocks depend on
// their order. Such are atomics on global memory, which other blocks see, calls,
// which may allocate and print, and what depends on time.
func mayTogether(k *LoadedKernel) bool {
	if _, ok := k.program.(*interpreter.Program); !ok || len(k.Static().TimingDependent) > 0 {
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
		case ptx.OpSured:
			return false
		}
	}
	return true
}

// inOrder reports whether the options ask for something that takes the blocks one
// after the other: races are told, and a thread is followed, in the serial order.
func (s *scheduler) inOrder() bool { return s.block.Races != nil || s.launch.Watch != nil }

// run executes all blocks of a launch.
func (s *scheduler) run() error {
	if s.launch.Cluster.Count() > 1 {
		return s.runClusters()
	}
	blocks := s.part.count
	workers := min(uint64(max(s.device.options.Workers, 1)), blocks)
	if workers < 2 || s.inOrder() || s.launch.Grid.Count() > coexecution.MaxClaimBlock || s.kernel.conflicts == len(coexecution.ClaimShifts) || !mayTogether(s.kernel) {
		return s.runInOrder(0, blocks, 0)
	}
	f := &coexecution.Footprint{Noting: true}
	s.launch.Footprint = f
	err := s.runInOrder(0, 1, 0)
	s.launch.Footprint = nil
	if err != nil {
		return err
	}
	if s.request.Recorder != nil && s.result.Visits >= maxLogEntries {
		return s.runInOrder(1, blocks, 0)
	}
	work := s.result.WarpInstructions * (blocks - 1)
	if work < s.device.options.MinTogether || f.Bytes() > min(work*bytesPerInstruction, maxWatchedBytes) {
		return s.runInOrder(1, blocks, 0)
	}
	return s.runWatched(f, int(workers))
}

// runWatched executes all blocks but the first on several cores, or in order if
// they depend on each other.
func (s *scheduler) runWatched(f *coexecution.Footprint, workers int) error {
	alone, recorded := s.result, uint64(1)
	for s.kernel.conflicts < len(coexecution.ClaimShifts) {
		f.Watch(coexecution.ClaimShifts[s.kernel.conflicts])
		done, err := s.runTogether(f, workers, recorded)
		if err == nil || final(err) {
			f.Forget()
			return err
		}
		f.Restore()
		recorded, s.result = max(recorded, done), alone
		if !errors.Is(err, coexecution.ErrOrder) {
			break // a fault, which the order decides
		}
		s.kernel.conflicts++
	}
	return s.runInOrder(1, s.part.count, recorded)
}

// final reports whether an error would be the same in any order of the blocks.
func final(err error) bool {
	var r *recorderError
	return errors.As(err, &r) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// runInOrder executes the blocks whose turns are from first to before end, one after
// the other. Those before recorded are in the trace already.
func (s *scheduler) runInOrder(first, end, recorded uint64) error {
	recorder := s.request.Recorder
	defer func() { s.request.Recorder = recorder }()
	for turn := first; turn < end; turn++ {
		s.request.Recorder = recorder
		if turn < recorded && recorder != nil {
			s.request.Recorder = &recordLog{}
		}
		if err := s.runBlock(s.part.at(turn)); err != nil {
			return err
		}
		if s.request.Progress != nil && turn >= recorded {
			s.request.Progress(turn + 1)
		}
	}
	return nil
}

// blockRun is the execution of one block by a worker.
type blockRun struct {
	// turn counts the blocks that are executed, block those of the grid.
	turn, block uint64
	log         recordLog
	result      LaunchResult
	err         error
	done        chan struct{}
}

// errBudget says that blocks together took too many instructions; running them in
// order finds the place.
var errBudget = errors.New("BUG: a launch over its budget was not run again in order")

// recorderError is an error of the Recorder, which no other order would avoid.
type recorderError struct{ err error }

func (e *recorderError) Error() string { return e.err.Error() }
func (e *recorderError) Unwrap() error { return e.err }

// runTogether executes all blocks but the first, and gives the number of blocks
// whose records were handed on. Those before recorded were handed on already.
func (s *scheduler) runTogether(f *coexecution.Footprint, workers int, recorded uint64) (done uint64, err error) {
	jobs := make(chan *blockRun, workers*runAhead)
	var all sync.WaitGroup
	for i := range workers {
		w := newScheduler(s.device, s.request, i)
		w.launch.Footprint = f
		all.Go(func() { w.work(jobs) })
	}
	done, err = s.collect(jobs, recorded)
	if err != nil {
		f.Stopped.Store(true)
	}
	close(jobs)
	all.Wait()
	return done, err
}

// collect gives out blocks in ascending order and takes them back in that order.
func (s *scheduler) collect(jobs chan<- *blockRun, recorded uint64) (done uint64, err error) {
	blocks := s.part.count
	ring := make([]blockRun, cap(jobs))
	for i := range ring {
		ring[i].done = make(chan struct{}, 1)
	}
	next := uint64(1)
	for done = 1; done < blocks; done++ {
		for ; next < blocks && next < done+uint64(len(ring)); next++ {
			r := &ring[next%uint64(len(ring))]
			r.turn, r.block = next, s.part.at(next)
			jobs <- r
		}
		r := &ring[done%uint64(len(ring))]
		<-r.done
		if r.err != nil {
			return done, r.err
		}
		if err := s.hand(r, done < recorded); err != nil {
			return done, err
		}
	}
	return done, nil
}

// hand counts a block and hands its record on, unless that was done before.
func (s *scheduler) hand(r *blockRun, before bool) error {
	s.result.ThreadBlocks += r.result.ThreadBlocks
	s.result.Warps += r.result.Warps
	s.result.Visits += r.result.Visits
	s.result.WarpInstructions += r.result.WarpInstructions
	if limit := s.device.options.MaxInstructions; limit != 0 && s.result.WarpInstructions > limit {
		return errBudget
	}
	if before {
		return nil
	}
	if s.request.Recorder != nil {
		if err := r.log.replay(r.block, s.request.Recorder); err != nil {
			return &recorderError{err}
		}
	}
	if s.request.Progress != nil {
		s.request.Progress(r.turn + 1)
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
			r.log.bounded = true
			request.Recorder = &r.log
		}
		s.result = LaunchResult{}
		s.launch.Claimant = coexecution.Claimant(r.block)
		r.err = s.runBlock(r.block)
		r.result = s.result
		r.done <- struct{}{}
	}
}
