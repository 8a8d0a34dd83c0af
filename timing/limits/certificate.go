// SPDX-License-Identifier: Apache-2.0

package limits

import (
	"fmt"

	"github.com/warptape/warptape/timing/arch"
)

// Certificate says for which values of a machine's keys a replay would have been the same.
// The zero value says it for no value but the machine's own.
type Certificate struct {
	least  map[string]int
	caches map[string]Contents
}

// Contents tells of a cache whether another one would have answered every access in the same
// way.
type Contents interface {
	SameAs(other *arch.Cache) bool
}

// Add adds a part with a limit that a key describes: the capacity is offset less than the value
// of the limit. All parts that the key describes are added.
func (c *Certificate) Add(key string, l *Limit, offset int) {
	if c.least == nil {
		c.least = map[string]int{}
	}
	least := int(l.mark) - offset
	if before, found := c.least[key]; found {
		least = max(least, before)
	}
	if l.reached() {
		least = reached
	}
	c.least[key] = least
}

// reached is more than every capacity.
const reached = int(^uint(0) >> 1)

// Refuse says that a key was read otherwise than by a limit.
func (c *Certificate) Refuse(key string) { c.Add(key, &Limit{capacity: -1}, 0) }

// AddCache adds the contents of the caches that a section of the architecture describes.
func (c *Certificate) AddCache(section string, x Contents) {
	if c.caches == nil {
		c.caches = map[string]Contents{}
	}
	if before, found := c.caches[section]; found {
		x = both{before, x}
	}
	c.caches[section] = x
}

// both are several caches of the same description.
type both [2]Contents

// SameAs implements Contents.
func (b both) SameAs(other *arch.Cache) bool { return b[0].SameAs(other) && b[1].SameAs(other) }

// Least is the least value of a key with which the replay would have been the same. It
// would have been so with every greater one, too. Least gives false when none but the
// machine's own is known to do.
func (c *Certificate) Least(key string) (int, bool) {
	least, found := c.least[key]
	return least, found && least < reached
}

// Covers reports whether a replay on the machine own, whose certificate this is, gives what one
// on another gives. The two have the same arch.Machine.FamilyDigest.
func (c *Certificate) Covers(own, other *arch.Machine) bool { return len(c.Misses(own, other)) == 0 }

// Misses lists the keys and values of another machine for which the certificate does not hold.
func (c *Certificate) Misses(own, other *arch.Machine) []string {
	var list []string
	for _, key := range arch.LimitKeys() {
		value := other.LimitValue(key)
		if value == own.LimitValue(key) {
			continue
		}
		if least, ok := c.Least(key); !ok || value < least {
			list = append(list, fmt.Sprintf("%s=%d", key, value))
		}
	}
	for _, section := range arch.CacheSections() {
		to := other.CacheOf(section)
		if own.CacheOf(section).SameContents(to) {
			continue
		}
		if x := c.caches[section]; x == nil || !x.SameAs(to) {
			list = append(list, fmt.Sprintf("%s=%d/%d %s %s", section, to.Bytes, to.Ways, to.Index, to.Replacement))
		}
	}
	return list
}
