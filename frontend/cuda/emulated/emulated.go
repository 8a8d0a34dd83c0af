// SPDX-License-Identifier: Apache-2.0

//go:build linux && (amd64 || arm64) && !static

// Package emulated is a CUDA device that is no GPU: the project's own driver library, loaded
// into this process, with the emulator behind it. Whatever speaks the driver API can be
// tried on it.
package emulated

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"

	"github.com/ebitengine/purego"

	"github.com/warptape/warptape/frontend/cuda/driver"
	"github.com/warptape/warptape/frontend/cuda/runtime"
	"github.com/warptape/warptape/frontend/cuda/toolchain"
	"github.com/warptape/warptape/frontend/native/clang"
	"github.com/warptape/warptape/frontend/native/recorder"
)

// Device is a driver's device, and what answers it.
type Device struct {
	*driver.Device
	folder   string
	listener *net.UnixListener
	cancel   context.CancelFunc
	served   chan error
}

// Name is what the device calls itself.
const Name = "Warptape emulated device"

// MemoryBytes is the memory that the device has; it takes what is used of it.
const MemoryBytes = 2 << 30

// properties are those of a device for which any PTX is made, and which has room for the
// cooperative grid of any GPU.
var properties = recorder.Device{
	Name: Name, Major: 9, Minor: 0, Multiprocessors: 1024, ClockKHz: 1000000, MemoryClockKHz: 1000000, BusBits: 256, L2Bytes: 1 << 20, MemoryBytes: MemoryBytes,
	SharedPerBlock: 48 << 10, SharedPerSM: 228 << 10, SharedOptIn: 227 << 10, RegistersPerSM: 64 << 10, ThreadsPerSM: 2048, BlocksPerSM: 32, RegisterUnit: 256, Schedulers: 4,
	LinkBytesPerSecond: 16e9,
}

// opening keeps two devices from being opened at once: the library learns by the
// environment of the process whom to call.
var opening sync.Mutex

// Open makes a device. It needs clang, which builds the library at the first time.
func Open(o Options) (*Device, error) {
	compiler, err := clang.Find()
	if err != nil {
		return nil, err
	}
	kit, err := toolchain.LoadKit(compiler)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "warptape-device-")
	if err != nil {
		return nil, err
	}
	d := &Device{folder: folder}
	if err := d.open(kit.Library, o); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

func (d *Device) open(library string, o Options) error {
	// A copy has state of its own, so that a process can have several devices.
	data, err := os.ReadFile(filepath.Join(library, runtime.Library))
	if err != nil {
		return err
	}
	path, socket := filepath.Join(d.folder, "libcuda.so.1"), filepath.Join(d.folder, "device")
	if err := os.WriteFile(path, data, 0o700); err != nil {
		return err
	}
	if d.listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"}); err != nil {
		return err
	}
	d.serve(o)
	opening.Lock()
	defer opening.Unlock()
	if err := setEnvironment("WARPTAPE_SOCKET", socket); err != nil {
		return err
	}
	d.Device, err = driver.Open(path, o.Timeout)
	return err
}

// serve answers the library until the device is closed.
func (d *Device) serve(o Options) {
	ctx, cancel := context.WithCancel(context.Background())
	d.cancel, d.served = cancel, make(chan error, 1)
	go func() {
		connection, err := d.listener.AcceptUnix()
		if err == nil {
			_, err = recorder.Serve(ctx, connection, recorder.Options{Device: properties, Sink: nothing{}, Say: o.Say, MaxInstructions: o.MaxInstructions, Turn: o.Turn,
				Choose: func(string, int) bool { return false }})
			connection.Close()
		}
		d.served <- err
	}()
}

// setEnvironment changes the environment that libraries in C see.
func setEnvironment(name, value string) error {
	address, err := purego.Dlsym(purego.RTLD_DEFAULT, "setenv")
	if err != nil {
		return fmt.Errorf("the environment: %w", err)
	}
	var setenv func(name, value string, overwrite int32) int32
	purego.RegisterFunc(&setenv, address)
	if setenv(name, value, 1) != 0 {
		return errors.New("the environment is full")
	}
	return nil
}

// Close ends the device and takes its files away.
func (d *Device) Close() {
	if d.Device != nil {
		d.Device.Close()
	}
	if d.listener != nil {
		d.listener.Close()
		d.cancel()
		<-d.served
	}
	os.RemoveAll(d.folder)
}
