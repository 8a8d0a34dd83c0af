// SPDX-License-Identifier: Apache-2.0

package affine

// Type says how a value varies over threads, from the most specific to the most
// general (section 4.7). The paper's affine type is split. A Block value has
// offsets of blockIdx only, so that it is a scalar within a thread block. A Modulo
// value is a mod-type tuple, which goes on only with scalars (section 4.4).
type Type uint8

// The types.
const (
	unknown Type = iota // no definition has been seen
	Scalar              // the same in all threads of a launch
	Block               // the same in all threads of a thread block
	Affine              // base + offsets by threadIdx and blockIdx
	Modulo              // an affine value modulo a scalar, scaled and shifted
	NonAffine
)

var typeNames = [...]string{"unknown", "scalar", "affine by block", "affine", "mod-type", "non-affine"}

func (t Type) String() string { return typeNames[t] }

// condition is a divergent affine condition: it tells the threads apart that use one
// definition of a value from those that use another (section 4.7).
type condition struct {
	// place is the block where the definitions meet; for min, max, abs, selp and
	// guarded instructions, which choose by themselves, the instruction.
	place    uint32
	byItself bool
	// ways are the predecessors of the block from which the definition comes, never
	// the first one: the complement is the same condition.
	ways uint64
}

// maxConditions is the most divergent conditions of an affine value (section 4.6):
// two make four tuples.
const maxConditions = 2

// conditions is a set of divergent conditions.
type conditions struct {
	list [maxConditions]condition
	n    uint8 // more than maxConditions: too many
	// carried says that a loop carries a divergent value.
	carried bool
}

func (c *conditions) add(x condition) {
	if c.n > maxConditions {
		return
	}
	for _, y := range c.list[:c.n] {
		if x == y {
			return
		}
	}
	if c.n < maxConditions {
		c.list[c.n] = x
	}
	c.n++
}

func (c *conditions) union(d conditions) {
	c.carried = c.carried || d.carried
	if d.n > maxConditions {
		c.n = d.n
		return
	}
	for _, x := range d.list[:d.n] {
		c.add(x)
	}
}

// divergent reports whether threads may have different tuples.
func (c *conditions) divergent() bool { return c.n > 0 || c.carried }

// cause says why a value is not affine.
type cause struct {
	instr uint32
	text  string // empty: none
}

// fact is what is known of a value.
type fact struct {
	typ   Type
	zeros uint8 // lowest bits that are zero in every thread, up to 64
	// linked says that the address of a variable is in it, whose value the loader
	// chooses: no pass knows it.
	linked     bool
	conditions conditions
	cause      cause // of a NonAffine value
}

// nothing is the fact from which the fixed point starts.
var nothing = fact{typ: unknown, zeros: 64}

// join adds what holds for another value that may take the same place.
func (f *fact) join(g fact) {
	if g.typ > f.typ {
		f.typ = g.typ
		f.cause = g.cause
	}
	f.zeros = min(f.zeros, g.zeros)
	f.linked = f.linked || g.linked
	f.conditions.union(g.conditions)
}
