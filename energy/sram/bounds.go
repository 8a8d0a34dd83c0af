// SPDX-License-Identifier: Apache-2.0

package sram

import (
	"fmt"
	"math"
)

// MinNodeNM and MaxNodeNM bound the nodes between which the model interpolates.
const (
	MinNodeNM = 22
	MaxNodeNM = 65
)

// beyond is the factor by which the power law is followed outside the grid.
const beyond = 4

// bounds are the extents of the points of a class.
type bounds struct{ low, high Query }

func (b *bounds) include(q Query) {
	if b.low.Bytes == 0 {
		b.low, b.high = q, q
	}
	for i, n := range b.low.extents() {
		*n = min(*n, *q.extents()[i])
	}
	for i, n := range b.high.extents() {
		*n = max(*n, *q.extents()[i])
	}
}

func (q *Query) extents() [5]*int {
	return [5]*int{&q.Bytes, &q.Ways, &q.OutBytes, &q.LineBytes, &q.Banks}
}

var extentNames = [5]string{"capacity in bytes", "ways", "access width in bytes", "line bytes", "banks"}

// check refuses what lies too far from the points.
func (m *Model) check(q Query) error {
	if q.Class >= classCount {
		return fmt.Errorf("memory structure: class %d is unknown", q.Class)
	}
	if math.IsNaN(q.NodeNM) || q.NodeNM < MinNodeNM || q.NodeNM > MaxNodeNM {
		return fmt.Errorf("%s: node %g nm is outside the model's %d to %d nm", q.Class, q.NodeNM, MinNodeNM, MaxNodeNM)
	}
	b := &m.bounds[q.Class]
	n := q.normal()
	for i, v := range n.extents() {
		low, high := *b.low.extents()[i], *b.high.extents()[i]
		if *v < 1 || *v*beyond < low || *v > high*beyond {
			return fmt.Errorf("%s: %s is %d; the model takes %d to %d", q.Class, extentNames[i], *v, max(1, (low+beyond-1)/beyond), high*beyond)
		}
	}
	return nil
}

// Inside reports whether a structure lies within the smallest and largest
// results of its class, so that its estimate interpolates.
func (m *Model) Inside(q Query) bool {
	if m.check(q) != nil {
		return false
	}
	b, n := &m.bounds[q.Class], q.normal()
	for i, v := range n.extents() {
		if *v < *b.low.extents()[i] || *v > *b.high.extents()[i] {
			return false
		}
	}
	return true
}
