// SPDX-License-Identifier: Apache-2.0

package memory

import (
	"math/bits"

	"github.com/warptape/warptape/timing/clock"
	"github.com/warptape/warptape/timing/counters"
	"github.com/warptape/warptape/timing/memory/cache"
	"github.com/warptape/warptape/timing/memory/coalesce"
	"github.com/warptape/warptape/timing/seam"
	"github.com/warptape/warptape/trace"
)

// issueLines takes an access that a level in front has gathered.
func (p *Port) issueLines(now clock.Cycle, op int32, a *seam.MemoryAccess) {
	if a.Space == trace.SpaceShared {
		p.issueSharedLines(now, op, a)
		return
	}
	p.counts[counters.GlobalLane] += uint64(a.Moves)
	p.transactions = p.transactions[:0]
	for _, l := range a.Lines {
		p.addPart(l)
	}
	p.enterData(now, op)
}

// addPart adds a part of a line to the transaction of its L1 line.
func (p *Port) addPart(l seam.LinePart) {
	b := bytesOf(l)
	line := l.Address &^ uint64(p.system.dataLine-1)
	for i := len(p.transactions) - 1; i >= 0; i-- {
		if t := &p.transactions[i]; t.Line == line {
			t.Bytes = t.Bytes.Or(b)
			return
		}
	}
	p.transactions = append(p.transactions, coalesce.Transaction{Line: line, Bytes: b})
}

// bytesOf is the bytes of a part in the block of cache.BlockBytes that holds it.
func bytesOf(l seam.LinePart) cache.Bytes {
	var b cache.Bytes
	at := int(l.Address % cache.BlockBytes)
	for m := l.HalfWords; m != 0; {
		first := bits.TrailingZeros64(m)
		run := bits.TrailingZeros64(^(m >> first))
		b = b.Or(cache.Range(at+2*first, 2*run))
		m &^= 1<<(first+run) - 1
	}
	return b
}

// evenWords is the number of words of a part that are the first of its line
// without a gap; zero for other parts.
func evenWords(halfWords uint64, word int) int {
	n := bits.OnesCount64(halfWords)
	if n == 0 || halfWords != ^uint64(0)>>(64-n) || 2*n%word != 0 {
		return 0
	}
	return 2 * n / word
}

// issueSharedLines holds the entry for as long as the busiest bank has words of
// the lines, which are distinct.
func (p *Port) issueSharedLines(now clock.Cycle, op int32, a *seam.MemoryAccess) {
	words, wavefronts := p.bankCycles(a.Lines)
	last := (wavefronts - 1) * p.system.wavefront
	p.counts[counters.SharedAccess]++
	p.counts[counters.SharedConflictCycles] += uint64(last)
	store := a.Class == trace.ClassStore
	if store {
		p.counts[counters.SharedLaneWrite] += uint64(words)
	} else {
		p.counts[counters.SharedLaneRead] += uint64(words)
	}
	p.holdShared(now, op, last, words*p.system.banks.WordBytes, store)
}

// bankCycles gives the words of parts of lines, and how many of them the busiest
// bank has, one at least. Parts that are the first words of their line are counted
// together: a part that fills a power of two of neighbouring banks has a word in
// each.
func (p *Port) bankCycles(lines []seam.LinePart) (words, cycles int) {
	word, mask := p.system.banks.WordBytes, p.system.banks.Count-1
	var load, runs [maxBanks]uint16 // words by bank; runs of length words by first bank
	everywhere, length := 0, 0
	for i := range lines {
		l := &lines[i]
		n := evenWords(l.HalfWords, word)
		first := int(l.Address/uint64(word)) & mask
		switch {
		case n > mask && n&mask == 0:
			everywhere += n / (mask + 1)
		case n > 0 && (length == 0 || n == length) && first+n <= mask+1:
			length = n
			runs[first]++
		default:
			n = addWords(&load, l, word, mask)
		}
		words += n
	}
	most := uint16(0)
	for first := range mask + 1 {
		if k := runs[first]; k > 0 {
			for bank := first; bank < first+length; bank++ {
				load[bank] += k
			}
		}
		most = max(most, load[first]) // runs begin at or before their banks
	}
	return words, max(everywhere+int(most), 1)
}

// maxBanks is the most banks that shared memory has.
const maxBanks = 128

// addWords adds the words of a part to their banks, one by one.
func addWords(load *[maxBanks]uint16, l *seam.LinePart, word, mask int) (words int) {
	first := int(l.Address / uint64(word))
	for at, m := 0, bytesOf(seam.LinePart{HalfWords: l.HalfWords}); at < cache.BlockBytes; at += word {
		if m.And(cache.Range(at, word)).Empty() {
			continue
		}
		load[(first+at/word)&mask]++
		words++
	}
	return words
}
