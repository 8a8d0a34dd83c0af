// SPDX-License-Identifier: Apache-2.0

package command

import (
	"io"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/host"
)

// debugFlags are the aids of record for programs that are wrong.
func debugFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "check", Usage: "look for `WHAT`: bounds (accesses from one buffer into the next), races (of shared memory), global-races (those and of global memory, inside thread blocks), uninit (reads of shared memory that nothing has written); all but bounds are slow"},
		&cli.StringFlag{Name: "watch", Usage: "write every instruction of one thread and what it computes to standard error; `BLOCK,THREAD[,REGISTER...]`, indices with x fastest"},
	}
}

// setDebug puts what the flags ask for into the options of a run.
func setDebug(c *cli.Context, o *host.Options) error {
	for _, what := range commandline.Listed(c, "check") {
		switch what {
		case "races":
			o.CheckRaces = true
		case "global-races":
			o.CheckGlobalRaces = true
		case "uninit":
			o.CheckShared = true
		case "bounds":
			o.CheckBounds = true
		default:
			return commandline.Usagef("--check %q: there are bounds, races, global-races and uninit", what)
		}
	}
	if !c.IsSet("watch") {
		return nil
	}
	var err error
	o.Watch, err = parseWatch(c.String("watch"), c.App.ErrWriter)
	return err
}

func parseWatch(s string, out io.Writer) (*coexecution.Watch, error) {
	parts := strings.Split(s, ",")
	w := &coexecution.Watch{Out: out}
	if len(parts) < 2 {
		return nil, commandline.Usagef("--watch %q: write BLOCK,THREAD or BLOCK,THREAD,%%r1,%%r2", s)
	}
	for i, n := range []*uint64{&w.Block, &w.Thread} {
		v, err := strconv.ParseUint(parts[i], 10, 63)
		if err != nil {
			return nil, commandline.Usagef("--watch %q: %q is not an index", s, parts[i])
		}
		*n = v
	}
	for _, r := range parts[2:] {
		if r == "" {
			return nil, commandline.Usagef("--watch %q: a register without a name", s)
		}
		if !strings.HasPrefix(r, "%") {
			r = "%" + r
		}
		w.Registers = append(w.Registers, r)
	}
	return w, nil
}
