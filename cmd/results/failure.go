// SPDX-License-Identifier: Apache-2.0

package results

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Failure says why a point has no result.
type Failure struct {
	Key string `json:"key"`
	Identity
	// Refused: the machine cannot run the trace, so that it is not tried again.
	Refused bool   `json:"refused"`
	Reason  string `json:"reason"`
	// Detail is for the developers of the simulator: the stack of a panic.
	Detail string `json:"detail,omitempty"`
}

const (
	refused       = "refused"
	failed        = "failed"
	failureSuffix = ".json"
)

// Failure gives what is known of a point that has no result; nil when nothing is.
func (s *Store) Failure(key string) (*Failure, error) {
	for _, folder := range []string{refused, failed} {
		text, err := os.ReadFile(filepath.Join(s.root, keyed(folder, key, failureSuffix)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		var f Failure
		if json.Unmarshal(text, &f) != nil || f.Key != key {
			continue // damaged: the point is tried again
		}
		return &f, nil
	}
	return nil, nil
}

// PutFailure stores why a point has no result.
func (s *Store) PutFailure(f *Failure) error {
	text, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return err
	}
	folder := failed
	if f.Refused {
		folder = refused
	}
	return s.write(keyed(folder, f.Key, failureSuffix), append(text, '\n'))
}

// clearFailure forgets an earlier failure of a point that has a result now.
func (s *Store) clearFailure(key string) error {
	err := os.Remove(filepath.Join(s.root, keyed(failed, key, failureSuffix)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
