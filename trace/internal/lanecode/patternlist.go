// SPDX-License-Identifier: Apache-2.0

package lanecode

import "github.com/warptape/warptape/trace/hugepages"

// Patterns is a list of patterns in pages. It grows without copying what it has, and
// without asking for more than it needs, which takes long for what is so large.
type Patterns struct {
	pages []*patternPage
	count int
}

const patternPageBits = 7

// patternPage has 32 KiB.
type patternPage [1 << patternPageBits]Pattern

func (p *Patterns) At(n int32) *Pattern {
	return &p.pages[n>>patternPageBits][n&(1<<patternPageBits-1)]
}

// Add appends a pattern and returns its number.
func (p *Patterns) Add(pattern *Pattern) int32 {
	n := int32(p.count)
	if p.count>>patternPageBits == len(p.pages) {
		page := new(patternPage)
		hugepages.Back(page[:])
		p.pages = append(p.pages, page)
	}
	*p.At(n) = *pattern
	p.count++
	return n
}

// Truncate leaves the first patterns.
func (p *Patterns) Truncate(count int) { p.count = count }
