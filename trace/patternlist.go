package trace

// lanePatterns is a list of patterns in pages: it grows without copying what it has, and
// without asking for more than it needs, which takes long for what is so large.
type lanePatterns struct {
	pages []*patternPage
	count int
}

const patternPageBits = 7

// patternPage has 32 KiB.
type patternPage [1 << patternPageBits]lanePattern

func (p *lanePatterns) at(n int32) *lanePattern {
	return &p.pages[n>>patternPageBits][n&(1<<patternPageBits-1)]
}

// add appends a pattern and returns its number.
func (p *lanePatterns) add(pattern *lanePattern) int32 {
	n := int32(p.count)
	if p.count>>patternPageBits == len(p.pages) {
		p.pages = append(p.pages, new(patternPage))
	}
	*p.at(n) = *pattern
	p.count++
	return n
}

// truncate leaves the first patterns.
func (p *lanePatterns) truncate(count int) { p.count = count }
