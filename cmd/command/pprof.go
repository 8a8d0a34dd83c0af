// SPDX-License-Identifier: Apache-2.0

package command

import (
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/replay"
)

// pprofFlag asks the replay command for profiles.
func pprofFlag() cli.Flag {
	return &cli.StringFlag{Name: "pprof", Usage: "write stall causes, with --energy also energy, by PTX line to `FILE`, for go tool pprof (with several architectures one file each, NAME.ARCH.pb.gz)"}
}

// pprofPaths gives the file of each machine's profile; none without --pprof.
func pprofPaths(c *cli.Context, machines []*arch.Machine) ([]string, error) {
	if c.String("pprof") == "" {
		return nil, nil
	}
	return pathsByMachine("pprof", c.String("pprof"), machines, []string{".pb.gz", ".gz", ".pprof"}, c.Bool("force"))
}

// pathsByMachine gives the file of each machine for a flag that names one file:
// that, or with several machines one named after each. An existing one is refused
// before anything is replayed.
func pathsByMachine(flag, file string, machines []*arch.Machine, endings []string, force bool) ([]string, error) {
	paths := make([]string, len(machines))
	taken := map[string]bool{}
	for i, m := range machines {
		paths[i] = file
		if len(machines) > 1 {
			paths[i] = pathOf(file, m.Name, endings)
		}
		if taken[paths[i]] {
			return nil, commandline.Usagef("--%s: two architectures are named %s, and both would be written to %s", flag, m.Name, paths[i])
		}
		taken[paths[i]] = true
		if err := resultfile.RefuseExisting(paths[i], force); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

// pathOf puts the machine's name in front of the ending of a file name.
func pathOf(file, machine string, endings []string) string {
	machine = strings.NewReplacer("/", "_", `\`, "_").Replace(machine)
	for _, ending := range endings {
		if stem, ok := strings.CutSuffix(file, ending); ok {
			return stem + "." + machine + ending
		}
	}
	return file + "." + machine
}

// writePprof writes the profiles.
func writePprof(c *cli.Context, paths []string, results []replay.Result, energies []*replay.LineValues) error {
	for i, path := range paths {
		var further []replay.LineValues
		if energies[i] != nil {
			further = append(further, *energies[i])
		}
		write := func(w io.Writer) error { return replay.WritePprof(w, &results[i], further...) }
		if err := resultfile.Write(path, c.Bool("force"), write); err != nil {
			return err
		}
	}
	return nil
}
