// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// hostSource writes the host's side of a file, device code included, as a source in C++ that
// any compiler of the host makes the same object of (-cuda). Clang has no such source
// to give: it goes on from CUDA C++ to code. So the source holds clang's assembler.
func (b *Builder) hostSource(options, own []string, in *Input, target string) error {
	assembler := filepath.Join(b.work, "host.s")
	own = append(own, "-S", "-fno-integrated-as", "-fno-addrsig", "-o", assembler, in.Path)
	if err := b.compileCUDA(options, own); err != nil || b.job.DryRun {
		return err
	}
	text, err := os.ReadFile(assembler)
	if err != nil {
		return err
	}
	return os.WriteFile(target, asSource(in.Path, text), 0o666)
}

// asSource puts assembler into a source in C++.
func asSource(path string, assembler []byte) []byte {
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	fmt.Fprintf(w, "// The host's side of %s as assembler, with its device code. Compile it like a source in C++.\n__asm__(\n", filepath.Base(path))
	for line := range bytes.Lines(assembler) {
		fmt.Fprintf(w, "\"%s\\n\"\n", inString.Replace(strings.TrimSuffix(string(line), "\n")))
	}
	fmt.Fprint(w, "\".text\\n\");\n")
	w.Flush()
	return out.Bytes()
}

var inString = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\t", `\t`)
