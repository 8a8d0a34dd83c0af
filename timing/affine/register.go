// SPDX-License-Identifier: Apache-2.0

package affine

import "slices"

// maxTuples is the most tuples of one register: two divergent conditions make four
// (section 4.6).
const maxTuples = 1 << maxConditions

// register is a register of the affine warp: its tuples, and which threads have which.
type register struct {
	n     int
	items [maxTuples]version
}

// version is a tuple with the threads whose value it gives.
type version struct {
	tuple Tuple
	all   bool // of all threads that are still there; lanes says nothing then
	lanes *Lanes
}

// assign gives the threads of lanes a tuple; all says that no others are left. When
// more versions are alive than the compiler allows for those that anything reads, the
// oldest is of a value that nothing reads any more.
func (r *register) assign(t Tuple, lanes, alive *Lanes, all bool) {
	if all {
		r.n = 1
		r.items[0].tuple, r.items[0].all = t, true
		return
	}
	k := 0
	for i := range r.n {
		v := &r.items[i]
		if v.all {
			v.own().copyOf(alive)
			v.all = false
		}
		v.lanes.remove(lanes)
		if !v.lanes.empty() {
			r.items[k], r.items[i] = r.items[i], r.items[k]
			k++
		}
	}
	if k == maxTuples {
		k = r.fold()
	}
	if k == maxTuples {
		oldest := r.items[0]
		copy(r.items[:], r.items[1:])
		r.items[maxTuples-1] = oldest
		k--
	}
	v := &r.items[k]
	v.tuple, v.all = t, false
	v.own().copyOf(lanes)
	r.n = k + 1
}

// fold joins versions with the same tuple into one, which is as old as the youngest of them. It returns the
// number of versions that are left. Threads may leave a loop one after the other, with a value that each
// iteration computes anew and that stays the same: each of them then has a version.
func (r *register) fold() (k int) {
	for i := range r.items {
		older := &r.items[i]
		younger := slices.IndexFunc(r.items[i+1:], func(v version) bool { return v.tuple == older.tuple })
		if younger >= 0 {
			r.items[i+1+younger].lanes.unite(older.lanes)
			continue
		}
		r.items[k], r.items[i] = r.items[i], r.items[k]
		k++
	}
	return k
}

// wrap marks all tuples as such that may be wrong.
func (r *register) wrap() {
	for i := range r.n {
		r.items[i].tuple.Wrapped = true
	}
}

// own gives the version's set of threads, made when first needed.
func (v *version) own() *Lanes {
	if v.lanes == nil {
		v.lanes = new(Lanes)
	}
	return v.lanes
}

// only is the tuple that all of the threads have, if it is one.
func (r *register) only(lanes *Lanes) (*Tuple, bool) {
	for i := range r.n {
		if v := &r.items[i]; v.all || v.lanes.contains(lanes) {
			return &v.tuple, true
		}
	}
	return nil, false
}
