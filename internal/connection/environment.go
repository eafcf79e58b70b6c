// SPDX-License-Identifier: MPL-2.0

package connection

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
)

// Environment variables.
const (
	AddressVariable     = "ASSESS_BASE_URL"
	ClientVariable      = "ASSESS_CLIENT_ID"
	KeyVariable         = "ASSESS_API_KEY"
	HeadersVariable     = "ASSESS_HEADERS"
	BudgetVariable      = "ASSESS_RATE_LIMIT_URL"
	unthrottledVariable = "ASSESS_UNTHROTTLED"
)

// Environment returns the configuration of a read-only connection for a command, from the
// same environment variables as those of the provider.
func Environment(getenv func(string) string, userAgent string) (Config, error) {
	var missing []string
	for _, variable := range []string{AddressVariable, ClientVariable, KeyVariable} {
		if getenv(variable) == "" {
			missing = append(missing, variable)
		}
	}
	if len(missing) > 0 {
		return Config{}, fmt.Errorf("missing environment variables: %s.\n\nTo fix this: set them to the address "+
			"and the credentials of the service. Its operator gives you the values",
			strings.Join(missing, ", "))
	}
	base, err := assessapi.ParseBaseURL(getenv(AddressVariable))
	if err != nil {
		return Config{}, fmt.Errorf("the address in %s cannot be used: %w.\n\nTo fix this: use an address such "+
			"as https://assess.example.com/v1", AddressVariable, err)
	}
	client, key, server := getenv(ClientVariable), getenv(KeyVariable), getenv(BudgetVariable)
	for _, check := range []struct {
		variable string
		err      error
	}{{ClientVariable, assessapi.CheckClientID(client)}, {KeyVariable, assessapi.CheckAPIKey(key)}} {
		if check.err != nil {
			return Config{}, fmt.Errorf("the value of %s is not valid, and is not shown here: %w.\n\nTo fix "+
				"this: copy it again, without quotes or a line break", check.variable, check.err)
		}
	}
	headers, err := assessapi.ParseHeaders(getenv(HeadersVariable))
	if err != nil {
		return Config{}, fmt.Errorf("the value of %s is not valid, and is not shown here: %w.\n\nTo fix this: write "+
			"each header as \"NAME\": \"VALUE\", without a line break", HeadersVariable, err)
	}
	if server != "" {
		if err := CheckBudgetURL(server); err != nil {
			return Config{}, fmt.Errorf("the value of %s is not valid, and is not shown here: %w.\n\nTo fix this: "+
				"use an address such as redis://host:6379/0",
				BudgetVariable, err)
		}
	}
	return Config{
		BaseURL: base, ClientID: client, APIKey: key, UserAgent: userAgent, Headers: headers, ReadOnly: true,
		RequestTimeout: DefaultRequestTimeout, RetryTimeout: DefaultRetryTimeout,
		CacheDir: DefaultCacheDir(),
		Budget: Budget{
			Key: BudgetKey(base, client, key), Share: 1, Coordination: cmp.Or(server, CoordinationHost),
			Unthrottled: getenv(unthrottledVariable) == "1",
		},
	}, nil
}
