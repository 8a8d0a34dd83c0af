// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/timing/replay"
)

// noShare is the flag of noShareFlag.
const noShare = "no-share"

func noShareFlag() cli.Flag {
	return &cli.BoolFlag{Name: noShare, Usage: "replay on every architecture for itself, also where another one's replay is known to be the same; results are the same"}
}

// tellShared says which results are those of other machines' replays.
func tellShared(w io.Writer, results []replay.Result) {
	var order []string
	others := map[string][]string{}
	for i := range results {
		on := results[i].ReplayedOn
		if on == nil {
			continue
		}
		if others[on.Name] == nil {
			order = append(order, on.Name)
		}
		others[on.Name] = append(others[on.Name], results[i].Machine)
	}
	for _, name := range order {
		fmt.Fprintf(w, "warptape: the replay on %s is also that of %s: what differs there decides nothing in it (--%s replays each)\n", name, strings.Join(others[name], ", "), noShare)
	}
}
