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

// calibrations are the scenarios whose calls are recorded.
var calibrations = map[string][]step{
	"create":              {{command: "apply", config: of(one("a", "value", "v", "inner", coretest.Body{"text": "t"}))}},
	"plan-empty":          {{command: "apply", config: of(one("a"))}, {command: "apply", config: of(one("a"))}},
	"update":              {{command: "apply", config: of(one("a", "value", "1"))}, {command: "apply", config: of(one("a", "value", "2"))}},
	"update-block":        {{command: "apply", config: of(one("a", "inner", coretest.Body{"text": "1"}))}, {command: "apply", config: of(one("a"))}, {command: "apply", config: of(one("a", "inner", coretest.Body{}))}},
	"replace":             {{command: "apply", config: of(one("a"))}, {command: "apply", config: of(one("a", "name", "other"))}},
	"replace-first":       {{command: "apply", config: of(first(one("a")))}, {command: "apply", config: of(first(one("a", "name", "other")))}},
	"replace-option":      {{command: "apply", config: of(one("a"))}, {command: "apply", config: of(one("a")), options: replace("probe_thing.a")}},
	"replace-saved":       {{command: "apply", config: of(one("a"))}, {command: "saved", config: of(one("a", "name", "other"))}},
	"replace-triggered":   {{command: "apply", config: of(data("t", "1"), triggered(one("a"), "terraform_data.t"))}, {command: "apply", config: of(data("t", "2"), triggered(one("a"), "terraform_data.t"))}},
	"replace-no-refresh":  {{command: "apply", config: of(one("a"))}, {command: "apply", config: of(one("a", "name", "other")), options: noRefresh}},
	"taint":               {{command: "apply", config: of(one("a"))}, {command: "taint", address: "probe_thing.a"}, {command: "apply", config: of(one("a"))}},
	"taint-first":         {{command: "apply", config: of(first(one("a")))}, {command: "taint", address: "probe_thing.a"}, {command: "apply", config: of(first(one("a")))}},
	"drift":               {{command: "apply", config: of(one("a", "value", "v"))}, {command: "apply", config: of(one("a", "value", "v")), before: drift("other")}},
	"gone":                {{command: "apply", config: of(one("a"))}, {command: "apply", config: of(one("a")), before: vanish}},
	"gone-destroy":        {{command: "apply", config: of(one("a"))}, {command: "destroy", config: of(one("a")), before: vanish}},
	"destroy":             {{command: "apply", config: of(one("a"), after(one("b"), "probe_thing.a"))}, {command: "destroy", config: of(one("a"), after(one("b"), "probe_thing.a"))}},
	"destroy-no-refresh":  {{command: "apply", config: of(one("a"))}, {command: "destroy", config: of(one("a")), options: noRefresh}},
	"destroy-empty":       {{command: "destroy", config: of(one("a"))}},
	"destroy-changed":     {{command: "apply", config: of(one("a"))}, {command: "destroy", config: of(one("a", "name", "other"), one("b"))}},
	"orphan":              {{command: "apply", config: of(one("a"), one("b"))}, {command: "apply", config: of(one("a"))}},
	"removed":             {{command: "apply", config: of(one("a"))}, {command: "apply", config: coretest.Config{Providers: of().Providers, Removed: []string{"probe_thing.a"}}}},
	"moved":               {{command: "apply", config: of(one("a"))}, {command: "apply", config: coretest.Config{Providers: of().Providers, Resources: []coretest.Resource{at("probe_thing.b", one("a"))}, Moved: []coretest.Moved{{From: "probe_thing.a", To: "probe_thing.b"}}}}},
	"import":              {{command: "apply", before: exists("c", "v"), config: coretest.Config{Providers: of().Providers, Resources: []coretest.Resource{one("c", "value", "w")}, Imports: []coretest.Import{{To: "probe_thing.c", ID: "c"}}}}},
	"unknown":             {{command: "apply", config: of(data("t", "v"), one("a", "value", output("t")))}, {command: "apply", config: of(data("t", "w"), one("a", "value", output("t")))}},
	"unknown-replace":     {{command: "apply", config: of(data("t", "v"), one("a", "name", output("t")))}, {command: "apply", config: of(data("t", "w"), one("a", "name", output("t")))}},
	"unknown-becomes-old": {{command: "apply", config: of(data("t", "v"), one("a", "value", "v"))}, {command: "apply", config: of(data("t2", "v"), one("a", "value", output("t2")))}},
	"ignore-changes":      {{command: "apply", config: of(one("a", "value", "1", "inner", coretest.Body{"text": "1"}))}, {command: "apply", config: of(ignoring(one("a", "value", "2", "inner", coretest.Body{"text": "2"}), "value", "inner"))}},
	"ignore-all":          {{command: "apply", config: of(one("a", "value", "1", "inner", coretest.Body{"text": "1"}))}, {command: "apply", config: of(ignoring(one("a", "value", "2", "inner", coretest.Body{"text": "2"}), "all"))}},
	"ignore-replace":      {{command: "apply", config: of(one("a", "value", "1"))}, {command: "apply", config: of(ignoring(one("a", "value", "2", "name", "other"), "value"))}},
	"target":              {{command: "apply", config: of(one("a"), after(one("b"), "probe_thing.a"), one("c")), options: target("probe_thing.b")}},
	"target-destroy":      {{command: "apply", config: of(one("a"), after(one("b"), "probe_thing.a"), one("c"))}, {command: "destroy", config: of(one("a"), after(one("b"), "probe_thing.a"), one("c")), options: target("probe_thing.a")}},
	"count-shift":         {{command: "apply", config: of(at("probe_thing.x[0]", one("x0", "name", "a")), at("probe_thing.x[1]", one("x1", "name", "b")))}, {command: "apply", config: of(at("probe_thing.x[0]", one("x0", "name", "b")))}},
	"for-each":            {{command: "apply", config: of(at(`probe_thing.x["k"]`, one("a")))}, {command: "apply", config: of(at(`probe_thing.x["l"]`, one("b")))}},
	"fails-create":        {{command: "apply", config: of(one("a", "value", "fail create")), fails: true}, {command: "apply", config: of(one("a"))}},
	"fails-after-create":  {{command: "apply", config: of(one("a", "value", "fail after create")), fails: true}, {command: "apply", config: of(one("a"))}},
	"fails-update":        {{command: "apply", config: of(one("a"))}, {command: "apply", config: of(one("a", "value", "fail update")), fails: true}, {command: "apply", config: of(one("a"))}},
	"fails-plan":          {{command: "apply", config: of(one("a"))}, {command: "destroy", config: of(one("a", "value", "fail plan")), fails: true}},
	"fails-delete-first": {
		{command: "apply", config: of(first(one("a", "value", "fail delete")))},
		{command: "apply", config: of(first(one("a", "label", "a2", "name", "other"))), fails: true},
		{command: "apply", config: of(first(one("a", "label", "a2", "name", "other"))), before: drift("")},
	},
	"aliases-one-changes": {{command: "apply", config: aliased("1")}, {command: "apply", config: aliased("2")}},
	"aliases":             {{command: "apply", config: aliased("1")}},
	"data":                {{command: "apply", config: of(looking("d", "x"), one("a", "value", coretest.Ref{Addr: "data.probe_look.d", Attribute: "found"}))}},
	"data-deferred":       {{command: "apply", config: of(data("t", "x"), looking("d", output("t")), one("a", "value", coretest.Ref{Addr: "data.probe_look.d", Attribute: "found"}))}},
	"minimal-empty":       {{command: "apply", config: of(one("a"))}, {command: "apply", config: of(one("a")), options: minimal}},
	"minimal-update":      {{command: "apply", config: of(one("a", "value", "1"))}, {command: "apply", config: of(one("a", "value", "2")), options: minimal}},
	"minimal-replace":     {{command: "apply", config: of(one("a"))}, {command: "apply", config: of(one("a", "name", "other")), options: minimal}},
	"minimal-taint":       {{command: "apply", config: of(one("a"))}, {command: "taint", address: "probe_thing.a"}, {command: "apply", config: of(one("a")), options: minimal}},
	"minimal-destroy":     {{command: "apply", config: of(one("a"))}, {command: "destroy", config: of(one("a")), options: minimal}},
	"dependent-replace":   {{command: "apply", config: of(one("a"), after(one("b"), "probe_thing.a"))}, {command: "apply", config: of(one("a", "name", "2"), after(one("b", "name", "2"), "probe_thing.a"))}},
}
