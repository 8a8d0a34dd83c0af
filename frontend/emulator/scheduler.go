// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"math/bits"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/internal/lanes"
	"github.com/warptape/warptape/trace"
)

// scheduler runs the thread blocks of one launch that it is given, one after the
// other. It runs the warps of a block in turn, each until it waits at a barrier or
// ends.
type scheduler struct {
	device   *Device
	kernel   *LoadedKernel
	segments []contaminator.Segment
	request  *LaunchRequest
	launch   *coexecution.LaunchState
	part     part
	block    coexecution.BlockState
	warps    []warp
	barriers [coexecution.BarrierCount]barrier
	// live and waiting are sets of warps of the running block.
	live, waiting uint32
	// rounds looks for thread blocks that wait for ever, turns for warps in
	// their turn; hot counts visits of segments once the budget is exhausted.
	rounds, turns loopDetector
	hot           []int
	// targets is scratch for divergent branches.
	targets []coexecution.Target
	result  LaunchResult
	// patterns is the running block's recorder if it takes patterns.
	patterns PatternRecorder
	// independent says that the threads of a warp make progress each by itself, as from
	// sm_70 on; waits marks the segments of loops that wait for other threads then.
	independent bool
	waits       []bool
	// apart is the set of barriers at which threads arrived by themselves, apartLanes has
	// them by warp.
	apart      uint32
	apartLanes [coexecution.BarrierCount][coexecution.MaxWarps]uint32
	// cluster has the schedulers of the other blocks of the cluster; nil for a block by
	// itself.
	cluster *clusterRun
}

// warp is one warp of the running thread block.
type warp struct {
	identity coexecution.WarpIdentity
	context  coexecution.Context
	stack    reconvergenceStack
	// live are the lanes that have not ended.
	live   uint32
	record *coexecution.Record
	// parked are the lanes that wait at a barrier for the warp's other lanes,
	// which take another path to it.
	parked  uint32
	meeting coexecution.BarrierRequest
	// barrierSegment is the segment that ended at the barrier waited at.
	barrierSegment int
	// spare are records that no suspended run uses.
	spare []*coexecution.Record
	spin  spinDetector
}

// pollInterval is the number of visits between looks at the context.
const pollInterval = 1 << 14

// newScheduler makes a scheduler with the warps of one worker, counted from zero.
func newScheduler(d *Device, l *LaunchRequest, worker int) *scheduler {
	s := new(scheduler)
	s.prepare(d, l, worker)
	return s
}

// prepare readies a scheduler, a new one or that of an earlier launch, whose memory it keeps.
func (s *scheduler) prepare(d *Device, l *LaunchRequest, worker int) {
	k := l.Kernel
	warps, shared := s.warps, s.block.Shared
	*s = scheduler{device: d, kernel: k, segments: k.contaminated.Segments, request: l, part: newPart(l)}
	s.launch = &coexecution.LaunchState{ // by its address contexts know a new launch
		Grid: l.Grid, Block: l.Block, Cluster: l.clusterSize(), Cooperative: l.Cooperative, Arguments: l.Arguments,
		SharedBytes: k.sharedBytes(l.DynamicShared), DynamicShared: l.DynamicShared,
		ID: d.launches, Environment: l.Environment, CheckShared: d.options.CheckShared, Recording: l.Recorder != nil,
		Memory: d.Memory, Addresses: k.module.addresses, Output: d.options.Output, Watch: d.options.Watch,
	}
	if s.independent = !k.contaminated.PTX.Module.Lockstep(); s.independent {
		s.waits = k.waits
	}
	if room := s.launch.SharedBytes + lanes.NearBytes; uint64(cap(shared)) == room {
		s.block.Shared = shared
	} else {
		s.block.Shared = make([]byte, s.launch.SharedBytes, room)
	}
	if s.launch.CheckShared {
		s.block.Initialised = make([]uint64, (s.launch.SharedBytes+63)/64)
	}
	if d.options.CheckRaces || d.options.CheckGlobalRaces {
		s.block.Races = coexecution.NewRaceChecker(k.contaminated, s.launch.SharedBytes, d.options.CheckGlobalRaces)
	}
	threads := int(l.Block.Count())
	if s.warps = warps; len(warps) != (threads+WarpSize-1)/WarpSize {
		s.warps = make([]warp, (threads+WarpSize-1)/WarpSize)
	}
	for len(k.contexts) <= worker {
		k.contexts = append(k.contexts, nil)
	}
	for len(k.contexts[worker]) < len(s.warps) {
		k.contexts[worker] = append(k.contexts[worker], k.program.NewContext())
	}
	for i := range s.warps {
		w := &s.warps[i]
		w.forget()
		w.context = k.contexts[worker][i]
		w.stack.outer, w.stack.tails = k.outer, k.tails
		lanes := ^uint32(0)
		if rest := threads - i*WarpSize; rest < WarpSize {
			lanes = 1<<rest - 1
		}
		w.identity = coexecution.WarpIdentity{Launch: s.launch, Block: &s.block, Warp: i, Lanes: lanes}
	}
}

// forget makes a warp a new one that has the memory of this one.
func (w *warp) forget() {
	r, paths := w.record, w.stack.paths
	if r == nil {
		r = new(coexecution.Record)
	}
	*r = coexecution.Record{Targets: r.Targets[:0], Guards: r.Guards[:0], Accesses: r.Accesses[:0]}
	clear(paths) // they may refer to suspended runs
	*w = warp{record: r, stack: reconvergenceStack{paths: paths[:0]}}
}

// schedulerOf readies the scheduler of a launch. A kernel that is launched again finds that
// of its last launch.
func (d *Device) schedulerOf(l *LaunchRequest) *scheduler {
	s := l.Kernel.idle
	if l.Kernel.idle = nil; s == nil {
		s = new(scheduler)
	}
	s.prepare(d, l, 0)
	return s
}

// maxIdleShared bounds the shared memory that a kernel keeps between its launches.
const maxIdleShared = 64 << 10

// leave keeps the scheduler of a launch that has ended well for the kernel's next one,
// without what the launch brought.
func (s *scheduler) leave() {
	if s.cluster != nil || len(s.block.Shared) > maxIdleShared {
		return
	}
	k := s.kernel
	*s = scheduler{warps: s.warps, block: coexecution.BlockState{Shared: s.block.Shared}}
	k.idle = s
}

// runBlock executes one thread block from its start to the exit of all warps.
func (s *scheduler) runBlock(index uint64) error {
	s.beginBlock(index)
	for s.live != 0 {
		if s.live&^s.waiting == 0 {
			if err := s.deadlock(); err != nil {
				return err
			}
		}
		if err := s.round(); err != nil {
			return err
		}
	}
	return s.endBlock()
}

// beginBlock readies the scheduler and the recorder for a thread block.
func (s *scheduler) beginBlock(index uint64) {
	s.startBlock(index)
	recorder := s.request.Recorder
	if recorder != nil {
		recorder.BeginBlock(index)
		s.patterns, _ = recorder.(PatternRecorder)
	}
	s.rounds.begin()
}

// round gives each warp that is ready its turn.
func (s *scheduler) round() error {
	if s.rounds.due() {
		if err := s.lookForLoop(&s.rounds, s.warps); err != nil {
			return err
		}
	}
	for ready := s.awake(s.live &^ s.waiting); ready != 0; ready &= ready - 1 {
		if err := s.runWarp(bits.TrailingZeros32(ready)); err != nil {
			return err
		}
	}
	return nil
}

// endBlock counts a thread block that has ended with all its threads.
func (s *scheduler) endBlock() error {
	if s.hot != nil {
		return s.exhausted(&s.warps[0])
	}
	if err := s.unfinishedWarpgroup(); err != nil {
		return err
	}
	s.result.ThreadBlocks++
	s.result.Warps += uint64(len(s.warps))
	if s.request.Recorder != nil {
		return s.request.Recorder.EndBlock()
	}
	return nil
}

func (s *scheduler) startBlock(index uint64) {
	x, y := uint64(s.launch.Grid.X), uint64(s.launch.Grid.Y)
	s.block.Index = trace.Dim3{X: uint32(index % x), Y: uint32(index / x % y), Z: uint32(index / (x * y))}
	s.block.Ended = false
	clear(s.block.Shared)
	clear(s.block.Initialised)
	if s.block.Races != nil {
		s.block.Races.BeginBlock()
	}
	s.block.StartWarpgroups()
	for i := range s.barriers {
		s.barriers[i].active = false
	}
	s.apart = 0
	s.live, s.waiting = uint32(1<<len(s.warps)-1), 0
	for i := range s.warps {
		w := &s.warps[i]
		w.live, w.parked = w.identity.Lanes, 0
		w.dropSuspended()
		w.stack.start(w.live)
		w.spin.begin()
		w.context.Reset(&w.identity)
	}
}

// runWarp runs a warp until it waits or ends, or its turn is over.
func (s *scheduler) runWarp(index int) error {
	w, turn := &s.warps[index], s.device.options.Turn
	s.turns.begin()
	for s.waiting>>index&1 == 0 {
		if s.turns.due() {
			if err := s.lookForLoop(&s.turns, s.warps[index:index+1]); err != nil {
				return err
			}
		}
		if err := s.step(w); err != nil {
			return err
		}
		if w.stack.empty() {
			s.live &^= 1 << index
			s.releaseCompleted()
			return nil
		}
		if w.record.Yield || turn == 1 {
			return nil
		}
		turn--
	}
	return nil
}

// step executes one segment for the topmost path of a warp, or goes on with one.
func (s *scheduler) step(w *warp) error {
	top := w.stack.top()
	segment, mask := top.segment, top.mask
	if top.suspended != nil {
		if err := w.resume(top); err != nil {
			return err
		}
	} else {
		w.record.Live = w.live
		if err := w.context.Run(segment, mask, w.record); err != nil {
			return err
		}
	}
	if w.record.Meeting.Waits {
		return s.suspend(w)
	}
	if s.block.Races != nil {
		s.block.Races.EndVisit(w.identity.Warp, segment)
	}
	if s.request.Recorder != nil {
		s.trace(w, segment, mask)
	}
	if err := s.account(w, segment); err != nil {
		return err
	}
	meets := w.record.Barrier.Kind != coexecution.BarrierNone
	if meets {
		if err := s.meetBarrier(w, segment); err != nil {
			return err
		}
	}
	w.advance(&s.segments[segment], s)
	if s.apart != 0 && (w.record.Exited != 0 || meets) {
		s.completeApart()
	}
	if w.stack.blocked() {
		return s.unblock(w)
	}
	if s.waits != nil {
		s.noteSpin(w, s.waits[segment] || w.record.Yield)
	}
	return nil
}

// trace hands the record of one visit to the recorder.
func (s *scheduler) trace(w *warp, segment int, mask uint32) {
	index, recorder := w.identity.Warp, s.request.Recorder
	recorder.Visit(index, uint32(segment), mask)
	for _, g := range w.record.Guards {
		recorder.Guard(index, g)
	}
	for i := range w.record.Accesses {
		a := &w.record.Accesses[i]
		switch {
		case a.Strided:
			recorder.AccessStrided(index, a.Mask, a.Base, a.Stride)
		case a.Pattern == nil:
			recorder.Access(index, a.Mask, &a.Addresses)
		case s.patterns != nil:
			s.patterns.AccessPattern(index, a.Base, a.Pattern)
		default:
			a.Pattern.Place(a.Base, &a.Addresses)
			recorder.Access(index, a.Mask, &a.Addresses)
		}
	}
}

// account counts a visit and looks after budget and cancellation.
func (s *scheduler) account(w *warp, segment int) error {
	s.result.Visits++
	s.result.WarpInstructions += uint64(s.segments[segment].Count)
	s.launch.Clock = s.result.WarpInstructions
	if limit := s.device.options.MaxInstructions; limit != 0 && s.result.WarpInstructions > limit {
		return s.overBudget(w, segment)
	}
	if f := s.launch.Footprint; f != nil && f.Stopped.Load() {
		return coexecution.ErrOrder
	}
	if ctx := s.request.Context; ctx != nil && s.result.Visits%pollInterval == 1 {
		return ctx.Err()
	}
	return nil
}

// fault reports a fault at the end of a segment.
func (s *scheduler) fault(w *warp, kind coexecution.FaultKind, segment int, detail string) error {
	seg := &s.segments[segment]
	f := &coexecution.Fault{Kind: kind, Detail: detail}
	lanes := w.live
	if lanes == 0 {
		lanes = w.identity.Lanes
	}
	f.Locate(s.kernel.contaminated.PTX, max(seg.First+seg.Count-1, 0), &w.identity, bits.TrailingZeros32(lanes))
	return f
}

// releaseCompleted lets go the barriers that wait only for warps that ended.
func (s *scheduler) releaseCompleted() {
	for i := range s.barriers {
		s.releaseIfComplete(i)
	}
}

// advance moves the warp's running path to where its lanes go.
func (w *warp) advance(seg *contaminator.Segment, s *scheduler) {
	r := w.record
	fallThrough, exited := r.FallThrough, r.Exited
	if seg.FallThrough == contaminator.Exit {
		exited |= fallThrough // ran off the end of the body
		fallThrough = 0
	}
	if exited != 0 {
		w.live &^= exited
		w.stack.retire(exited)
	}
	if r.Returned != 0 {
		w.stack.leave(r.Returned)
	}
	switch {
	case r.Call:
		w.stack.call(seg.FallThrough, r.Targets)
	case r.Taken == 0 && fallThrough != 0 && len(r.Targets) == 0:
		w.stack.top().segment = seg.FallThrough
		w.stack.settle()
	case fallThrough == 0 && r.Taken != 0:
		w.stack.top().segment = r.TakenSegment
		w.stack.settle()
	case r.Taken == 0 && fallThrough == 0 && len(r.Targets) == 0:
		w.stack.settle()
	default:
		w.branch(seg, s, fallThrough)
	}
}

// branch follows a branch whose lanes part, or an indexed one.
func (w *warp) branch(seg *contaminator.Segment, s *scheduler, fallThrough uint32) {
	r := w.record
	t := s.targets[:0]
	if r.Taken != 0 {
		t = append(t, coexecution.Target{Segment: r.TakenSegment, Mask: r.Taken})
	}
	for i := len(r.Targets) - 1; i >= 0; i-- { // so that the first runs first
		if r.Targets[i].Mask != 0 {
			t = append(t, r.Targets[i])
		}
	}
	if fallThrough != 0 {
		t = append(t, coexecution.Target{Segment: seg.FallThrough, Mask: fallThrough})
	}
	s.targets = t
	if len(t) == 1 {
		w.stack.top().segment = t[0].Segment
		w.stack.settle()
		return
	}
	w.stack.diverge(seg, t)
}
