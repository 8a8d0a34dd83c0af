// SPDX-License-Identifier: Apache-2.0

package recorder

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sort"

	"golang.org/x/sys/unix"

	"github.com/warptape/warptape/frontend/internal/lanes"
)

// arena is device memory that the program shares: one file without a name, and buffers are
// pieces of it. It is sealed, so that the program cannot make it shorter under the
// recorder's feet.
type arena struct {
	file  *os.File
	bytes []byte
	free  []extent // by offset, none empty, none adjacent
	taken map[*byte]extent
}

type extent struct{ at, n uint64 }

// newArena makes an arena with addresses for n bytes; memory is used as it is touched.
func newArena(n uint64) (*arena, error) {
	n = (n + pageBytes - 1) / pageBytes * pageBytes
	fd, err := unix.MemfdCreate("warptape-device", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("device memory: %w", err)
	}
	a := &arena{file: os.NewFile(uintptr(fd), "device memory"), free: []extent{{0, n}}, taken: map[*byte]extent{}}
	if err = a.file.Truncate(int64(n)); err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL)
	}
	if err == nil {
		a.bytes, err = unix.Mmap(fd, 0, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_NORESERVE)
	}
	if err != nil {
		a.file.Close()
		return nil, fmt.Errorf("device memory of %d bytes: %w", n, err)
	}
	return a, nil
}

func (a *arena) close() {
	unix.Munmap(a.bytes)
	a.file.Close()
}

// send sends a reply, and the memory's descriptor with it.
func (a *arena) send(connection *net.UnixConn, reply []byte) error {
	_, _, err := connection.WriteMsgUnix(reply, unix.UnixRights(int(a.file.Fd())), nil)
	return err
}

// Take gives whole pages, zeroed: the first piece that is long enough.
func (a *arena) Take(n uint64) ([]byte, error) {
	want := (n + lanes.NearBytes + pageBytes - 1) / pageBytes * pageBytes
	for i := range a.free {
		f := &a.free[i]
		if f.n < want {
			continue
		}
		at := f.at
		if f.at, f.n = f.at+want, f.n-want; f.n == 0 {
			a.free = append(a.free[:i], a.free[i+1:]...)
		}
		data := a.bytes[at : at+n : at+want]
		a.taken[&a.bytes[at]] = extent{at, want}
		return data, nil
	}
	return nil, errors.New("device memory is too fragmented")
}

// Give takes pages back; they are zero again, and no longer cost memory.
func (a *arena) Give(data []byte) {
	if cap(data) == 0 {
		return
	}
	first := &data[:1][0]
	e, ok := a.taken[first]
	if !ok {
		return
	}
	delete(a.taken, first)
	if unix.Fallocate(int(a.file.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, int64(e.at), int64(e.n)) != nil {
		clear(a.bytes[e.at : e.at+e.n])
	}
	i := sort.Search(len(a.free), func(i int) bool { return a.free[i].at > e.at })
	a.free = append(a.free, extent{})
	copy(a.free[i+1:], a.free[i:])
	a.free[i] = e
	a.join(i + 1)
	a.join(i)
}

// join makes one extent of extent i and the one before, if they touch.
func (a *arena) join(i int) {
	if i <= 0 || i >= len(a.free) || a.free[i-1].at+a.free[i-1].n != a.free[i].at {
		return
	}
	a.free[i-1].n += a.free[i].n
	a.free = append(a.free[:i], a.free[i+1:]...)
}

// offset is the place of a buffer's bytes.
func (a *arena) offset(data []byte) (uint64, bool) {
	e, ok := a.taken[&data[:1][0]]
	return e.at, ok
}
