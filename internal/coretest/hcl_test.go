// SPDX-License-Identifier: MPL-2.0

package coretest_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/coretest"
)

// hcl renders a configuration as HCL. Instances of one resource become one block with
// count or for_each.
func hcl(config coretest.Config) string {
	var b strings.Builder
	b.WriteString("terraform {\n  required_providers {\n    probe = {\n      source = \"probe/probe\"\n    }\n  }\n}\n")
	for _, alias := range slices.Sorted(maps.Keys(config.Providers)) {
		b.WriteString("provider \"probe\" {\n")
		if alias != "" {
			fmt.Fprintf(&b, "  alias = %q\n", alias)
		}
		writeBody(&b, config.Providers[alias], "  ")
		b.WriteString("}\n")
	}
	written := map[string]bool{}
	for _, r := range config.Resources {
		name, _, keyed := strings.Cut(r.Addr, "[")
		if written[name] {
			continue
		}
		written[name] = true
		kind, parts := "resource", strings.Split(strings.TrimPrefix(name, "data."), ".")
		if strings.HasPrefix(name, "data.") {
			kind = "data"
		}
		fmt.Fprintf(&b, "%s %q %q {\n", kind, parts[0], parts[1])
		if keyed {
			writeInstances(&b, config, name)
		} else {
			writeBody(&b, r.Body, "  ")
		}
		writeMeta(&b, r)
		b.WriteString("}\n")
	}
	for _, m := range config.Moved {
		fmt.Fprintf(&b, "moved {\n  from = %s\n  to = %s\n}\n", m.From, m.To)
	}
	for _, name := range config.Removed {
		fmt.Fprintf(&b, "removed {\n  from = %s\n  lifecycle {\n    destroy = false\n  }\n}\n", name)
	}
	for _, i := range config.Imports {
		fmt.Fprintf(&b, "import {\n  to = %s\n  id = %q\n}\n", i.To, i.ID)
	}
	return b.String()
}

func expression(v any) string {
	switch v := v.(type) {
	case coretest.Ref:
		return v.Addr + "." + v.Attribute
	case coretest.Body:
		var members []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			members = append(members, name+" = "+expression(v[name]))
		}
		return "{ " + strings.Join(members, ", ") + " }"
	case nil:
		return "null"
	}
	return fmt.Sprintf("%q", v)
}

func writeBody(b *strings.Builder, body coretest.Body, indent string) {
	for _, name := range slices.Sorted(maps.Keys(body)) {
		if block, ok := body[name].(coretest.Body); ok {
			fmt.Fprintf(b, "%s%s {\n", indent, name)
			writeBody(b, block, indent+"  ")
			fmt.Fprintf(b, "%s}\n", indent)
		} else if body[name] != nil {
			fmt.Fprintf(b, "%s%s = %s\n", indent, name, expression(body[name]))
		}
	}
}

// writeInstances writes one block for a resource whose instances differ.
func writeInstances(b *strings.Builder, config coretest.Config, name string) {
	var values []string
	names, counted := map[string]bool{}, false
	for _, r := range config.Resources {
		key, ok := strings.CutPrefix(r.Addr, name+"[")
		if !ok {
			continue
		}
		key = strings.TrimSuffix(key, "]")
		counted = !strings.HasPrefix(key, `"`)
		value := expression(r.Body)
		if !counted {
			value = key + " = " + value
		}
		values = append(values, value)
		for member := range r.Body {
			names[member] = true
		}
	}
	each := "each.value"
	if counted {
		fmt.Fprintf(b, "  count = %d\n", len(values))
		each = "[" + strings.Join(values, ", ") + "][count.index]"
	} else {
		fmt.Fprintf(b, "  for_each = { %s }\n", strings.Join(values, ", "))
	}
	for _, member := range slices.Sorted(maps.Keys(names)) {
		fmt.Fprintf(b, "  %s = %s.%s\n", member, each, member)
	}
}

func writeMeta(b *strings.Builder, r coretest.Resource) {
	if r.Provider != "" {
		fmt.Fprintf(b, "  provider = probe.%s\n", r.Provider)
	}
	if len(r.DependsOn) > 0 {
		fmt.Fprintf(b, "  depends_on = [%s]\n", strings.Join(r.DependsOn, ", "))
	}
	if !r.CreateBeforeDestroy && len(r.IgnoreChanges) == 0 && len(r.ReplaceTriggeredBy) == 0 {
		return
	}
	b.WriteString("  lifecycle {\n")
	if r.CreateBeforeDestroy {
		b.WriteString("    create_before_destroy = true\n")
	}
	switch {
	case slices.Contains(r.IgnoreChanges, "all"):
		b.WriteString("    ignore_changes = all\n")
	case len(r.IgnoreChanges) > 0:
		fmt.Fprintf(b, "    ignore_changes = [%s]\n", strings.Join(r.IgnoreChanges, ", "))
	}
	if len(r.ReplaceTriggeredBy) > 0 {
		fmt.Fprintf(b, "    replace_triggered_by = [%s]\n", strings.Join(r.ReplaceTriggeredBy, ", "))
	}
	b.WriteString("  }\n")
}
