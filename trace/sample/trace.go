// SPDX-License-Identifier: Apache-2.0

package sample

import (
	"context"
	"fmt"

	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/transcription"
	"github.com/warptape/warptape/trace/wtape"
)

// Trace writes a sample of a whole trace. What is chosen is what recording with
// the same policy would choose.
func Trace(r *wtape.Reader, output string, p Policy, o wtape.Options) error {
	if s := r.Header().Sampling; s != "" {
		return fmt.Errorf("%s: is a sample already (%s): a sample of a sample has no known totals; sample the whole trace", r.Name(), s)
	}
	if err := r.CheckDigest(context.Background()); err != nil {
		return err
	}
	var profile *Profile
	if p.NeedsProfile() {
		profile = NewProfile(p)
		if err := transcription.Copy(r, profile); err != nil {
			return err
		}
		profile.Choose()
	}
	w, err := wtape.Create(output, r.InitialHeader(), o)
	if err != nil {
		return err
	}
	defer w.Abort() // without effect after Finish
	recorder := NewRecorder(w, p, profile)
	if err := transcription.Copy(r, recorder); err != nil {
		return err
	}
	w.UpdateHeader(func(h *trace.Header) { *h = r.Header() })
	recorder.Describe()
	return w.Finish()
}
