// SPDX-License-Identifier: Apache-2.0

package prefetch

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/seam"
)

// Access is a read of a line that a cache has looked up.
type Access struct {
	Line uint64 // address, aligned to the cache's lines
	// Instruction of the kernel that reads, in the place of a program counter;
	// seam.NoInstruction where none does.
	Instruction uint32
	// SM that reads, and the slot of its warp; -1 at the L2, which does not know it.
	SM, Warp int
	// Leading says that it is the first line of its warp's access. Of an access to several
	// lines the others follow at once.
	Leading bool
	// Hit says that all of the bytes were there. First says that the line was prefetched,
	// and that this is its first read: it may be on its way yet.
	Hit, First bool
}

// Prefetcher proposes lines for one cache. It is used by one goroutine.
type Prefetcher interface {
	// Access tells of a read and appends the lines that are worth asking for, the most
	// urgent first. Addresses are aligned to the cache's lines.
	Access(a *Access, lines []uint64) []uint64
	// Filled tells that a line has come, or a part of it; prefetched, that it had been
	// proposed.
	Filled(line uint64, prefetched bool)
	// Reset tells that a kernel has ended, with which an L1 loses its lines: what
	// follows is another program.
	Reset()
}

// Arguments are the values of a policy's parameters.
type Arguments map[string]int

// Table describes what a prefetcher remembers, for energy and area: entries that each
// access searches, and writes. No entries: it remembers nothing.
type Table struct {
	Entries int
	// TagBits of an entry are searched, DataBits come in addition.
	TagBits, DataBits int
}

// Policy is a kind of prefetcher.
type Policy struct {
	Parameters []arch.CallParameter
	// New makes the prefetcher of one cache with lines of so many bytes.
	New func(a Arguments, lineBytes int) Prefetcher
	// Table gives the size of its table; nil: it has none.
	Table func(a Arguments) Table
	// Source says where the policy comes from.
	Source string
}

// None is the word for a cache without a prefetcher.
const None = "none"

// Policies are the kinds of prefetchers by name; see Register.
var Policies = seam.NewRegistry[*Policy]("prefetcher")

// Keys of the caches that may have a prefetcher.
const (
	L1Key = "l1.prefetcher"
	L2Key = "l2.slice.prefetcher"
)

// Register adds a policy, whose name is a word of L1Key and L2Key from then on. A name
// that is taken, or a parameter with a default out of its range, is a programming
// error and panics.
func Register(name string, p *Policy) {
	Policies.Register(name, p)
	for _, key := range []string{L1Key, L2Key} {
		arch.RegisterCall(key, name, p.Parameters)
	}
}

func init() {
	Register("adjacent", &adjacentPolicy)
	Register("next-line", &nextLinePolicy)
	Register("stride", &stridePolicy)
	Register("stream", &streamPolicy)
}

// chosen is what the value of a key says: a policy with its arguments, nil for none.
func chosen(key, value string) (*Policy, Arguments, error) {
	if value == "" || value == None {
		return nil, nil, nil
	}
	call, err := arch.ParseCall(key, value)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", key, err)
	}
	p, err := Policies.Lookup(call.Word)
	return p, call.Arguments, err
}

// New makes the prefetcher that a key's value names, for one cache; nil for none.
func New(key string, c *arch.Cache) (Prefetcher, error) {
	p, arguments, err := chosen(key, c.Prefetcher)
	if p == nil || c.Bytes == 0 {
		return nil, err
	}
	return p.New(arguments, c.LineBytes), nil
}
