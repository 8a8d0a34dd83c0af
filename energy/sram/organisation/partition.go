// SPDX-License-Identifier: Apache-2.0

package organisation

import "math"

// Array is what is to be organised.
type Array struct {
	Bytes, Ways, LineBytes, OutBytes int
	// Banks are behind one port, with the wires to them.
	Banks int
	// Tagged arrays are caches. Sequential ones read their tags first.
	Tagged, Sequential bool
	// ReadWritePorts gives one port for reads and one for writes in the place of one for both.
	ReadWritePorts bool
	LowPower       bool
	// NodeNM is 65, 45, 32 or 22.
	NodeNM int
	// Rows is the fewest rows of a subarray: 16 in CACTI.
	Rows int
}

// Partition is an organisation: how often word lines and bit lines are cut (Ndwl and Ndbl of CACTI), and how
// many sets lie in a row (Nspd). Columns share a sense amplifier. Amplifiers share an output by two levels
// of multiplexers.
type Partition struct {
	WordCuts, BitCuts                int
	SetsPerRow                       float64
	Columns, FirstLevel, SecondLevel int
}

const (
	mostCuts       = 512
	mostSets       = 256
	mostColumns    = 256
	fewestColumns  = 2
	mostSubarray   = 262144
	addressBits    = 42
	moreTagBits    = 5
	subarraysOfMat = 4 // two by two
	subarraysOfRow = 2
)

// ports counts the ports: that read, that write, and all.
func (a *Array) ports() (read, write, all int) {
	if a.ReadWritePorts {
		return 1, 1, 2
	}
	return 1, 1, 1
}

// layout is what follows from a partition of data or of tags: rows and columns of a subarray, mats, and the bits that
// go in and out.
type layout struct {
	Partition
	tags           bool
	rows, columns  int
	across, down   int // mats
	active         int // mats of an access
	outMat, inMat  int // bits of a mat
	addressMat     int
	selects        int // signals that select a way
	senseAddresses int // what the address selects at the first level of multiplexers
	subbankBits    int
	tagBits        int
	inBank         int
	outBank        int
	waysOfTags     int
}

// lay computes the layout of a partition; false, where it cannot be built.
func (a *Array) lay(tags bool, p Partition) (layout, bool) {
	l, ok := a.subarray(tags, p)
	if !ok {
		return l, false
	}
	l.across, l.down = p.WordCuts/2, p.BitCuts/2
	l.outMat = max(subarraysOfMat*l.columns/(p.Columns*p.FirstLevel*p.SecondLevel), 1)
	if l.outMat < subarraysOfMat {
		return l, false
	}
	if !l.route(a, a.dataWays()) || l.active > l.across {
		return l, false
	}
	l.subbankBits = log2(l.across * l.down / l.active)
	l.addressMat = log2(l.rows) + log2(p.Columns) + log2(l.senseAddresses) + log2(p.SecondLevel)
	return l, true
}

// dataWays are the ways that data are read of.
func (a *Array) dataWays() int {
	if a.Sequential {
		return 1
	}
	return a.Ways
}

// subarray computes rows and columns, on which multiplexers have no influence.
func (a *Array) subarray(tags bool, p Partition) (layout, bool) {
	l := layout{Partition: p, tags: tags, waysOfTags: a.Ways}
	ways, bits := a.dataWays(), 8*a.LineBytes
	if tags {
		ways = a.Ways
		l.tagBits = addressBits + moreTagBits - log2(a.Bytes) + log2(2*a.Ways-1)
		bits = l.tagBits
	}
	rows := math.Ceil(float64(a.Bytes) / (float64(a.Banks*a.LineBytes*ways*p.BitCuts) * p.SetsPerRow))
	columns := math.Ceil(float64(bits*ways) * p.SetsPerRow / float64(p.WordCuts))
	l.rows, l.columns = int(rows), int(columns)
	return l, l.rows >= a.Rows && l.rows <= mostSubarray && l.columns >= fewestColumns && l.columns <= mostSubarray
}

// route computes which mats an access uses, and the bits of mats and banks.
func (l *layout) route(a *Array, dataWays int) bool {
	if l.tags {
		if l.outMat < l.tagBits {
			return false
		}
		l.senseAddresses = l.FirstLevel
		l.active = l.tagBits * a.Ways / l.outMat
		if l.active == 0 {
			return false
		}
		l.outMat = a.Ways / l.active
		l.inMat, l.inBank, l.outBank = l.tagBits, l.tagBits, dataWays
		return true
	}
	l.senseAddresses = l.FirstLevel / dataWays
	l.active = 8 * a.OutBytes / l.outMat
	l.inMat, l.inBank, l.outBank = l.outMat, 8*a.OutBytes+dataWays, 8*a.OutBytes
	if dataWays > 1 {
		l.selects = dataWays
	}
	return l.senseAddresses >= 1 && l.active >= 1
}
