// SPDX-License-Identifier: Apache-2.0

package command

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// meter shows progress with rate and time left on a terminal, and is silent in
// a pipe or with --quiet. Its methods may be called from several goroutines.
type meter struct{ bar *progressbar.ProgressBar }

// newMeter counts warp instructions; a negative total means that the end is
// not known.
func newMeter(w io.Writer, quiet bool, total int64, what string) *meter {
	f, ok := w.(*os.File)
	if quiet || !ok || !term.IsTerminal(int(f.Fd())) {
		return &meter{}
	}
	return &meter{progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetItsString("warp-insn"),
		progressbar.OptionShowIts(),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionFullWidth(),
		progressbar.OptionClearOnFinish(),
	)}
}

// set moves the bar to n warp instructions.
func (m *meter) set(n uint64) {
	if m.bar != nil {
		// A bar that cannot be drawn must not end the run.
		_ = m.bar.Set64(int64(n))
	}
}

// done removes the bar.
func (m *meter) done() {
	if m.bar != nil {
		_ = m.bar.Finish()
	}
}
