// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/frontend/host"
	"github.com/warptape/warptape/frontend/host/launchfile"
	"github.com/warptape/warptape/frontend/ptx"
)

func launchFlag() cli.Flag {
	return &cli.StringFlag{Name: "launch", Usage: "launch the kernel of a PTX file as this YAML `FILE` says ('warptape ptx launch' prints one to fill in)"}
}

// isPTX reports whether a name is that of a PTX file, or of a folder, which may have one.
func isPTX(name string) bool {
	info, err := os.Stat(name)
	return strings.HasSuffix(name, ".ptx") || err == nil && info.IsDir()
}

// singleLaunch is one kernel with a launch file.
type singleLaunch struct {
	name   string // the PTX file's, without its folder
	text   []byte
	folder string // the launch file's
	source string // of the host program
}

// loadLaunch makes the host program that launches one kernel.
func loadLaunch(name, launch string) (*host.Program, error) {
	s, err := readLaunch(name, launch)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(s.folder)
	if err != nil {
		return nil, err
	}
	program := strings.TrimSuffix(s.name, ".ptx") + ".star"
	return host.Load(madeFiles{made: map[string][]byte{s.name: s.text, program: []byte(s.source)}, folder: root.FS()}, program)
}

// readLaunch reads the PTX file that a name means, what Triton says of it, and how to
// launch its kernel.
func readLaunch(name, launch string) (*singleLaunch, error) {
	file, err := ptxFileIn(name)
	if err != nil {
		return nil, err
	}
	s := &singleLaunch{name: filepath.Base(file), folder: filepath.Dir(launch)}
	if s.text, err = os.ReadFile(file); err != nil {
		return nil, err
	}
	module, err := ptx.Parse(file, s.text)
	if err != nil {
		return nil, err
	}
	triton, err := tritonBeside(file)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(launch)
	if err != nil {
		return nil, err
	}
	f, err := launchfile.Parse(launch, text)
	if err != nil {
		return nil, err
	}
	s.source, err = f.Program(module, s.name, triton)
	return s, err
}

// ptxFileIn is a PTX file, or the only one of a folder, as Triton's cache has them.
func ptxFileIn(name string) (string, error) {
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		return name, err
	}
	found, err := fs.Glob(os.DirFS(name), "*.ptx")
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", fmt.Errorf("%s: the folder has no PTX file; Triton's cache has one in each folder of a kernel", name)
	case len(found) > 1:
		return "", fmt.Errorf("%s: the folder has %d PTX files: name one of %s", name, len(found), strings.Join(found, ", "))
	}
	return filepath.Join(name, found[0]), nil
}

// tritonBeside reads what Triton left next to a PTX file; nil when the file is not Triton's.
func tritonBeside(file string) (*launchfile.Triton, error) {
	path := strings.TrimSuffix(file, ".ptx") + ".json"
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t, _, err := launchfile.ReadTriton(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

func ptxLaunchCommand() *cli.Command {
	return &cli.Command{
		Name:      "launch",
		Usage:     "print a launch file for a kernel, to be filled in, or the host program that one means",
		ArgsUsage: "FILE.ptx|FOLDER",
		Description: `Without --launch, prints a YAML file that says how to launch a kernel: grid,
block, and an argument for each parameter. With it, prints the host program that
'warptape record FILE.ptx --launch LAUNCH.yaml' runs, to be kept and extended.

Examples:
  warptape ptx launch kernel.ptx > launch.yaml
  warptape ptx launch kernel.ptx --kernel saxpy > launch.yaml
  warptape ptx launch kernel.ptx --launch launch.yaml > kernel.star`,
		Flags: []cli.Flag{launchFlag(), &cli.StringFlag{Name: "kernel", Usage: "`NAME` of the kernel, where the file has several"}},
		Action: func(c *cli.Context) error {
			if err := commandline.ExactArgs(c, "FILE.ptx|FOLDER"); err != nil {
				return err
			}
			if launch := c.String("launch"); launch != "" {
				s, err := readLaunch(c.Args().First(), launch)
				if err != nil {
					return err
				}
				_, err = fmt.Fprint(c.App.Writer, s.source)
				return err
			}
			return printTemplate(c)
		},
	}
}

func printTemplate(c *cli.Context) error {
	file, err := ptxFileIn(c.Args().First())
	if err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	module, err := ptx.Parse(file, text)
	if err != nil {
		return err
	}
	triton, err := tritonBeside(file)
	if err != nil {
		return err
	}
	if name := c.String("kernel"); name == "" && triton == nil && len(module.Kernels) > 1 {
		return severalKernels(file, module.Kernels)
	}
	kernel, err := (&launchfile.File{Kernel: c.String("kernel")}).KernelOf(module, triton)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(c.App.Writer, launchfile.Template(kernel, triton))
	return err
}
