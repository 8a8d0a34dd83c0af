// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// nvcc hands on an escape in inline PTX that is none: %smid is a register there. Clang refuses
// it, as its manual asks for %%smid. Which strings are meant only the compiler knows, so
// its errors name the places. They are mended in an overlay, and the compiler tries again.
var (
	wrongEscape = regexp.MustCompile(`(?m)^(.+?):(\d+):(\d+): error: invalid % escape in inline assembly string`)
	otherPlace  = regexp.MustCompile(`(?m)^(.+?):(\d+):(\d+): (note: expanded from macro|error: |warning: )`)
	colours     = regexp.MustCompile("\x1b\\[[0-9;]*[mK]")
)

// maxRounds bounds how often a file is compiled again: clang names one escape of a statement,
// and twenty statements.
const maxRounds = 32

// compileCUDA runs the compiler on CUDA C++, again while it finds escapes to mend.
func (b *Builder) compileCUDA(args ...string) error {
	if b.job.DryRun {
		return b.run(b.Clang.CXX, append(args, b.overlay.options()...)...)
	}
	if terminal(b.Stderr) {
		args = append(args, "-fcolor-diagnostics")
	}
	for round := 0; ; round++ {
		var messages bytes.Buffer
		err := b.runSaying(&messages, b.Clang.CXX, append(slices.Clip(args), b.overlay.options()...)...)
		if err == nil || round == maxRounds || !b.mendEscapes(colours.ReplaceAll(messages.Bytes(), nil)) {
			b.Stderr.Write(messages.Bytes())
			return err
		}
	}
}

// terminal says whether messages go to one, which shows colours.
func terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// mendEscapes doubles the percent signs that a compiler's messages name. It is false where it
// finds none.
func (b *Builder) mendEscapes(messages []byte) bool {
	places := map[string]map[int]bool{} // of percent signs, by file
	for _, at := range wrongEscape.FindAllSubmatchIndex(messages, -1) {
		b.findEscape(messages[at[0]:], places)
	}
	for path, offsets := range places {
		text, err := b.overlay.read(path)
		if err != nil || b.overlay.lay(path, doubled(text, offsets)) != nil {
			return false
		}
	}
	return len(places) > 0
}

// findEscape adds the percent signs that the first message means. In a macro's text they are
// at the place that the message's last note names.
func (b *Builder) findEscape(messages []byte, places map[string]map[int]bool) {
	for i, m := range otherPlace.FindAllSubmatch(messages, -1) {
		if i > 0 && !bytes.HasPrefix(m[4], []byte("note")) {
			return
		}
		path := string(m[1])
		text, err := b.overlay.read(path)
		if err != nil {
			continue // not a file, but what a macro has made
		}
		line, _ := strconv.Atoi(string(m[2]))
		column, _ := strconv.Atoi(string(m[3]))
		found := escapes(text, line, column)
		if len(found) == 0 {
			continue
		}
		if places[path] == nil {
			places[path] = map[int]bool{}
		}
		for _, at := range found {
			places[path][at] = true
		}
	}
}

// reach is how far behind the percent sign the column of a message may be.
const reach = 8

// escapes gives the percent sign that a message means, and others of the same name in the
// statement.
func escapes(text []byte, line, column int) (offsets []int) {
	start := 0
	for ; line > 1; line-- {
		next := bytes.IndexByte(text[start:], '\n')
		if next < 0 {
			return nil
		}
		start += next + 1
	}
	at := start + column - 1
	if column < 1 || at >= len(text) {
		return nil
	}
	first := -1
	for i := at; i >= max(start, at-reach); i-- {
		if text[i] == '%' && lone(text, i) {
			first = i
			break
		}
	}
	if first < 0 {
		return nil
	}
	offsets = []int{first}
	name := word.Find(text[first+1:])
	if name == nil {
		return offsets
	}
	return append(offsets, others(text, first, name)...)
}

var word = regexp.MustCompile(`^[A-Za-z_]\w*`)

// others are further percent signs before the same name, in strings up to the bracket that
// ends the statement.
func others(text []byte, first int, name []byte) (offsets []int) {
	quoted, depth := true, 0
	for i := first + 1; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted && c == '%' && lone(text, i) && bytes.Equal(word.Find(text[i+1:]), name):
			offsets = append(offsets, i)
		case !quoted && c == '(':
			depth++
		case !quoted && c == ')':
			if depth--; depth < 0 {
				return offsets
			}
		}
	}
	return offsets
}

// lone says whether a percent sign is not one of a pair.
func lone(text []byte, at int) bool {
	first, end := at, at+1
	for first > 0 && text[first-1] == '%' {
		first--
	}
	for end < len(text) && text[end] == '%' {
		end++
	}
	return (end-first)%2 == 1 && at == end-1
}

// doubled is a text with some of its bytes twice.
func doubled(text []byte, offsets map[int]bool) []byte {
	out := make([]byte, 0, len(text)+len(offsets))
	for i, c := range text {
		if out = append(out, c); offsets[i] {
			out = append(out, c)
		}
	}
	return out
}

// runSaying is run with the tool's messages elsewhere.
func (b *Builder) runSaying(messages io.Writer, path string, args ...string) error {
	b.tell(path, args)
	if err := run(b.Stdout, messages, path, args...); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrFailed, filepath.Base(path), err)
	}
	return nil
}
