// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// transferMeter shows the progress of a push or a pull on a terminal, like meter.
type transferMeter struct {
	meter
	w           io.Writer
	quiet       bool
	description string
}

func newTransferMeter(w io.Writer, quiet bool, description string) *transferMeter {
	return &transferMeter{w: w, quiet: quiet, description: description}
}

// update moves the bar; the first call makes it, since only then is the total known.
func (m *transferMeter) update(done, total int64) {
	f, ok := m.w.(*os.File)
	if m.quiet || !ok || !term.IsTerminal(int(f.Fd())) {
		return
	}
	if m.bar == nil {
		m.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetWriter(m.w),
			progressbar.OptionSetDescription(m.description),
			progressbar.OptionShowBytes(true),
			progressbar.OptionShowTotalBytes(true),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionThrottle(100*time.Millisecond),
			progressbar.OptionFullWidth(),
			progressbar.OptionClearOnFinish(),
		)
	}
	m.set(uint64(done))
}

// notice prints a line above the bar.
func (m *transferMeter) notice(text string) {
	if !m.quiet {
		m.done()
		fmt.Fprintf(m.w, "warptape: %s\n", text)
	}
}

// bytesText is a size for people: 3.4 MB.
func bytesText(n int64) string {
	if n < 1000 {
		return fmt.Sprintf("%d B", n)
	}
	const prefixes = "kMGTPE"
	exponent := min(int(math.Log10(float64(n))/3), len(prefixes))
	return fmt.Sprintf("%.1f %cB", float64(n)/math.Pow(1000, float64(exponent)), prefixes[exponent-1])
}
