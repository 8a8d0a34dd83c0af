// SPDX-License-Identifier: Apache-2.0

package columns

// BasePredictor predicts the base of the next execution of one memory
// instruction; encoder and decoder share it. The rules are with AccessStream in
// wtape.proto. Warps and thread blocks are numbered from 0 within the chunk.
type BasePredictor struct {
	warp, block            int // of the last execution, -1 before the first
	warpFirst, warpDelta   uint64
	blockFirst, blockDelta uint64
	current, previous      []uint64 // bases of this and of the preceding executing warp
}

func (p *BasePredictor) Reset() {
	*p = BasePredictor{warp: -1, block: -1, current: p.current[:0], previous: p.previous[:0]}
}

func (p *BasePredictor) Predict(block, warp int) uint64 {
	if p.warp != warp {
		if p.block == block {
			return p.warpFirst + p.warpDelta
		}
		return p.blockFirst + p.blockDelta
	}
	v := len(p.current)
	last := p.current[v-1]
	if v < len(p.previous) {
		return last + p.previous[v] - p.previous[v-1]
	}
	if v > 1 {
		return last + last - p.current[v-2]
	}
	return last
}

func (p *BasePredictor) Update(block, warp int, base uint64) {
	if p.warp != warp {
		p.nextWarp(block, warp, base)
	}
	p.current = append(p.current, base)
}

func (p *BasePredictor) nextWarp(block, warp int, base uint64) {
	p.current, p.previous = p.previous[:0], p.current
	switch p.block {
	case block:
		p.warpDelta = base - p.warpFirst
	case -1:
		p.blockFirst = base
	default:
		p.blockDelta = base - p.blockFirst
		p.blockFirst = base
	}
	p.warpFirst, p.warp, p.block = base, warp, block
}
