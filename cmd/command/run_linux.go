// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/warptape/warptape/frontend/cuda/toolchain"
	"github.com/warptape/warptape/frontend/native/clang"
	"github.com/warptape/warptape/frontend/native/recorder"
	openclruntime "github.com/warptape/warptape/frontend/opencl/runtime"
)

// socketVariable tells the runtime library where its recorder is.
const socketVariable = "WARPTAPE_SOCKET"

// patience is how long a program may take to end when the user has ended the recording.
const patience = 5 * time.Second

// launchProgram starts a program, is its device until it ends, and gives its exit code.
func launchProgram(ctx context.Context, p *programStart, o recorder.Options) (int, recorder.Result, error) {
	folder, err := os.MkdirTemp("", "warptape-run-") // only the user can enter it
	if err != nil {
		return 0, recorder.Result{}, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "device")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return 0, recorder.Result{}, fmt.Errorf("the program's device: %w", err)
	}
	defer listener.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	device := share(ctx, listener, o)
	program, err := start(p, path)
	if err != nil {
		code, err := notStarted(p.args[0], err)
		return code, recorder.Result{}, err
	}
	stop := context.AfterFunc(ctx, func() {
		program.Process.Signal(os.Interrupt)
		time.AfterFunc(patience, func() { program.Process.Kill() })
	})
	defer stop()
	waited := program.Wait()
	code := exitCode(program, waited)
	if s, ok := program.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() && (s.Signal() == syscall.SIGKILL || s.Signal() == syscall.SIGTERM || s.Signal() == syscall.SIGINT) {
		cancel(fmt.Errorf("the program was ended by a signal (%v)", s.Signal()))
	}
	listener.SetDeadline(time.Now()) // a program that has not called will not
	end := device.end(program.Process.Pid)
	s, ok := program.ProcessState.Sys().(syscall.WaitStatus)
	if ok && s.Signaled() {
		end.result.EndedBy = fmt.Sprintf("a signal (%v)", s.Signal())
	}
	if end.never && ok && s.Signaled() {
		return code, end.result, fmt.Errorf("%s was ended by a signal (%v) before it used the device", p.args[0], s.Signal())
	}
	if end.never {
		return code, end.result, fmt.Errorf("%s has used no device: is it a program in OpenCL, or in CUDA that links the shared runtime (warptape cc, or nvcc -cudart shared)?", p.args[0])
	}
	return code, end.result, end.err
}

// start starts the program with the runtime library in its way and, where the system
// allows it, without random addresses.
func start(p *programStart, socket string) (*exec.Cmd, error) {
	program := exec.Command(p.args[0], p.args[1:]...)
	program.Stdin, program.Stdout, program.Stderr = os.Stdin, p.stdout, p.stderr
	program.Env = append(os.Environ(), socketVariable+"="+socket)
	libraries, err := runtimeLibraries()
	if err != nil {
		fmt.Fprintf(p.stderr, "warptape: the program gets no runtime library: %v\n", err)
	}
	program.Env = append(program.Env, libraries...)
	runtime.LockOSThread() // a child has the personality of the thread that makes it
	defer runtime.UnlockOSThread()
	const addressNoRandomize, current = 0x0040000, 0xffffffff
	if before, _, errno := unix.RawSyscall(unix.SYS_PERSONALITY, current, 0, 0); errno == 0 {
		unix.RawSyscall(unix.SYS_PERSONALITY, before|addressNoRandomize, 0, 0)
		defer unix.RawSyscall(unix.SYS_PERSONALITY, before, 0, 0)
	}
	return program, program.Start()
}

// runtimeLibraries are the variables of the environment by which a program finds the runtime
// libraries of CUDA and of OpenCL, and an ICD loader that of OpenCL.
func runtimeLibraries() ([]string, error) {
	compiler, err := clang.Find()
	if err != nil {
		return nil, err
	}
	cuda, err := toolchain.LoadKit(compiler)
	if err != nil {
		return nil, err
	}
	opencl, err := openclruntime.Load(compiler)
	if err != nil {
		return nil, err
	}
	folders := cuda.Library + ":" + opencl.Library
	if before := os.Getenv("LD_LIBRARY_PATH"); before != "" { // an empty part is the working folder
		folders += ":" + before
	}
	return []string{
		"LD_LIBRARY_PATH=" + folders,
		"OCL_ICD_VENDORS=" + opencl.Vendors, "OPENCL_VENDOR_PATH=" + opencl.Vendors,
	}, nil
}

// openclFolder is the folder of the OpenCL library.
func openclFolder() (string, error) {
	compiler, err := clang.Find()
	if err != nil {
		return "", err
	}
	folders, err := openclruntime.Load(compiler)
	if err != nil {
		return "", err
	}
	return folders.Library, nil
}

// exitCode is the program's, or 128 and the signal's number as shells have it.
func exitCode(program *exec.Cmd, err error) int {
	var exit *exec.ExitError
	if err == nil || !errors.As(err, &exit) {
		return 0
	}
	if s, ok := program.ProcessState.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return 128 + int(s.Signal())
	}
	return exit.ExitCode()
}
