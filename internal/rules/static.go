// SPDX-License-Identifier: MPL-2.0

package rules

import "fmt"

// NamedBlock is a block as the configuration has it, for the rules that need no
// look-up.
type NamedBlock struct {
	Name string
	// Written is whether the block is certainly in the configuration: a dynamic
	// block may turn out to be absent while its for_each is unknown.
	Written bool
	// Key is the attribute that the block needs, Missing whether it is null.
	Key     string
	Missing bool
}

// Static checks the blocks of a configuration, in the order packages, benchmark,
// profile, tests (sections 2.4 to 2.7).
func Static(blocks []NamedBlock) []Finding {
	var fs findings
	combines := map[string]bool{"packages": true, "benchmark": true}
	for i, a := range blocks {
		for _, b := range blocks[i+1:] {
			if a.Written && b.Written && (!combines[a.Name] || !combines[b.Name]) {
				fs.refuseAlways(ExclusiveBlocks, []string{b.Name},
					"The blocks %q and %q belong to different kinds of assessments. Only \"packages\" and \"benchmark\" can be "+
						"combined.\n\nTo fix this: remove one of the two blocks.", a.Name, b.Name)
			}
		}
		if a.Missing {
			fs.refuseAlways(IncompleteBlock, []string{a.Name, a.Key},
				"The block %q requires %q, which is not set or null. An expression that finds nothing is null.\n\n"+
					"To fix this: set %q, or remove the block. Without the block, nothing of its kind is configured.",
				a.Name, a.Key, a.Key)
		}
	}
	return fs
}

// Selection checks that the packages block has exactly one of ids and select.
func Selection(hasIDs, hasSelect bool) []Finding {
	var fs findings
	const fix = "To fix this: set ids = [...] to name the packages, or select = \"all\" or \"mandatory\" to take them " +
		"from the service."
	switch {
	case !hasIDs && !hasSelect:
		fs.refuseAlways(IncompleteBlock, []string{"packages"},
			"The block \"packages\" requires exactly one of \"ids\" and \"select\", and has neither.\n\n%s", fix)
	case hasIDs && hasSelect:
		fs.refuseAlways(IncompleteBlock, []string{"packages", "select"},
			"The block \"packages\" requires exactly one of \"ids\" and \"select\", and has both.\n\n%s", fix)
	}
	return fs
}

// Latin1 returns why the service would refuse a text (section 7), or "".
func Latin1(text string) string {
	for _, r := range text {
		if r > 0xFF {
			return fmt.Sprintf("%q contains the character %q (%U). The service refuses requests with characters outside the "+
				"Latin1 charset.\n\nTo fix this: replace the character.", text, r, r)
		}
	}
	return ""
}
