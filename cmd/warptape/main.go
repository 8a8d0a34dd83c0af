// Command warptape records GPU programs once and replays them on any
// architecture. See README.md for the two commands to start with.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal asks for an end; from then on signals do what they do by
	// default, so that a second one ends the process whatever it is doing.
	context.AfterFunc(ctx, stop)
	code := run(ctx, os.Args, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
