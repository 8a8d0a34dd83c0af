// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/warptape/warptape/frontend/native/recorder"
)

// sharedDevice is the device of a program and of the processes that it starts. All may look at
// it, as libraries that list devices do; the first that uses it has it.
type sharedDevice struct {
	ctx      context.Context
	options  recorder.Options
	accepted chan struct{} // closed when no more connections come
	mutex    sync.Mutex
	sessions []*sharing
	owner    *sharing
}

// sharing is one connection.
type sharing struct {
	process int // the number of the one that made it
	leave   context.CancelFunc
	ended   chan struct{}
	result  recorder.Result
	err     error
}

// served is how the recording ended; never says that no process has called.
type served struct {
	result recorder.Result
	never  bool
	err    error
}

// maxSharing bounds the connections: each takes addresses for the device's memory.
const maxSharing = 64

// share serves the connections of a listener until it has a deadline.
func share(ctx context.Context, listener *net.UnixListener, o recorder.Options) *sharedDevice {
	if o.Say != nil {
		o.Say = &oneByOne{w: o.Say}
	}
	d := &sharedDevice{ctx: ctx, options: o, accepted: make(chan struct{})}
	go func() {
		defer close(d.accepted)
		for {
			connection, err := listener.AcceptUnix()
			if err != nil {
				return
			}
			if len(d.sessions) == maxSharing {
				fmt.Fprintf(o.Say, "warptape: more than %d connections to the device; the others are turned away\n", maxSharing)
				connection.Close()
				continue
			}
			d.serve(connection)
		}
	}()
	return d
}

func (d *sharedDevice) serve(connection *net.UnixConn) {
	ctx, leave := context.WithCancel(d.ctx)
	s := &sharing{process: peer(connection), leave: leave, ended: make(chan struct{})}
	d.mutex.Lock()
	d.sessions = append(d.sessions, s)
	d.mutex.Unlock()
	o := d.options
	o.Claim = func() bool {
		d.mutex.Lock()
		defer d.mutex.Unlock()
		if d.owner == nil {
			d.owner = s
		}
		return d.owner == s
	}
	go func() {
		defer close(s.ended)
		defer connection.Close()
		s.result, s.err = recorder.Serve(ctx, connection, o)
		if errors.Is(s.err, recorder.ErrTaken) {
			fmt.Fprintln(o.Say, "warptape:", s.err)
		}
	}()
}

// oneByOne takes what several sessions write.
type oneByOne struct {
	mutex sync.Mutex
	w     io.Writer
}

func (o *oneByOne) Write(p []byte) (int, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.w.Write(p)
}

// peer is the number of the process at the other end, 0 if the system does not say it.
func peer(connection *net.UnixConn) (process int) {
	raw, err := connection.SyscallConn()
	if err != nil {
		return 0
	}
	raw.Control(func(fd uintptr) {
		if c, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			process = int(c.Pid)
		}
	})
	return process
}

// lookersLeave is how long a process that the program has started, and that has only looked at the
// device, may stay when the program has ended.
const lookersLeave = 2 * time.Second

// end waits for the sessions of a program that has ended, and tells how the recording went.
// Processes that stay longer count only when they have the device.
func (d *sharedDevice) end(program int) served {
	<-d.accepted
	if len(d.sessions) == 0 {
		return served{never: true}
	}
	late := time.After(lookersLeave)
	for _, s := range d.sessions {
		select {
		case <-s.ended:
			continue
		case <-late:
		}
		late = time.After(0)
		d.mutex.Lock()
		stays := d.owner == s || s.process == program
		d.mutex.Unlock()
		if !stays {
			s.leave()
		}
		<-s.ended
	}
	of := d.owner
	if of == nil {
		of = d.looker(program)
	}
	if errors.Is(of.err, context.Canceled) && d.ctx.Err() == nil {
		of.err = nil // it was told to leave
	}
	return served{result: of.result, err: of.err}
}

// looker is the session that stands for a program that has used nothing: one with an error,
// the program's own, or the first.
func (d *sharedDevice) looker(program int) *sharing {
	found := d.sessions[0]
	for _, s := range d.sessions {
		if s.err != nil && d.ctx.Err() == nil && !errors.Is(s.err, context.Canceled) {
			return s
		}
		if s.process == program && found.process != program {
			found = s
		}
	}
	return found
}
