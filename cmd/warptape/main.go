// SPDX-License-Identifier: Apache-2.0

// Command warptape records GPU programs once and replays them on any
// architecture. See README.md for the two commands to start with.
package main

import (
	"os"

	"github.com/warptape/warptape/cmd/command"
)

func main() { os.Exit(command.Main(os.Args, os.Stdout, os.Stderr)) }
