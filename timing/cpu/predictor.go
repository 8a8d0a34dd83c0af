// SPDX-License-Identifier: Apache-2.0

package cpu

import "github.com/warptape/warptape/trace"

// predictor is a branch target buffer with LRU replacement (Table 4.2), two-bit
// counters and a stack of return addresses. Address and global history index the
// counters, which predict the direction of conditional branches. The predictor learns
// when a branch is fetched.
type predictor struct {
	ways    int
	mask    uint64
	sources []uint64 // of the branches, 0: none
	targets []uint64
	used    []uint64
	clock   uint64

	counters    []uint8
	history     uint64
	historyMask uint64
	indexMask   uint64

	calls []uint64 // addresses of the calls, a ring
	top   int
}

func newPredictor(s *Section) *predictor {
	return &predictor{
		ways: s.BTBWays, mask: uint64(s.BTBEntries/s.BTBWays - 1),
		sources: make([]uint64, s.BTBEntries), targets: make([]uint64, s.BTBEntries), used: make([]uint64, s.BTBEntries),
		counters: make([]uint8, 1<<s.CounterBits), historyMask: 1<<s.HistoryBits - 1, indexMask: 1<<s.CounterBits - 1,
		calls: make([]uint64, s.ReturnStack),
	}
}

// maxInstructionBytes is the longest instruction (x86): a return goes to behind the
// call, whose length is not recorded.
const maxInstructionBytes = 15

// predicts reports whether a branch is predicted as it goes: to next when it is
// taken. next is 0 when nothing follows.
func (p *predictor) predicts(in *Instruction, next uint64) bool {
	taken := true
	if in.Branch == trace.CPUConditional || in.Branch == trace.CPUOtherBranch {
		taken = p.direction(in)
	}
	right := false
	if in.Branch == trace.CPUReturn {
		call := p.pop()
		right = next > call && next-call <= maxInstructionBytes
	} else {
		target, known := p.target(in.IP)
		right = known && target == next
		taken = taken && known // fetch cannot follow an unknown target
	}
	if in.Branch == trace.CPUCall || in.Branch == trace.CPUIndirectCall {
		p.push(in.IP)
	}
	if in.Taken && next != 0 && in.Branch != trace.CPUReturn {
		p.learn(in.IP, next)
	}
	if !in.Taken {
		return !taken
	}
	return taken && right || next == 0
}

// direction gives the predicted direction and learns the true one.
func (p *predictor) direction(in *Instruction) bool {
	c := &p.counters[(in.IP^in.IP>>12^p.history)&p.indexMask]
	taken := *c >= 2
	p.history = p.history << 1 & p.historyMask
	if in.Taken {
		*c = min(*c+1, 3)
		p.history |= p.historyMask & 1
	} else if *c > 0 {
		*c--
	}
	return taken
}

func (p *predictor) set(ip uint64) int { return int(ip&p.mask) * p.ways }

// target looks a branch up.
func (p *predictor) target(ip uint64) (uint64, bool) {
	first := p.set(ip)
	for i := first; i < first+p.ways; i++ {
		if p.sources[i] == ip && p.used[i] != 0 {
			p.clock++
			p.used[i] = p.clock
			return p.targets[i], true
		}
	}
	return 0, false
}

// learn puts a target in.
func (p *predictor) learn(ip, target uint64) {
	first := p.set(ip)
	best := first
	for i := first; i < first+p.ways; i++ {
		if p.sources[i] == ip && p.used[i] != 0 {
			best = i
			break
		}
		if p.used[i] < p.used[best] {
			best = i
		}
	}
	p.clock++
	p.sources[best], p.targets[best], p.used[best] = ip, target, p.clock
}

func (p *predictor) push(ip uint64) {
	p.top = (p.top + 1) % len(p.calls)
	p.calls[p.top] = ip
}

func (p *predictor) pop() uint64 {
	ip := p.calls[p.top]
	p.top = (p.top + len(p.calls) - 1) % len(p.calls)
	return ip
}
