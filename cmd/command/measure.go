// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
)

// measureProgram is the command that runs kernels on a GPU. It is one of its own, since it
// needs the system's loader of shared libraries.
const measureProgram = "warptape-measure"

func measureCommand() *cli.Command {
	return &cli.Command{
		Name:            "measure",
		Usage:           "run the kernels of a program on a GPU and write their times, for correlate",
		ArgsUsage:       "WORKLOAD|PROGRAM.star",
		SkipFlagParsing: true,
		Description: `Starts warptape-measure, which must be in this program's folder or on the path:
  go install github.com/warptape/warptape/cmd/warptape-measure@latest
'warptape measure --help' shows its options. It needs an NVIDIA GPU and its driver, but
no toolkit; without one it says so.

Examples:
  warptape measure saxpy -o measured.csv
  warptape measure point-in-polygon --size paper --set tile_size=8 -o t8.csv`,
		Action: func(c *cli.Context) error {
			arguments := c.Args().Slice()
			program, err := findMeasure()
			if err != nil && slices.ContainsFunc(arguments, func(a string) bool { return a == "--help" || a == "-h" }) {
				return cli.ShowSubcommandHelp(c)
			}
			if err != nil {
				return err
			}
			command := exec.CommandContext(c.Context, program, arguments...)
			command.Stdin, command.Stdout, command.Stderr = os.Stdin, c.App.Writer, c.App.ErrWriter
			err = command.Run()
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				return commandline.Exit(exit.ExitCode()) // it has said itself what is wrong
			}
			return err
		},
	}
}

// findMeasure finds the program in this one's folder, else on the path.
func findMeasure() (string, error) {
	if own, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(own), measureProgram)
		if _, err := exec.LookPath(beside); err == nil {
			return beside, nil
		}
	}
	path, err := exec.LookPath(measureProgram)
	if err != nil {
		return "", fmt.Errorf("%s is neither beside this program nor on the path: go install github.com/warptape/warptape/cmd/%s@latest", measureProgram, measureProgram)
	}
	return path, nil
}
