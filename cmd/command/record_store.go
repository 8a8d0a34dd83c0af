// SPDX-License-Identifier: Apache-2.0

package command

import (
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/warptape/warptape/cmd/internal/commandline"
	"github.com/warptape/warptape/trace/store"
)

// storeFlag asks the record command to store its trace.
func storeFlag() cli.Flag {
	return &cli.StringFlag{Name: "store", Usage: "put the trace into the local store as `NAME[:TAG]` (and into a file only with --output)"}
}

// keeping is a recording's way into the store; nil when it is not stored.
type keeping struct {
	s       *store.Store
	ref     store.Reference
	adopted bool // recorded inside the store
	remove  func()
}

// toStore prepares a recording with --store. Without --output it records inside the
// store, so that the file need not be copied.
func (r *recording) toStore(c *cli.Context) (*keeping, error) {
	if !c.IsSet("store") {
		return nil, nil
	}
	ref, err := storeName(c.String("store"))
	if err != nil {
		return nil, commandline.Usagef("--store %v", err)
	}
	s, err := localStore()
	if err != nil {
		return nil, err
	}
	k := &keeping{s: s, ref: ref, remove: func() {}}
	if c.IsSet("output") {
		return k, nil
	}
	folder, remove, err := s.Workspace()
	if err != nil {
		return nil, err
	}
	k.adopted, k.remove = true, remove
	r.output = filepath.Join(folder, "recording.wtape")
	return k, nil
}

// store stores the finished recording, by whose name it is reported.
func (k *keeping) store(sum *summary) error {
	if k == nil {
		return nil
	}
	if !k.adopted {
		_, err := k.s.Add(sum.output, k.ref)
		return err
	}
	_, err := k.s.Adopt(sum.output, k.ref)
	sum.output = k.ref.String()
	return err
}

// end removes what a recording that failed left in the store.
func (k *keeping) end() {
	if k != nil {
		k.remove()
	}
}
