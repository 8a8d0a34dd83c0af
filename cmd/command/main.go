// SPDX-License-Identifier: Apache-2.0

// Package command is the command line of warptape as a library. A program of
// another module that links a policy or a mechanism of its own, and calls Main, is
// warptape with that policy or mechanism in it: docs/example-policy is one.
package command

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// Main executes a command line, whose first element is the program's name, and
// gives the exit code: 0 done, 1 the run failed, 2 the command line was wrong.
// Results go to stdout, everything else to stderr.
func Main(args []string, stdout, stderr io.Writer) int {
	deferCollection()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// The first signal asks for an end; from then on signals do what they do by
	// default, so that a second one ends the process whatever it is doing.
	context.AfterFunc(ctx, stop)
	return run(ctx, args, stdout, stderr)
}
