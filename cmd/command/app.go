// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"io"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/release"
	_ "github.com/warptape/warptape/timing/mechanisms"

	// The mechanisms' overlays and counters.
	"github.com/warptape/warptape/cmd/internal/commandline"
)

// run executes one command line and returns its exit code. Results go to
// stdout, everything else (progress, warnings, errors) to stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return commandline.Run(ctx, newApp(stdout, stderr), args)
}

func newApp(stdout, stderr io.Writer) *cli.App {
	return &cli.App{
		Name:    "warptape",
		Usage:   "record a GPU program once, replay it on any architecture",
		Version: release.Version(),
		Description: `Examples:
  warptape demo                                            the whole job, on six workloads and several machines
  warptape record saxpy                                    record a workload of the catalogue to saxpy.wtape
  warptape record mine/kernel.star -o k.wtape              record your own host program
  warptape cc saxpy.cu -o saxpy && warptape run ./saxpy    build a CUDA program and record it as it is
  warptape replay saxpy.wtape --arch gtx480 --arch mesh56  compare two machines
  warptape arch show gtx480+lrr                            every value of a machine, with its source`,
		Writer:    stdout,
		ErrWriter: stderr,
		Metadata:  map[string]any{commandline.StopsAtProgram: "run"},
		Commands: []*cli.Command{
			demoCommand(), recordCommand(), ccCommand(), runCommand(), replayCommand(), sweepCommand(), reportCommand(), resultsCommand(), correlateCommand(), tuneCommand(), measureCommand(), energyCommand(), reproduceCommand(), timelineCommand(), offloadCommand(), traceCommand(),
			pushCommand(), pullCommand(), storeCommand(),
			archCommand(), workloadCommand(), ptxCommand(), teslaCommand(), affineCommand(), completionCommand(), completeCommand(), manCommand(), versionCommand(),
		},
	}
}
