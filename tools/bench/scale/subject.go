// SPDX-License-Identifier: MPL-2.0

package main

import (
	"fmt"
	"strings"
)

// subject is a provider to measure.
type subject struct {
	label         string // in the tables
	name          string // the part of its address after hashicorp/
	binary        string
	configuration func(resources int) string
}

// kinds are attached to each position.
var kinds = []struct{ assessment, benchmark string }{
	{"asm-lumen", "bmk-lumen-engineers-en-gb"},
	{"asm-tideline", "bmk-tideline-customer-service-en-gb"},
	{"asm-lattice", "bmk-lattice-graduates-en-gb"},
	{"asm-tally", "bmk-tally-finance-en-gb"},
	{"asm-margin", "bmk-margin-customer-service-en-gb"},
}

// assess is this provider.
func assess(label, binary string) subject {
	configuration := func(resources int) string {
		var b strings.Builder
		for _, kind := range kinds {
			// With for_each, CLIs evaluate the whole map for each instance.
			fmt.Fprintf(&b, `resource "assess_position_assessment" %q {
  count         = %d
  position_id   = format("pos-%%05d", count.index)
  assessment_id = %[1]q
  benchmark { id = %[3]q }
}
`, kind.assessment, resources/len(kinds), kind.benchmark)
		}
		return b.String()
	}
	return subject{label: label, name: "assess", binary: binary, configuration: configuration}
}

// tls is hashicorp/tls with its cheapest kind of key. It sends no requests.
func tls(binary string) subject {
	return subject{label: "tls", name: "tls", binary: binary, configuration: func(resources int) string {
		return fmt.Sprintf("resource \"tls_private_key\" \"all\" {\n  count     = %d\n  algorithm = \"ED25519\"\n}\n", resources)
	}}
}
