package trace

// The contexts of lane classes: by what a class is predicted. See LaneContext in
// wtape.proto.
const (
	contextNone     = iota
	contextSameLane // the class that the lane had last
	contextKey      // the key of a model with a table
	contextEnd
)

// maxContexts is the largest number of contexts; contextCount is that of each kind.
const maxContexts = 32

var contextCount = [contextEnd]int{contextNone: 1, contextSameLane: 16, contextKey: maxContexts}

// contextOfClass is the context of the class after a class of the same lane.
var contextOfClass = func() (t [256]uint8) {
	for class := range t {
		t[class] = uint8(class)
		if class >= exactClasses {
			t[class] = uint8(min(15, exactClasses+(class-exactClasses)/4))
		}
	}
	return t
}()

// keyContexts finds the contexts of the lanes of the next execution by their keys.
func (m *laneModel) keyContexts(warp int, out *[warpLanes]uint8) {
	m.begin(warp)
	known, keys, unit := m.seen, &m.last, uint(0)
	if m.kind == modelMap {
		known, keys, unit = m.companion.known(m.warp), &m.companion.addresses, m.unit
	}
	if known == allWarpLanes {
		for l, key := range keys {
			out[l] = uint8(key>>(unit&63)) % maxContexts
		}
		return
	}
	for l, key := range keys {
		out[l] = uint8(key>>(unit&63)) % maxContexts & -uint8(known>>l&1)
	}
}

// The open bits of a code are symbols of at most nibbleBits bits, lowest first. The
// table of a symbol is chosen by its place and width.
const (
	nibbleBits   = 4
	nibbleTotal  = 1 << nibbleScale
	nibbleScale  = 10 // bits of a frequency
	nibbleTables = nibbleBits * 64 / nibbleBits
)

// nibbleTable is the number of the table of the open bits from a place on, and how
// many there are of them.
func nibbleTable(place, open uint) (table int, width uint) {
	width = min(nibbleBits, open-place)
	return int(place + width - 1), width
}
