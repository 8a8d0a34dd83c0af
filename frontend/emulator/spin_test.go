// SPDX-License-Identifier: Apache-2.0

package emulator

import "testing"

// A path that counts its rounds lets another have its turn after spinLimit visits of waiting loops on end. What
// it does outside of them, or together with all lanes of the warp, begins the count anew.
func TestAPathThatWaitsOnEndLetsAnotherGoOn(t *testing.T) {
	const all, waiting = 3, 1
	for what, c := range map[string]struct {
		once  func(s *scheduler, w *warp) // in the midst
		turns bool
	}{
		"it waits":           {func(s *scheduler, w *warp) { s.noteSpin(w, true) }, true},
		"it leaves the loop": {func(s *scheduler, w *warp) { s.noteSpin(w, false) }, false},
		"it is all of the warp": {func(s *scheduler, w *warp) {
			w.live = waiting
			s.noteSpin(w, true)
			w.live = all
		}, false},
		"another has its turn": {func(s *scheduler, w *warp) {
			w.stack.paths[0], w.stack.paths[1] = w.stack.paths[1], w.stack.paths[0]
			s.noteSpin(w, true)
			w.stack.paths[0], w.stack.paths[1] = w.stack.paths[1], w.stack.paths[0]
		}, false},
	} {
		w, s := &warp{live: all}, new(scheduler)
		w.stack.paths = []path{{mask: 2, id: 1}, {mask: waiting, id: 2}}
		for range spinLimit / 2 {
			s.noteSpin(w, true)
		}
		c.once(s, w)
		for range spinLimit/2 + spinLimit/4 {
			s.noteSpin(w, true)
		}
		if turns := w.stack.top().id != 2; turns != c.turns {
			t.Errorf("%s: the other path has its turn: %t", what, turns)
		}
	}
}
