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
	// Path is its place in the component tree: "chip/sm/tinycache".
	Path string
	Kind StructureKind
	// Count is the number of instances on the chip.
	Count int
	// Entries of EntryBits each, in Ways ways (CacheArray), with Ports read-write
	// ports.
	Entries, EntryBits, Ways, Ports int
	// TagBits of an entry of a CacheArray, or the searched bits of a CAM.
	TagBits int
	// Operation names an operation's energy ("op.int_add") for Logic, per
	// instance and event of a charge.
	Operation string
	// MillimetresLong is the length of a Wire; a charge counts bits.
	MillimetresLong float64
	// Charges say which counters use it, and how.
	Charges []StructureCharge
	// ReadPJ, WritePJ, SearchPJ per access, LeakageW and AreaMM2 per instance
	// replace the model's where a publication gives them; zero: the model's.
	ReadPJ, WritePJ, SearchPJ, LeakageW, AreaMM2 float64
	// Source says where sizes and given values come from (paper, section).
	Source string
}

// StructureUse is what one event of a counter does to a structure.
type StructureUse uint8

// The uses.
const (
	Read StructureUse = iota
	Write
	Search
	// Operate is an operation of a Logic, or a bit over a Wire.
	Operate
)

// StructureCharge prices a counter.
type StructureCharge struct {
	Counter string // the declared name
	Use     StructureUse
	// Share of the entry that is accessed (a word of a line), or a number of
	// accesses or bits per event; zero is one.
	Share float64
}
