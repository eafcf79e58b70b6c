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
	before  func(dir string) // changes the objects outside Terraform
	fails   bool
	address string // for taint
}

func apply(resources ...coretest.Resource) step {
	return step{command: "apply", config: configOf(resources...)}
}

func destroy(resources ...coretest.Resource) step {
	return step{command: "destroy", config: configOf(resources...)}
}

func taint(address string) step { return step{command: "taint", address: address} }

func (s step) with(o coretest.Options) step {
	s.options = o
	return s
}

func (s step) afterChange(before func(dir string)) step {
	s.before = before
	return s
}

func (s step) failing() step {
	s.fails = true
	return s
}

// saved saves a plan and then applies it.
func (s step) saved() step {
	s.command = "saved"
	return s
}

func (s step) changing(change func(*coretest.Config)) step {
	change(&s.config)
	return s
}

// probeThing returns a probe_thing resource. members are pairs of a name and a value.
func probeThing(label string, members ...any) coretest.Resource {
	body := coretest.Body{"label": label, "name": label}
	for i := 0; i < len(members); i += 2 {
		body[fmt.Sprint(members[i])] = members[i+1]
	}
	addr := "probe_thing." + label
	return coretest.Resource{Addr: addr, Body: body}
}

func configOf(resources ...coretest.Resource) coretest.Config {
	return coretest.Config{Resources: resources, Providers: map[string]coretest.Body{"": {}}}
}

func createFirst(r coretest.Resource) coretest.Resource {
	r.CreateBeforeDestroy = true
	return r
}

func ignoring(r coretest.Resource, names ...string) coretest.Resource {
	r.IgnoreChanges = names
	return r
}

func dependingOn(r coretest.Resource, names ...string) coretest.Resource {
	r.DependsOn = names
	return r
}

func triggered(r coretest.Resource, addr string) coretest.Resource {
	r.ReplaceTriggeredBy = []string{addr}
	return r
}

func withAlias(alias string, r coretest.Resource) coretest.Resource {
	r.Provider = alias
	return r
}

func withAddr(addr string, r coretest.Resource) coretest.Resource {
	r.Addr = addr
	return r
}

func data(name, input string) coretest.Resource {
	return coretest.Resource{Addr: "terraform_data." + name, Body: coretest.Body{"input": input}}
}

func output(name string) coretest.Ref {
	return coretest.Ref{Addr: "terraform_data." + name, Attribute: "output"}
}

func dataSource(label string, name any) coretest.Resource {
	return coretest.Resource{Addr: "data.probe_look." + label, Body: coretest.Body{"label": label, "name": name}}
}

// objects returns a function that calls change for the file of each probe object.
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

var removeObjects = objects(func(file string) { _ = os.Remove(file) })

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

// aliased returns a configuration with two providers. value belongs to the resource of
// the first one.
func aliased(value string) coretest.Config {
	return coretest.Config{
		Providers: map[string]coretest.Body{"": {}, "other": {"label": "other"}},
		Resources: []coretest.Resource{probeThing("a", "value", value), withAlias("other", probeThing("b"))},
	}
}

// configuredBy returns an apply with a provider whose settings refer to a resource. A new
// value replaces that resource, so that the settings are unknown in the plan.
func configuredBy(value string, resources ...coretest.Resource) step {
	settings := data("t", value)
	settings.Body["triggers_replace"] = value
	s := apply(append(resources, settings)...)
	s.config.Providers = map[string]coretest.Body{"": {"label": output("t")}}
	return s
}

// block returns the nested block with a text.
func block(text string) coretest.Body { return coretest.Body{"text": text} }

// found refers to the attribute "found" of the data source.
var found = coretest.Ref{Addr: "data.probe_look.d", Attribute: "found"}

// renamed returns resource a with another name, which replaces it.
func renamed(members ...any) coretest.Resource {
	return probeThing("a", append([]any{"name", "other"}, members...)...)
}

// calibrations lists the scenarios whose calls are recorded.
var calibrations = map[string][]step{
	"create":     {apply(probeThing("a", "value", "v", "inner", block("t")))},
	"plan-empty": {apply(probeThing("a")), apply(probeThing("a"))},
	"update":     {apply(probeThing("a", "value", "1")), apply(probeThing("a", "value", "2"))},
	"update-block": {
		apply(probeThing("a", "inner", block("1"))),
		apply(probeThing("a")),
		apply(probeThing("a", "inner", coretest.Body{})),
	},

	"replace":            {apply(probeThing("a")), apply(renamed())},
	"replace-first":      {apply(createFirst(probeThing("a"))), apply(createFirst(renamed()))},
	"replace-option":     {apply(probeThing("a")), apply(probeThing("a")).with(replace("probe_thing.a"))},
	"replace-saved":      {apply(probeThing("a")), apply(renamed()).saved()},
	"replace-no-refresh": {apply(probeThing("a")), apply(renamed()).with(noRefresh)},
	"replace-triggered": {
		apply(data("t", "1"), triggered(probeThing("a"), "terraform_data.t")),
		apply(data("t", "2"), triggered(probeThing("a"), "terraform_data.t")),
	},
	"dependent-replace": {
		apply(probeThing("a"), dependingOn(probeThing("b"), "probe_thing.a")),
		apply(probeThing("a", "name", "2"), dependingOn(probeThing("b", "name", "2"), "probe_thing.a")),
	},
	"taint":       {apply(probeThing("a")), taint("probe_thing.a"), apply(probeThing("a"))},
	"taint-first": {apply(createFirst(probeThing("a"))), taint("probe_thing.a"), apply(createFirst(probeThing("a")))},

	"drift": {
		apply(probeThing("a", "value", "v")),
		apply(probeThing("a", "value", "v")).afterChange(drift("other")),
	},
	"gone":         {apply(probeThing("a")), apply(probeThing("a")).afterChange(removeObjects)},
	"gone-destroy": {apply(probeThing("a")), destroy(probeThing("a")).afterChange(removeObjects)},
	"destroy": {
		apply(probeThing("a"), dependingOn(probeThing("b"), "probe_thing.a")),
		destroy(probeThing("a"), dependingOn(probeThing("b"), "probe_thing.a")),
	},
	"destroy-no-refresh": {apply(probeThing("a")), destroy(probeThing("a")).with(noRefresh)},
	"destroy-empty":      {destroy(probeThing("a"))},
	"destroy-changed":    {apply(probeThing("a")), destroy(renamed(), probeThing("b"))},
	"orphan":             {apply(probeThing("a"), probeThing("b")), apply(probeThing("a"))},
	"removed": {apply(probeThing("a")), apply().changing(func(c *coretest.Config) {
		c.Removed = []string{"probe_thing.a"}
	})},
	"moved": {apply(probeThing("a")), apply(withAddr("probe_thing.b", probeThing("a"))).changing(func(c *coretest.Config) {
		c.Moved = []coretest.Moved{{From: "probe_thing.a", To: "probe_thing.b"}}
	})},
	"import": {apply(probeThing("c", "value", "w")).afterChange(exists("c", "v")).changing(func(c *coretest.Config) {
		c.Imports = []coretest.Import{{To: "probe_thing.c", ID: "c"}}
	})},

	"unknown": {
		apply(data("t", "v"), probeThing("a", "value", output("t"))),
		apply(data("t", "w"), probeThing("a", "value", output("t"))),
	},
	"unknown-replace": {
		apply(data("t", "v"), probeThing("a", "name", output("t"))),
		apply(data("t", "w"), probeThing("a", "name", output("t"))),
	},
	"unknown-becomes-old": {
		apply(data("t", "v"), probeThing("a", "value", "v")),
		apply(data("t2", "v"), probeThing("a", "value", output("t2"))),
	},
	"ignore-changes": {
		apply(probeThing("a", "value", "1", "inner", block("1"))),
		apply(ignoring(probeThing("a", "value", "2", "inner", block("2")), "value", "inner")),
	},
	"ignore-all": {
		apply(probeThing("a", "value", "1", "inner", block("1"))),
		apply(ignoring(probeThing("a", "value", "2", "inner", block("2")), "all")),
	},
	"ignore-replace": {apply(probeThing("a", "value", "1")), apply(ignoring(renamed("value", "2"), "value"))},

	"target": {
		apply(probeThing("a"), dependingOn(probeThing("b"), "probe_thing.a"), probeThing("c")).with(target("probe_thing.b")),
	},
	"target-destroy": {
		apply(probeThing("a"), dependingOn(probeThing("b"), "probe_thing.a"), probeThing("c")),
		destroy(probeThing("a"), dependingOn(probeThing("b"), "probe_thing.a"), probeThing("c")).with(target("probe_thing.a")),
	},
	"count-shift": {
		apply(withAddr("probe_thing.x[0]", probeThing("x0", "name", "a")), withAddr("probe_thing.x[1]", probeThing("x1", "name", "b"))),
		apply(withAddr("probe_thing.x[0]", probeThing("x0", "name", "b"))),
	},
	"for-each": {
		apply(withAddr(`probe_thing.x["k"]`, probeThing("a"))),
		apply(withAddr(`probe_thing.x["l"]`, probeThing("b"))),
	},

	"fails-create":       {apply(probeThing("a", "value", "fail create")).failing(), apply(probeThing("a"))},
	"fails-after-create": {apply(probeThing("a", "value", "fail after create")).failing(), apply(probeThing("a"))},
	"fails-update": {
		apply(probeThing("a")),
		apply(probeThing("a", "value", "fail update")).failing(),
		apply(probeThing("a")),
	},
	"fails-plan": {apply(probeThing("a")), destroy(probeThing("a", "value", "fail plan")).failing()},
	"fails-delete-first": {
		apply(createFirst(probeThing("a", "value", "fail delete"))),
		apply(createFirst(renamed("label", "a2"))).failing(),
		apply(createFirst(renamed("label", "a2"))).afterChange(drift("")),
	},

	"aliases":             {{command: "apply", config: aliased("1")}},
	"aliases-one-changes": {{command: "apply", config: aliased("1")}, {command: "apply", config: aliased("2")}},
	"settings-unknown": {
		configuredBy("1", probeThing("a"), probeThing("b")),
		configuredBy("2", renamed()),
		configuredBy("3", probeThing("d")).saved(),
		{command: "destroy", config: configuredBy("3", probeThing("d")).config},
	},
	"settings-unknown-first": {
		configuredBy("1", createFirst(probeThing("a"))),
		configuredBy("2", createFirst(renamed())),
	},
	"data":          {apply(dataSource("d", "x"), probeThing("a", "value", found))},
	"data-deferred": {apply(data("t", "x"), dataSource("d", output("t")), probeThing("a", "value", found))},

	"minimal-empty":   {apply(probeThing("a")), apply(probeThing("a")).with(minimal)},
	"minimal-update":  {apply(probeThing("a", "value", "1")), apply(probeThing("a", "value", "2")).with(minimal)},
	"minimal-replace": {apply(probeThing("a")), apply(renamed()).with(minimal)},
	"minimal-taint":   {apply(probeThing("a")), taint("probe_thing.a"), apply(probeThing("a")).with(minimal)},
	"minimal-destroy": {apply(probeThing("a")), destroy(probeThing("a")).with(minimal)},
}
