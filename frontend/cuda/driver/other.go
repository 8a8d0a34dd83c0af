// SPDX-License-Identifier: Apache-2.0

//go:build !linux || (!amd64 && !arm64) || static

package driver

import (
	"fmt"
	"runtime"
	"time"

	"github.com/warptape/warptape/trace"
)

// DefaultLibrary is the name of the vendor's driver library.
const DefaultLibrary = "libcuda.so.1"

// Device, Module, Function and Array cannot be had on this system.
type (
	Device   struct{}
	Module   struct{}
	Function struct{}
	Array    struct{}
)

// Open says that the system has no CUDA driver that can be loaded.
func Open(string, time.Duration) (*Device, error) { return nil, errSystem() }

// OpenNumber says so, too.
func OpenNumber(string, int, time.Duration) (*Device, error) { return nil, errSystem() }

func errSystem() error {
	return fmt.Errorf("%w: this program for %s/%s cannot load the CUDA driver; record on Linux with one that go install built (a static one loads no libraries)", ErrNoDevice, runtime.GOOS, runtime.GOARCH)
}

func (*Device) Fail(func(call string) int32)            {}
func (*Device) Close()                                  {}
func (*Device) Name() string                            { return "" }
func (*Device) Target() int                             { return 0 }
func (*Device) Own() bool                               { return false }
func (*Device) Free() (uint64, error)                   { return 0, errSystem() }
func (*Device) Allocate(uint64) (uint64, error)         { return 0, errSystem() }
func (*Device) Release(uint64) error                    { return errSystem() }
func (*Device) Write(uint64, []byte) error              { return errSystem() }
func (*Device) Read([]byte, uint64) error               { return errSystem() }
func (*Device) Clear(uint64, uint64) error              { return errSystem() }
func (*Device) Load([]byte) (*Module, error)            { return nil, errSystem() }
func (*Device) Synchronize() error                      { return errSystem() }
func (*Module) Unload() error                           { return errSystem() }
func (*Module) Variable(string) (uint64, uint64, error) { return 0, 0, errSystem() }
func (*Module) Symbol(string) (uint64, error)           { return 0, errSystem() }
func (*Module) Function(string) (*Function, error)      { return nil, errSystem() }
func (*Function) Time(_, _ trace.Dim3, _ uint32, _ []byte) (float64, error) {
	return 0, errSystem()
}
func (*Function) Launch(_, _ trace.Dim3, _ uint32, _ []byte) error { return errSystem() }
func (*Function) LaunchCooperative(_, _ trace.Dim3, _ uint32, _ []byte, _ []uint32) error {
	return errSystem()
}

func (*Device) CreateArray(ArrayShape) (*Array, error) { return nil, errSystem() }
func (*Device) CreateLinearTexture(uint64, Format, uint32, uint64, Sampling) (uint64, error) {
	return 0, errSystem()
}
func (*Device) ReleaseTexture(uint64) error           { return errSystem() }
func (*Device) ReleaseSurface(uint64) error           { return errSystem() }
func (*Array) Release() error                         { return errSystem() }
func (*Array) Write([]byte) error                     { return errSystem() }
func (*Array) Read([]byte) error                      { return errSystem() }
func (*Array) CreateTexture(Sampling) (uint64, error) { return 0, errSystem() }
func (*Array) CreateSurface() (uint64, error)         { return 0, errSystem() }
