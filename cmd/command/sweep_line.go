// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/sweep/plan"
	"github.com/warptape/warptape/traces"
)

// lineFlags describe a sweep without a file.
func lineFlags() []cli.Flag {
	return []cli.Flag{
		archFlag("to replay on, without a plan"),
		&cli.StringSliceFlag{Name: "overlay", Usage: "an `OVERLAY` that stands behind every machine, or none (repeatable)"},
		&cli.StringSliceFlag{Name: "set", Usage: "values of a parameter, `KEY=VALUE[,VALUE...]` (repeatable: the points are the product)"},
		&cli.StringSliceFlag{Name: "size", Usage: "input `SIZES` of workloads, with commas between"},
		&cli.StringSliceFlag{Name: "metric", Usage: "a metric as an expression over statistics, `NAME=EXPRESSION` (repeatable)"},
		&cli.StringSliceFlag{Name: "exclude", Usage: "leave out the points for which `EXPRESSION` is true (repeatable)"},
		&cli.StringSliceFlag{Name: "reference", Usage: "what metrics compare with, `KEY=VALUE` (repeatable)"},
		&cli.StringFlag{Name: "name", Usage: "`NAME` of the sweep in the folder of results", Value: "sweep"},
	}
}

// planOf reads the plan that the command line names, or makes one of its flags.
func planOf(c *cli.Context) (*plan.Plan, error) {
	args := c.Args().Slice()
	if len(args) == 1 && (strings.HasSuffix(args[0], ".yaml") || strings.HasSuffix(args[0], ".yml")) {
		for _, f := range lineFlags() {
			if name := f.Names()[0]; c.IsSet(name) {
				return nil, commandline.Usagef("--%s: is for sweeps without a plan; write it into %s", name, args[0])
			}
		}
		return plan.Read(args[0])
	}
	if len(args) == 0 {
		return nil, commandline.Usagef("sweep: name a plan (a .yaml file), or traces and workloads with --arch")
	}
	if len(commandline.Listed(c, "arch")) == 0 {
		return nil, commandline.Usagef("sweep: name at least one machine with --arch, or a plan (a .yaml file)")
	}
	text, err := lineText(c, args)
	if err != nil {
		return nil, err
	}
	return plan.Parse(commandLineFile, text)
}

// commandLineFile stands for the file in messages.
const commandLineFile = "command line"

// lineText is the plan that the flags come to, so that results say how to repeat them.
func lineText(c *cli.Context, args []string) ([]byte, error) {
	doc := yaml.MapSlice{{Key: "name", Value: c.String("name")}}
	add := func(key string, value any) { doc = append(doc, yaml.MapItem{Key: key, Value: value}) }
	var sources []any
	for _, arg := range args {
		source, err := lineSource(c, arg)
		if err != nil {
			return nil, err
		}
		sources = append(sources, source)
	}
	add("traces", sources)
	add("machines", commandline.Listed(c, "arch"))
	if overlays := commandline.Listed(c, "overlay"); len(overlays) > 0 {
		add("overlays", overlays)
	}
	axes, err := pairs(c, "set", "KEY=VALUE[,VALUE...]", func(v string) any { return commandline.CommaParts(v) })
	if err != nil {
		return nil, err
	}
	reference, err := pairs(c, "reference", "KEY=VALUE", func(v string) any { return v })
	if err != nil {
		return nil, err
	}
	metrics, err := pairs(c, "metric", "NAME=EXPRESSION", func(v string) any { return v })
	if err != nil {
		return nil, err
	}
	if len(axes) > 0 {
		add("parameters", axes)
	}
	if exclude := c.StringSlice("exclude"); len(exclude) > 0 {
		add("exclude", exclude)
	}
	if len(reference) > 0 {
		add("reference", reference)
	}
	if len(metrics) > 0 {
		add("metrics", metrics)
	}
	return yaml.Marshal(doc)
}

// lineSource says what an argument names: a file, a workload, or a stored trace.
func lineSource(c *cli.Context, arg string) (any, error) {
	sizes := commandline.Listed(c, "size")
	_, err := os.Stat(arg)
	if pattern := strings.ContainsAny(arg, "*?["); err == nil || pattern {
		path, err := filepath.Abs(arg)
		return yaml.MapSlice{{Key: "file", Value: path}}, err
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if _, err := traces.Find(arg); err == nil {
		source := yaml.MapSlice{{Key: "workload", Value: arg}}
		if len(sizes) > 0 {
			source = append(source, yaml.MapItem{Key: "size", Value: sizes})
		}
		return source, nil
	}
	if _, err := resolveTrace(arg); err != nil {
		return nil, err
	}
	return yaml.MapSlice{{Key: "store", Value: arg}}, nil
}

// pairs reads a flag of names with values.
func pairs(c *cli.Context, flag, form string, value func(string) any) (yaml.MapSlice, error) {
	var items yaml.MapSlice
	for _, text := range c.StringSlice(flag) {
		key, v, ok := strings.Cut(text, "=")
		if key, v = strings.TrimSpace(key), strings.TrimSpace(v); !ok || key == "" || v == "" {
			return nil, commandline.Usagef("--%s %q: write %s", flag, text, form)
		}
		items = append(items, yaml.MapItem{Key: key, Value: value(v)})
	}
	return items, nil
}
