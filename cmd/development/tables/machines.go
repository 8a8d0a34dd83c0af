package tables

import (
	"bytes"
	"fmt"
	"os"

	"github.com/warptape/warptape/cmd/command"
	"github.com/warptape/warptape/cmd/development/page"
	"github.com/warptape/warptape/cmd/internal/commandline"
)

// WriteMachines writes docs/machines.md.
func WriteMachines(b *bytes.Buffer) error {
	b.WriteString("# Machines\n\n" + page.Note + "```text\n")
	if code := command.Main([]string{"warptape", "arch", "list"}, b, os.Stderr); code != commandline.ExitOK {
		return fmt.Errorf("warptape arch list: exit code %d", code)
	}
	b.WriteString("```\n\nEvery value of each, with unit and source: `warptape arch show MACHINE`.\n\n")
	return writePeaks(b)
}
