// SPDX-License-Identifier: Apache-2.0

// Command warptape-measure runs a recorded program's kernels on a GPU. It is a program of
// its own since it loads the driver's library, and so needs the system's loader, which
// warptape does not: "warptape measure" starts it.
package main

import (
	"os"

	"github.com/warptape/warptape/cmd/measure"
)

func main() { os.Exit(measure.Main(os.Args, os.Stdout, os.Stderr)) }
