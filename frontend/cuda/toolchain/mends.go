// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// What nvcc takes and clang refuses is mended in an overlay, where clang's errors say that it
// is: they know macros, and which strings are PTX. Then the compiler tries again.
var mends = []struct {
	message string
	// edits are those for a message at a line and column of a text, or none.
	edits func(text []byte, line, column int) []edit
}{
	// nvcc hands on an escape in inline PTX that is none: %smid is a register there. Clang
	// refuses it, as its manual asks for %%smid.
	{"invalid % escape in inline assembly string", escapes},
	// For nvcc shared memory of a kernel may be __device__, too.
	{"__constant__, __device__, and __managed__ are not allowed on non-static local variables", devices},
	// nvcc warns of shared memory of a class whose constructor does something, and leaves it as it is.
	{"initialization is not supported for __shared__ variables", rooms},
	{"__shared__ variable '*' cannot be 'extern'", dynamicRoom},
	// nvcc takes alignas behind __shared__ and its like, which are attributes for clang.
	{"an attribute list cannot appear here", alignments},
	{"'alignas' attribute cannot be applied to types", alignments},
	// nvcc needs no comma between the operands of inline PTX.
	{"expected ')'", commas},
	// nvcc, and gcc before release 15, look for a member of a template when it is used: one
	// that no program uses may call what is not there.
	{"no member named '*>'", laterMembers},
}

// edit puts a text in the place of some bytes.
type edit struct {
	at, length int
	text       string
}

var (
	anyError = lazily(`(?m)^(.+?):(\d+):(\d+): error: (.+)$`)
	place    = lazily(`(?m)^(.+?):(\d+):(\d+): (note: expanded from macro|error: |warning: )`)
	colours  = lazily("\x1b\\[[0-9;]*[mK]")
)

// maxRounds bounds how often a file is compiled again: clang names one place of a statement,
// and twenty statements.
const maxRounds = 32

// compileCUDA runs the compiler on CUDA C++, again while it finds something to mend.
// options decide how it reads headers, and own concerns the program's text alone.
func (b *Builder) compileCUDA(options, own []string) error {
	args := slices.Concat(options, own)
	if b.job.DryRun {
		return b.run(b.Clang.CXX, append(args, b.overlay.options()...)...)
	}
	if terminal(b.Stderr) {
		args = append(args, "-fcolor-diagnostics")
	}
	if fast, ok := b.precompiled(options); ok {
		var messages bytes.Buffer
		if err := b.runSaying(&messages, b.Clang.CXX, slices.Concat(fast, args[len(options):])...); err == nil {
			b.Stderr.Write(messages.Bytes())
			return nil
		} // whatever is wrong, the compiler says it without a precompiled header
	}
	for round := 0; ; round++ {
		var messages bytes.Buffer
		err := b.runSaying(&messages, b.Clang.CXX, append(slices.Clip(args), b.overlay.options()...)...)
		if err == nil || round == maxRounds || !b.mend(colours().ReplaceAll(messages.Bytes(), nil)) {
			b.Stderr.Write(messages.Bytes())
			b.hint(err, messages.Bytes())
			return err
		}
	}
}

// hint says what is to be done about what a tool lacks.
func (b *Builder) hint(err error, messages []byte) {
	if about := aboutAbsent(colours().ReplaceAll(messages, nil)); err != nil && about != "" {
		fmt.Fprintln(b.Stderr, "warptape cc:", about)
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

// mend edits what a compiler's messages name. It is false where it knows no edits.
func (b *Builder) mend(messages []byte) bool {
	edits := map[string]map[int]edit{} // by file and place
	for _, at := range anyError().FindAllSubmatchIndex(messages, -1) {
		for _, m := range mends {
			if says(string(messages[at[8]:at[9]]), m.message) {
				b.find(messages[at[0]:], m.edits, edits)
			}
		}
	}
	for path, list := range edits {
		text, err := b.overlay.read(path)
		if err != nil || b.overlay.lay(path, edited(text, list)) != nil {
			return false
		}
	}
	return len(edits) > 0
}

// says reports whether a message is of a form, in which a star stands for a name.
func says(message, form string) bool {
	before, after, open := strings.Cut(form, "*")
	if !open {
		return message == form
	}
	return len(message) >= len(before)+len(after) && strings.HasPrefix(message, before) && strings.HasSuffix(message, after)
}

// find adds the edits that the first message means. In a macro's text they are at the place
// that one of the message's notes names.
func (b *Builder) find(messages []byte, of func([]byte, int, int) []edit, edits map[string]map[int]edit) {
	for i, m := range place().FindAllSubmatch(messages, -1) {
		if i > 0 && !bytes.HasPrefix(m[4], []byte("note")) {
			return
		}
		path := string(m[1])
		text, err := b.overlay.read(path)
		if err != nil || b.ours(path) {
			continue // not a file of the program, but what a macro has made, or a header
		}
		line, _ := strconv.Atoi(string(m[2]))
		column, _ := strconv.Atoi(string(m[3]))
		for _, e := range of(text, line, column) {
			if edits[path] == nil {
				edits[path] = map[int]edit{}
			}
			edits[path][e.at] = e
		}
	}
}

// ours says whether a file is one of the kit's headers.
func (b *Builder) ours(path string) bool {
	return b.Kit != nil && strings.HasPrefix(path, b.Kit.Include+string(filepath.Separator))
}

// offset is the place of a line and column, and of the line's begin; false where there is
// none.
func offset(text []byte, line, column int) (start, at int, ok bool) {
	for ; line > 1; line-- {
		next := bytes.IndexByte(text[start:], '\n')
		if next < 0 {
			return 0, 0, false
		}
		start += next + 1
	}
	at = start + column - 1
	return start, at, column >= 1 && at < len(text)
}

// devices removes a __device__ that stands before or behind __shared__.
func devices(text []byte, line, column int) []edit {
	_, at, ok := offset(text, line, column)
	if !ok {
		return nil
	}
	found := deviceShared().FindSubmatchIndex(text[at:])
	if found == nil {
		before := sharedDevice().FindSubmatchIndex(text[:at+min(len(text)-at, len("__device__"))])
		if before == nil {
			return nil
		}
		found, at = before, 0
	}
	return []edit{{at + found[2], found[3] - found[2], strings.Repeat(" ", found[3]-found[2])}}
}

var (
	deviceShared = lazily(`^(__device__)\s+(?:static\s+|extern\s+|volatile\s+)*__shared__\b`)
	sharedDevice = lazily(`\b__shared__\s+(__device__)$`)
)

// reach is how far behind the percent sign the column of a message may be.
const reach = 8

// alignments makes an alignas another attribute of the kind of __shared__.
func alignments(text []byte, line, column int) []edit {
	const standard = "alignas"
	_, at, ok := offset(text, line, column)
	if !ok || !bytes.HasPrefix(text[at:], []byte(standard)) {
		return nil
	}
	return []edit{{at, len(standard), "__align__"}}
}

// commas puts one before an operand of inline PTX that follows another one.
func commas(text []byte, line, column int) []edit {
	_, at, ok := offset(text, line, column)
	if !ok || !operand().Match(text[at:]) || !bytes.HasSuffix(bytes.TrimSpace(text[:at]), []byte(")")) {
		return nil
	}
	return []edit{{at, 1, `, "`}}
}

// laterMembers makes this a value of a type that is known when the template is used: it goes
// through a function whose result follows from its argument (C++14). A member that lacks then is still an error.
func laterMembers(text []byte, line, column int) []edit {
	const through = "[](auto *later) { return later; }(this)"
	_, at, ok := offset(text, line, column)
	if !ok {
		return nil
	}
	found := throughThis().FindSubmatchIndex(text[:at])
	if found == nil {
		return nil
	}
	return []edit{{found[2], found[3] - found[2], through}}
}

// throughThis is what stands before the name of a member of this.
var throughThis = lazily(`[^\w.>](this)\s*->\s*(?:template\s+)?$`)

// operand is the begin of an operand: its constraint, and a value in brackets.
var operand = lazily(`^"[=+&%]*[A-Za-z]+"\s*\(`)

// escapes gives the percent sign that a message means, and others of the same name in the
// statement.
func escapes(text []byte, line, column int) (list []edit) {
	start, at, ok := offset(text, line, column)
	if !ok {
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
	list = []edit{{first, 1, "%%"}}
	if name := word().Find(text[first+1:]); name != nil {
		for _, i := range others(text, first, name) {
			list = append(list, edit{i, 1, "%%"})
		}
	}
	return list
}

var word = lazily(`^[A-Za-z_]\w*`)

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
		case quoted && c == '%' && lone(text, i) && bytes.Equal(word().Find(text[i+1:]), name):
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

// edited is a text with its edits.
func edited(text []byte, edits map[int]edit) []byte {
	var out []byte
	for i := 0; i < len(text); i++ {
		e, ok := edits[i]
		if !ok {
			out = append(out, text[i])
			continue
		}
		out = append(out, e.text...)
		i += e.length - 1
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
