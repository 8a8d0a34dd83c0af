// SPDX-License-Identifier: Apache-2.0

package sram

// Class is a kind of memory structure.
type Class uint8

// The classes.
const (
	// Cache is a set-associative cache: data and tags together.
	Cache Class = iota
	// RAM is a directly addressed array: a register file or scratchpad bank, a
	// queue, a table.
	RAM
	// CAM is an array of entries that are searched by content, without data next to
	// them.
	CAM
	// FullyAssociative is a cache or TLB whose tags are a CAM. A lookup costs
	// SearchPJ, and ReadPJ on top when it hits.
	FullyAssociative

	classCount
)

var classNames = [classCount]string{"cache", "ram", "cam", "fully-associative"}

func (c Class) String() string { return classNames[c] }

// Query names a structure and the technology that it is made in.
type Query struct {
	Class Class
	// Bytes is the capacity in data bytes.
	Bytes int
	// Ways is the associativity of a Cache; other classes ignore it.
	Ways int
	// LineBytes is the line of a Cache or FullyAssociative structure and the
	// entry of a CAM; a RAM ignores it.
	LineBytes int
	// OutBytes is the width of one access. It matters more than capacity: CACTI
	// reads OutBytes from every way of a Cache unless it is Sequential.
	OutBytes int
	// Banks is the number of banks behind one port of a RAM, routing included;
	// 0 and 1 mean one. One bank of a banked structure whose crossbar is counted
	// elsewhere is a RAM of one bank.
	Banks int
	// ReadWritePorts gives a RAM one read and one write port in the place of one
	// port for both.
	ReadWritePorts bool
	// Sequential caches read their tags first and then one way (L2 and beyond).
	Sequential bool
	// LowPower chooses the ITRS low-operating-power devices in the place of the
	// high-performance ones: about a sixteenth of the leakage, about half the
	// dynamic energy, twice the delay.
	LowPower bool
	// NodeNM is the feature size in nanometres, MinNodeNM to MaxNodeNM.
	NodeNM float64
}

// Estimate says what a structure costs, at 360 K and nominal voltage.
type Estimate struct {
	ReadPJ    float64 // picojoules per read of OutBytes
	WritePJ   float64 // picojoules per write of OutBytes
	SearchPJ  float64 // picojoules per lookup; zero but for CAM and FullyAssociative
	LeakageMW float64 // milliwatts, all of the structure
	AreaMM2   float64 // square millimetres
	AccessNS  float64 // nanoseconds from address to data
	CycleNS   float64 // nanoseconds between accesses
}

// Metric names a field of Estimate.
type Metric uint8

// The metrics, in the order of Estimate's fields.
const (
	Read Metric = iota
	Write
	Search
	Leakage
	Area
	AccessTime
	CycleTime

	MetricCount = int(CycleTime) + 1
)

var metricNames = [MetricCount]string{"read energy", "write energy", "search energy", "leakage", "area", "access time", "cycle time"}

func (m Metric) String() string { return metricNames[m] }

// Of gives the metric's value.
func (e *Estimate) Of(m Metric) float64 { return *e.at(m) }

func (e *Estimate) at(m Metric) *float64 {
	return [MetricCount]*float64{&e.ReadPJ, &e.WritePJ, &e.SearchPJ, &e.LeakageMW, &e.AreaMM2, &e.AccessNS, &e.CycleNS}[m]
}

// Has reports whether structures of the class have the metric.
func (c Class) Has(m Metric) bool { return m != Search || c == CAM || c == FullyAssociative }

// Classes lists all classes.
func Classes() []Class { return []Class{Cache, RAM, CAM, FullyAssociative} }

// normal gives the query with what its class ignores set to fixed values, so that
// queries that mean the same are equal.
func (q Query) normal() Query {
	q.Banks = max(q.Banks, 1)
	if q.Class != Cache {
		q.Ways, q.Sequential = 1, false
	}
	if q.Class != RAM {
		q.Banks, q.ReadWritePorts = 1, false
	}
	switch q.Class {
	case RAM:
		q.LineBytes = q.OutBytes
	case CAM, FullyAssociative:
		q.OutBytes = q.LineBytes
	}
	return q
}
