// SPDX-License-Identifier: Apache-2.0

package record

import (
	"fmt"

	"github.com/warptape/warptape/frontend/tesla/language"
	"github.com/warptape/warptape/frontend/tesla/machine"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Kernel executes a kernel in a configuration and adds it, with its launch, to a trace.
// Name and digest are the program's.
func Kernel(w *wtape.Writer, k *language.Kernel, name, digest string, c machine.Config, o machine.Options) (*machine.Result, error) {
	r, err := machine.Run(k, c, o)
	if err != nil {
		return nil, err
	}
	static := kernelOf(k, name, digest, c, r)
	index, err := w.AddKernel(static)
	if err != nil {
		return nil, err
	}
	return r, launch(w, k, index, static, r)
}

// launch writes the launch with its thread blocks.
func launch(w *wtape.Writer, k *language.Kernel, index int, static *trace.Kernel, r *machine.Result) error {
	l := trace.Launch{Kernel: index, Grid: k.Grid, Block: k.Block}
	if _, err := w.BeginLaunch(l); err != nil {
		return err
	}
	of := make([]uint32, len(static.Instructions))
	for b := range static.Blocks {
		for i := range static.Blocks[b].Count {
			of[static.Blocks[b].First+i] = uint32(b)
		}
	}
	p := parts{writer: w, of: of, width: r.Width}
	warps := r.WarpsPerBlock
	for block := range k.Grid.Count() {
		w.BeginBlock(block)
		p.block(r.Warps[int(block)*warps : (int(block)+1)*warps])
		if err := w.EndBlock(); err != nil {
			return fmt.Errorf("thread block %d: %w", block, err)
		}
	}
	return w.EndLaunch()
}
