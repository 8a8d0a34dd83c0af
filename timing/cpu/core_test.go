// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/trace"
)

// pipe is the cycles of the first instruction: dispatch in the cycle after the job
// has come, issue, and retirement.
const pipe = 3

func TestIndependentInstructionsRetireAtTheWidth(t *testing.T) {
	for _, width := range []int{1, 2, 4, 8} {
		b := newBench(t, func(s *Section) { s.Width = width })
		const n = 4000
		if got, want := b.cycles(t, straight(n)), uint64(n/width-1+pipe); got != want {
			t.Errorf("width %d: %d cycles, want %d", width, got, want)
		}
	}
}

func TestAChainTakesACycleEach(t *testing.T) {
	for _, order := range []string{"out_of_order", inOrder} {
		b := newBench(t, func(s *Section) { s.Order = order })
		list := straight(1000)
		for i := range list {
			list[i].Sources[0], list[i].Destinations[0] = 1, 1
		}
		if got, want := b.cycles(t, list), uint64(1000-1+pipe); got != want {
			t.Errorf("%s: %d cycles, want %d", order, got, want)
		}
	}
}

// loads gives n loads of one address; each needs the one before when chained.
func loadsOf(n int, address func(i int) uint64, chained bool) []Instruction {
	list := straight(n)
	for i := range list {
		list[i].Loads, list[i].LoadAddresses[0] = 1, address(i)
		list[i].Destinations[0] = 1
		if chained {
			list[i].Sources[0] = 1
		}
	}
	return list
}

func TestAChainOfLoadsTakesTheLatencyOfItsLevel(t *testing.T) {
	const n = 500
	// 16 KiB lie in L1 after the first round, 256 KiB in L2 only, as LRU keeps none
	// of a loop that is larger than the cache.
	for bytes, each := range map[uint64]uint64{16 << 10: 4, 256 << 10: 4 + 7} {
		b := newBench(t, func(s *Section) { s.TLBEntries = 1024 })
		around := func(i int) uint64 { return 0x100000 + uint64(i)*64%bytes }
		b.cycles(t, loadsOf(int(bytes/64)*2, around, false))
		if got, want := b.cycles(t, loadsOf(n, around, true)), n*each-1+pipe; got != want {
			t.Errorf("%d KiB: %d cycles, want %d", bytes>>10, got, want)
		}
	}
}

// A load that misses everything goes to the chip when L1 and L2 have been looked up,
// and is of use in the cycle of the answer.
func TestAMissTakesTheChipsTimeBesideTheLookups(t *testing.T) {
	b := newBench(t, func(s *Section) { s.TLBEntries = 1024 })
	page := func(i int) uint64 { return 0x100000 }
	b.cycles(t, loadsOf(1, page, true)) // the page
	const n = 40
	got := b.cycles(t, loadsOf(n, func(i int) uint64 { return 0x100040 + uint64(i)*64 }, true))
	if want := uint64(n*(4+7+100) - 1 + pipe); got != want {
		t.Errorf("%d cycles, want %d", got, want)
	}
	if misses := b.counted(countL2Miss); misses != n+2 { // and the code's line, and the first
		t.Errorf("%d misses", misses)
	}
}

// While a load of an LLC miss is the oldest, 255 instructions get in behind it and
// no more; independent misses among them overlap.
func TestTheReorderBufferFillsBehindAMiss(t *testing.T) {
	for _, entries := range []int{64, 256} {
		b := newBench(t, func(s *Section) { s.ROBEntries = entries })
		b.cycles(t, loadsOf(1, func(int) uint64 { return 0x100000 }, false))
		const n = 1024
		list := straight(n)
		list[0].Loads, list[0].LoadAddresses[0] = 1, 0x100040
		miss := uint64(4 + 7 + 100)
		// The load is dispatched in the first cycle, issues in the next, and the
		// buffer drains from when its data are there.
		got := b.cycles(t, list)
		if want := 1 + miss + uint64(n/4); got != want {
			t.Errorf("%d entries: %d cycles, want %d", entries, got, want)
		}
		full := b.counted(countROBFull)
		if want := miss + 1 - uint64(entries/4); full != want {
			t.Errorf("%d entries: full in %d cycles, want %d", entries, full, want)
		}
	}
}

func TestMissesBehindEachOtherInTheReorderBufferOverlap(t *testing.T) {
	const n = 16 // as many as registers
	b := newBench(t, nil)
	b.cycles(t, loadsOf(1, func(int) uint64 { return 0x100000 }, false))
	got := b.cycles(t, loadsOf(n, func(i int) uint64 { return 0x100040 + uint64(i)*64 }, false))
	// Two begin in a cycle.
	if want := uint64(pipe - 1 + n/2 - 1 + 4 + 7 + 100); got != want {
		t.Errorf("%d cycles, want %d", got, want)
	}
	b = newBench(t, func(s *Section) { s.Misses = 4 })
	b.cycles(t, loadsOf(1, func(int) uint64 { return 0x100000 }, false))
	few := b.cycles(t, loadsOf(n, func(i int) uint64 { return 0x100040 + uint64(i)*64 }, false))
	if few < 4*(4+7+100) || few > 4*(4+7+100)+20 {
		t.Errorf("four registers: %d cycles", few)
	}
}

func TestAMispredictedBranchCostsItsPenalty(t *testing.T) {
	const n = 100
	// Indirect jumps whose targets are never the last ones; calls store their address too,
	// on one page or on more pages than the TLB holds.
	jumps := func(stores, apart int) []Instruction {
		var list []Instruction
		for i := range n {
			list = append(list, Instruction{IP: 0x2000, Branch: trace.CPUIndirectJump, Taken: true, Stores: uint8(stores), StoreAddresses: [trace.CPUOperands]uint64{0x100000 + uint64(i*apart)}})
			list = append(list, Instruction{IP: 0x2004 + uint64(i%7)*4, Branch: trace.CPUDirectJump, Taken: true})
		}
		return append(list, Instruction{IP: 0x2000})
	}
	for i, penalty := range []int{0, 14, 30, 0, 14, 30, 0, 14, 30} {
		stores, apart, page := min(i/3, 1), 0, 0
		b := newBench(t, func(s *Section) { s.MispredictCycles = penalty })
		if i >= 6 {
			apart, page = 4096+64, int(b.page)
			b.line = 1 // the store buffer empties
		}
		b.cycles(t, jumps(stores, apart))
		wrong := b.counted(countMispredicted)
		got := b.cycles(t, jumps(stores, apart))
		wrong = b.counted(countMispredicted) - wrong
		if wrong != n {
			t.Fatalf("%d mispredictions, want %d", wrong, n)
		}
		// Dispatch of the jump, its issue, its page, the penalty; then the direct jump.
		if want := uint64(n*(2+page+penalty+1) + pipe); got != want {
			t.Errorf("penalty %d, %d stores, %d bytes apart: %d cycles, want %d", penalty, stores, apart, got, want)
		}
	}
}

// Branches of one set of the buffer are known as long as there are no more than its
// ways; of one more, visited in turn, none is.
func TestASetOfTheBranchTargetBufferHoldsItsWays(t *testing.T) {
	for _, ways := range []int{1, 2, 4, 8} {
		for more := range 2 {
			s := table42(func(s *Section) { s.BTBEntries, s.BTBWays = 64, ways })
			p := newPredictor(s)
			address := func(i int) uint64 { return uint64(1+i) * uint64(s.BTBEntries) }
			known := 0
			const rounds = 10
			for round := range rounds {
				for i := range ways + more {
					if target, ok := p.target(address(i)); ok && target == address(i)+5 {
						known++
					} else if ok || round == 0 && known > 0 {
						t.Errorf("%d ways: the target of branch %d is %#x", ways, i, target)
					}
					p.learn(address(i), address(i)+5)
				}
			}
			if want := (rounds - 1) * ways * (1 - more); known != want {
				t.Errorf("%d branches in %d ways: %d targets are known, want %d", ways+more, ways, known, want)
			}
		}
	}
}

func TestLoopsAndCallsArePredicted(t *testing.T) {
	b := newBench(t, nil)
	var list []Instruction
	for range 200 {
		list = append(list, Instruction{IP: 0x3000, Branch: trace.CPUCall, Taken: true})
		list = append(list, Instruction{IP: 0x5000, Branch: trace.CPUReturn, Taken: true})
		for i := range 4 {
			list = append(list, Instruction{IP: 0x3005, Branch: trace.CPUConditional, Taken: i < 3})
		}
		list = append(list, Instruction{IP: 0x3007, Branch: trace.CPUDirectJump, Taken: true})
	}
	b.cycles(t, list)
	before := b.counted(countMispredicted)
	b.cycles(t, list)
	if wrong := b.counted(countMispredicted) - before; wrong > 1 { // the last jump goes nowhere
		t.Errorf("%d mispredictions of a regular program", wrong)
	}
}

// twinTLB is LRU by a list.
type twinTLB struct {
	pages []uint64
	size  int
}

func (l *twinTLB) miss(page uint64) bool {
	for i, p := range l.pages {
		if p == page {
			l.pages = append(append(l.pages[:i:i], l.pages[i+1:]...), page)
			return false
		}
	}
	if len(l.pages) == l.size {
		l.pages = l.pages[1:]
	}
	l.pages = append(l.pages, page)
	return true
}

func TestTLBMissesAreThoseOfLRU(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	walks := map[string]func(i int) uint64{
		"64 pages fit":          func(i int) uint64 { return uint64(i%64) << 12 },
		"65 pages in turn miss": func(i int) uint64 { return uint64(i%65) << 12 },
		"random":                func(i int) uint64 { return r.Uint64N(90) << 12 },
	}
	for name, walk := range walks {
		b := newBench(t, nil)
		const n = 2000
		list := loadsOf(n, func(i int) uint64 { return 0x1000000 + walk(i) }, true)
		twin, want := &twinTLB{size: 64}, uint64(0)
		for i := range list {
			if twin.miss(list[i].LoadAddresses[0] >> 12) {
				want++
			}
		}
		b.cycles(t, list)
		if got := b.counted(countDTLBMiss); got != want {
			t.Errorf("%s: %d misses, want %d", name, got, want)
		}
	}
}

func TestAStoreServesTheLoadBehindIt(t *testing.T) {
	b := newBench(t, nil)
	const n = 100
	var list []Instruction
	for i := range n {
		ip := 0x1000 + uint64(i%8)*8
		list = append(list,
			Instruction{IP: ip, Stores: 1, StoreAddresses: [4]uint64{0x100000}, Sources: [4]uint8{1}},
			Instruction{IP: ip + 4, Loads: 1, LoadAddresses: [4]uint64{0x100000}, Destinations: [4]uint8{1}})
	}
	b.cycles(t, list)
	got := b.cycles(t, list)
	// A chain through memory: store 1, load 4.
	if want := uint64(n*(1+4) - 1 + pipe); got > want+2 || got < want-2 {
		t.Errorf("%d cycles, want about %d", got, want)
	}
	if b.counted(countForwarded) != 2*n {
		t.Errorf("%d loads were forwarded", b.counted(countForwarded))
	}
}

// In order against a scoreboard: an instruction issues when its sources are there,
// not before the one before it, Width a cycle.
func TestInOrderAgreesWithAScoreboard(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 9))
	for round := range 20 {
		b := newBench(t, func(s *Section) { s.Order = inOrder; s.LoadPorts = 4 })
		b.cycles(t, loadsOf(64, func(i int) uint64 { return 0x100000 + uint64(i)*64 }, false))
		list := straight(400)
		for i := range list {
			in := &list[i]
			in.Sources[0], in.Sources[1] = uint8(1+r.IntN(5)), uint8(1+r.IntN(5))
			in.Destinations[0] = uint8(1 + r.IntN(5))
			if r.IntN(3) == 0 {
				in.Loads, in.LoadAddresses[0] = 1, 0x100000+r.Uint64N(64)*64
			}
		}
		if got, want := b.cycles(t, list), scoreboard(list); got != want {
			t.Fatalf("round %d: %d cycles, want %d", round, got, want)
		}
	}
}

// scoreboard gives the cycles of a program without misses on four-wide issue in
// order; dispatch keeps ahead of it, four a cycle.
func scoreboard(list []Instruction) uint64 {
	var ready [256]uint64
	issue, slots := uint64(0), 0
	retired, retiring := uint64(0), 0
	for i := range list {
		at := max(issue, uint64(1+i/4+1))
		for _, s := range list[i].Sources {
			at = max(at, ready[s])
		}
		if at > issue {
			issue, slots = at, 0
		}
		if slots == 4 {
			issue, slots = issue+1, 0
		}
		slots++
		done := issue + 1
		if list[i].Loads > 0 {
			done = issue + 4
		}
		ready[list[i].Destinations[0]] = done
		ready[0] = 0
		if done > retired {
			retired, retiring = done, 0
		}
		if retiring == 4 {
			retired, retiring = retired+1, 0
		}
		retiring++
	}
	return retired
}

// Out of order against a dataflow limit that knows width and latencies only: never
// faster, and not slower than in order.
func TestOutOfOrderLiesBetweenDataflowAndInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 9))
	for range 10 {
		list := straight(1000)
		for i := range list {
			in := &list[i]
			in.Sources[0], in.Destinations[0] = uint8(1+r.IntN(20)), uint8(1+r.IntN(20))
			if r.IntN(4) == 0 {
				in.Loads, in.LoadAddresses[0] = 1, 0x100000+r.Uint64N(4096)*64
			}
		}
		took := map[string]uint64{}
		for _, order := range []string{"out_of_order", inOrder} {
			b := newBench(t, func(s *Section) { s.Order = order; s.TLBEntries = 256 })
			took[order] = b.cycles(t, list)
		}
		if took["out_of_order"] > took[inOrder] || took["out_of_order"] < 1000/4 {
			t.Errorf("%v", took)
		}
	}
}

func TestAnExceptionHoldsTheCoreAndServesItsOwnAccess(t *testing.T) {
	b := newBench(t, nil)
	list := straight(4000)
	plain := b.cycles(t, list)
	before, instructions := b.counted(countCycles), b.counted(countInstructions)
	now := b.cluster.cores[0].now
	b.cluster.Run(clock.Time(now)*period, 0, Job{Stream: &program{list: list}})
	x := Exception{Token: 7, Cycles: 500, Loads: [maxWalkLoads]uint64{0x9000_0000, 0x9100_0000}, Count: 2}
	b.after(clock.Time(now)*period, 100, func() { b.cluster.Interrupt(clock.Time(now+100)*period-1, 0, x) })
	b.run(t)
	if len(b.handled) != 1 || b.handled[0] != x {
		t.Fatalf("handled %+v", b.handled)
	}
	got, want := b.counted(countCycles)-before, plain+500+2*(4+7+100)+14
	if got != want {
		t.Errorf("%d cycles, want %d", got, want)
	}
	if n := b.counted(countInstructions) - instructions; n != 4000 {
		t.Errorf("%d instructions", n)
	}
	if n := b.counted(countExceptionCycles); n != 500+2*(4+7+100) {
		t.Errorf("%d cycles of exceptions", n)
	}
}

func TestAnIdleCoreExecutesAnException(t *testing.T) {
	b := newBench(t, nil)
	b.cluster.Interrupt(1000*period, 0, Exception{Cycles: 50})
	b.run(t)
	if len(b.handled) != 1 || b.handledAt[0] != (1001+50)*period || b.counted(countCycles) != 50 {
		t.Errorf("%d handled at %v, %d cycles", len(b.handled), b.handledAt, b.counted(countCycles))
	}
}

func TestARefusedRequestIsSentAgain(t *testing.T) {
	b := newBench(t, nil)
	b.refuse = 7
	b.cycles(t, loadsOf(50, func(i int) uint64 { return 0x100000 + uint64(i)*64 }, false))
	if got := b.counted(countInstructions); got != 51 {
		t.Errorf("%d instructions", got)
	}
}

func TestARelaunchedProgramIsCountedOnce(t *testing.T) {
	b := newBench(t, nil)
	list := straight(1000)
	plain := newBench(t, nil).one(t, list)
	b.cluster.Run(0, 0, Job{Stream: &program{list: list}, Repeat: true})
	for len(b.ended) < 4 && len(b.events)+1 > 0 {
		b.step()
	}
	b.cluster.Stop(b.cluster.NextEvent(), 0)
	b.run(t)
	if got := b.counted(countInstructions); got != 1000 || b.counted(countCycles) != plain {
		t.Errorf("%d instructions in %d cycles, want 1000 in %d", got, b.counted(countCycles), plain)
	}
	if len(b.ended) != 5 || !b.cluster.Idle(0) {
		t.Errorf("%d runs ended, idle %v", len(b.ended), b.cluster.Idle(0))
	}
}

func TestACopyReadsAndWritesEveryByteOnce(t *testing.T) {
	for _, word := range []int{4, 8, 16} {
		for _, bytes := range []uint64{0, 1, 7, 31, 32, 33, 63, 64, 65, 1000, 4096} {
			everyByteOnce(t, bytes, word)
		}
	}
}

func everyByteOnce(t *testing.T, bytes uint64, word int) {
	t.Helper()
	c := NewCopy(0x200000, 0x100000, bytes, word)
	read, written := map[uint64]int{}, map[uint64]int{}
	items := make([]Instruction, 37)
	for {
		n, err := c.Next(items)
		if err != nil || n == 0 {
			break
		}
		for _, in := range items[:n] {
			size := uint64(word)
			if in.IP >= copyBytesCode {
				size = 1
			}
			for k := range size {
				if in.Loads > 0 {
					read[in.LoadAddresses[0]+k]++
				}
				if in.Stores > 0 {
					written[in.StoreAddresses[0]+k]++
				}
			}
		}
	}
	if uint64(len(read)) != bytes || uint64(len(written)) != bytes {
		t.Errorf("%d bytes in words of %d: %d read, %d written", bytes, word, len(read), len(written))
	}
	for k := range bytes {
		if read[0x100000+k] != 1 || written[0x200000+k] != 1 {
			t.Fatalf("%d bytes in words of %d: byte %d was read %d times, written %d", bytes, word, k, read[0x100000+k], written[0x200000+k])
		}
	}
}

// An iteration of ARM's memcpy is 17 instructions for each ldm and stm of eight words,
// two that count down, a prefetch and a branch. The branch is taken until the end.
func TestTheCopyLoopIsThatOfGPSim(t *testing.T) {
	c := NewCopy(0x200000, 0x100000, 64, 4)
	items := make([]Instruction, 128)
	n, err := c.Next(items)
	if err != nil || n != 2*38 {
		t.Fatalf("64 bytes in %d instructions, want 2 iterations of 38: %v", n, err)
	}
	var loads, stores, taken int
	for i := range items[:n] {
		loads += int(items[i].Loads)
		stores += int(items[i].Stores)
		if items[i].Branch != trace.CPUNoBranch && items[i].Taken {
			taken++
		}
	}
	distinct := 1 // pld, ldm, subs, stm and bge, of four bytes each
	for i := 1; i < 38; i++ {
		switch items[i].IP - items[i-1].IP {
		case 4:
			distinct++
		case 0:
		default:
			t.Errorf("operation %d is of an instruction at %#x, the one before of that at %#x", i, items[i].IP, items[i-1].IP)
		}
	}
	if distinct != 5 || items[38].IP != items[0].IP {
		t.Errorf("%d instructions, the loop begins at %#x, and again at %#x", distinct, items[0].IP, items[38].IP)
	}
	if loads != 16 || stores != 16 || taken != 1 {
		t.Errorf("%d loads, %d stores, %d branches back", loads, stores, taken)
	}
}

// A long copy on a chip with a fixed latency goes at the rate at which the store buffer
// asks ahead for lines to write. It asks for as many as 32 stores of a word cover.
func TestACopyIsBoundByItsStoreBuffer(t *testing.T) {
	for _, word := range []int{4, 8, 16} {
		b := newBench(t, func(s *Section) { s.TLBEntries = 4096 })
		const bytes = 1 << 18
		b.cluster.Run(0, 0, Job{Stream: NewCopy(0x4000000, 0x1000000, bytes, word)})
		b.run(t)
		cycles := b.counted(countCycles)
		lines, ahead := bytes/64, 32*word/64
		if want := uint64(lines * (100 + 4 + 7) / ahead); cycles < want*95/100 || cycles > want*110/100 {
			t.Errorf("words of %d: %d cycles for %d lines with %d under way, want about %d", word, cycles, lines, ahead, want)
		}
		if w := b.counted(countL1DWrite); w != uint64(bytes/word) {
			t.Errorf("words of %d: %d stores were performed, want %d", word, w, bytes/word)
		}
	}
}

func (b *bench) step() {
	next := b.cluster.NextEvent()
	for i := range b.events {
		if b.events[i].at <= next {
			e := b.events[i]
			b.events = append(b.events[:i], b.events[i+1:]...)
			e.do()
			return
		}
	}
	if next == clock.NeverTime {
		b.events[0].do()
		b.events = b.events[1:]
		return
	}
	b.cluster.Advance(next)
}

// BenchmarkCore isolates a core on instructions, a third of them loads in L1.
func BenchmarkCore(b *testing.B) {
	for _, order := range []string{"out_of_order", inOrder} {
		b.Run(fmt.Sprint(order), func(b *testing.B) {
			x := newBench(b, func(s *Section) { s.Order = order })
			r := rand.New(rand.NewPCG(1, 2))
			list := straight(30_000)
			for i := range list {
				in := &list[i]
				in.Sources[0], in.Destinations[0] = uint8(1+r.IntN(15)), uint8(1+r.IntN(15))
				if i%3 == 0 {
					in.Loads, in.LoadAddresses[0] = 1, 0x100000+r.Uint64N(256)*64
				}
			}
			p := &program{list: list}
			x.cluster.Run(0, 0, Job{Stream: p, Repeat: true})
			n := 0
			for b.Loop() {
				x.step()
				n++
			}
			b.ReportMetric(float64(len(x.ended)*len(list)+p.at)/b.Elapsed().Seconds()/1e6, "Minstr/s")
		})
	}
}

// Without a memory of branches, those that are not taken cost nothing, and each that is
// stops the fetch until it has executed.
func TestBranchesArePredictedNotTaken(t *testing.T) {
	for _, taken := range []bool{false, true} {
		penalty := 0
		b := newBench(t, func(s *Section) { s.Width, s.Predictor, penalty = 1, notTaken, s.MispredictCycles })
		const n = 1000
		list := straight(n)
		for i := range list {
			list[i].Branch, list[i].Taken = trace.CPUConditional, taken
		}
		want := uint64(n - 1 + pipe)
		if taken {
			want = uint64(n*(2+penalty)) + 1 // the last one, too
		}
		if got := b.cycles(t, list); got != want {
			t.Errorf("taken %v: %d cycles, want %d", taken, got, want)
		}
	}
}
