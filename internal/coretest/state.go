// SPDX-License-Identifier: MPL-2.0

package coretest

import (
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// State is the content of a state file: objects by address.
type State struct{ Instances map[string]Instance }

// Instance is a resource instance. Deposed holds the objects that a
// create-before-destroy replacement has not destroyed yet.
type Instance struct {
	Provider string
	Current  *Object
	Deposed  []*Object
}

// Object is an object that the state knows. It is immutable.
type Object struct {
	Value       tftypes.Value
	Private     []byte
	Identity    *tfprotov6.ResourceIdentityData
	Tainted     bool
	CreateFirst bool     // create_before_destroy at the last write
	DependsOn   []string // resources
}

func newState() *State { return &State{Instances: map[string]Instance{}} }

// Clone returns a copy that can be changed independently.
func (s *State) Clone() *State {
	clone := &State{Instances: maps.Clone(s.Instances)}
	for addr, i := range clone.Instances {
		i.Deposed = slices.Clone(i.Deposed)
		clone.Instances[addr] = i
	}
	return clone
}

// Addresses returns the addresses of the instances, sorted.
func (s *State) Addresses() []string { return sortedKeys(s.Instances) }

// Entry is an object of a state, and where it is.
type Entry struct {
	*Object
	Addr    string
	Deposed bool
}

// Objects returns all objects of a resource type, in the order of their addresses.
func (s *State) Objects(typeName string) (all []Entry) {
	for _, addr := range s.Addresses() {
		if typeOf(addr) == typeName && !isData(addr) {
			all = append(all, s.At(addr)...)
		}
	}
	return all
}

// At returns the objects at an address.
func (s *State) At(addr string) (all []Entry) {
	i := s.Instances[addr]
	if i.Current != nil {
		all = append(all, Entry{i.Current, addr, false})
	}
	for _, o := range i.Deposed {
		all = append(all, Entry{o, addr, true})
	}
	return all
}

// Text returns a string in an object, or "" if it is null or there is no object.
func (o *Object) Text(path ...string) string {
	if o == nil {
		return ""
	}
	return Text(o.Value, path...)
}

// Object returns the current object at an address, or nil.
func (s *State) Object(addr string) *Object { return s.Instances[addr].Current }

func (s *State) set(addr, provider string, o *Object) {
	i := s.Instances[addr]
	i.Current, i.Provider = o, provider
	s.put(addr, i)
}

func (s *State) put(addr string, i Instance) {
	if i.Current == nil && len(i.Deposed) == 0 {
		delete(s.Instances, addr)
		return
	}
	s.Instances[addr] = i
}

// depose turns the current object into a deposed one.
func (s *State) depose(addr string) *Object {
	i := s.Instances[addr]
	old := i.Current
	if old != nil {
		i.Current, i.Deposed = nil, append(slices.Clone(i.Deposed), old)
		s.put(addr, i)
	}
	return old
}

// Deposed returns a state in which the current object of an address is deposed. A
// failed create-before-destroy replacement leaves such a state.
func (s *State) Deposed(addr string) *State {
	after := s.Clone()
	after.depose(addr)
	return after
}

// replaceDeposed replaces a deposed object. Nil removes it.
func (s *State) replaceDeposed(addr string, old, now *Object) {
	i := s.Instances[addr]
	i.Deposed = slices.DeleteFunc(slices.Clone(i.Deposed), func(o *Object) bool { return o == old })
	if now != nil {
		i.Deposed = append(i.Deposed, now)
	}
	s.put(addr, i)
}

// move applies moved blocks and the implied moves of a CLI: a resource that gained or
// lost its count.
func (s *State) move(config *Config) {
	rename := func(from, to string) {
		i, ok := s.Instances[from]
		if _, taken := s.Instances[to]; ok && !taken && from != to {
			delete(s.Instances, from)
			s.Instances[to] = i
		}
	}
	for _, m := range config.Moved {
		for _, addr := range s.Addresses() {
			if addr == m.From {
				rename(addr, m.To)
			} else if key, ok := strings.CutPrefix(addr, m.From+"["); ok {
				rename(addr, m.To+"["+key)
			}
		}
	}
	for _, addr := range s.Addresses() {
		first := resourceOf(addr) + "[0]"
		switch {
		case config.resource(addr) != nil:
		case addr == first && config.resource(resourceOf(addr)) != nil:
			rename(addr, resourceOf(addr))
		case addr == resourceOf(addr) && config.resource(first) != nil:
			rename(addr, first)
		}
	}
}
