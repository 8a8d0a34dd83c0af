// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"bytes"

	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Record gives what write puts into a trace of this name, as a recording in memory that so
// many workers encode (zero: one per usable processor).
func Record(name string, workers int, write func(*wtape.Writer) error) (*wtape.Reader, error) {
	var recorded bytes.Buffer
	w, err := wtape.NewWriter(&recorded, name, trace.Header{Tool: "warptape " + release.Version()}, wtape.Options{Level: wtape.LevelFast, Workers: workers})
	if err != nil {
		return nil, err
	}
	defer w.Abort()
	if err := write(w); err != nil {
		return nil, err
	}
	if err := w.Finish(); err != nil {
		return nil, err
	}
	return wtape.NewReader(bytes.NewReader(recorded.Bytes()), int64(recorded.Len()))
}
