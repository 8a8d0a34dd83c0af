package network

// calendar says in which of the cycles to come outputs have an arrival: a wheel of
// sets of outputs, so that a cycle costs what arrives in it and not what is on its
// way.
type calendar struct {
	outputs int
	words   int      // of a slot
	slots   []uint64 // slot c modulo their number is cycle c
	used    bitset   // slots that are not empty
	due     int64    // the first cycle with an arrival, Never without one
}

func newCalendar(outputs, farthest int) calendar {
	c := calendar{outputs: outputs, words: len(newBitset(outputs)), due: Never}
	c.resize(farthest)
	return c
}

// size is the number of slots, a power of two.
func (c *calendar) size() int { return len(c.slots) / c.words }

// resize makes an empty calendar that reaches so many cycles ahead.
func (c *calendar) resize(farthest int) {
	size := 64
	for size <= farthest {
		size *= 2
	}
	c.slots, c.used = make([]uint64, size*c.words), newBitset(size)
}

// slot is the outputs of a cycle.
func (c *calendar) slot(cycle int64) bitset {
	at := (int(cycle) & (c.size() - 1)) * c.words
	return c.slots[at : at+c.words]
}

// add notes an arrival after the cycle now.
func (c *calendar) add(now, cycle int64, output int) {
	if int(cycle-now) >= c.size() {
		c.grow(now, cycle)
	}
	c.slot(cycle).set(output)
	c.used.set(int(cycle) & (c.size() - 1))
	c.due = min(c.due, cycle)
}

// grow makes room for an arrival in a cycle.
func (c *calendar) grow(now, cycle int64) {
	before := *c
	c.resize(int(cycle - now))
	for ; before.due != Never; before.done() {
		copy(c.slot(before.due), before.slot(before.due))
		c.used.set(int(before.due) & (c.size() - 1))
	}
}

// done empties the slot of the cycle due and goes on to the next.
func (c *calendar) done() {
	clear(c.slot(c.due))
	c.used.clear(int(c.due) & (c.size() - 1))
	c.due = c.after(c.due)
}

// after is the first cycle with an arrival after another, whose slot is empty; Never
// without one.
func (c *calendar) after(cycle int64) int64 {
	start := int(cycle+1) & (c.size() - 1)
	i := c.used.from(start)
	if i < 0 {
		return Never
	}
	return cycle + 1 + int64((i-start)&(c.size()-1))
}
