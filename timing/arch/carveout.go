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
// (NVIDIA Ampere GPU architecture tuning guide, section 1.4.2.2, recalled), or else all Bytes.
func (s *Shared) Carveout(bytes int) int {
	for _, size := range s.sizes() {
		if bytes <= size {
			return min(size, s.Bytes)
		}
	}
	return s.Bytes
}

// sizes are those of Carveouts, none where nothing is divided.
func (s *Shared) sizes() []int {
	if !s.Divided() {
		return nil
	}
	sizes, _ := parseCarveouts(s.Carveouts) // the checker has told of an error
	return sizes
}

// L1Ways is the ways of the L1 where shared memory has a size that Carveout gives. The L1 grows
// from Bytes to UnifiedBytes as shared memory shrinks from the largest of its sizes to nothing.
// What is no whole way of all sets stays unused.
func (m *Machine) L1Ways(carveout int) int {
	sizes := m.Shared.sizes()
	if len(sizes) == 0 || m.L1.Bytes == 0 || m.L1.UnifiedBytes <= m.L1.Bytes {
		return m.L1.Ways
	}
	largest := sizes[len(sizes)-1]
	more := (m.L1.UnifiedBytes - m.L1.Bytes) * max(largest-carveout, 0) / largest
	return m.L1.Ways + more/(m.L1.Bytes/m.L1.Ways)
}

// WidestL1 is the L1 with the least of Carveouts.
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

// checkCarveouts checks shared_memory.carveouts with l1.unified_bytes.
func (c *checker) checkCarveouts() {
	const list, unified = "shared_memory.carveouts", "l1.unified_bytes"
	m := c.m
	for _, section := range cacheSections {
		if k := m.cache(section); k.UnifiedBytes > 0 && k != &m.L1 {
			c.add(c.origin(section+".unified_bytes"), "%s.unified_bytes: shared memory divides its array with the L1 alone; drop it", section)
		}
	}
	if m.Shared.Divided() != (m.L1.UnifiedBytes > 0) && m.L1.Bytes > 0 {
		c.add(c.latest(list, unified), "%s: %q, but %s: %s; give both, or none and 0", list, m.Shared.Carveouts, unified, formatSize(int64(m.L1.UnifiedBytes)))
		return
	}
	if !m.Shared.Divided() {
		return
	}
	if _, err := parseCarveouts(m.Shared.Carveouts); err != nil {
		c.add(c.origin(list), "%s: %v", list, err)
	}
}

// maxPolicyWays is the most ways among which a replacement policy chooses.
const maxPolicyWays = 64

// checkPolicyWays checks that a replacement policy can choose of all ways of its cache.
func (c *checker) checkPolicyWays() {
	for _, section := range cacheSections {
		k := c.m.cache(section)
		ways := k.Ways
		if k == &c.m.L1 {
			ways = c.m.WidestL1().Ways
		}
		if p := k.Replacement; k.Bytes > 0 && p != "" && p != "lru" && ways > maxPolicyWays {
			c.add(c.latest(section+".replacement", section+".ways"), "%s.replacement: %s chooses of %d ways at most, and the cache has up to %d; take lru, or fewer %s.ways", section, p, maxPolicyWays, ways, section)
		}
	}
}
