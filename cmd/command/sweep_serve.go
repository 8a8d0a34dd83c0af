// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep/serve"
)

func serveFlag() cli.Flag {
	return &cli.StringFlag{Name: "serve", Usage: "show how far it is on a page at `ADDRESS`, such as localhost:8080; without a host the page is for this machine only"}
}

// serveBeside serves the page of a sweep until stop.
func serveBeside(c *cli.Context, store *results.Store, name string) (stop func(), err error) {
	if !c.IsSet("serve") {
		return func() {}, nil
	}
	s, err := serve.New(store, []string{name}, c.String("serve"))
	if err != nil {
		return nil, fmt.Errorf("--serve: %w", err)
	}
	fmt.Fprintf(c.App.ErrWriter, "the sweep is shown at %s\n", s.URL())
	ctx, cancel := context.WithCancel(c.Context)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := s.Serve(ctx); err != nil {
			fmt.Fprintf(c.App.ErrWriter, "%s: --serve: %v\n", c.App.Name, err)
		}
	}()
	return func() { cancel(); <-done }, nil
}

// serveStatus serves the page of sweeps until the command is interrupted.
func serveStatus(c *cli.Context, store *results.Store, names []string) error {
	s, err := serve.New(store, names, c.String("serve"))
	if err != nil {
		return fmt.Errorf("--serve: %w", err)
	}
	fmt.Fprintf(c.App.ErrWriter, "the sweeps are shown at %s until this command is interrupted\n", s.URL())
	return s.Serve(c.Context)
}
