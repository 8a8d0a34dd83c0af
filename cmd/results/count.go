// SPDX-License-Identifier: Apache-2.0

package results

// Counts says how many points of a sweep there are of each kind.
type Counts struct {
	Points     int `json:"points"`
	Done       int `json:"done"`
	Refused    int `json:"refused"`    // the machine cannot run the trace
	Failed     int `json:"failed"`     // the replay; the next run of the sweep tries it again
	Impossible int `json:"impossible"` // there is no such machine
	Missing    int `json:"missing"`
}

// Count looks which points of a sweep have results; it does not read them.
func (s *Store) Count(m *Manifest) (Counts, error) {
	c := Counts{Points: len(m.Points)}
	for i := range m.Points {
		p := &m.Points[i]
		if p.Key == "" {
			c.Impossible++
			continue
		}
		if s.Has(p.Key) {
			c.Done++
			continue
		}
		f, err := s.Failure(p.Key)
		switch {
		case err != nil:
			return c, err
		case f == nil:
			c.Missing++
		case f.Refused:
			c.Refused++
		default:
			c.Failed++
		}
	}
	return c, nil
}
