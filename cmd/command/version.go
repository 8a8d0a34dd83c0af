// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/release"
	"github.com/warptape/warptape/cmd/results"
	"github.com/warptape/warptape/trace/wtape"
)

func versionCommand() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "say what this program was built from, and which formats it reads",
		Description: `A bug report or a paper can quote this. --modules lists the libraries in the program with
their versions. What versions promise is in docs/compatibility.md.

Examples:
  warptape version
  warptape version --modules
  warptape version --json | jq .revision`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "modules", Usage: "list the libraries, too"},
			&cli.BoolFlag{Name: "json", Usage: "print everything as JSON"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return commandline.Usagef("version: takes no arguments, got %q", c.Args().First())
			}
			b := builtFrom()
			if c.Bool("json") {
				e := json.NewEncoder(c.App.Writer)
				e.SetIndent("", "  ")
				return e.Encode(b)
			}
			return b.write(c)
		},
	}
}

// build says what a program was built from.
type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // of the source tree, where the build knows it
	Time     string `json:"revision_time,omitempty"`
	Modified bool   `json:"modified"` // the source tree had changes that the revision lacks
	Go       string `json:"go"`
	Platform string `json:"platform"`
	// TraceFormat is the newest major version of trace files that the program reads; it
	// reads all earlier ones. ResultsSchema is that of stored results.
	TraceFormat   int           `json:"trace_format"`
	ResultsSchema int           `json:"results_schema"`
	Modules       []builtModule `json:"modules"`
}

// builtModule is a library in the program.
type builtModule struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	Sum     string `json:"sum,omitempty"`
}

func builtFrom() *build {
	b := &build{
		Version: release.Number, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		TraceFormat: wtape.FormatVersion, ResultsSchema: results.SchemaVersion, Modules: []builtModule{},
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	for _, m := range release.Modules(info) {
		b.Modules = append(b.Modules, builtModule{m.Path, m.Version, m.Sum})
	}
	return b
}

func (b *build) write(c *cli.Context) error {
	w := tabwriter.NewWriter(c.App.Writer, 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "warptape\t%s\n", b.Version)
	switch {
	case b.Revision == "":
		fmt.Fprintf(w, "revision\tnot known (built from a module or with -buildvcs=false)\n")
	case b.Modified:
		fmt.Fprintf(w, "revision\t%s of %s, with changes\n", b.Revision, b.Time)
	default:
		fmt.Fprintf(w, "revision\t%s of %s\n", b.Revision, b.Time)
	}
	fmt.Fprintf(w, "built by\t%s for %s\n", b.Go, b.Platform)
	fmt.Fprintf(w, "trace files\twrites version %d, reads 1 to %d\n", b.TraceFormat, b.TraceFormat)
	fmt.Fprintf(w, "results\tschema %d\n", b.ResultsSchema)
	if c.Bool("modules") {
		fmt.Fprintln(w)
		for _, m := range b.Modules {
			fmt.Fprintf(w, "%s\t%s\n", m.Path, m.Version)
		}
	} else {
		fmt.Fprintf(w, "libraries\t%d; --modules lists them\n", len(b.Modules))
	}
	return w.Flush()
}
