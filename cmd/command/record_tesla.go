// SPDX-License-Identifier: Apache-2.0

package command

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/numbers"
	"github.com/warptape/warptape/cmd/internal/programs"
	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/frontend/tesla/image"
	"github.com/warptape/warptape/frontend/tesla/language"
	"github.com/warptape/warptape/frontend/tesla/machine"
	"github.com/warptape/warptape/frontend/tesla/record"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// The names of programs of the Tesla-like GPGPU, and of its kernel images.
const (
	teslaProgram = ".tesla"
	teslaImage   = ".mem"
)

// isTesla reports whether a name is that of a program of the Tesla-like GPGPU or of an
// image.
func isTesla(name string) bool {
	return strings.HasSuffix(name, teslaProgram) || strings.HasSuffix(name, teslaImage)
}

// loadTesla reads a program or an image, by the name.
func loadTesla(name string) (k *language.Kernel, text []byte, err error) {
	if text, err = os.ReadFile(name); err != nil {
		return nil, nil, err
	}
	switch {
	case strings.HasSuffix(name, teslaImage):
		_, k, err = image.Read(name, string(text))
	case strings.HasSuffix(name, teslaProgram):
		k, err = language.Assemble(name, string(text))
	default:
		err = fmt.Errorf("%s: a program ends in %s, a kernel image in %s", name, teslaProgram, teslaImage)
	}
	return k, text, err
}

// hostOnly are flags of record that say nothing for a kernel without a host program.
var hostOnly = []string{"store", "size", "seed", "sample", "max-instructions", "strict", "check", "watch"}

// teslaConfiguration is the machine that a kernel is recorded on.
func teslaConfiguration(c *cli.Context) (machine.Config, error) {
	config := machine.Tesla()
	for _, flag := range hostOnly {
		if c.IsSet(flag) {
			return config, commandline.Usagef("--%s is for host programs; %s has one kernel and one launch", flag, c.Args().First())
		}
	}
	set, err := programs.Settings(c.StringSlice("set"))
	if err != nil {
		return config, err
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		to := config.Parameter(name)
		if to == nil {
			return config, commandline.Usagef("--set %s: a parameter of the machine is one of %s", name, strings.Join(machine.Names, ", "))
		}
		if *to, err = strconv.Atoi(set[name]); err != nil {
			return config, commandline.Usagef("--set %s=%s: not a number", name, set[name])
		}
	}
	return config, nil
}

// recordTesla records a kernel of the Tesla-like GPGPU.
func recordTesla(c *cli.Context) error {
	name := c.Args().First()
	config, err := teslaConfiguration(c)
	if err != nil {
		return err
	}
	level, ok := levels[c.String("level")]
	if !ok {
		return commandline.Usagef("--level %q: there are fast, default and small", c.String("level"))
	}
	kernel, text, err := loadTesla(name)
	if err != nil {
		return err
	}
	base := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	output := c.String("output")
	if output == "" {
		output = base + ".wtape"
	}
	if err := resultfile.RefuseExisting(output, c.Bool("force")); err != nil {
		return err
	}
	start := time.Now()
	sum := sha256.Sum256(text)
	digest := hex.EncodeToString(sum[:])
	w, err := wtape.Create(output, trace.Header{Tool: "warptape " + release.Version(), Program: name, ProgramDigest: digest, Arguments: arguments(config)},
		wtape.Options{Level: level, Workers: c.Int("workers")})
	if err != nil {
		return err
	}
	defer w.Abort() // without effect after Finish
	result, err := record.Kernel(w, kernel, base, digest, config, machine.Options{})
	if err != nil {
		return err
	}
	if err := w.Finish(); err != nil {
		return err
	}
	for _, d := range result.Dependences {
		fmt.Fprintf(c.App.ErrWriter, "warning: the kernel depends on %v: %s\n", d.On, d.Reason)
	}
	if c.Bool("quiet") {
		return nil
	}
	t := w.Totals()
	fmt.Fprintf(c.App.Writer, "%s: %s warp instructions of %s thread blocks\n  %s cycles on %d multiprocessors of %d processors, after %s of loading; %s replays, %s divergences\n  recorded in %.2f s\n",
		output, numbers.Grouped(t.WarpInstructions), numbers.Grouped(t.ThreadBlocks), numbers.Grouped(result.Cycles), config.Multiprocessors, config.Processors,
		numbers.Grouped(uint64(image.LoadCycles(image.Of(kernel)))), numbers.Grouped(result.Replays), numbers.Grouped(result.Divergences), time.Since(start).Seconds())
	return nil
}

// arguments are the configuration as a trace's header has it.
func arguments(c machine.Config) map[string]string {
	list := map[string]string{}
	for _, name := range machine.Names {
		list[name] = strconv.Itoa(*c.Parameter(name))
	}
	return list
}
