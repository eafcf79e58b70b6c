// SPDX-License-Identifier: MPL-2.0

package rules

import "github.com/assessascode/terraform-provider-assess/internal/messages"

// CheckBlocks rejects blocks that exclude each other, and blocks without their required attribute. It checks only
// blocks that are certainly in the configuration. For the attributes of the block packages, see [CheckSelection].
func CheckBlocks(d Desired) (found []messages.Finding) {
	blocks := d.blocks()
	for i, a := range blocks {
		if !a.Set {
			continue
		}
		for _, b := range blocks[i+1:] {
			if b.Set && !canCombine(a, b) {
				found = append(found, messages.Reject(ExclusiveBlocks, []string{b.name}, "The blocks %q and %q are for different "+
					"kinds of assessments. Only \"packages\" and \"benchmark\" can be combined.\n\nTo fix this: remove one of the "+
					"two.", a.name, b.name)...)
			}
		}
		if a.Null && a.key != "" { // not packages
			found = append(found, messages.Reject(IncompleteBlock, []string{a.name, a.key}, "The block %q requires the "+
				"attribute %q, which is missing or null. An attribute can be null if its expression finds nothing.\n\nTo fix "+
				"this: set %[2]q, or remove the block.", a.name, a.key)...)
		}
	}
	return found
}

// CheckPossible warns about the first two blocks of a plan that exclude each other, even if it is not known yet whether
// both are in the configuration. The apply fails either way: if both blocks are present, they exclude each other. If
// one is absent, the CLI rejects the apply because the plan contained the block.
func CheckPossible(d Desired) []messages.Finding {
	blocks := d.blocks()
	for i, a := range blocks {
		for _, b := range blocks[i+1:] {
			if a.absent() || b.absent() || canCombine(a, b) {
				continue
			}
			return messages.Warn(PossibleBlocks, []string{b.name}, "The blocks %q and %q exclude each other, but this plan "+
				"contains both, and not all values are known yet. They cannot be combined, so the apply will fail.\n\nTo "+
				"fix this: if the blocks are dynamic, let their for_each depend only on values that are known when you plan. "+
				"Otherwise, remove one of the blocks.", a.name, b.name)
		}
	}
	return nil
}

// CheckSelection checks that the packages block has exactly one of ids and select.
func CheckSelection(hasIDs, hasSelect bool) []messages.Finding {
	const requires = "The block \"packages\" requires exactly one of \"ids\" and \"select\", and has "
	switch path := []string{"packages", "select"}; {
	case !hasIDs && !hasSelect:
		return messages.Reject(IncompleteBlock, path[:1], requires+"neither.\n\nTo fix this: set ids = [...], or set select "+
			"= \"all\" or select = \"mandatory\".")
	case hasIDs && hasSelect:
		return messages.Reject(IncompleteBlock, path, requires+"both.\n\nTo fix this: remove one of the two.")
	}
	return nil
}

// canCombine reports whether an assessment can have both blocks (assumption A29). a must come before b in
// [Desired.blocks].
func canCombine(a, b namedBlock) bool { return a.name == "packages" && b.name == "benchmark" }
