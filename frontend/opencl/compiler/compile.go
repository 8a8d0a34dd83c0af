// SPDX-License-Identifier: Apache-2.0

package compiler

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/warptape/warptape/frontend/native/clang"
	"github.com/warptape/warptape/frontend/native/recorder"
	"github.com/warptape/warptape/frontend/native/wire"
)

// Names of files in the folder in which clang works; messages have that of the source.
const (
	sourceFile = "program.cl"
	headers    = "headers"
	outputFile = "output"
	logFile    = "log"
)

// Compile compiles a program. What is wrong with it is in the result; the error says that
// there is no compiler, or that it cannot work.
func (l *Lazy) Compile(ctx context.Context, q *recorder.CompileRequest) (*recorder.Compiled, error) {
	c, err := l.get(ctx)
	if err != nil {
		return nil, err
	}
	o, err := parse(q.Options, q.Folder)
	if err != nil {
		return &recorder.Compiled{BadOptions: true, Log: err.Error() + "\n"}, nil
	}
	if err := checkNames(q.Names); err != nil {
		return &recorder.Compiled{Log: err.Error() + "\n"}, nil
	}
	work, err := os.MkdirTemp("", "warptape-cl-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	j := &job{Compiler: c, ctx: ctx, request: q, options: o, folder: work}
	if err := j.write(); err != nil {
		return nil, err
	}
	name, err := j.digest()
	if err == nil {
		var folder string
		folder, err = clang.Cached("opencl", name, j.make)
		if err == nil {
			return read(folder)
		}
	}
	var failed *exec.ExitError
	if !errors.As(err, &failed) || ctx.Err() != nil {
		return nil, err
	}
	return &recorder.Compiled{Log: j.messages.String()}, nil
}

func read(folder string) (*recorder.Compiled, error) {
	output, err := os.ReadFile(filepath.Join(folder, outputFile))
	if err != nil {
		return nil, err
	}
	log, err := os.ReadFile(filepath.Join(folder, logFile))
	return &recorder.Compiled{OK: true, Output: output, Log: string(log)}, err
}

// checkNames refuses headers that would lie outside of their folder.
func checkNames(names []string) error {
	for _, n := range names {
		if !filepath.IsLocal(n) {
			return fmt.Errorf("a header with the name %q", n)
		}
	}
	return nil
}

// job is one compilation.
type job struct {
	*Compiler
	ctx      context.Context
	request  *recorder.CompileRequest
	options  *options
	folder   string
	messages bytes.Buffer
}

func (j *job) write() error {
	if err := os.Mkdir(filepath.Join(j.folder, headers), 0o777); err != nil {
		return err
	}
	for i, n := range j.request.Names {
		path := filepath.Join(j.folder, headers, n)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, j.request.Headers[i], 0o666); err != nil {
			return err
		}
	}
	for i, data := range j.request.Inputs {
		if err := os.WriteFile(filepath.Join(j.folder, j.input(i)), data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

func (j *job) fromSource() bool {
	return j.request.Stage == wire.StageBuild || j.request.Stage == wire.StageCompile
}

// input is the file of an input.
func (j *job) input(i int) string {
	if j.fromSource() {
		return sourceFile
	}
	return fmt.Sprintf("object%d.bc", i)
}

// digest is that of all that goes in. Of a source with includes it is what the
// preprocessor makes of it.
func (j *job) digest() (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, "libraries last, kernels can be called, types without typedefs, a whole table, barriers change restricted memory, vectors of bytes at any address", j.Compiler.digest, j.request.Stage, j.request.Offsets, j.options.plain, j.options.library)
	for _, o := range j.options.front {
		fmt.Fprintf(h, "%q\n", o)
	}
	for _, data := range j.request.Inputs {
		fmt.Fprintln(h, len(data))
		h.Write(data)
	}
	if j.fromSource() && bytes.Contains(j.request.Inputs[0], []byte("include")) {
		text, err := j.clangOutput(append(j.front(), "-E", "-o", "-", sourceFile)...)
		if err != nil {
			return "", err
		}
		h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil))[:32], nil
}

// front are the options for a source.
func (j *job) front() []string {
	args := append(j.machine(), "-x", "cl", "-cl-kernel-arg-info", "-fgnu89-inline", "-gline-directives-only", "-fdebug-compilation-dir=.", "-I"+headers)
	args = append(args, j.options.front...)
	return append(args, "-I"+j.request.Folder)
}

func (j *job) level() string {
	if j.options.plain {
		return "-O0"
	}
	return "-O3"
}

// libraries are the functions of OpenCL C, the project's own before libclc's.
func (j *job) libraries() []string {
	return []string{"-Xclang", "-mlink-builtin-bitcode", "-Xclang", j.builtins[j.request.Offsets], "-Xclang", "-mlink-builtin-bitcode", "-Xclang", j.library}
}

// make puts the output and the compiler's messages into a folder.
func (j *job) make(folder string) error {
	var output []byte
	var err error
	j.messages.Reset()
	switch {
	case j.request.Stage == wire.StageCompile:
		output, err = j.clangOutput(append(append(j.front(), j.level()), "-Xclang", "-disable-llvm-passes", "-c", "-emit-llvm", "-o", "-", sourceFile)...)
	case j.request.Stage == wire.StageLibrary:
		output, err = j.clangOutput(append(j.objects(), "-Xclang", "-disable-llvm-passes", "-c", "-emit-llvm", "-o", "-", "object0.bc")...)
	case j.request.Stage == wire.StageLink:
		output, err = j.module(append(j.objects(), "object0.bc"))
	default:
		output, err = j.module(append(j.front(), sourceFile))
	}
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(folder, outputFile), output, 0o666), os.WriteFile(filepath.Join(folder, logFile), j.messages.Bytes(), 0o666))
}

// objects are the options for the first object, with the others linked to it.
func (j *job) objects() []string {
	args := append(j.machine(), "-x", "ir")
	for i := 1; i < len(j.request.Inputs); i++ {
		args = append(args, "-Xclang", "-mlink-bitcode-file", "-Xclang", j.input(i))
	}
	return args
}

// module makes PTX, in two steps: what OpenCL's host must know of kernels is in LLVM's
// text of the module, and not in PTX.
func (j *job) module(args []string) ([]byte, error) {
	// Libraries come last: modules are linked in order, and all objects may need them.
	args = slices.Concat(clang.Barriers, []string{j.level()}, clang.Vectors, []string{"-S", "-emit-llvm", "-o", "program.ll"}, args, j.libraries())
	if _, err := j.clangOutput(args...); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(j.folder, "program.ll"))
	if err != nil {
		return nil, err
	}
	module := callable(string(text))
	if module != string(text) {
		if err := os.WriteFile(filepath.Join(j.folder, "program.ll"), []byte(module), 0o666); err != nil {
			return nil, err
		}
	}
	ptx, err := j.clangOutput(slices.Concat(j.machine(), clang.Barriers, []string{"-x", "ir", j.level()}, clang.Vectors, []string{"-S", "-o", "-", "program.ll"})...)
	if err != nil {
		return nil, err
	}
	return append(describe(module), wholeTable(ptx)...), nil
}

// wholeTable lengthens libclc's table of the bits of 2/pi. Sines of large doubles load
// sixteen bytes of it at a time, and the last load ends two bytes past its end. Constant
// memory goes on there, but an emulator that checks bounds stops.
func wholeTable(ptx []byte) []byte {
	return bytes.ReplaceAll(ptx, []byte(" PIBITS_TBL[158] ="), []byte(" PIBITS_TBL[160] ="))
}

// maxMessages bounds what is kept of a compiler's messages.
const maxMessages = 1 << 20

func (j *job) clangOutput(args ...string) ([]byte, error) {
	cmd := exec.CommandContext(j.ctx, j.clang.Path, args...)
	cmd.Dir = j.folder
	var out, messages bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &messages
	err := cmd.Run()
	text := strings.ReplaceAll(messages.String(), j.folder+string(filepath.Separator), "")
	j.messages.WriteString(text[:min(len(text), maxMessages)])
	return out.Bytes(), err
}
