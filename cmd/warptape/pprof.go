package main

import (
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/timing/replay"
)

// pprofFlag asks the replay command for profiles.
func pprofFlag() cli.Flag {
	return &cli.StringFlag{Name: "pprof", Usage: "write stall causes by PTX line to `FILE`, for go tool pprof (with several architectures one file each, NAME.ARCH.pb.gz)"}
}

// pprofPaths gives the file of each machine's profile; none without --pprof. An
// existing one is refused before anything is replayed.
func pprofPaths(c *cli.Context, machines []*arch.Machine) ([]string, error) {
	file := c.String("pprof")
	if file == "" {
		return nil, nil
	}
	paths := make([]string, len(machines))
	taken := map[string]bool{}
	for i, m := range machines {
		paths[i] = file
		if len(machines) > 1 {
			paths[i] = pprofPath(file, m.Name)
		}
		if taken[paths[i]] {
			return nil, usagef("--pprof: two architectures are named %s, and both would be written to %s", m.Name, paths[i])
		}
		taken[paths[i]] = true
		if err := refuseExisting(paths[i], c.Bool("force")); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

// pprofPath puts the machine's name in front of the endings of a file name.
func pprofPath(file, machine string) string {
	machine = strings.NewReplacer("/", "_", `\`, "_").Replace(machine)
	for _, ending := range []string{".pb.gz", ".gz", ".pprof"} {
		if stem, ok := strings.CutSuffix(file, ending); ok {
			return stem + "." + machine + ending
		}
	}
	return file + "." + machine
}

// writePprof writes the profiles.
func writePprof(c *cli.Context, paths []string, results []replay.Result) error {
	for i, path := range paths {
		write := func(w io.Writer) error { return replay.WritePprof(w, &results[i]) }
		if err := writeFile(path, c.Bool("force"), write); err != nil {
			return err
		}
	}
	return nil
}
