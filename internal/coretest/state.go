// SPDX-License-Identifier: MPL-2.0

package coretest

import (
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// State is what a state file holds: objects by address.
type State struct{ Instances map[string]Instance }

// Instance is a resource instance. Its deposed objects are those that a
// replacement which creates first has not destroyed yet.
type Instance struct {
	Provider string
	Current  *Object
	Deposed  []*Object
}

// Object is an object that exists as far as the state knows. It is never
// changed, only replaced.
type Object struct {
	Value       tftypes.Value
	Private     []byte
	Identity    *tfprotov6.ResourceIdentityData
	Tainted     bool
	CreateFirst bool     // what create_before_destroy was when it was written
	DependsOn   []string // resources
}

func newState() *State { return &State{Instances: map[string]Instance{}} }

// Clone returns a copy that can be changed on its own.
func (s *State) Clone() *State {
	clone := &State{Instances: maps.Clone(s.Instances)}
	for addr, i := range clone.Instances {
		i.Deposed = slices.Clone(i.Deposed)
		clone.Instances[addr] = i
	}
	return clone
}

// Addresses lists the instances, sorted.
func (s *State) Addresses() []string { return sortedKeys(s.Instances) }

// Objects lists every object of a resource type, deposed ones included, in the
// order of their addresses.
func (s *State) Objects(typeName string) []*Object {
	var all []*Object
	for _, addr := range s.Addresses() {
		if i := s.Instances[addr]; typeOf(addr) == typeName && !isData(addr) {
			if i.Current != nil {
				all = append(all, i.Current)
			}
			all = append(all, i.Deposed...)
		}
	}
	return all
}

// Value is the current object at an address; nil if there is none.
func (s *State) object(addr string) *Object { return s.Instances[addr].Current }

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

// depose makes the current object a deposed one.
func (s *State) depose(addr string) *Object {
	i := s.Instances[addr]
	old := i.Current
	if old != nil {
		i.Current, i.Deposed = nil, append(slices.Clone(i.Deposed), old)
		s.put(addr, i)
	}
	return old
}

// Deposed returns the state in which the current object of an address is
// deposed, as a replacement that creates first leaves it when it fails.
func (s *State) Deposed(addr string) *State {
	after := s.Clone()
	after.depose(addr)
	return after
}

// settleDeposed replaces a deposed object by what became of it; nil drops it.
func (s *State) settleDeposed(addr string, old, now *Object) {
	i := s.Instances[addr]
	i.Deposed = slices.DeleteFunc(slices.Clone(i.Deposed), func(o *Object) bool { return o == old })
	if now != nil {
		i.Deposed = append(i.Deposed, now)
	}
	s.put(addr, i)
}

// move follows moved blocks, and what a CLI takes for moved by itself: a
// resource that has gained or lost its count.
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
