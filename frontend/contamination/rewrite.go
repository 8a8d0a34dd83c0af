// SPDX-License-Identifier: Apache-2.0

package contamination

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/warptape/warptape/frontend/contaminator"
	"github.com/warptape/warptape/frontend/emulator/coexecution"
	"github.com/warptape/warptape/frontend/ptx"
)

// Mode says how a rewritten kernel runs.
type Mode uint8

// The modes. Straight kernels run from their start to their end. Segments run one basic
// block for each launch and save what lives in the threads between them (§3.2.2).
const (
	Straight Mode = iota
	Segments
)

func (m Mode) String() string {
	if m == Segments {
		return "segments"
	}
	return "straight"
}

// Options say how to rewrite a module.
type Options struct {
	Mode Mode
	// Globals, if not nil, has the addresses that stand in the place of the module's
	// .global variables.
	Globals map[*ptx.Variable]uint64
	// Alone leaves the module's other kernels out.
	Alone bool
	// Cluster is the size of clusters for which the text is; zero stands for that which a
	// kernel demands. The text runs in clusters of as many thread blocks in a row.
	Cluster [3]uint32
}

// Result is a rewritten module.
type Result struct {
	Text []byte
	// Lines has, for each line of Text, the line of the original that it is or belongs
	// to.
	Lines []int
	// Constants is the name of the variable for what parameters point to in constant memory; empty
	// without such parameters.
	Constants string
	// Pointers are addresses of constants in the initial values of variables in global memory.
	// TellsPointers is the name of a kernel that tells them; empty without any.
	Pointers      []Pointer
	TellsPointers string
	// Control is the name of the control block (see ControlCursors and the others).
	Control string
	Numbering
	Kernels []*Kernel
	// References are the module's variables that stand for textures and surfaces. The
	// table of textures has a row for each, and behind them one for each handle.
	References []*ptx.Variable
	// Added are the instructions that were put before each statement, by its number.
	Added []int
}

// Kernel is what the host has to know of a rewritten kernel.
type Kernel struct {
	*contaminator.Kernel
	// Prologue are the numbers of instructions that were put at the begins of units, which
	// are the kernel's own and those of its functions.
	Prologue []int
	// Layout are the variables whose places the kernel tells, in order.
	Layout []*ptx.Variable
	State
}

// ErrRefused is behind what cannot be contaminated.
var ErrRefused = errors.New("kernels that cannot be contaminated")

// Check says why kernels cannot be contaminated, with file, line, instruction and reason;
// nil if they can.
func Check(mode Mode, kernels ...*contaminator.Kernel) error {
	var all []error
	for _, k := range kernels {
		if err := check(k, mode); err != nil {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

// rewriter collects what is put into a module's text.
type rewriter struct {
	options Options
	module  *ptx.Module
	source  *source
	emitter
	edits  []edit
	result *Result
	// numbering is of the kernels that are rewritten.
	numbering *Numbering
	done      map[int]bool // statements
	heads     map[int]bool // bodies, by the place of their brace
	// By segments, of kernels with calls: what the kernel at hand was before braces were
	// taken out, by whose frames the trace goes; where variables and arguments lie in
	// their frames; and what functions that were rewritten are like.
	traced  *contaminator.Kernel
	offsets map[*ptx.Variable]uint64
	shapes  map[*ptx.Function]string
	// moved has the names of variables that were moved to the module, which begins at
	// headEnd, by the places of their declarations.
	moved   map[ptx.Position]string
	headEnd int
	// imaging has the names of OpenCL's image functions that the text has.
	imaging map[string]bool
	// allocates says that the text has the allocator's functions.
	allocates bool
}

// edit puts text in the place of what stands between two offsets.
type edit struct {
	from, to int
	text     string
}

// Rewrite rewrites kernels of one module and the functions that they call. Kernels that
// are not named stay as they are.
func Rewrite(kernels []*contaminator.Kernel, o Options) (*Result, error) {
	if len(kernels) == 0 {
		return nil, errors.New("no kernel to contaminate")
	}
	if err := Check(o.Mode, kernels...); err != nil {
		return nil, err
	}
	original := kernels
	if err := alone(kernels, o); err != nil {
		return nil, err
	}
	kernels, err := flattened(kernels, o.Mode)
	if err != nil {
		return nil, err
	}
	m := kernels[0].PTX.Module
	o.Globals = globalsOf(o.Globals, original[0].PTX.Module, m)
	prefix := freePrefix(m.Text)
	r := &rewriter{options: o, module: m, source: newSource(m.Text), emitter: emitter{prefix: prefix + "_", indent: "\t"}, done: map[int]bool{}, heads: map[int]bool{},
		offsets: map[*ptx.Variable]uint64{}, shapes: map[*ptx.Function]string{}, imaging: map[string]bool{}, moved: map[ptx.Position]string{}}
	r.numbering = number(kernels)
	r.result = &Result{Control: prefix + "_control", Numbering: *r.numbering}
	r.result.Added = make([]int, r.result.Count())
	r.result.References = referencesOf(m)
	if err := r.head(); err != nil {
		return nil, err
	}
	for i, k := range kernels {
		r.traced = original[i]
		if err := r.kernel(k); err != nil {
			return nil, err
		}
	}
	if o.Alone {
		r.leaveOut(kernels)
	}
	r.stubs(kernels)
	r.tellPointers(kernels)
	r.assemble()
	if m != original[0].PTX.Module {
		r.giveBack(original, kernels)
	}
	return r.result, nil
}

// globalsOf gives the variables of a flattened module the addresses of those of the original.
func globalsOf(globals map[*ptx.Variable]uint64, original, flat *ptx.Module) map[*ptx.Variable]uint64 {
	if globals == nil || original == flat {
		return globals
	}
	of := map[*ptx.Variable]uint64{}
	for i, v := range original.Variables {
		if address, ok := globals[v]; ok {
			of[flat.Variables[i]] = address
		}
	}
	return of
}

// giveBack makes the result that of the original kernels, whose instructions stand at other
// columns.
func (r *rewriter) giveBack(original, flat []*contaminator.Kernel) {
	n := Numbering{numbers: map[place]int{}, places: r.numbering.places}
	for i, k := range original {
		for j := range k.PTX.Body {
			n.numbers[place{k.PTX.Body[j].Line, k.PTX.Body[j].Column}] = r.numbering.Of(&flat[i].PTX.Body[j])
		}
		out := r.result.Kernels[i]
		out.Kernel, out.Layout = k, layoutFor(k, r.options.Mode)
	}
	r.result.Numbering = n
	r.result.References = referencesOf(original[0].PTX.Module)
}

// leaveOut takes the module's other kernels out of the text.
func (r *rewriter) leaveOut(kernels []*contaminator.Kernel) {
	for _, k := range r.module.Kernels {
		if slices.ContainsFunc(kernels, func(c *contaminator.Kernel) bool { return c.PTX.Name == k.Name }) {
			continue
		}
		name := r.source.offset(k.Position)
		head := entryHead().FindIndex(r.module.Text[r.source.lines[max(k.Line-headLines, 1)-1]:name])
		if head == nil {
			continue // it stays
		}
		from := r.source.lines[max(k.Line-headLines, 1)-1] + head[0]
		brace := r.source.skip(name, '{')
		r.edits = append(r.edits, edit{from, r.source.closing(brace) + 1, "// left out: kernel " + k.Name})
	}
}

// entryHead is what stands before a kernel's name, at most headLines above it.
var entryHead = pattern(`(\.(visible|weak)\s+)?\.entry\s+$`)

const headLines = 3

// freePrefix is a name that no identifier of the text begins with.
func freePrefix(text []byte) string {
	name := "wt"
	for n := 2; bytes.Contains(text, []byte(name+"_")); n++ {
		name = "wt" + strconv.Itoa(n)
	}
	return name
}

func (r *rewriter) insert(at int, text string) { r.edits = append(r.edits, edit{at, at, text}) }

var (
	versionLine = pattern(`(?m)^\s*\.version\s+(\d+)\.(\d+)`)
	targetLine  = pattern(`(?m)^\s*\.target\s+sm_(\d+)[a-z]*`)
	sizeLine    = pattern(`(?m)^\s*\.address_size\s+\d+`)
)

// pattern compiles a regular expression when it is first used: most processes rewrite nothing.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// What the added code needs: activemask came with PTX 6.2, shuffles with sm_30.
const (
	needMajor, needMinor = 6, 2
	needTarget           = 30
)

// head raises .version and .target to what the added code needs, and adds the control
// block behind the header.
func (r *rewriter) head() error {
	text := r.module.Text
	end := 0
	if at := versionLine().FindSubmatchIndex(text); at != nil {
		end = at[1]
		if m := r.module; m.VersionMajor < needMajor || m.VersionMajor == needMajor && m.VersionMinor < needMinor {
			r.edits = append(r.edits, edit{at[2], at[5], fmt.Sprintf("%d.%d", needMajor, needMinor)})
		}
	}
	if at := targetLine().FindSubmatchIndex(text); at != nil {
		end = max(end, r.lineEnd(at[1]))
		if targetOf(r.module) < needTarget {
			r.edits = append(r.edits, edit{at[2], at[3], strconv.Itoa(needTarget)})
		}
	}
	if at := sizeLine().FindIndex(text); at != nil {
		end = max(end, at[1])
	}
	if end == 0 {
		return fmt.Errorf("%s: it has no .version line", r.module.File)
	}
	r.headEnd = end
	r.insert(end, fmt.Sprintf("\n\n// Contaminated (%s): what stands behind \"added\" was put in, up to the kernel's own next line.\n"+legend(r.name())+"// added: what the host tells each launch\n.visible .global .align 8 .b8 %s[%d];\n",
		r.options.Mode, r.result.Control, ControlBytes))
	return nil
}

// legend tells a reader of the text what its names and records are.
func legend(name string) string {
	return strings.ReplaceAll(`// Names that begin with @ are not the kernel's. A record has a word with its kind in the upper 4 bits, and
// below the statement's number; then the lanes. Kinds: 1 lanes come to a basic block, 2 they stop before one,
// 3 lanes for which a guard holds, 4 addresses on a line, 5 a list of addresses. %%@_cursor counts a warp's bytes; it is
// held back before it comes round.
`, "@", name)
}

func (r *rewriter) lineEnd(at int) int {
	if n := bytes.IndexByte(r.module.Text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(r.module.Text)
}

// kernel rewrites a kernel with the functions that it calls.
func (r *rewriter) kernel(k *contaminator.Kernel) error {
	out := &Kernel{Kernel: k, Prologue: make([]int, len(k.Units)), Layout: layoutFor(k, r.options.Mode)}
	if err := r.moveShared(k); err != nil {
		return err
	}
	r.declareConstants(k)
	r.declareDynamic(out)
	r.declareAllocator(k)
	r.declareImages(k)
	if r.options.Mode == Segments {
		out.State = stateOf(k, r.traced)
		if out.StackBytes > 0 {
			if err := r.placeVariables(out); err != nil {
				return err
			}
		}
	}
	r.result.Kernels = append(r.result.Kernels, out)
	for u := range k.Units {
		if err := r.body(out, u); err != nil {
			return err
		}
	}
	for id := range k.Segments {
		if err := r.segment(out, id); err != nil {
			return err
		}
	}
	return r.dead(k)
}

// dead takes out instructions to which no path leads, since they may name what is no longer there:
// parameters of functions, and variables that were moved. Branches and ends stay, as labels do.
func (r *rewriter) dead(k *contaminator.Kernel) error {
	for i := range k.PTX.Body {
		in := &k.PTX.Body[i]
		number := r.numbering.Of(in)
		switch in.Op {
		case ptx.OpBra, ptx.OpBrx, ptx.OpRet, ptx.OpExit, ptx.OpTrap:
			continue
		}
		if r.done[number] || r.synthetic(in) {
			continue
		}
		r.done[number] = true
		from, to, err := r.source.span(in)
		if err != nil {
			return err
		}
		r.comment("no path leads here", from, to)
	}
	return nil
}

// body adds registers and the prologue to a kernel or function.
func (r *rewriter) body(k *Kernel, unit int) error {
	code, at := &k.PTX.Code, k.PTX.Position
	u := k.Units[unit].PTX
	if u.Function != nil {
		code, at = &u.Function.Code, u.Function.Position
	}
	brace := r.source.skip(r.source.offset(at), '{')
	if r.heads[brace] {
		return nil // a function that another kernel calls as well
	}
	r.heads[brace] = true
	r.indent = "\t"
	r.declare()
	if usesTextures(k.Kernel) {
		r.line(".reg .b64 $texture;")
	}
	if r.options.Mode == Segments {
		r.declareState()
		if unit == 0 && len(k.Products) > 0 || len(productsIn(k, unit)) > 0 {
			r.declareProducts()
		}
		if k.StackBytes > 0 {
			r.declareFrame(k, unit)
		}
	}
	if r.options.Mode == Segments && u.Function != nil {
		r.withoutParameters(u.Function, brace)
	}
	if unit == 0 {
		r.inARow(k, brace)
	}
	r.insert(brace+1, "\n"+strings.TrimSuffix(r.take(), "\n"))
	start, err := r.firstStatement(k, u, code)
	if err != nil {
		return err
	}
	r.findLog()
	if r.uses(k, u, readsBlock) {
		r.findBlock(r.clusterOf(k.Kernel), r.uses(k, u, readsCluster))
	}
	if unit == 0 {
		r.tellLayout(k)
		if r.options.Mode == Segments {
			r.enter(k)
		}
	} else if r.options.Mode == Segments {
		r.enterFunction(k, unit)
	}
	k.Prologue[unit] = instructions(r.b.String())
	r.insertLines(start)
	return nil
}

// firstStatement is where the first instruction or label of a unit stands.
func (r *rewriter) firstStatement(k *Kernel, u *ptx.Unit, code *ptx.Code) (int, error) {
	first := &k.PTX.Body[u.First]
	if r.synthetic(first) {
		return r.bodyEnd(first), nil
	}
	start, _, err := r.source.span(first)
	for _, l := range code.Labels {
		if l.Index == 0 {
			start = min(start, r.source.offset(l.Position))
		}
	}
	return start, err
}

// synthetic reports whether an instruction is the end of a body that has none of its own.
func (r *rewriter) synthetic(in *ptx.Instruction) bool {
	return in.Op == ptx.OpRet && in.Column == 1 && !bytes.HasPrefix(r.module.Text[r.source.offset(in.Position):], []byte("ret"))
}

// bodyEnd is where the closing brace of the body stands that ends in the line.
func (r *rewriter) bodyEnd(in *ptx.Instruction) int {
	from := r.source.offset(in.Position)
	return from + max(bytes.LastIndexByte(r.module.Text[from:r.lineEnd(from)], '}'), 0)
}

// insertLines puts what has been written before a statement, whose indentation it takes.
func (r *rewriter) insertLines(at int) {
	if text := r.take(); text != "" {
		r.insert(at, strings.TrimPrefix(text, r.indent)+r.indent)
	}
}

// uses reports whether a unit has an operand of a kind.
func (r *rewriter) uses(k *Kernel, u *ptx.Unit, kind func(o *ptx.Operand) bool) bool {
	for i := u.First; i < u.First+u.Count; i++ {
		if slices.ContainsFunc(k.PTX.Body[i].Operands, func(o ptx.Operand) bool { return kind(&o) }) {
			return true
		}
	}
	return false
}

// readsBlock reports whether an operand tells the thread block's place in the grid, or that
// of its cluster.
func readsBlock(o *ptx.Operand) bool {
	return o.Kind == ptx.OperandSpecial && o.Special >= ptx.CtaidX && o.Special <= ptx.NctaidZ || readsCluster(o) ||
		slices.ContainsFunc(o.Elements, func(e ptx.Operand) bool { return readsBlock(&e) })
}

func readsCluster(o *ptx.Operand) bool {
	return o.Kind == ptx.OperandSpecial && o.Special >= ptx.ClusteridX && o.Special <= ptx.ClusterNctaidZ ||
		slices.ContainsFunc(o.Elements, func(e ptx.Operand) bool { return readsCluster(&e) })
}

// segment adds the records of a segment.
func (r *rewriter) segment(k *Kernel, id int) error {
	s := &k.Segments[id]
	for i := s.First; i < s.First+s.Count; i++ {
		in := &k.PTX.Body[i]
		number := r.numbering.Of(in)
		if r.done[number] {
			continue
		}
		r.done[number] = true
		if i == s.First {
			if r.options.Mode == Segments {
				r.boundary(k, id, number)
			}
			r.line("// added: lanes come to basic block %d", id)
			r.visit(KindVisit, number)
		}
		if r.synthetic(in) {
			if r.options.Mode == Segments {
				r.leaveUnit(k, i)
			}
			r.result.Added[number] += instructions(r.b.String())
			r.insertLines(r.bodyEnd(in))
			continue
		}
		if err := r.statement(k, id, i, number); err != nil {
			return err
		}
	}
	return nil
}

// behind puts what was written last behind an instruction, and what was written before that
// in front of it.
func (r *rewriter) behind(in *ptx.Instruction, to int, before string) {
	text := r.take()
	r.insert(to, "\n"+strings.TrimSuffix(text, "\n"))
	r.b.WriteString(before)
	r.result.Added[r.numbering.Of(in)] += instructions(text)
}

// statement adds the records of one instruction.
func (r *rewriter) statement(k *Kernel, segment, index, number int) error {
	in := &k.PTX.Body[index]
	from, to, err := r.source.span(in)
	if err != nil {
		return err
	}
	site := SiteOf(k.Kernel, index)
	if Logged(site.Predicate) {
		r.line("// added: what lanes bring to %s", mnemonic(in))
		r.guard(number, map[bool]string{true: "!"}[site.Predicate.Negated]+site.Predicate.Register.Name)
	}
	guard := ""
	if in.Guard.Register != nil && (site.Guard || site.Jumps) {
		guard = map[bool]string{true: "!"}[in.Guard.Negated] + in.Guard.Register.Name
		r.line("// added: the guard of %s", mnemonic(in))
		r.guard(number, guard)
	}
	for _, v := range site.Values() {
		switch {
		case v.Loads:
			r.line("// added: bytes %d to %d of the tensor map", v.Bytes, v.Bytes+7)
		case v.Low != site.Address:
			r.line("// added: an operand of %s", mnemonic(in))
		case Sampled(in):
			r.line("// added: the handles of %s", mnemonic(in))
		default:
			r.line("// added: the addresses of %s", mnemonic(in))
		}
		r.value(number, v, guard, reachesCluster(k.Kernel, in, v.Low))
	}
	if r.options.Mode == Segments && in.Op == ptx.OpCall {
		r.call(k, index)
		r.result.Added[number] += instructions(r.b.String())
		r.insertLines(from)
		r.leftToHost(from, to)
		return nil
	}
	if err := r.replaceNames(in, from, to); err != nil {
		return err
	}
	if err := r.replaceHandle(in, from, to); err != nil {
		return err
	}
	r.placeConstant(k, in, to)
	if r.options.Mode == Straight {
		if err := r.replaceAllocator(in, from, to); err != nil {
			return err
		}
		r.quiet(in, to)
		r.answer(in, site.Answer, number, to)
	} else {
		r.leave(k, index, from, to)
		r.leaveUnit(k, index)
		r.product(k, segment, index, from, to)
		r.meet(k, index, to)
	}
	r.result.Added[number] += instructions(r.b.String())
	r.insertLines(from)
	return nil
}

// answer adds the record of what a look at an mbarrier gives, behind it.
func (r *rewriter) answer(in *ptx.Instruction, answer *ptx.Operand, number, to int) {
	if answer == nil {
		return
	}
	before := r.take()
	r.line("// added: the answer of %s", mnemonic(in))
	r.guard(number, answer.Register.Name)
	r.behind(in, to, before)
}

// instructions counts the instructions of added text, which has one in a line.
func instructions(text string) (n int) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasSuffix(line, ";") && !strings.HasPrefix(line, ".") && !strings.HasPrefix(line, "//") && !strings.Contains(line, ".branchtargets") {
			n++
		}
	}
	return n
}

// replaceNames puts registers in the place of what tells a thread block's place in the
// grid, and of global variables whose addresses are given.
func (r *rewriter) replaceNames(in *ptx.Instruction, from, to int) error {
	globals := 0
	var replace func(o *ptx.Operand) error
	replace = func(o *ptx.Operand) error {
		for i := range o.Elements {
			if err := replace(&o.Elements[i]); err != nil {
				return err
			}
		}
		switch {
		case readsBlock(o) && o.Kind == ptx.OperandSpecial:
			name := strings.ReplaceAll(o.Special.String(), ".", "_")
			return r.replaceWord(in, from, to, regexp.QuoteMeta("%"+o.Special.String()), "%"+r.prefix+name)
		case o.Variable != nil && o.Variable.Space == ptx.SpaceTexture && !Textured(in):
			row := slices.Index(r.result.References, o.Variable)
			if row < 0 {
				return fmt.Errorf("%s: BUG: %s is no reference of the module", in.Position, o.Variable.Name)
			}
			r.line("// added: the handle that %s stands for", o.Variable.Name)
			r.line("ld.global.u64 $place, [%s_control+%d];", r.name(), ControlTextures)
			r.line("ld.global.u64 $texture, [$place+%d];", RowBytes*row+RowHandle)
			return r.replaceWord(in, from, to, regexp.QuoteMeta(o.Variable.Name), "%"+r.prefix+"texture")
		case o.Function != nil && r.options.Mode == Segments:
			return r.replaceWord(in, from, to, regexp.QuoteMeta(o.Function.Name)+`(\s*\+\s*-?\w+)?`, fmt.Sprintf("0x%x", coexecution.FunctionAddress(o.Function)+uint64(o.Offset)))
		case o.Variable != nil && r.moved[o.Variable.Position] != "":
			return r.replaceWord(in, from, to, regexp.QuoteMeta(o.Variable.Name), r.moved[o.Variable.Position])
		case r.placed(o.Variable):
			register := fmt.Sprintf("%%%sglobal%d", r.prefix, globals)
			if globals++; globals > 4 {
				return fmt.Errorf("%s: %s cannot be contaminated: it names too many variables", in.Position, mnemonic(in))
			}
			offset, pattern := r.offsets[o.Variable], regexp.QuoteMeta(o.Variable.Name)
			if o.Kind != ptx.OperandAddress {
				pattern += `(\s*\+\s*-?\w+)?`
				offset += uint64(o.Offset)
			}
			r.line("// added: the address of %s", verbatim(o.Variable.Name))
			r.b.WriteString(r.indent + fmt.Sprintf("add.s64 %s, %%%svariables, %d;\n", register, r.prefix, offset))
			return r.replaceWord(in, from, to, pattern, register)
		case o.Variable != nil && o.Variable.Space == ptx.SpaceGlobal && r.options.Globals != nil:
			address, ok := r.options.Globals[o.Variable]
			if !ok || globals == 4 {
				return fmt.Errorf("%s: %s cannot be contaminated: variable %s has no address", in.Position, mnemonic(in), o.Variable.Name)
			}
			register := fmt.Sprintf("%%%sglobal%d", r.prefix, globals)
			globals++
			pattern := regexp.QuoteMeta(o.Variable.Name)
			if o.Kind != ptx.OperandAddress {
				pattern += `(\s*\+\s*-?\w+)?`
				address += uint64(o.Offset)
			}
			r.line("// added: the address of %s", o.Variable.Name)
			r.b.WriteString(r.indent + fmt.Sprintf("mov.u64 %s, 0x%x;\n", register, address))
			return r.replaceWord(in, from, to, pattern, register)
		}
		return nil
	}
	for i := range in.Operands {
		if err := replace(&in.Operands[i]); err != nil {
			return err
		}
	}
	if in.Space == ptx.SpaceArgument && len(r.offsets) > 0 && (in.Op == ptx.OpLd || in.Op == ptx.OpSt) {
		at := argumentSpace().FindIndex(r.module.Text[from:to])
		if at == nil {
			return fmt.Errorf("%s: BUG: .param is not in the text of the instruction", in.Position)
		}
		r.edits = append(r.edits, edit{from + at[0], from + at[1], ".local"})
	}
	return nil
}

// argumentSpace is the state space of what calls pass.
var argumentSpace = pattern(`\.param(::func)?\b`)

// replaceWord replaces all places of a name in a statement.
func (r *rewriter) replaceWord(in *ptx.Instruction, from, to int, pattern, with string) error {
	p, err := regexp.Compile(`(^|[^\w$%.])(` + pattern + `)([^\w$]|$)`)
	if err != nil {
		return err
	}
	found := p.FindAllSubmatchIndex(r.module.Text[from:to], -1)
	if len(found) == 0 {
		return fmt.Errorf("%s: BUG: %s is not in the text of the instruction", in.Position, pattern)
	}
	for _, at := range found {
		e := edit{from + at[4], from + at[5], with}
		if !slices.Contains(r.edits, e) {
			r.edits = append(r.edits, e)
		}
	}
	return nil
}

// assemble makes the text and its lines.
func (r *rewriter) assemble() {
	sort.SliceStable(r.edits, func(i, j int) bool { return r.edits[i].from < r.edits[j].from })
	text := r.module.Text
	var out bytes.Buffer
	line, lines := 1, []int{1}
	write := func(part []byte, original bool) {
		for _, c := range part {
			out.WriteByte(c)
			if c == '\n' {
				if original {
					line++
				}
				lines = append(lines, line)
			}
		}
	}
	at := 0
	for _, e := range r.edits {
		write(text[at:max(e.from, at)], true)
		write([]byte(e.text), false)
		line += bytes.Count(text[max(e.from, at):max(e.to, e.from, at)], []byte("\n"))
		at = max(e.to, at)
	}
	write(text[at:], true)
	r.result.Text, r.result.Lines = out.Bytes(), lines
}
