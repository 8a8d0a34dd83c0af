// SPDX-License-Identifier: Apache-2.0

package arch

// StructureKind says which model gives the cost of a structure.
type StructureKind uint8

// The kinds.
const (
	// RAM is an array that is read and written at an index.
	RAM StructureKind = iota
	// CacheArray is tags and data, looked up together.
	CacheArray
	// CAM is an array that is searched by content.
	CAM
	// Logic costs what an operation of the energy model's list costs: Operation.
	Logic
	// Wire moves bits over MillimetresLong.
	Wire
)

// Structure is hardware that a mechanism adds to a machine, in the terms that
// an energy model prices: timing counts what happens to it, and knows no joule.
type Structure struct {
	// Path is its place in the component tree: "chip/sm/tinycache". It is a leaf of
	// its own; a CacheArray without given values has the leaves tags and data there.
	Path string
	Kind StructureKind
	// MemoryHierarchy says that it is part of the on-chip memory hierarchy, as
	// caches, scratchpads and TLBs are: figures of that count it.
	MemoryHierarchy bool
	// Count is the number of instances on the chip.
	Count int
	// Entries of EntryBits each, in Ways ways (CacheArray; as many as entries:
	// fully associative), with Ports read-write ports (zero: one).
	Entries, EntryBits, Ways, Ports int
	// EntryBits of a CacheArray are its data; TagBits come in addition. A CAM searches
	// TagBits of an entry, zero: all, and reads the others from a RAM.
	TagBits int
	// Operation names an operation's energy ("op.int_add") for Logic, per
	// instance and event of a charge.
	Operation string
	// MillimetresLong is the length of a Wire, EntryBits its width, for leakage and
	// area of its repeaters; a charge counts bits.
	MillimetresLong float64
	// Charges say which counters use it, and how.
	Charges []StructureCharge
	// ReadPJ, WritePJ, SearchPJ per access, LeakageW and AreaMM2 per instance
	// replace the model's where a publication gives them; zero: the model's. ReadPJ
	// is also what an operation of a Logic or a bit over a Wire costs.
	ReadPJ, WritePJ, SearchPJ, LeakageW, AreaMM2 float64
	// PowerW is given in the place of LeakageW where a publication has the whole power of
	// an instance: at PowerMHz, with the uses in a cycle that charges name (PerCycle).
	// What the uses take is taken off, and the rest is drawn all the time, in proportion
	// to the core clock.
	PowerW, PowerMHz float64
	// GivenNM is the node in nanometres for which the given values hold; zero: the
	// machine's own.
	GivenNM float64
	// Source says where sizes and given values come from (paper, section).
	Source string
}

// StructureUse is what one event of a counter does to a structure.
type StructureUse uint8

// The uses.
const (
	Read StructureUse = iota
	Write
	// Search looks for an entry in a CAM, or in the tags of a CacheArray.
	Search
	// Operate is an operation of a Logic, or a bit over a Wire.
	Operate
)

// StructureCharge prices a counter.
type StructureCharge struct {
	Counter string // the declared name
	Use     StructureUse
	// Share of the entry that is accessed (a word of a line), or a number of
	// accesses or bits per event; zero is one. Tags are searched whole.
	Share float64
	// PerCycle is how often an instance is used in a cycle where its PowerW holds.
	PerCycle float64
}

// PowerGate cuts the supply of a part of the chip: while a counter counts, it
// draws no leakage but Residual of it.
type PowerGate struct {
	// Path is the gated node of the component tree: "chip/sm/front end".
	Path string
	// Instances of the node on the chip; they are alike.
	Instances int
	// GatedCycles names the counter of core cycles in which an instance is off,
	// summed over instances.
	GatedCycles string
	// Residual is the part of the leakage that remains when it is off, 0 to 1.
	Residual float64
	// WakeUps names the counter of times at which an instance is switched on again,
	// and WakePJ is what one costs, at the machine's own node.
	WakeUps string
	WakePJ  float64
	// Spared lists charges of the node that are not due for events that happened
	// without it.
	Spared []SparedCharge
	Source string
}

// SparedCharge says that of the events of Counter those that By counts cost
// nothing in a node that was off.
type SparedCharge struct{ Counter, By string }

// PowerGated is a Section that switches parts of the chip off.
type PowerGated interface {
	Section
	// PowerGates lists them; the nodes must not overlap.
	PowerGates(m *Machine) []PowerGate
}
