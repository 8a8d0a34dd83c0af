// SPDX-License-Identifier: Apache-2.0

package prefetch

import "github.com/warptape/warptape/timing/arch"

// stream follows sequential streams of misses, as stream buffers do (Jouppi, ISCA 1990);
// each stream runs some lines ahead. Two misses of neighbouring lines begin a stream,
// so that lone ones take none: the filter of Palacharla and Kessler (ISCA 1994). Both are
// recalled and not looked up. The lines go into the cache and not into separate buffers.
type stream struct {
	lineBytes uint64
	depth     uint64 // lines ahead
	streams   []streamEntry
	missed    []uint64 // the last misses that no stream has, a ring
	next      int      // place in missed
	tick      uint64
}

type streamEntry struct {
	line  uint64 // that is expected next
	end   uint64 // behind the last line that was proposed
	used  uint64 // when, for LRU; zero: never
	valid bool
}

var streamPolicy = Policy{
	Parameters: []arch.CallParameter{
		{Name: "streams", Unit: "streams", Min: 1, Max: 64, Default: 8, About: "that are followed at a time", Source: "assumed: as many as Palacharla and Kessler find enough"},
		{Name: "depth", Unit: "lines", Min: 1, Max: 32, Default: 4, About: "by which a stream runs ahead", Source: "Jouppi, ISCA 1990: buffers of four lines (recalled and not looked up)"},
		{Name: "filter", Unit: "misses", Min: 1, Max: 64, Default: 8, About: "that are kept: a miss next to one begins a stream", Source: "assumed"},
	},
	New: func(a Arguments, lineBytes int) Prefetcher {
		p := &stream{lineBytes: uint64(lineBytes), depth: uint64(a["depth"]), streams: make([]streamEntry, a["streams"]), missed: make([]uint64, a["filter"])}
		p.Reset()
		return p
	},
	// A stream has two line addresses of 40 bits, one of them searched; filters have one.
	Table:  func(a Arguments) Table { return Table{Entries: a["streams"] + a["filter"], TagBits: 40, DataBits: 40} },
	Source: "Jouppi, ISCA 1990: stream buffers; Palacharla and Kessler, ISCA 1994: their filter (recalled and not looked up)",
}

// Access implements Prefetcher.
func (p *stream) Access(a *Access, lines []uint64) []uint64 {
	if a.Hit && !a.First {
		return lines
	}
	p.tick++
	for i := range p.streams {
		if s := &p.streams[i]; s.valid && a.Line >= s.line && a.Line < s.end {
			return p.advance(s, a.Line, lines)
		}
	}
	if a.First {
		return lines // a stream that has been given up
	}
	for i, line := range p.missed {
		if line+p.lineBytes == a.Line {
			p.missed[i] = noLine
			s := p.oldest()
			*s = streamEntry{line: a.Line, end: a.Line + p.lineBytes, valid: true}
			return p.advance(s, a.Line, lines)
		}
	}
	p.missed[p.next] = a.Line
	p.next = (p.next + 1) % len(p.missed)
	return lines
}

// noLine is no line's address: those are aligned.
const noLine = ^uint64(0)

// advance lets a stream go on to the line behind one that was read.
func (p *stream) advance(s *streamEntry, line uint64, lines []uint64) []uint64 {
	s.line, s.used = line+p.lineBytes, p.tick
	for ; s.end < s.line+p.depth*p.lineBytes; s.end += p.lineBytes {
		lines = append(lines, s.end)
	}
	return lines
}

// oldest is the stream that makes room for a new one.
func (p *stream) oldest() *streamEntry {
	best := &p.streams[0]
	for i := range p.streams {
		if s := &p.streams[i]; s.used < best.used {
			best = s
		}
	}
	return best
}

// Filled implements Prefetcher: streams go by what is read.
func (p *stream) Filled(uint64, bool) {}

// Reset implements Prefetcher.
func (p *stream) Reset() {
	clear(p.streams)
	for i := range p.missed {
		p.missed[i] = noLine
	}
	p.next = 0
}
