// SPDX-License-Identifier: MPL-2.0

package comment

import (
	"regexp"
	"strconv"
	"strings"
)

// addressPattern matches the end of the address of a resource: the key of its module, as the CLIs
// quote it, the type, and the key of the instance.
var addressPattern = regexp.MustCompile(
	`(?:\[("(?:[^"\\]|\\.)*")\]\.)?(?:data\.)?(\w+)\.[\w-]+(?:\[("(?:[^"\\]|\\.)*"|\d+)\])?$`)

// parseAddress returns the key of the module, the type and the key of the instance in an address.
func parseAddress(address string) (module, kind, index string) {
	if parts := addressPattern.FindStringSubmatch(address); parts != nil {
		return unquote(parts[1]), parts[2], unquote(parts[3])
	}
	return "", "", ""
}

func unquote(key string) string {
	text, err := strconv.Unquote(key)
	if err != nil {
		return ""
	}
	return strings.NewReplacer("$${", "${", "%%{", "%{").Replace(text)
}
