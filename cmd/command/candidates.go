// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/correlate"
	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/pricing"
	"github.com/warptape/warptape/cmd/reproduce"
	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/cmd/sweep/plan"
	"github.com/warptape/warptape/timing/arch"
	"github.com/warptape/warptape/traces"
)

// candidates are what the last of the words behind the program's name can become; filesToo
// says that it can be a file, too.
func candidates(app *cli.App, words []string) []string {
	if len(words) == 0 {
		words = []string{""}
	}
	before, current := words[:len(words)-1], words[len(words)-1]
	flags, commands, command := app.Flags, app.Commands, (*cli.Command)(nil)
	for i := 0; i < len(before); i++ {
		if strings.HasPrefix(before[i], "-") {
			if flag := valued(flags, before[i]); flag != nil && !strings.Contains(before[i], "=") {
				if i++; i == len(before) {
					return flagValues("", flag, before, current)
				}
			}
			continue
		}
		if at := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(before[i]) }); at >= 0 {
			command = commands[at]
			flags, commands = command.Flags, command.Subcommands
		}
	}
	if strings.HasPrefix(current, "-") {
		if name, value, ok := strings.Cut(current, "="); ok {
			if flag := valued(flags, name); flag != nil {
				return flagValues(name+"=", flag, before, value)
			}
			return nil
		}
		return beginning("", flagNames(flags), current)
	}
	if len(commands) > 0 || command == nil {
		return beginning("", commandNames(commands), current)
	}
	if strings.Contains(command.ArgsUsage, "MACHINE") {
		return specified("", current, argumentsOf(command))
	}
	return beginning("", argumentsOf(command), current)
}

// flagValues completes the value of a flag; what stands before it is kept.
func flagValues(kept string, flag cli.Flag, before []string, value string) []string {
	if flag.Names()[0] == "arch" {
		return specified(kept, value, machineNames())
	}
	return beginning(kept, valuesOf(flag, before), value)
}

// specified completes the last machine or overlay of a list of specifications.
func specified(kept, word string, machines []string) []string {
	before, part, overlay := lastPart(word)
	if overlay {
		return beginning(kept+before, overlays(), part)
	}
	return beginning(kept+before, machines, part)
}

// beginning keeps the values that begin as the word does. What is kept of the word stands
// before all of them.
func beginning(kept string, values []string, word string) []string {
	list := []string{}
	for _, v := range values {
		switch {
		case v == filesToo:
			list = append(list, v)
		case strings.HasPrefix(v, word):
			list = append(list, kept+v)
		}
	}
	return list
}

// valued finds a flag that takes a value by how it is written.
func valued(flags []cli.Flag, written string) cli.Flag {
	name, _, _ := strings.Cut(strings.TrimLeft(written, "-"), "=")
	for _, f := range flags {
		if _, isBool := f.(*cli.BoolFlag); !isBool && slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

func flagNames(flags []cli.Flag) []string {
	list := []string{"--help"}
	for _, f := range flags {
		list = append(list, "--"+f.Names()[0])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func commandNames(commands []*cli.Command) []string {
	var list []string
	for _, c := range commands {
		if !c.Hidden {
			list = append(list, c.Name)
		}
	}
	return list
}

// valuesOf are those of a flag.
func valuesOf(flag cli.Flag, before []string) []string {
	switch flag.Names()[0] {
	case "overlay":
		return append(overlays(), plan.NoOverlay)
	case "size":
		return sizeNames()
	case "sweep":
		return sweepCandidates(before)
	case "format":
		return forms
	case "repeats":
		return correlate.RepeatChoices
	case "calibration":
		return pricing.Calibrations
	}
	if _, isText := flag.(*cli.StringFlag); isText {
		return []string{filesToo}
	}
	return nil
}

// argumentsOf are what a command's help says that its arguments are.
func argumentsOf(c *cli.Command) []string {
	var list []string
	usage := c.ArgsUsage
	for _, kind := range []struct {
		word   string
		values func() []string
	}{
		{"WORKLOAD", workloadNames}, {"MACHINE", machineNames}, {"STUDY", reproduce.Names},
		{"bash|zsh|fish", func() []string { return []string{"bash", "zsh", "fish"} }},
	} {
		if strings.Contains(usage, kind.word) {
			list = append(list, kind.values()...)
		}
	}
	if strings.Contains(usage, "| OVERLAY") {
		list = append(list, overlays()...)
	}
	if c.Name == "sweep" {
		list = append(list, workloadNames()...)
	}
	if strings.Contains(usage, "FILE.wtape") || strings.Contains(usage, "TRACE") || strings.HasPrefix(strings.TrimPrefix(usage, "["), "NAME[:TAG]") {
		list = append(list, storedNames()...)
	}
	for _, word := range []string{"DIR", "TRACE", "CAPTURE", "FILE", "MACHINE", ".star", ".ptx", ".json", ".mem", ".tesla", ".yaml"} {
		if strings.Contains(usage, word) {
			return append(list, filesToo)
		}
	}
	return list
}

func workloadNames() []string {
	var list []string
	for _, w := range traces.List() {
		list = append(list, w.Name)
	}
	return list
}

// sizeNames are those that the sizes of workloads have.
func sizeNames() []string {
	catalogue, err := traces.ReadCatalogue()
	if err != nil {
		return nil
	}
	var list []string
	for i := range catalogue.Workloads {
		for _, s := range catalogue.Workloads[i].Sizes {
			if !slices.Contains(list, s.Name) {
				list = append(list, s.Name)
			}
		}
	}
	slices.Sort(list)
	return list
}

func entries(overlay bool) []string {
	all, err := arch.List()
	if err != nil {
		return nil
	}
	var list []string
	for i := range all {
		if all[i].Overlay == overlay {
			list = append(list, all[i].Name)
		}
	}
	return list
}

func overlays() []string { return entries(true) }

func machineNames() []string { return entries(false) }

// storedNames are those of the local store.
func storedNames() []string {
	s, err := localStore()
	if err != nil {
		return nil
	}
	all, err := s.List()
	if err != nil {
		return nil
	}
	var list []string
	for i := range all {
		list = append(list, all[i].Tags...)
	}
	return list
}

// sweepCandidates are those of the folder of results that a word before names, or of the usual
// one.
func sweepCandidates(before []string) []string {
	for _, folder := range append(slices.Clone(before), defaultResults) {
		s, err := results.Open(folder)
		if err != nil {
			continue
		}
		names, err := s.Sweeps()
		if err == nil {
			return names
		}
	}
	return nil
}

// lastPart splits a list of specifications before its last part: behind the last comma,
// and behind the last plus sign of that.
func lastPart(word string) (before, part string, overlay bool) {
	parts := commandline.CommaParts(word)
	part = parts[len(parts)-1]
	if i := strings.LastIndex(part, "+"); i >= 0 {
		part, overlay = part[i+1:], true
	}
	return strings.TrimSuffix(word, part), part, overlay
}
