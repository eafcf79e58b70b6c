// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
)

// step is one command of a calibration scenario.
type step struct {
	command string // apply, plan, destroy, saved (plan and apply it), taint
	config  coretest.Config
	options coretest.Options
	before  func(dir string) // changes the objects behind everybody's back
	fails   bool
	address string // of taint
}

func apply(resources ...coretest.Resource) step {
	return step{command: "apply", config: of(resources...)}
}

func destroy(resources ...coretest.Resource) step {
	return step{command: "destroy", config: of(resources...)}
}

func taint(address string) step { return step{command: "taint", address: address} }

func (s step) with(o coretest.Options) step {
	s.options = o
	return s
}

func (s step) after(before func(dir string)) step {
	s.before = before
	return s
}

func (s step) failing() step {
	s.fails = true
	return s
}

// saved is a plan that is saved and then applied.
func (s step) saved() step {
	s.command = "saved"
	return s
}

func (s step) changing(change func(*coretest.Config)) step {
	change(&s.config)
	return s
}

// one is a resource of the probe. members come in pairs.
func one(label string, members ...any) coretest.Resource {
	body := coretest.Body{"label": label, "name": label}
	for i := 0; i < len(members); i += 2 {
		body[fmt.Sprint(members[i])] = members[i+1]
	}
	addr := "probe_thing." + label
	return coretest.Resource{Addr: addr, Body: body}
}

func of(resources ...coretest.Resource) coretest.Config {
	return coretest.Config{Resources: resources, Providers: map[string]coretest.Body{"": {}}}
}

func first(r coretest.Resource) coretest.Resource {
	r.CreateBeforeDestroy = true
	return r
}

func ignoring(r coretest.Resource, names ...string) coretest.Resource {
	r.IgnoreChanges = names
	return r
}

func after(r coretest.Resource, names ...string) coretest.Resource {
	r.DependsOn = names
	return r
}

func triggered(r coretest.Resource, addr string) coretest.Resource {
	r.ReplaceTriggeredBy = []string{addr}
	return r
}

func via(alias string, r coretest.Resource) coretest.Resource {
	r.Provider = alias
	return r
}

func at(addr string, r coretest.Resource) coretest.Resource {
	r.Addr = addr
	return r
}

func data(name, input string) coretest.Resource {
	return coretest.Resource{Addr: "terraform_data." + name, Body: coretest.Body{"input": input}}
}

func output(name string) coretest.Ref {
	return coretest.Ref{Addr: "terraform_data." + name, Attribute: "output"}
}

func looking(label string, name any) coretest.Resource {
	return coretest.Resource{Addr: "data.probe_look." + label, Body: coretest.Body{"label": label, "name": name}}
}

// objects changes the files of the probe.
func objects(change func(file string)) func(string) {
	return func(dir string) {
		all, err := filepath.Glob(filepath.Join(dir, "id*"))
		if err != nil {
			panic(err)
		}
		for _, file := range all {
			change(file)
		}
	}
}

var vanish = objects(func(file string) { _ = os.Remove(file) })

func drift(value string) func(string) {
	return objects(func(file string) {
		if err := os.WriteFile(file, []byte(value), 0o600); err != nil {
			panic(err)
		}
	})
}

func exists(id, value string) func(string) {
	return func(dir string) {
		if err := os.WriteFile(filepath.Join(dir, "id"+id), []byte(value), 0o600); err != nil {
			panic(err)
		}
	}
}

var (
	noRefresh = coretest.Options{Refresh: coretest.NoRefresh}
	minimal   = coretest.Options{Refresh: coretest.MinimalRefresh}
)

func replace(addrs ...string) coretest.Options { return coretest.Options{Replace: addrs} }
func target(addrs ...string) coretest.Options  { return coretest.Options{Targets: addrs} }

// aliased is a configuration with two providers, where a value of the first
// one's resource may change.
func aliased(value string) coretest.Config {
	return coretest.Config{
		Providers: map[string]coretest.Body{"": {}, "other": {"label": "other"}},
		Resources: []coretest.Resource{one("a", "value", value), via("other", one("b"))},
	}
}

// block is an inner block with a text.
func block(text string) coretest.Body { return coretest.Body{"text": text} }

// found refers to what a data source has found.
var found = coretest.Ref{Addr: "data.probe_look.d", Attribute: "found"}

// other is a with another name, which replaces it.
func other(members ...any) coretest.Resource {
	return one("a", append([]any{"name", "other"}, members...)...)
}

// calibrations are the scenarios whose calls are recorded.
var calibrations = map[string][]step{
	"create":       {apply(one("a", "value", "v", "inner", block("t")))},
	"plan-empty":   {apply(one("a")), apply(one("a"))},
	"update":       {apply(one("a", "value", "1")), apply(one("a", "value", "2"))},
	"update-block": {apply(one("a", "inner", block("1"))), apply(one("a")), apply(one("a", "inner", coretest.Body{}))},

	"replace":            {apply(one("a")), apply(other())},
	"replace-first":      {apply(first(one("a"))), apply(first(other()))},
	"replace-option":     {apply(one("a")), apply(one("a")).with(replace("probe_thing.a"))},
	"replace-saved":      {apply(one("a")), apply(other()).saved()},
	"replace-no-refresh": {apply(one("a")), apply(other()).with(noRefresh)},
	"replace-triggered": {
		apply(data("t", "1"), triggered(one("a"), "terraform_data.t")),
		apply(data("t", "2"), triggered(one("a"), "terraform_data.t")),
	},
	"dependent-replace": {
		apply(one("a"), after(one("b"), "probe_thing.a")),
		apply(one("a", "name", "2"), after(one("b", "name", "2"), "probe_thing.a")),
	},
	"taint":       {apply(one("a")), taint("probe_thing.a"), apply(one("a"))},
	"taint-first": {apply(first(one("a"))), taint("probe_thing.a"), apply(first(one("a")))},

	"drift":        {apply(one("a", "value", "v")), apply(one("a", "value", "v")).after(drift("other"))},
	"gone":         {apply(one("a")), apply(one("a")).after(vanish)},
	"gone-destroy": {apply(one("a")), destroy(one("a")).after(vanish)},
	"destroy": {
		apply(one("a"), after(one("b"), "probe_thing.a")),
		destroy(one("a"), after(one("b"), "probe_thing.a")),
	},
	"destroy-no-refresh": {apply(one("a")), destroy(one("a")).with(noRefresh)},
	"destroy-empty":      {destroy(one("a"))},
	"destroy-changed":    {apply(one("a")), destroy(other(), one("b"))},
	"orphan":             {apply(one("a"), one("b")), apply(one("a"))},
	"removed": {apply(one("a")), apply().changing(func(c *coretest.Config) {
		c.Removed = []string{"probe_thing.a"}
	})},
	"moved": {apply(one("a")), apply(at("probe_thing.b", one("a"))).changing(func(c *coretest.Config) {
		c.Moved = []coretest.Moved{{From: "probe_thing.a", To: "probe_thing.b"}}
	})},
	"import": {apply(one("c", "value", "w")).after(exists("c", "v")).changing(func(c *coretest.Config) {
		c.Imports = []coretest.Import{{To: "probe_thing.c", ID: "c"}}
	})},

	"unknown": {
		apply(data("t", "v"), one("a", "value", output("t"))),
		apply(data("t", "w"), one("a", "value", output("t"))),
	},
	"unknown-replace": {
		apply(data("t", "v"), one("a", "name", output("t"))),
		apply(data("t", "w"), one("a", "name", output("t"))),
	},
	"unknown-becomes-old": {
		apply(data("t", "v"), one("a", "value", "v")),
		apply(data("t2", "v"), one("a", "value", output("t2"))),
	},
	"ignore-changes": {
		apply(one("a", "value", "1", "inner", block("1"))),
		apply(ignoring(one("a", "value", "2", "inner", block("2")), "value", "inner")),
	},
	"ignore-all": {
		apply(one("a", "value", "1", "inner", block("1"))),
		apply(ignoring(one("a", "value", "2", "inner", block("2")), "all")),
	},
	"ignore-replace": {apply(one("a", "value", "1")), apply(ignoring(other("value", "2"), "value"))},

	"target": {apply(one("a"), after(one("b"), "probe_thing.a"), one("c")).with(target("probe_thing.b"))},
	"target-destroy": {
		apply(one("a"), after(one("b"), "probe_thing.a"), one("c")),
		destroy(one("a"), after(one("b"), "probe_thing.a"), one("c")).with(target("probe_thing.a")),
	},
	"count-shift": {
		apply(at("probe_thing.x[0]", one("x0", "name", "a")), at("probe_thing.x[1]", one("x1", "name", "b"))),
		apply(at("probe_thing.x[0]", one("x0", "name", "b"))),
	},
	"for-each": {apply(at(`probe_thing.x["k"]`, one("a"))), apply(at(`probe_thing.x["l"]`, one("b")))},

	"fails-create":       {apply(one("a", "value", "fail create")).failing(), apply(one("a"))},
	"fails-after-create": {apply(one("a", "value", "fail after create")).failing(), apply(one("a"))},
	"fails-update":       {apply(one("a")), apply(one("a", "value", "fail update")).failing(), apply(one("a"))},
	"fails-plan":         {apply(one("a")), destroy(one("a", "value", "fail plan")).failing()},
	"fails-delete-first": {
		apply(first(one("a", "value", "fail delete"))),
		apply(first(other("label", "a2"))).failing(),
		apply(first(other("label", "a2"))).after(drift("")),
	},

	"aliases":             {{command: "apply", config: aliased("1")}},
	"aliases-one-changes": {{command: "apply", config: aliased("1")}, {command: "apply", config: aliased("2")}},
	"data":                {apply(looking("d", "x"), one("a", "value", found))},
	"data-deferred":       {apply(data("t", "x"), looking("d", output("t")), one("a", "value", found))},

	"minimal-empty":   {apply(one("a")), apply(one("a")).with(minimal)},
	"minimal-update":  {apply(one("a", "value", "1")), apply(one("a", "value", "2")).with(minimal)},
	"minimal-replace": {apply(one("a")), apply(other()).with(minimal)},
	"minimal-taint":   {apply(one("a")), taint("probe_thing.a"), apply(one("a")).with(minimal)},
	"minimal-destroy": {apply(one("a")), destroy(one("a")).with(minimal)},
}
