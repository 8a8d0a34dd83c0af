// SPDX-License-Identifier: Apache-2.0

package host_test

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

func ExampleProgram_Run() {
	program, err := host.Load(os.DirFS("../../traces/saxpy"), "saxpy.star")
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	w, err := wtape.NewWriter(&file, program.Name(), trace.Header{Tool: "example 1.0"}, wtape.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Abort()
	result, err := program.Run(context.Background(), host.Options{Size: "tiny", Seed: 1, Sink: w})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := w.Finish(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(program.Doc())
	fmt.Println(result.Launches, "launch,", result.ThreadBlocks, "thread blocks,", result.Checks, "check held")
	// Output:
	// SAXPY of the BLAS: y = a*x + y, one element a thread.
	// 1 launch, 16 thread blocks, 1 check held
}
