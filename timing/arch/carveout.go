// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"fmt"
	"strings"
)

// Divided reports whether L1 and shared memory divide one array anew for each launch.
func (s *Shared) Divided() bool { return s.Carveouts != "" && s.Carveouts != "none" }

// Carveout is the size of shared memory that a launch has whose resident thread blocks take so
// many bytes: the least of Carveouts that holds them, so that shared memory bounds no occupancy
// (NVIDIA Ampere GPU architecture tuning guide, section 1.4.2.2), or else all Bytes.
func (s *Shared) Carveout(bytes int) int {
	if s.Divided() {
		sizes, _ := parseCarveouts(s.Carveouts)
		for _, size := range sizes {
			if bytes <= size {
				return min(size, s.Bytes)
			}
		}
	}
	return s.Bytes
}

// L1Ways is the ways of the L1 beside shared memory of a size that Carveout gives. It grows
// from Ways to UnifiedWays as shared memory shrinks from the largest of its sizes to nothing.
func (m *Machine) L1Ways(carveout int) int {
	if m.L1.UnifiedWays == 0 || !m.Shared.Divided() {
		return m.L1.Ways
	}
	sizes, _ := parseCarveouts(m.Shared.Carveouts)
	largest := sizes[len(sizes)-1]
	return m.L1.Ways + (m.L1.UnifiedWays-m.L1.Ways)*max(largest-carveout, 0)/largest
}

// WidestL1 is the L1 beside the least of Carveouts.
func (m *Machine) WidestL1() Cache {
	c := m.L1
	if ways := m.L1Ways(m.Shared.Carveout(0)); ways != c.Ways {
		c.Bytes, c.Ways = c.Bytes/c.Ways*ways, ways
	}
	return c
}

// parseCarveouts reads the value of shared_memory.carveouts: sizes that grow.
func parseCarveouts(value string) ([]int, error) {
	inside, found := strings.CutPrefix(value, "sizes(")
	inside, closed := strings.CutSuffix(inside, ")")
	if !found || !closed {
		return nil, fmt.Errorf("%q: write none, or sizes that grow, such as sizes(0,8KiB,96KiB)", value)
	}
	var sizes []int
	for word := range strings.SplitSeq(inside, ",") {
		n, err := parseSize(strings.TrimSpace(word))
		if err != nil {
			return nil, err
		}
		if len(sizes) > 0 && int(n) <= sizes[len(sizes)-1] {
			return nil, fmt.Errorf("%s comes after %s; write sizes that grow, such as sizes(0,8KiB,96KiB)", formatSize(n), formatSize(int64(sizes[len(sizes)-1])))
		}
		sizes = append(sizes, int(n))
	}
	if sizes[len(sizes)-1] == 0 {
		return nil, fmt.Errorf("%q: no launch has shared memory; the last size is what the largest has, such as 96KiB", value)
	}
	return sizes, nil
}

// checkCarveouts checks shared_memory.carveouts with l1.unified_ways.
func (c *checker) checkCarveouts() {
	const list, unified = "shared_memory.carveouts", "l1.unified_ways"
	m := c.m
	for _, section := range cacheSections {
		if k := m.cache(section); k.UnifiedWays > 0 && k != &m.L1 {
			c.add(c.origin(section+".unified_ways"), "%s.unified_ways: shared memory divides its array with the L1 alone; drop it", section)
		}
	}
	switch {
	case !m.Shared.Divided() && m.L1.UnifiedWays == 0:
		return
	case m.Shared.Divided() != (m.L1.UnifiedWays > 0) && m.L1.Bytes > 0:
		c.add(c.latest(list, unified), "%s: %s, but %s: %d; give both, or neither", list, m.Shared.Carveouts, unified, m.L1.UnifiedWays)
		return
	}
	sizes, err := parseCarveouts(m.Shared.Carveouts)
	if err != nil {
		c.add(c.origin(list), "%s: %v", list, err)
		return
	}
	if m.L1.Bytes == 0 {
		return // l1-off: nothing is divided
	}
	c.checkDivisions(sizes)
}

// checkDivisions checks that the L1 can have each of its sizes.
func (c *checker) checkDivisions(sizes []int) {
	const list, unified = "shared_memory.carveouts", "l1.unified_ways"
	l1, largest := &c.m.L1, sizes[len(sizes)-1]
	if l1.UnifiedWays < l1.Ways {
		c.add(c.latest(unified, "l1.ways"), "%s: %d; the L1 has at least the %d ways that it has beside the largest shared memory (l1.ways)", unified, l1.UnifiedWays, l1.Ways)
		return
	}
	for _, size := range sizes {
		if (l1.UnifiedWays-l1.Ways)*(largest-size)%largest != 0 {
			c.add(c.latest(list, unified, "l1.ways"), "%s: beside %s of shared memory the L1 has no whole number of ways, of %d to %d; take other %s", list, formatSize(int64(size)), l1.Ways, l1.UnifiedWays, unified)
		}
	}
	if p := l1.Replacement; p != "" && p != "lru" {
		c.add(c.latest("l1.replacement", list), "l1.replacement: %s keeps its state for a fixed number of ways, and %s changes it; take lru, or %s: none and %s: 0", p, list, list, unified)
	}
	if w := l1.Write; w != "through_no_allocate" && w != "through_allocate" {
		c.add(c.latest("l1.write", list), "l1.write: with %s the L1 may hold dirty lines in ways that %s takes from it; take through_no_allocate", w, list)
	}
}
