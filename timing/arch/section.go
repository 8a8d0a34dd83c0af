// SPDX-License-Identifier: Apache-2.0

package arch

import (
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Section is a part of the schema that belongs to a mechanism and not to the
// baseline. Its folder registers it, with the overlays that switch it on; a
// program that does not link the folder does not know the key. Implementations
// are pointers to structs with the tags of Machine's.
type Section interface {
	// On reports whether the mechanism acts. The values of a section that is off
	// have no meaning: they need not be given, are not shown and do not count
	// for the digest.
	On() bool
	// Check finds values that cannot go together, or not with the machine;
	// complain names a key of the section ("entries").
	Check(m *Machine, complain func(key, message string))
	// Structures lists what the mechanism adds to the chip, for energy and area.
	Structures(m *Machine) []Structure
}

// WholeChip is a Section whose structures are all that the machine consists of: what the
// baseline describes in addition is not there.
type WholeChip interface {
	Section
	WholeChip()
}

// FetchByLane reports whether the lanes of a machine's cores fetch and issue by themselves.
func (m *Machine) FetchByLane() bool {
	for _, key := range m.Mechanisms() {
		if s, ok := m.Section(key).(LaneCores); ok && s.LaneCores(m) {
			return true
		}
	}
	return false
}

// WarpShaped is a Section of cores that have warps of their own.
type WarpShaped interface {
	Section
	// Warps gives the threads of a warp, and the warps that a core has at most.
	Warps() (threads, slots int)
}

// Warps gives the threads of a warp of a machine, and the warps that an SM has at most.
func (m *Machine) Warps() (threads, slots int) {
	if m.FetchByLane() {
		return 1, m.SM.MaxWarps // an instruction has one thread; residency is that of warp sets
	}
	for _, key := range m.Mechanisms() {
		if s, ok := m.Section(key).(WarpShaped); ok {
			return s.Warps()
		}
	}
	return recordedWarp, m.SM.MaxWarps
}

// recordedWarp is the threads of the warps that traces have.
const recordedWarp = 32

// LaneCores is a Section of cores whose lanes fetch and issue by themselves. Counters of
// instructions count those of lanes. The section's structures are what is behind the
// shared instruction cache in the place of an SM's front end.
type LaneCores interface {
	Section
	LaneCores(m *Machine) bool
}

// Clocked is a Section that brings a clock domain of its own.
type Clocked interface {
	Section
	// Clock gives its name and frequency in MHz.
	Clock() (name string, mhz float64)
}

// mechanism is what a folder has registered.
type mechanism struct {
	key      string
	fresh    func() Section
	derived  func(m *Machine) Section // in the place of fresh: see RegisterDerived
	overlays fs.FS                    // nil without any
	machines fs.FS                    // likewise
	Declaration
}

// mechanisms holds them in order of key.
var mechanisms []mechanism

// RegisterSection adds the section with a top-level key: a mechanism's folder
// calls it when its package is initialised. files holds overlays/NAME.yaml and
// machines/NAME.yaml, as a folder embeds them, nil for none. fresh gives a section in which nothing is set,
// with On false; d says what the mechanism has to do with others. A key or overlay
// that exists is a programming error and panics.
func RegisterSection(key string, files fs.FS, fresh func() Section, d Declaration) {
	if slices.Contains(machineSchema.keys[""], key) {
		panic(fmt.Sprintf("BUG: architecture section %q is registered twice", key))
	}
	machineSchema.addSection(key, reflect.TypeOf(fresh()).Elem())
	register(mechanism{key: key, fresh: fresh, Declaration: d}, files)
}

// RegisterDerived is RegisterSection for what is on by the values of the baseline's own
// keys, and has none: an L1 has a prefetcher by l1.prefetcher. derived gives its
// section for a machine, nil where it is off.
func RegisterDerived(key string, files fs.FS, derived func(m *Machine) Section, d Declaration) {
	register(mechanism{key: key, derived: derived, Declaration: d}, files)
}

func register(x mechanism, files fs.FS) {
	x.overlays, x.machines = subfolder(files, "overlays"), subfolder(files, "machines")
	at, found := slices.BinarySearchFunc(mechanisms, x.key, func(m mechanism, k string) int { return strings.Compare(m.key, k) })
	if found {
		panic(fmt.Sprintf("BUG: architecture section %q is registered twice", x.key))
	}
	mechanisms = slices.Insert(mechanisms, at, x)
	for kind, taken := range builtinTaken {
		for _, name := range x.names(kind) {
			if taken[name] {
				panic(fmt.Sprintf("BUG: architecture section %q brings one of the %s whose name is taken: %s", x.key, kind, name))
			}
			taken[name] = true
		}
	}
}

// builtinTaken holds the names of the built-in overlays and machines.
var builtinTaken = map[string]map[string]bool{"overlays": nameSet("overlays"), "machines": nameSet("machines")}

// nameSet is the names of the baseline's.
func nameSet(kind string) map[string]bool {
	set := map[string]bool{}
	for _, name := range yamlNames(builtin, kind) {
		set[name] = true
	}
	return set
}

// subfolder gives a folder of a mechanism's files, nil when there is none.
func subfolder(files fs.FS, name string) fs.FS {
	if files == nil {
		return nil
	}
	if _, err := fs.Stat(files, name); err != nil {
		return nil
	}
	sub, err := fs.Sub(files, name)
	if err != nil {
		panic(fmt.Sprintf("BUG: %s of an architecture section: %v", name, err))
	}
	return sub
}

// Section gives the section of a mechanism that is on, nil when it is off.
func (m *Machine) Section(key string) Section {
	if s := m.sections[key]; s != nil && s.On() {
		return s
	}
	for i := range mechanisms {
		if x := &mechanisms[i]; x.key == key && x.derived != nil {
			return x.derived(m)
		}
	}
	return nil
}

// Mechanisms lists the keys of the sections that are on, in order.
func (m *Machine) Mechanisms() []string {
	var on []string
	for i := range mechanisms {
		if m.Section(mechanisms[i].key) != nil {
			on = append(on, mechanisms[i].key)
		}
	}
	return on
}

// NeedsWholeLaunches says why the replay of some thread blocks of a launch tells nothing
// of the whole launch on the machine; empty where it does.
func (m *Machine) NeedsWholeLaunches() string {
	if kind := m.GPU.CoreKind(); kind != SIMTCore {
		return fmt.Sprintf("the errors of estimates are not measured on cores of the kind %s", kind)
	}
	for i := range mechanisms {
		if x := &mechanisms[i]; x.WholeLaunches != "" && m.Section(x.key) != nil {
			return x.key + ": " + x.WholeLaunches
		}
	}
	return ""
}

// SetSection puts a section into a machine that is built in Go.
func (m *Machine) SetSection(key string, s Section) {
	if m.sections == nil {
		m.sections = map[string]Section{}
	}
	m.sections[key] = s
}

// Clone is a copy of the machine that shares nothing that may be changed.
func (m *Machine) Clone() *Machine {
	c := *m
	c.origins = maps.Clone(m.origins)
	c.sections = nil
	for key, s := range m.sections {
		copied := reflect.New(reflect.TypeOf(s).Elem())
		copied.Elem().Set(reflect.ValueOf(s).Elem())
		c.SetSection(key, copied.Interface().(Section))
	}
	return &c
}

// section gives the section for writing, making it when it is not there.
func (m *Machine) section(key string) Section {
	if s := m.sections[key]; s != nil {
		return s
	}
	for i := range mechanisms {
		if mechanisms[i].key == key && mechanisms[i].fresh != nil {
			m.SetSection(key, mechanisms[i].fresh())
		}
	}
	return m.sections[key]
}

// checkSections lets the mechanisms that are on complain, and finds those that do not
// go together.
func (c *checker) checkSections() {
	for _, r := range c.m.refusals() {
		c.add(c.latest(c.m.keysOf(r.Key, r.Other)...), "%s", r.Reason)
	}
	for _, key := range c.m.Mechanisms() {
		c.m.Section(key).Check(c.m, func(inner, message string) {
			path := join(key, inner)
			c.add(c.origin(path), "%s: %s", path, message)
		})
	}
}

// keysOf lists the keys in the sections of mechanisms that a file has set.
func (m *Machine) keysOf(sections ...string) []string {
	var list []string
	for path := range m.origins {
		if section, _, ok := strings.Cut(path, "."); ok && slices.Contains(sections, section) {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return append(list, sections[0])
}
