// SPDX-License-Identifier: MPL-2.0

package snapshot

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/assessascode/terraform-provider-assess/internal/assessapi"
	"github.com/assessascode/terraform-provider-assess/internal/engine"
)

// Environment variables.
const (
	addressVariable     = "ASSESS_BASE_URL"
	clientVariable      = "ASSESS_CLIENT_ID"
	keyVariable         = "ASSESS_API_KEY"
	budgetVariable      = "ASSESS_RATE_LIMIT_URL"
	unthrottledVariable = "ASSESS_UNTHROTTLED"
)

// configure reads the same environment variables as the provider. The engine is
// read-only.
func configure(options Options) (engine.Config, error) {
	var missing []string
	for _, variable := range []string{addressVariable, clientVariable, keyVariable} {
		if options.Getenv(variable) == "" {
			missing = append(missing, variable)
		}
	}
	if len(missing) > 0 {
		return engine.Config{}, fmt.Errorf("missing environment variables: %s. A snapshot is read with the address and "+
			"the credentials of the service.\n\nTo fix this: set them. The operator of the service gives you the values",
			strings.Join(missing, ", "))
	}
	base, err := assessapi.ParseBaseURL(options.Getenv(addressVariable))
	if err != nil {
		return engine.Config{}, fmt.Errorf("the address in %s cannot be used: %w.\n\nTo fix this: use an address such "+
			"as https://assess.example.com/v1", addressVariable, err)
	}
	client, key, server := options.Getenv(clientVariable), options.Getenv(keyVariable), options.Getenv(budgetVariable)
	for variable, err := range map[string]error{
		clientVariable: assessapi.CheckClientID(client), keyVariable: assessapi.CheckAPIKey(key),
	} {
		if err != nil {
			return engine.Config{}, fmt.Errorf("the value of %s is not valid, and is not shown here: %w.\n\nTo fix "+
				"this: copy it again, without quotes or a line break", variable, err)
		}
	}
	if server != "" {
		if err := engine.CheckBudgetURL(server); err != nil {
			return engine.Config{}, fmt.Errorf("the value of %s is not valid, and is not shown here: %w.\n\nTo fix this: "+
				"use an address such as redis://host:6379/0",
				budgetVariable, err)
		}
	}
	return engine.Config{
		BaseURL: base, ClientID: client, APIKey: key, UserAgent: "terraform-provider-assess/" + options.Version + " snapshot",
		Transport: options.Transport, ReadOnly: true,
		RequestTimeout: engine.DefaultRequestTimeout, RetryTimeout: engine.DefaultRetryTimeout,
		CacheDir: cmp.Or(options.CacheDir, engine.DefaultCacheDir()), Now: options.Now,
		Budget: engine.Budget{
			Key: engine.BudgetKey(base, client, key), Share: 1, Coordination: cmp.Or(server, engine.CoordinationHost),
			Unthrottled: options.Getenv(unthrottledVariable) == "1",
		},
	}, nil
}
