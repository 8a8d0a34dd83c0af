// SPDX-License-Identifier: Apache-2.0

package toolchain

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Job is what a command line in the manner of nvcc asks for.
type Job struct {
	Inputs []Input
	Output string
	Stage  Stage
	Arch   int            // 70 for sm_70
	Suffix byte           // 'a' of sm_90a, zero without
	Named  []architecture // by -arch and -gencode
	Linked bool           // functions of one file are called from others (-rdc=true)
	Debug  bool           // -G: device code for a debugger
	Lines  bool           // -lineinfo
	Fast   bool           // --use_fast_math
	NoFuse bool           // --fmad=false
	Flush  bool           // -ftz=true: subnormal numbers of single precision are zero
	// FastDivide and FastRoot are -prec-div=false and -prec-sqrt=false.
	FastDivide, FastRoot bool
	Folder               string // -odir: of outputs that -o does not name
	// Notes are what the user should know of options that do not do what nvcc's do.
	Notes   []string
	Level   string
	Both    []string // for every compilation
	Macros  []string // -D and -U, in their order
	Host    []string // for the host's
	Link    []string // in their order, with the inputs
	Verbose bool
	DryRun  bool
	Version bool
	Print   string // PrintInclude or one of its like: only the folder is wanted
	Shared  bool
	// Suffixed says that preprocessed sources go to files, whose names end in .cu.cpp.ii.
	Suffixed bool
	// Release is the release of CUDA that programs see (--cuda-release), as 12040 is 12.4; zero: that
	// of the architecture.
	Release int
	Calls   bool // --mathematics=calls: sinf and its like are calls, which the emulator carries out
}

// These options name the folders of headers and of the runtime library, for builds that
// compile or link some files by other compilers. PrintToolkit names one laid out as
// CUDA's toolkit is.
const (
	PrintInclude = "--print-include-folder"
	PrintLibrary = "--print-library-folder"
	PrintToolkit = "--print-toolkit-folder"
)

// Stage is where a job stops.
type Stage int

// The stages.
const (
	StageLink Stage = iota
	StageObject
	StagePTX
	StagePreprocess
	StageDepend
	// StageDeviceLink makes an empty object: device code is linked when a program starts.
	StageDeviceLink
	// StageFatbin packs the PTX of a file, for a program to load.
	StageFatbin
	// StageLibrary makes an archive of objects.
	StageLibrary
)

// Language of an input.
type Language int

// The languages.
const (
	LanguageLink Language = iota // an object or a library
	LanguageCUDA
	LanguageC
	LanguageCXX
)

// Input is a file of the command line.
type Input struct {
	Path     string
	Language Language
}

// releases are those that programs can see, by their names.
var releases = map[string]int{"11.8": 11080, "12.4": 12040}

// taken are options that have no effect here, by whether a value may follow.
var taken = map[string]bool{
	"-m64": false, "--expt-relaxed-constexpr": false, "-expt-relaxed-constexpr": false, "--expt-extended-lambda": false,
	"-expt-extended-lambda": false, "--extended-lambda": false, "-extended-lambda": false, "-keep": false, "--keep": false,
	"-res-usage": false, "--resource-usage": false, "-restrict": false, "--restrict": false,
	"-allow-unsupported-compiler": false, "--allow-unsupported-compiler": false, "-use-local-env": false, "--use-local-env": false,
	"-noprof": false, "--no-align-double": false, "-no-align-double": false, "-dlto": false, "--cudart=shared": false,
	"--display-error-number": false, "-noeh": false, "-clean": false, "-deviceemu": false, "--source-in-ptx": false, "-src-in-ptx": false,
	"-ccbin": true, "--compiler-bindir": true, "-cudart": true, "--cudart": true, "-cudadevrt": true, "-Xptxas": true, "--ptxas-options": true,
	"-Xnvlink": true, "--nvlink-options": true, "-Xfatbin": true, "--fatbin-options": true, "-maxrregcount": true, "--maxrregcount": true,
	"-code": true, "--gpu-code": true, "-t": true, "--threads": true, "-diag-suppress": true, "--diag-suppress": true, "-Xcudafe": true,
	"-Xcicc": true, "-keep-dir": true, "--keep-dir": true, "-Werror": true, "-split-compile": true,
}

// long are the long names of options that have short ones.
var long = map[string]string{
	"--output-file": "-o", "--compile": "-c", "--ptx": "-ptx", "--fatbin": "-fatbin", "--cubin": "-cubin", "--lib": "-lib", "--preprocess": "-E", "--cuda": "-cuda", "--device-c": "-dc", "-device-c": "-dc", "-device-link": "-dlink", "--device-link": "-dlink", "--device-w": "-c",
	"--include-path": "-I", "--define-macro": "-D", "--undefine-macro": "-U", "--library-path": "-L", "--library": "-l",
	"--optimize": "-O", "--debug": "-g", "--device-debug": "-G", "--generate-line-info": "-lineinfo", "--std": "-std",
	"--gpu-architecture": "-arch", "-gpu-architecture": "-arch", "--generate-code": "-gencode", "--relocatable-device-code": "-rdc",
	"--compiler-options": "-Xcompiler", "--linker-options": "-Xlinker", "--x": "-x", "--shared": "-shared", "--verbose": "-v",
	"--dryrun": "-dryrun", "--use_fast_math": "-use_fast_math", "--fmad": "-fmad", "--disable-warnings": "-w", "--pre-include": "-include",
	"--default-stream": "-default-stream", "--ftz": "-ftz", "--prec-div": "-prec-div", "--prec-sqrt": "-prec-sqrt", "--output-directory": "-odir",
	"-optf": "--options-file", "--forward-unknown-to-host-compiler": "-forward-unknown-to-host-compiler", "--forward-unknown-opts": "-forward-unknown-to-host-compiler",
	"-forward-unknown-opts": "-forward-unknown-to-host-compiler", "--forward-unknown-to-host-linker": "-forward-unknown-to-host-linker",
	"--system-include": "-isystem", "--generate-dependencies": "-M", "--version": "-V", "--dopt": "-dopt", "--machine": "-m",
}

// ParseArgs reads a command line.
func ParseArgs(args []string) (*Job, error) {
	p := &parser{rest: args, job: &Job{Arch: DefaultArch}}
	for len(p.rest) > 0 {
		a := p.rest[0]
		p.rest = p.rest[1:]
		if err := p.argument(a); err != nil {
			return nil, err
		}
	}
	j := p.job
	if slices.Contains(j.Host, "-m32") || slices.Contains(j.Host, "-mx32") {
		return nil, errNarrow
	}
	if j.Version || j.Print != "" || len(j.Inputs) > 0 {
		return j, nil
	}
	return nil, fmt.Errorf("no input file: name a .cu file")
}

type parser struct {
	rest   []string
	job    *Job
	forced Language // by -x
	isX    bool
	files  int // of options
	// forward sends unknown options to the host's compiler, forwardLink to the linker.
	forward, forwardLink bool
}

// value is the value of an option: behind =, or the next argument.
func (p *parser) value(name, given string, has bool) (string, error) {
	if has {
		return given, nil
	}
	if len(p.rest) == 0 {
		return "", fmt.Errorf("%s: its value is missing", name)
	}
	v := p.rest[0]
	p.rest = p.rest[1:]
	return v, nil
}

func (p *parser) argument(a string) error {
	if file, ok := strings.CutPrefix(a, "@"); ok && file != "" {
		return p.optionFile("@", file)
	}
	if !strings.HasPrefix(a, "-") || a == "-" {
		return p.input(a)
	}
	name, given, has := a, "", false
	if i := strings.IndexByte(a, '='); i > 0 && !strings.HasPrefix(a, "-D") {
		name, given, has = a[:i], a[i+1:], true
	}
	if short, ok := long[name]; ok {
		name = short
	}
	if done, err := p.own(name, given, has); done || err != nil {
		return err
	}
	if valued, ok := taken[name]; ok {
		if valued && !has {
			_, err := p.value(name, "", false)
			return err
		}
		return nil
	}
	return p.compiler(a, name, given, has)
}

// own does the options that nvcc and clang mean differently.
func (p *parser) own(name, given string, has bool) (bool, error) {
	j := p.job
	switch name {
	case "-c":
		j.Stage = StageObject
	case "-dc":
		j.Stage, j.Linked = StageObject, true
	case "-cuda":
		j.Stage, j.Suffixed = StagePreprocess, true
	case "-dlink":
		j.Stage = StageDeviceLink
	case "-ptx":
		j.Stage = StagePTX
	case "-fatbin", "-cubin":
		j.Stage = StageFatbin
	case "-lib":
		j.Stage = StageLibrary
	case "-E":
		j.Stage = StagePreprocess
	case "-M", "-MM":
		j.Stage = StageDepend
		j.Both = append(j.Both, name)
	case "-G":
		j.Debug = true
		j.Host = append(j.Host, "-g")
	case "-lineinfo":
		j.Lines = true
	case "-use_fast_math":
		j.Fast = true
	case "-v":
		j.Verbose = true
	case "-dryrun":
		j.Verbose, j.DryRun = true, true
	case PrintInclude, PrintLibrary, PrintToolkit:
		j.Print = name
	case "-V":
		j.Version = true
	case "-forward-unknown-to-host-compiler":
		p.forward = true
	case "-forward-unknown-to-host-linker":
		p.forwardLink = true
	case "-shared":
		j.Shared = true
		j.Link = append(j.Link, "-shared")
	case "-o", "-x", "-arch", "-gencode", "-rdc", "-Xcompiler", "-Xlinker", "-fmad", "-dopt", "-std", "--mathematics", "--cuda-release", "-odir", "--options-file",
		"-default-stream", "-ftz", "-prec-div", "-prec-sqrt", "-m":
		v, err := p.value(name, given, has)
		if err == nil {
			err = p.valued(name, v)
		}
		return true, err
	default:
		return false, nil
	}
	return true, nil
}

func (p *parser) valued(name, v string) error {
	j := p.job
	switch name {
	case "-m":
		if v == "32" {
			return errNarrow
		}
		if v != "64" {
			return fmt.Errorf("-m=%s: write 64", v)
		}
	case "-o":
		j.Output = v
	case "-x":
		languages := map[string]Language{"cu": LanguageCUDA, "cuda": LanguageCUDA, "c": LanguageC, "c++": LanguageCXX}
		l, ok := languages[v]
		if !ok {
			return fmt.Errorf("-x %s: there are cu, c and c++", v)
		}
		p.forced, p.isX = l, true
	case "-arch":
		return p.arch(v)
	case "-gencode":
		for _, part := range strings.Split(v, ",") {
			if of, ok := strings.CutPrefix(part, "arch="); ok {
				if err := p.arch(of); err != nil {
					return err
				}
			}
		}
	case "-rdc":
		j.Linked = v == "true"
	case "-Xcompiler":
		for _, o := range words(v) {
			p.host(o)
		}
	case "-Xlinker":
		for _, o := range words(v) {
			j.Link = append(j.Link, "-Wl,"+o)
		}
	case "-fmad":
		j.NoFuse = v == "false"
	case "-ftz":
		j.Flush = v == "true"
	case "-prec-div":
		j.FastDivide = v == "false"
	case "-prec-sqrt":
		j.FastRoot = v == "false"
	case "-odir":
		j.Folder = v
	case "--options-file":
		return p.optionFiles(v)
	case "-default-stream":
		if v == "per-thread" {
			j.Notes = append(j.Notes, "-default-stream per-thread has no effect: calls that name no stream use the legacy stream, which waits for the others")
		}
	case "-std":
		j.Both = append(j.Both, "-std="+v)
	case "--cuda-release":
		if j.Release = releases[v]; j.Release == 0 {
			return fmt.Errorf("--cuda-release=%s: there are 11.8 and 12.4", v)
		}
	case "--mathematics":
		if v != "calls" && v != "instructions" {
			return fmt.Errorf("--mathematics=%s: there are instructions and calls", v)
		}
		j.Calls = v == "calls"
	}
	return nil
}

// errNarrow is the error of programs whose addresses have 32 bits.
var errNarrow = errors.New("-m32: programs have addresses of 64 bits here, as with CUDA since its release 9; leave the option out")

// host takes an option of the host's compiler.
func (p *parser) host(o string) {
	j := p.job
	if strings.HasPrefix(o, "-Wl,") || o == "-rdynamic" || o == "-pthread" {
		j.Link = append(j.Link, o)
	}
	if !strings.HasPrefix(o, "-Wl,") && o != "" {
		j.Host = append(j.Host, o)
	}
}

// compiler passes an option on to clang, which knows most of those that remain.
func (p *parser) compiler(a, name, given string, has bool) error {
	j := p.job
	for _, prefix := range []string{"-L", "-l"} {
		if v, ok := strings.CutPrefix(a, prefix); ok && !strings.HasPrefix(a, "-lineinfo") {
			if v == "" && len(p.rest) > 0 { // an empty variable of a makefile may leave it alone
				v, p.rest = p.rest[0], p.rest[1:]
			}
			v = strings.TrimPrefix(v, "=")
			if v == "" {
				return nil
			}
			if prefix == "-l" && slices.Contains(ownLibraries, v) {
				return nil
			}
			j.Link = append(j.Link, prefix+v)
			return nil
		}
	}
	for _, prefix := range []string{"-I", "-D", "-U", "-include", "-isystem", "-idirafter", "-iquote", "-MF", "-MT", "-MQ"} {
		if v, ok := strings.CutPrefix(a, prefix); ok {
			if long[strings.SplitN(a, "=", 2)[0]] == prefix {
				v = given
			}
			if v == "" {
				var err error
				if v, err = p.value(prefix, "", false); err != nil {
					return err
				}
			}
			switch {
			case prefix == "-D" || prefix == "-U":
				j.Macros = append(j.Macros, prefix+strings.TrimPrefix(v, "="))
			case prefix == "-I":
				j.Both = append(j.Both, prefix+strings.TrimPrefix(v, "="))
			case strings.HasPrefix(prefix, "-M"):
				j.Host = append(j.Host, prefix, v)
			default:
				j.Both = append(j.Both, prefix, strings.TrimPrefix(v, "="))
			}
			return nil
		}
	}
	if name == "-I" || name == "-D" || name == "-U" { // a long name with =
		if name == "-I" {
			j.Both = append(j.Both, name+given)
		} else {
			j.Macros = append(j.Macros, name+given)
		}
		return nil
	}
	switch {
	case strings.HasPrefix(a, "-O") && len(a) <= 3:
		j.Level = a
		if a == "-O" {
			j.Level = "-O1"
		}
	case a == "-pg" || hostDebug().MatchString(a):
		j.Host = append(j.Host, a)
	case a == "-w" || strings.HasPrefix(a, "-W"):
		if strings.HasPrefix(a, "-Wl,") {
			j.Link = append(j.Link, a)
			break
		}
		j.Both = append(j.Both, a)
	case a == "-MD" || a == "-MMD" || a == "-MP" || strings.HasPrefix(a, "-f") || strings.HasPrefix(a, "-m") || a == "-pipe" || a == "-pedantic" || a == "-ansi":
		j.Host = append(j.Host, a)
	case a == "-pthread" || a == "-rdynamic" || a == "-s" || a == "-static-libgcc" || a == "-static-libstdc++":
		j.Link = append(j.Link, a)
	case p.forward:
		p.host(a)
	case p.forwardLink:
		j.Link = append(j.Link, a)
	default:
		return fmt.Errorf("%s: warptape cc does not know this option; give options of the host compiler behind -Xcompiler", a)
	}
	return nil
}

// hostDebug are the options for debug information of the host.
var hostDebug = lazily(`^-g(?:[0-3]|gdb[0-3]?|dwarf(?:-[2-5])?|line-tables-only|split-dwarf)?$`)

// ownLibraries are those whose place the project's runtime library takes.
var ownLibraries = []string{"cudart", "cudart_static", "cuda", "cudadevrt", "nvToolsExt"}

func (p *parser) input(path string) error {
	in := Input{Path: path}
	switch filepath.Ext(path) {
	case ".cu":
		in.Language = LanguageCUDA
	case ".c":
		in.Language = LanguageC
	case ".cc", ".cpp", ".cxx", ".C", ".c++":
		in.Language = LanguageCXX
	}
	if p.isX {
		in.Language = p.forced
	}
	p.job.Inputs = append(p.job.Inputs, in)
	if in.Language == LanguageLink {
		p.job.Link = append(p.job.Link, path)
	}
	return nil
}
