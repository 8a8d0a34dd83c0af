// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/resultfile"
	"github.com/warptape/warptape/frontend/cuda/driver"
	"github.com/warptape/warptape/frontend/cuda/emulated"
	"github.com/warptape/warptape/frontend/nativecoexecutor"
	"github.com/warptape/warptape/trace"
	"github.com/warptape/warptape/trace/wtape"
)

// Where kernels can run that are recorded.
const (
	onInterpreter = "interpreter"
	onGPU         = "gpu"
	onEmulated    = "emulated"
)

// deviceFlags choose where kernels run.
func deviceFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "on", Usage: "where kernels run: `DEVICE` interpreter, gpu (contaminated, through the CUDA driver), or emulated (the same on a device that is no GPU)", Value: onInterpreter},
		modeFlag("gpu-mode"),
		&cli.StringFlag{Name: "gpu-memory", Usage: "device memory for the program's buffers, `SIZE`", Value: "1GiB"},
		&cli.StringFlag{Name: "gpu-log", Usage: "device memory for logs, `SIZE`", Value: "64MiB"},
		&cli.DurationFlag{Name: "gpu-timeout", Usage: "how long one launch on the device may take", Value: 2 * time.Minute},
		&cli.StringFlag{Name: "gpu-library", Usage: "the CUDA driver's `FILE`", Value: driver.DefaultLibrary},
		&cli.StringFlag{Name: "gpu-ptx", Usage: "write the contaminated PTX to `FILE`"},
	}
}

// runner is the device that kernels run on; nil stands for the interpreter.
type runner struct {
	coexecutor *nativecoexecutor.Coexecutor
	name       string
	ptx        *os.File
	close      func()
}

// openRunner opens the device that the flags ask for; turn is that of the emulated one.
func openRunner(c *cli.Context, turn int) (*runner, error) {
	on := c.String("on")
	switch on {
	case onInterpreter:
		return nil, nil
	case onGPU, onEmulated:
	default:
		return nil, commandline.Usagef("--on %q: there are %s, %s and %s", on, onInterpreter, onGPU, onEmulated)
	}
	if c.IsSet("check") || c.IsSet("watch") {
		return nil, commandline.Usagef("--check and --watch look into the interpreter; leave --on %s out", on)
	}
	var o nativecoexecutor.Options
	var err error
	if o.Mode, err = modeOf(c, "gpu-mode"); err != nil {
		return nil, err
	}
	for _, size := range []struct {
		flag string
		to   *uint64
	}{{"gpu-memory", &o.MemoryBytes}, {"gpu-log", &o.LogBytes}} {
		n, err := parseBytes(c.String(size.flag))
		if err != nil || n < 1<<10 {
			return nil, commandline.Usagef("--%s %q: write a size of at least 1KiB, such as 64MiB", size.flag, c.String(size.flag))
		}
		*size.to = uint64(n)
	}
	if t := c.Duration("gpu-timeout"); t <= 0 {
		return nil, commandline.Usagef("--gpu-timeout %s: write a time that is more than none, such as 2m", t)
	}
	r := &runner{}
	d, err := r.open(c, on, turn)
	if err != nil {
		return nil, err
	}
	if path := c.String("gpu-ptx"); path != "" {
		if err = resultfile.RefuseExisting(path, c.Bool("force")); err == nil {
			r.ptx, err = os.Create(path)
		}
		if err != nil {
			r.close()
			return nil, err
		}
		o.Keep = r.ptx
	}
	r.name = d.Name()
	if r.coexecutor, err = nativecoexecutor.New(d, o); err != nil {
		r.end()
		return nil, err
	}
	return r, nil
}

// open opens the device itself.
func (r *runner) open(c *cli.Context, on string, turn int) (*driver.Device, error) {
	if on == onEmulated {
		d, err := emulated.Open(emulated.Options{Say: c.App.ErrWriter, MaxInstructions: c.Uint64("max-instructions"), Timeout: c.Duration("gpu-timeout"), Turn: turn})
		if err != nil {
			return nil, err
		}
		r.close = d.Close
		return d.Device, nil
	}
	d, err := driver.Open(c.String("gpu-library"), c.Duration("gpu-timeout"))
	if errors.Is(err, driver.ErrNoDevice) {
		return nil, fmt.Errorf("--on gpu: %w; --on interpreter, which is the default, needs none, and --on emulated runs the same contaminated PTX", err)
	}
	if err != nil {
		return nil, err
	}
	r.close = d.Close
	return d, nil
}

// end closes the device.
func (r *runner) end() {
	if r == nil {
		return
	}
	if r.ptx != nil {
		r.ptx.Close()
	}
	r.close()
}

func (r *runner) describe(w io.Writer) {
	if r != nil {
		n := r.coexecutor.Counts
		describeRun(w, r.name, n)
	}
}

// openLaunch is a writer that knows whether a launch is open.
type openLaunch struct {
	*wtape.Writer
	open bool
}

func (o *openLaunch) BeginLaunch(l trace.Launch, after ...int) (int, error) {
	n, err := o.Writer.BeginLaunch(l, after...)
	o.open = err == nil
	return n, err
}

func (o *openLaunch) EndLaunch() error {
	o.open = false
	return o.Writer.EndLaunch()
}

// cut ends a trace whose device failed: what had finished stays, and its header says why
// the rest lacks.
func (o *openLaunch) cut(why error) error {
	if o.open {
		o.DropBlock()
		if err := o.EndLaunch(); err != nil {
			return err
		}
	}
	o.UpdateHeader(func(h *trace.Header) { h.Sampling = "cut off: " + why.Error() })
	return o.Finish()
}
