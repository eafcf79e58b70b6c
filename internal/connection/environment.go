// SPDX-License-Identifier: MPL-2.0

package connection

import (
	"cmp"
	"fmt"
	"net/url"
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
func Environment(getenv func(string) string) (Config, error) {
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
	cfg := readOnlyConfig(getenv, base, BudgetKey(base, client, key))
	cfg.ClientID, cfg.APIKey, cfg.Headers = client, key, headers
	cfg.Budget.Coordination = cmp.Or(server, CoordinationHost)
	return cfg, nil
}

// Embedded returns the configuration of a read-only connection for a command, to the embedded service in
// this process. The caller sets its credentials. It has the same budget as the runs of the provider that use
// the file.
func Embedded(getenv func(string) string, base *url.URL, file string, service Transport) Config {
	cfg := readOnlyConfig(getenv, base, EmbeddedBudgetKey(file))
	cfg.Transport, cfg.Budget.Embedded = service, true
	return cfg
}

func readOnlyConfig(getenv func(string) string, base *url.URL, budget string) Config {
	return Config{
		BaseURL: base, ReadOnly: true, RequestTimeout: DefaultRequestTimeout, RetryTimeout: DefaultRetryTimeout,
		CacheDir: DefaultCacheDir(),
		Budget: Budget{
			Key: budget, Share: 1, Coordination: CoordinationHost, Unthrottled: getenv(unthrottledVariable) == "1",
		},
	}
}
