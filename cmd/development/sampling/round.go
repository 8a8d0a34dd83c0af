// SPDX-License-Identifier: Apache-2.0

package sampling

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/cmd/internal/resultfile"
)

// samplingRound is what has been measured with this executable since a measurement
// began that a budget or a signal ended early. It is kept next to the traces.
type samplingRound struct {
	path       string
	Executable string          `json:"executable_sha256"`
	Done       map[string]bool `json:"done"`
}

// openRound goes on with the round of this executable, or begins one.
func openRound(folder string) (*samplingRound, error) {
	r := &samplingRound{path: filepath.Join(folder, "round.json")}
	digest, err := release.ExecutableDigest()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(r.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		if err := json.Unmarshal(text, r); err != nil {
			return nil, fmt.Errorf("%s: %w; remove it to begin again", r.path, err)
		}
	}
	if r.Executable != digest || r.Done == nil {
		r.Executable, r.Done = digest, map[string]bool{}
	}
	return r, nil
}

func (r *samplingRound) done(key string) bool { return r.Done[key] }

func (r *samplingRound) note(key string) error {
	r.Done[key] = true
	return resultfile.Write(r.path, true, func(w io.Writer) error { return json.NewEncoder(w).Encode(r) })
}

// end ends a round that is complete.
func (r *samplingRound) end() error { return os.Remove(r.path) }
