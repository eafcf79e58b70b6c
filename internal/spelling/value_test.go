// SPDX-License-Identifier: MPL-2.0

package spelling_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// withoutIDs describes an object of the state without what the service chooses.
func withoutIDs(v tftypes.Value) string {
	var members map[string]tftypes.Value
	if v.As(&members) != nil {
		return ""
	}
	var all []string
	for name, member := range members {
		if !slices.Contains([]string{"id", "self_link", "profile_url"}, name) {
			all = append(all, fmt.Sprint(name, " ", member))
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
