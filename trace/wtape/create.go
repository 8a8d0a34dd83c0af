// SPDX-License-Identifier: Apache-2.0

package wtape

import (
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/pending"
)

// Create starts a trace file. The data go to a hidden file in the same folder,
// which Finish renames to path (replacing a file that is there) and which Abort
// and every failure remove. Under its name a trace is whole or absent.
func Create(path string, header trace.Header, options Options) (*Writer, error) {
	file, err := pending.Create(path, 0o666)
	if err != nil {
		return nil, err
	}
	w, err := NewWriter(file.File, path, header, options)
	if err != nil {
		file.Discard() // err says what went wrong first
		return nil, err
	}
	w.file = file
	return w, nil
}
