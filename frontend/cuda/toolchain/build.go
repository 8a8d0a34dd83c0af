// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warptape/warptape/frontend/cuda/fatbin"
	"github.com/warptape/warptape/frontend/cuda/runtime"
	"github.com/warptape/warptape/frontend/native/clang"
	"github.com/warptape/warptape/frontend/ptx"
)

// Builder carries out jobs.
type Builder struct {
	Clang          *clang.Compiler
	Kit            *Kit
	Stdout, Stderr io.Writer
	work           string
	job            *Job
	counter        int
	overlay        overlay
}

// ErrFailed is the error of a tool that has said itself what is wrong.
var ErrFailed = errors.New("the build failed")

// Build carries out a job.
func (b *Builder) Build(j *Job) error {
	if err := j.chooseArchitecture(b.Clang); err != nil {
		return err
	}
	for _, note := range j.Notes {
		fmt.Fprintln(b.Stderr, "warptape cc:", note)
	}
	work, err := os.MkdirTemp("", "warptape-cc-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	b.work, b.job = work, j
	if j.Verbose {
		b.describe()
	}
	whole := j.Stage == StageLink || j.Stage == StageLibrary
	if !whole && j.Output != "" && len(sources(j)) > 1 {
		return fmt.Errorf("-o %s: there are %d files to compile; compile them one by one, or leave -o out", j.Output, len(sources(j)))
	}
	if err := spared(j); err != nil {
		return err
	}
	if err := b.writeMacros(); err != nil {
		return err
	}
	if j.Stage == StageDeviceLink {
		return b.linkDevice()
	}
	objects := map[string]string{}
	for i := range j.Inputs {
		in := &j.Inputs[i]
		if in.Language == LanguageLink {
			continue
		}
		if objects[in.Path], err = b.compile(in); err != nil {
			return err
		}
	}
	switch j.Stage {
	case StageLink:
		return b.link(objects)
	case StageLibrary:
		return b.archive(objects)
	}
	return nil
}

// linkDevice makes the object that nvcc's device linker would. It is empty.
func (b *Builder) linkDevice() error {
	source, target := filepath.Join(b.work, "dlink.c"), b.job.Output
	if target == "" {
		target = "a_dlink.o"
	}
	if err := os.WriteFile(source, []byte("typedef int nothing;\n"), 0o666); err != nil {
		return err
	}
	return b.run(b.Clang.Path, "-c", "-fPIC", "-o", target, source)
}

// writeMacros puts the macros of the command line into a header, for compilations of CUDA
// C++ to include behind clang's wrapper: the wrapper must not see a program's -DN=256.
func (b *Builder) writeMacros() error {
	var text strings.Builder
	for _, m := range b.job.Macros {
		name, value, has := strings.Cut(m[2:], "=")
		if systemMacro(name) {
			continue
		}
		if !has {
			value = "1"
		}
		fmt.Fprintf(&text, "#undef %s\n", macroName(name))
		if strings.HasPrefix(m, "-D") {
			fmt.Fprintf(&text, "#define %s %s\n", name, value)
		}
	}
	if b.job.Linked { // the compiler registers files with variables or kernels only
		text.WriteString("static __attribute__((device, used)) char __warptape_linked;\n")
		// The runtime counts the files that it is to wait for (managed.c).
		text.WriteString("#ifndef __CUDA_ARCH__\nstatic __attribute__((section(\"warptape_linked\"), used)) char __warptape_linked_file = 1;\n#endif\n")
	}
	return os.WriteFile(b.macros(), []byte(text.String()), 0o666)
}

func (b *Builder) macros() string { return filepath.Join(b.work, "macros.h") }

// systemMacro reports whether headers of the system look at a macro: the wrapper includes
// some.
func systemMacro(name string) bool { return strings.HasPrefix(name, "_") || name == "NDEBUG" }

// macroName is the name of a macro with parameters.
func macroName(name string) string {
	name, _, _ = strings.Cut(name, "(")
	return name
}

// spared is an error for an output that would replace an input.
func spared(j *Job) error {
	output, err := os.Stat(j.Output)
	if j.Output == "" || err != nil {
		return nil
	}
	for _, in := range j.Inputs {
		if input, err := os.Stat(in.Path); err == nil && os.SameFile(input, output) {
			return fmt.Errorf("-o %s: the output would replace the input %s; give another name", j.Output, in.Path)
		}
	}
	return nil
}

func sources(j *Job) []Input {
	var list []Input
	for _, in := range j.Inputs {
		if in.Language != LanguageLink {
			list = append(list, in)
		}
	}
	return list
}

// target is the output of one input.
func (b *Builder) target(in *Input) string {
	base := strings.TrimSuffix(filepath.Base(in.Path), filepath.Ext(in.Path))
	inFolder := func(name string) string { return filepath.Join(b.job.Folder, name) }
	if b.job.Stage == StageLink || b.job.Stage == StageLibrary {
		b.counter++
		return filepath.Join(b.work, fmt.Sprintf("%s.%d.o", base, b.counter))
	}
	if b.job.Output != "" {
		return b.job.Output
	}
	switch b.job.Stage {
	case StageObject:
		return inFolder(base + ".o")
	case StagePTX:
		return inFolder(base + ".ptx")
	case StageFatbin:
		return inFolder(base + ".fatbin")
	case StagePreprocess:
		if b.job.Suffixed {
			return inFolder(filepath.Base(in.Path) + ".cpp.ii")
		}
	}
	return "" // standard output
}

func (b *Builder) compile(in *Input) (string, error) {
	target := b.target(in)
	if in.Language != LanguageCUDA {
		return target, b.compileHost(in, target)
	}
	b.overlay = overlay{folder: b.work}
	if err := b.closeBrackets(in); err != nil {
		return "", err
	}
	var err error
	switch b.job.Stage {
	case StagePTX:
		return target, b.device(in, target)
	case StagePreprocess, StageDepend:
		if b.job.Suffixed {
			break
		}
		options, own := b.cuda("--cuda-host-only")
		args := slices.Concat(options, own, b.overlay.options())
		if b.job.Stage == StageDepend {
			return target, b.depend(b.Clang.CXX, append(args, in.Path), target)
		}
		args = append(args, "-E")
		if target != "" {
			args = append(args, "-o", target)
		}
		return target, b.run(b.Clang.CXX, append(args, in.Path)...)
	}
	ptx := filepath.Join(b.work, "device.ptx")
	if err := b.device(in, ptx); err != nil {
		return "", err
	}
	image := filepath.Join(b.work, "device.fatbin")
	if b.job.Stage == StageFatbin {
		image = target
	}
	var text []byte
	if !b.job.DryRun {
		if text, err = os.ReadFile(ptx); err != nil {
			return "", err
		}
		if err := os.WriteFile(image, fatbin.Pack(text, uint32(b.job.Arch), b.job.Linked), 0o666); err != nil {
			return "", err
		}
	}
	if b.job.Stage == StageFatbin {
		return target, nil
	}
	options, own := b.cuda("--cuda-host-only")
	options = append(append(options, "-fPIC", b.level()), b.job.Host...)
	own = append(own, "-Xclang", "-fcuda-include-gpubinary", "-Xclang", image)
	if b.job.Suffixed {
		return target, b.hostSource(options, own, in, target)
	}
	list, dependencies := b.dependencyFile(in, target)
	own = append(append(append(own, "-c"), dependencies...), "-o", target, in.Path)
	if err := b.compileCUDA(options, own); err != nil {
		return target, err
	}
	if err := b.mendDependencies(list); err != nil || !b.job.Linked {
		return target, err
	}
	return target, b.shareVariables(target, text)
}

// visibleVariable finds the variables of a text that other files may name.
var visibleVariable = lazily(`(?m)^\.visible \.(?:global|const) \.align \d+ \.\w+ ([\w$]+)`)

// shareVariables makes the host's side of device variables global, as the device's is: the
// compiler gives it internal linkage. Other files may then copy to them.
func (b *Builder) shareVariables(object string, text []byte) error {
	var args []string
	for _, found := range visibleVariable().FindAllSubmatch(text, -1) {
		if name := string(found[1]); !ptx.PrivateName(name) {
			args = append(args, "--globalize-symbol="+name)
		}
	}
	if len(args) == 0 {
		return nil
	}
	return b.run("objcopy", append(args, object)...)
}

func (b *Builder) level() string {
	if b.job.Level == "" {
		return "-O0"
	}
	return b.job.Level
}

// lenient are warnings and errors of clang that programs written for nvcc do not expect.
var lenient = []string{
	"-Wno-c++11-narrowing", "-Wno-register", "-Wno-reserved-user-defined-literal", "-Wno-unknown-cuda-version", "-Wno-writable-strings",
	"-Wno-deprecated-declarations", "-Wno-unused-command-line-argument", "-Wno-format", "-Wno-pass-failed", "-Wno-unknown-pragmas",
	// CUB before 2.0 has "template" before names without arguments, which clang refuses from 19 on; older ones do not know the option.
	"-Wno-missing-template-arg-list-after-template-kw", "-Wno-unknown-warning-option",
}

// cuda gives the options of every compilation of CUDA C++. args decide how the compiler reads
// the headers before a program, and own concerns the program's text alone.
func (b *Builder) cuda(side string) (args, own []string) {
	args = []string{
		"-x", "cuda", side, "--cuda-gpu-arch=" + b.arch(), "-nocudainc", "-nocudalib",
		"-isystem", filepath.Join(b.Clang.Resources, "include", "cuda_wrappers"), "-isystem", b.Kit.Include,
	}
	args = append(args, wrapping...)
	args = append(args,
		"-Xclang", "-target-sdk-version=11.8", "-Xclang", "-fcuda-allow-variadic-functions", "-D__NVCC__", "-D__CUDACC_VER_BUILD__=0", fmt.Sprintf("-D__CUDA_ARCH_LIST__=%d0", b.job.Arch),
	)
	args = append(args, b.releaseMacros()...)
	for _, m := range b.job.Macros {
		if name, _, _ := strings.Cut(m[2:], "="); systemMacro(name) {
			args = append(args, m)
		}
	}
	if b.job.Calls {
		args = append(args, "-D__WARPTAPE_MATHEMATICS_CALLS__")
	}
	switch {
	case b.job.Fast || b.job.FastRoot && b.job.Flush:
		args = append(args, "-D__WARPTAPE_FAST_ROOT__=__nvvm_sqrt_approx_ftz_f")
	case b.job.FastRoot:
		args = append(args, "-D__WARPTAPE_FAST_ROOT__=__nvvm_sqrt_approx_f")
	}
	args, own = append(args, lenient...), []string{"-include", b.macros()}
	for i := 0; i < len(b.job.Both); i++ {
		if b.job.Both[i] == "-include" && i+1 < len(b.job.Both) {
			own = append(own, b.job.Both[i:i+2]...)
			i++
			continue
		}
		args = append(args, b.job.Both[i])
	}
	return args, own
}

// release is the release of CUDA that programs see. Without an option it is 11.8, which has all of the
// older architectures, and for Hopper and what follows the first one that programs for these are
// written for.
func (b *Builder) release() int {
	switch {
	case b.job.Release > 0:
		return b.job.Release
	case b.job.Arch >= clusterArch:
		return releases["12.4"]
	}
	return releases["11.8"]
}

// releaseMacros tell device code of the release. The headers' own is 11.8.
func (b *Builder) releaseMacros() []string {
	n := b.release()
	return append(b.headerRelease(), fmt.Sprintf("-D__CUDACC_VER_MAJOR__=%d", n/1000), fmt.Sprintf("-D__CUDACC_VER_MINOR__=%d", n%1000/10))
}

// headerRelease tells the headers of a release that is not their own.
func (b *Builder) headerRelease() []string {
	if n := b.release(); n != releases["11.8"] {
		return []string{fmt.Sprintf("-D__WARPTAPE_CUDA_VERSION__=%d", n)}
	}
	return nil
}

func (b *Builder) arch() string { return architecture{b.job.Arch, b.job.Suffix}.String() }

// ptxFeature is the version of PTX that code for an architecture is written in. It
// is old enough for shuffles of inactive lanes on old architectures, and has what
// new ones need.
func (b *Builder) ptxFeature() string {
	switch {
	case b.job.Arch >= 100:
		return "+ptx86"
	case b.job.Arch >= 90:
		return "+ptx81" // atomic sums of vectors
	case b.job.Arch >= 89:
		return "+ptx80"
	case b.job.Arch >= 70 && b.release() >= releases["12.4"]:
		return "+ptx78" // whether an address is that of a parameter
	case b.job.Arch >= 80:
		return "+ptx75"
	}
	return "+ptx63"
}

// device compiles the device side to PTX.
func (b *Builder) device(in *Input, target string) error {
	args, own := b.cuda("--cuda-device-only")
	// nvcc's device code reads what was written, whatever the types of the pointers are.
	args = append(args, "-Xclang", "-target-feature", "-Xclang", b.ptxFeature(), "-S", "-fno-strict-aliasing")
	args = append(args, clang.Barriers...)
	switch {
	case b.job.Debug:
		args = append(args, "-O0", "-g")
	case b.job.Level == "-O0":
		args = append(args, "-O0")
	default:
		args = append(args, "-O3")
	}
	args = append(args, clang.Vectors...)
	if b.job.Lines {
		args = append(args, "-gline-directives-only")
	}
	if b.job.Fast {
		// What nvcc means by it, and not -ffast-math: sums stay in their order, and infinities
		// and NaN have their meaning.
		args = append(args, "-fgpu-flush-denormals-to-zero", "-fgpu-approx-transcendentals",
			"-mllvm", "-nvptx-prec-divf32=0", "-mllvm", "-nvptx-prec-sqrtf32=0")
	} else {
		args = append(args, b.approximations()...)
	}
	if b.job.NoFuse {
		args = append(args, "-ffp-contract=off", "-mllvm", "-nvptx-fma-level=0")
	}
	list := filepath.Join(b.work, "device.d")
	if err := b.compileCUDA(args, slices.Concat(own, []string{"-MD", "-MF", list, "-o", target, in.Path})); err != nil {
		return err
	}
	if err := b.addClusters(args, own, in, target, list); err != nil {
		os.Remove(target)
		return err
	}
	return nil
}

// approximations are those parts of --use_fast_math that options of their own choose.
func (b *Builder) approximations() (args []string) {
	if b.job.Flush {
		args = append(args, "-fgpu-flush-denormals-to-zero")
	}
	if b.job.FastDivide { // div.full, as nvcc's without fast mathematics
		args = append(args, "-mllvm", "-nvptx-prec-divf32=1")
	}
	if b.job.FastRoot {
		args = append(args, "-mllvm", "-nvptx-prec-sqrtf32=0")
	}
	return args
}

// compileHost compiles a file without device code. C is that of old programs, as the
// compilers behind nvcc take it.
func (b *Builder) compileHost(in *Input, target string) error {
	args := []string{"-isystem", b.Kit.Include, "-D__NVCC_HOST__", "-Wno-unused-command-line-argument"}
	args = append(args, b.headerRelease()...)
	tool := b.Clang.CXX
	if in.Language == LanguageC {
		tool = b.Clang.Path
		args = append(args, "-x", "c", "-Wno-implicit-function-declaration", "-Wno-implicit-int", "-Wno-int-conversion", "-Wno-incompatible-function-pointer-types")
		if !hasStandard(b.job.Both) {
			args = append(args, "-std=gnu89")
		}
	} else {
		args = append(args, "-x", "c++", "-Wno-c++11-narrowing", "-Wno-register", "-Wno-reserved-user-defined-literal", "-Wno-writable-strings")
	}
	args = append(args, b.job.Macros...)
	for _, o := range b.job.Both {
		if in.Language == LanguageC && strings.HasPrefix(o, "-std=") && strings.Contains(o, "++") {
			continue
		}
		args = append(args, o)
	}
	switch b.job.Stage {
	case StagePreprocess:
		args = append(args, "-E")
	case StageDepend, StagePTX:
	default:
		args = append(args, "-c", "-fPIC", b.level())
	}
	if b.job.Stage == StageDepend {
		return b.depend(tool, append(args, in.Path), target)
	}
	list, options := b.dependencyFile(in, target)
	args = append(append(args, b.job.Host...), options...)
	if terminal(b.Stderr) {
		args = append(args, "-fcolor-diagnostics")
	}
	if target != "" {
		args = append(args, "-o", target)
	}
	if err := b.run(tool, append(args, in.Path)...); err != nil {
		return err
	}
	return b.mendDependencies(list)
}

func hasStandard(options []string) bool {
	for _, o := range options {
		if strings.HasPrefix(o, "-std=") && !strings.Contains(o, "++") {
			return true
		}
	}
	return false
}

// link makes the program, with the runtime library in its search path.
func (b *Builder) link(objects map[string]string) error {
	output := b.job.Output
	if output == "" {
		output = "a.out"
	}
	if err := b.addLibraries(); err != nil {
		return err
	}
	args := []string{"-o", output}
	if b.job.Verbose {
		b.describeLink(output)
		args = append(args, "-v") // CMake reads the linker's folders
	}
	for _, in := range b.job.Inputs {
		if in.Language != LanguageLink {
			args = append(args, objects[in.Path])
		}
	}
	for _, o := range b.job.Link {
		if hasDeviceCode(o) {
			args = append(args, "-Wl,--whole-archive", o, "-Wl,--no-whole-archive")
		} else {
			args = append(args, o)
		}
	}
	args = append(args, "-L"+b.Kit.Library, "-Wl,-rpath,"+b.Kit.Library, "-Wl,--no-as-needed", "-l:"+runtime.Library, "-lpthread", "-ldl", "-lm")
	for _, o := range b.job.Host {
		if o == "-fopenmp" || o == "-pg" || o == "-pthread" || strings.HasPrefix(o, "-fsanitize") {
			args = append(args, o)
		}
	}
	return b.run(b.Clang.CXX, args...)
}

// hasDeviceCode reports whether an archive has objects with device code. The program needs
// all of them: what they define on the device is nothing that the host's linker looks for.
func hasDeviceCode(path string) bool {
	if filepath.Ext(path) != ".a" {
		return false
	}
	text, err := os.ReadFile(path)
	return err == nil && bytes.Contains(text, []byte(".nvFatBinSegment"))
}

// archive makes a library of objects: those compiled, and those that the command line has.
func (b *Builder) archive(objects map[string]string) error {
	output := b.job.Output
	if output == "" {
		output = "a.a"
	}
	args := []string{"rcs", output}
	for _, in := range b.job.Inputs {
		if in.Language != LanguageLink {
			args = append(args, objects[in.Path])
		}
	}
	for _, o := range b.job.Link {
		if !strings.HasPrefix(o, "-") {
			args = append(args, o)
		}
	}
	return b.run("ar", args...)
}

func (b *Builder) run(path string, args ...string) error {
	if b.job.DryRun {
		b.tell(path, args)
		return nil
	}
	var messages bytes.Buffer
	err := b.runSaying(io.MultiWriter(b.Stderr, &messages), path, args...)
	b.hint(err, messages.Bytes())
	return err
}

// tell writes a command, if the user asks for it.
func (b *Builder) tell(path string, args []string) {
	if b.job.Verbose {
		fmt.Fprintln(b.Stderr, "#$", path, strings.Join(args, " "))
	}
}
