// SPDX-License-Identifier: Apache-2.0

package reproduce

import (
	"github.com/warptape/warptape/frontend/tesla/machine"
	"github.com/warptape/warptape/frontend/tesla/record"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
	teslakernels "github.com/warptape/warptape/traces/tesla"
)

// recordTesla writes the trace of a kernel of the Tesla-like GPGPU. It does the same in
// every configuration, and a replay refuses what does not; so one records it.
func (r *Runner) recordTesla(j *job) error {
	k, digest, err := teslakernels.Find(j.workload.Tesla)
	if err != nil {
		return err
	}
	out, err := wtape.Create(j.trace, trace.Header{Tool: "warptape " + r.Version, Program: k.File, ProgramDigest: digest}, wtape.Options{Workers: r.Workers})
	if err != nil {
		return err
	}
	defer out.Abort() // without effect after Finish
	if _, err := record.Kernel(out, k, j.workload.Tesla, digest, machine.Tesla(), machine.Options{}); err != nil {
		return err
	}
	return out.Finish()
}

// teslaDigest is that of the kernel's text.
func (w *Workload) teslaDigest() (string, error) {
	_, digest, err := teslakernels.Find(w.Tesla)
	return digest, err
}
