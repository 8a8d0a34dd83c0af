// SPDX-License-Identifier: Apache-2.0

// Command warptape-dev is for the developers of warptape, in the source tree: it makes
// the measurements that documents are written from, and writes the documents. The
// Makefile has a target for each.
package main

import (
	"os"

	"github.com/warptape/warptape/cmd/development"
)

func main() { os.Exit(development.Main(os.Args, os.Stdout, os.Stderr)) }
