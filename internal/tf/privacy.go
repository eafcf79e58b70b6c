// SPDX-License-Identifier: MPL-2.0

package tf

import (
	"net/url"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

// Privacy is the provider setting privacy. Code that builds a model, or reads an object of an earlier state, passes
// personal data through the methods of Privacy. No other code decides what strict mode omits.
type Privacy string

const (
	Standard Privacy = "standard"
	Strict   Privacy = "strict"
)

// Personal is the value of an attribute that can contain data about a person: extra_json, raw_json
// or profile_url. It is null in strict mode.
func (p Privacy) Personal(value types.String) types.String {
	if p == Strict {
		return types.StringNull()
	}
	return value
}

// SelfLink returns the value of self_link. In strict mode, the link has no query, fragment or user, because these can
// contain anything, such as a signature.
func (p Privacy) SelfLink(link *string) types.String {
	if p != Strict || link == nil {
		return types.StringPointerValue(link)
	}
	u, err := url.Parse(*link)
	if err != nil || u.Opaque != "" {
		return types.StringNull()
	}
	return types.StringValue((&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String())
}
