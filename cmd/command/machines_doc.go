package command

import (
	"bytes"
)

func writeMachinesDoc(b *bytes.Buffer) error {
	b.WriteString("# Machines\n\n" + generatedNote + "```text\n")
	if err := listArchitectures(b); err != nil {
		return err
	}
	b.WriteString("```\n\nEvery value of each, with unit and source: `warptape arch show MACHINE`.\n\n")
	return writePeaks(b)
}
