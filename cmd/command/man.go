// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/cmd/internal/resultfile"
)

// manSection is that of user commands.
const manSection = 1

func manCommand() *cli.Command {
	return &cli.Command{
		Name:      "man",
		Usage:     "print a manual page, or write all of them to a folder",
		ArgsUsage: "[COMMAND]",
		Description: `Pages are for man: warptape.1 lists the commands, and each command has a page with its
subcommands, such as warptape-replay.1.

Examples:
  warptape man replay | man -l -
  warptape man --folder ~/.local/share/man/man1 && man warptape-replay`,
		Flags:  []cli.Flag{&cli.StringFlag{Name: "folder", Usage: "write all pages to `FOLDER`, over older ones"}},
		Action: manAction,
	}
}

func manAction(c *cli.Context) error {
	if c.NArg() > 1 {
		return commandline.ExactArgs(c, "COMMAND")
	}
	if folder := c.String("folder"); folder != "" {
		if c.NArg() > 0 {
			return commandline.Usagef("man: --folder writes all pages; leave out %s", c.Args().First())
		}
		return writeManPages(c, folder)
	}
	name := c.App.Name
	if c.NArg() == 1 {
		name += "-" + c.Args().First()
	}
	for _, page := range manPages(c.App) {
		if page.name == name {
			_, err := c.App.Writer.Write(page.text)
			return err
		}
	}
	return commandline.Usagef("man: no command %q; there are: %s", c.Args().First(), strings.Join(commandNames(c.App.Commands), ", "))
}

func writeManPages(c *cli.Context, folder string) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for _, page := range manPages(c.App) {
		path := filepath.Join(folder, fmt.Sprintf("%s.%d", page.name, manSection))
		if err := resultfile.Write(path, true, func(w io.Writer) error { _, err := w.Write(page.text); return err }); err != nil {
			return err
		}
		fmt.Fprintln(c.App.Writer, path)
	}
	return nil
}

// manPage is a page in the language of man.
type manPage struct {
	name string
	text []byte
}

// manPages are the program's page and one for each command.
func manPages(app *cli.App) []manPage {
	first := newManText(app.Name, app.Usage, app.Name+" COMMAND [OPTION...] [ARGUMENT...]", app.Description)
	first.WriteString("# COMMANDS\n\n")
	var pages []manPage
	for _, c := range app.Commands {
		if c.Hidden || c.Name == "help" {
			continue
		}
		name := app.Name + "-" + c.Name
		fmt.Fprintf(first, "**%s**(%d)\n: %s\n\n", name, manSection, escaped(c.Usage))
		page := newManText(name, c.Usage, synopsis(app.Name, c), c.Description)
		page.options("# OPTIONS", c.Flags)
		page.subcommands(app.Name+" "+c.Name, c.Subcommands)
		pages = append(pages, page.rendered(name))
	}
	return append([]manPage{first.rendered(app.Name)}, pages...)
}

// manText is a page in Markdown.
type manText struct{ strings.Builder }

func newManText(name, usage, synopsis, description string) *manText {
	t := &manText{}
	fmt.Fprintf(t, "%s %d\n===\n\n# NAME\n\n%s - %s\n\n# SYNOPSIS\n\n%s\n\n", name, manSection, name, escaped(usage), escaped(synopsis))
	if description != "" {
		fmt.Fprintf(t, "# DESCRIPTION\n\n%s\n", described(description))
	}
	return t
}

func (t *manText) rendered(name string) manPage {
	return manPage{name, md2man.Render([]byte(t.String()))}
}

// options lists flags with their short names, values and defaults.
func (t *manText) options(title string, flags []cli.Flag) {
	if len(flags) == 0 {
		return
	}
	fmt.Fprintf(t, "%s\n\n", title)
	for _, f := range flags {
		d, ok := f.(cli.DocGenerationFlag)
		if !ok {
			continue
		}
		var names []string
		for _, name := range f.Names() {
			dashes := "--"
			if len(name) == 1 {
				dashes = "-"
			}
			names = append(names, "**"+dashes+name+"**")
		}
		value, usage := "", strings.ReplaceAll(d.GetUsage(), "`", "")
		if d.TakesValue() {
			value = " *VALUE*"
			if _, rest, ok := strings.Cut(d.GetUsage(), "`"); ok {
				quoted, _, _ := strings.Cut(rest, "`")
				value = " *" + escaped(quoted) + "*"
			}
			if text := d.GetDefaultText(); text != "" {
				usage += " (default: " + text + ")"
			}
		}
		fmt.Fprintf(t, "%s%s\n: %s\n\n", strings.Join(names, ", "), value, escaped(usage))
	}
}

func (t *manText) subcommands(program string, list []*cli.Command) {
	for _, c := range list {
		if c.Hidden || c.Name == "help" {
			continue
		}
		fmt.Fprintf(t, "# %s\n\n%s: %s\n\n%s\n", strings.ToUpper(program[strings.Index(program, " ")+1:]+" "+c.Name), "**"+escaped(synopsis(program, c))+"**", escaped(c.Usage), described(c.Description))
		t.options("## Options of "+c.Name, c.Flags)
		t.subcommands(program+" "+c.Name, c.Subcommands)
	}
}

// synopsis is how a command is written.
func synopsis(program string, c *cli.Command) string {
	text := program + " " + c.Name
	if len(c.Subcommands) > 0 {
		text += " SUBCOMMAND"
	}
	if len(c.Flags) > 0 || len(c.Subcommands) > 0 {
		text += " [OPTION...]"
	}
	return strings.TrimSpace(text + " " + c.ArgsUsage)
}

// escaped keeps Markdown from reading marks into a text.
func escaped(text string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "<", `\<`, "[", `\[`, "]", `\]`, "`", "\\`").Replace(text)
}

// described is a description as Markdown: what is indented stands as it is.
func described(description string) string {
	var b strings.Builder
	code := false
	for _, line := range strings.Split(description, "\n") {
		if indented := strings.HasPrefix(line, "  "); indented != code {
			code = indented
			b.WriteString("\n")
		}
		if code {
			b.WriteString("    " + line + "\n")
		} else {
			b.WriteString(escaped(line) + "\n")
		}
	}
	return b.String()
}
