package sm

import "testing"

// A warp is ready on the lists of all kinds of unit, and on no other.
func TestReadyWarpsAreThoseThatLackAUnitAtMost(t *testing.T) {
	for to := range listCount {
		l := newLists()
		l.move(3, to)
		if got, want := l.ready() != 0, to <= lastReady; got != want {
			t.Errorf("a warp on list %d: ready %v, want %v", to, got, want)
		}
	}
}
