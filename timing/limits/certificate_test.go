// SPDX-License-Identifier: Apache-2.0

package limits_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/limits"
)

// enough is the size in bytes from which a cache gives the same answers.
type enough int

func (e enough) SameAs(other *arch.Cache) bool { return other.Bytes >= int(e) }

// A certificate covers machines with at least the limits that it names. It misses a key that no part has tested or that
// was read otherwise, and the description of two caches where one of them would answer otherwise.
func TestACertificateCoversWhatItNames(t *testing.T) {
	own, err := arch.Load("gtx480")
	if err != nil {
		t.Fatal(err)
	}
	var keys []string // of limits that this machine has
	for _, key := range arch.LimitKeys() {
		if own.LimitValue(key) > 1 {
			keys = append(keys, key)
		}
	}
	section := arch.CacheSections()[0]
	cache := *own.CacheOf(section)
	if len(keys) < 3 {
		t.Fatalf("the machine has the limits %v alone", keys)
	}
	tested, refused, untested := keys[0], keys[1], keys[2]
	capacity := own.LimitValue(tested)
	l := limits.New(capacity)
	if l.Full(capacity - 2) {
		t.Fatal("it is full below its capacity")
	}
	var c limits.Certificate
	if _, ok := c.Least(tested); ok {
		t.Error("a certificate of nothing names a least value")
	}
	c.Add(tested, &l, 0)
	c.Refuse(refused)
	least, ok := c.Least(tested)
	if !ok || least != capacity-1 {
		t.Fatalf("%d, %v is the least value of %s; a capacity of %d has held %d", least, ok, tested, capacity, capacity-2)
	}
	if _, ok := c.Least(refused); ok {
		t.Errorf("%s has a least value", refused)
	}
	misses := func(change func(m *arch.Machine)) []string {
		other := own.Clone()
		change(other)
		list := c.Misses(own, other)
		if c.Covers(own, other) != (len(list) == 0) {
			t.Errorf("it covers a machine: %v, and misses %q", c.Covers(own, other), list)
		}
		for i := range list {
			list[i], _, _ = strings.Cut(list[i], "=")
		}
		return list
	}
	for _, x := range []struct {
		what   string
		change func(m *arch.Machine)
		want   []string
	}{
		{"the machine itself", func(*arch.Machine) {}, nil},
		{"more", func(m *arch.Machine) { m.SetLimit(tested, capacity+1) }, nil},
		{"the least", func(m *arch.Machine) { m.SetLimit(tested, least) }, nil},
		{"less than the least", func(m *arch.Machine) { m.SetLimit(tested, least-1) }, []string{tested}},
		{"what was read otherwise", func(m *arch.Machine) { m.SetLimit(refused, own.LimitValue(refused)+1) }, []string{refused}},
		{"what nothing has tested", func(m *arch.Machine) { m.SetLimit(untested, own.LimitValue(untested)+1) }, []string{untested}},
		{"a cache that is not in it", func(m *arch.Machine) { m.CacheOf(section).Bytes *= 2 }, []string{section}},
	} {
		if got := misses(x.change); !slices.Equal(got, x.want) {
			t.Errorf("%s: missed are %q, want %q", x.what, got, x.want)
		}
	}
	c.AddCache(section, enough(cache.Bytes/4))
	for bytes, want := range map[int][]string{2 * cache.Bytes: nil, cache.Bytes / 4: nil, cache.Bytes / 8: {section}} {
		if d := cmp.Diff(want, misses(func(m *arch.Machine) { m.CacheOf(section).Bytes = bytes })); d != "" {
			t.Errorf("a cache of %d bytes: %s", bytes, d)
		}
	}
	c.AddCache(section, enough(cache.Bytes/2)) // both of them have to answer alike
	for bytes, want := range map[int][]string{cache.Bytes / 2: nil, cache.Bytes / 4: {section}} {
		if d := cmp.Diff(want, misses(func(m *arch.Machine) { m.CacheOf(section).Bytes = bytes })); d != "" {
			t.Errorf("two caches of %d bytes: %s", bytes, d)
		}
	}
	c = limits.Certificate{}
	c.AddCache(section, enough(cache.Bytes/2)) // the first asks for more
	c.AddCache(section, enough(cache.Bytes/4))
	for bytes, want := range map[int][]string{cache.Bytes / 2: nil, cache.Bytes / 4: {section}} {
		if d := cmp.Diff(want, misses(func(m *arch.Machine) { m.CacheOf(section).Bytes = bytes })); d != "" {
			t.Errorf("two caches of %d bytes, and the first asks for more: %s", bytes, d)
		}
	}
	last := arch.CacheSections()[len(arch.CacheSections())-1] // behind others that are alike
	if d := cmp.Diff([]string{last}, misses(func(m *arch.Machine) { m.CacheOf(last).Ways++ })); d != "" {
		t.Error(d)
	}
	key := keys[len(keys)-1]
	if d := cmp.Diff([]string{key}, misses(func(m *arch.Machine) { m.SetLimit(key, own.LimitValue(key)+1) })); d != "" {
		t.Error(d)
	}
}
