// SPDX-License-Identifier: MPL-2.0

package run

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

// Problem is a setting that cannot be used. It contains no value, because a value can be a secret.
type Problem struct{ Summary, Detail string }

// Problems are all settings that cannot be used.
type Problems []Problem

func (all Problems) Error() string {
	texts := make([]string, len(all))
	for i, p := range all {
		texts[i] = p.Summary + ". " + p.Detail
	}
	return strings.TrimSuffix(strings.Join(texts, "\n\n"), ".")
}

// addIf adds the problem that describe returns, unless err is nil.
func (all *Problems) addIf(err error, describe func(error) Problem) {
	if err != nil {
		*all = append(*all, describe(err))
	}
}

// environmentConfig returns a read-only configuration for a real service. getenv is [Options.Getenv]. The error is of
// type [Problems]. It contains all settings that are missing or, if none is missing, all settings that are invalid.
func environmentConfig(getenv func(string) string) (Config, error) {
	if missing := missingSettings(getenv); len(missing) > 0 {
		return Config{}, missing
	}
	var problems Problems
	client, key, redis := getenv(ClientVariable), getenv(KeyVariable), getenv(BudgetVariable)
	headers, err := assessapi.ParseHeaders(getenv(HeadersVariable))
	problems.addIf(err, InvalidHeaders)
	problems.addIf(assessapi.CheckClientID(client), invalidClientID)
	problems.addIf(assessapi.CheckAPIKey(key), invalidAPIKey)
	base, err := assessapi.ParseBaseURL(getenv(AddressVariable))
	problems.addIf(err, invalidAddress)
	if redis != "" {
		problems.addIf(CheckBudgetURL(redis), InvalidBudget)
	}
	if len(problems) > 0 {
		return Config{}, problems
	}
	cfg := readOnlyConfig(getenv, base, assessapi.Origin(base)+"\x00"+client+"\x00"+key)
	cfg.ClientID, cfg.APIKey, cfg.Headers = client, key, headers
	cfg.Budget.Coordination = cmp.Or(redis, cfg.Budget.Coordination)
	return cfg, nil
}

// missingSettings returns a problem for each required setting that is missing or empty.
func missingSettings(getenv func(string) string) (problems Problems) {
	for _, setting := range []struct{ name, attribute, variable, alternative string }{
		{"address of the service", "base_url", AddressVariable, " Without an account, use the sandbox instead: the block " +
			"\"sandbox {}\", or the option --sandbox FILE of a command."},
		{"Client Identifier", "client_id", ClientVariable, ""},
		{"API key", "api_key", KeyVariable, ""},
	} {
		if getenv(setting.variable) == "" {
			problems = append(problems, Problem{"Missing " + setting.name, fmt.Sprintf("The provider requires the setting "+
				"%q.\n\nTo fix this: set the environment variable %s or, for Terraform and OpenTofu, the attribute in the "+
				"provider configuration. An empty attribute hides the variable, so remove it.%s",
				setting.attribute, setting.variable, setting.alternative)})
		}
	}
	return problems
}

func invalidClientID(err error) Problem {
	return Problem{"Invalid Client Identifier", fmt.Sprintf("The Client Identifier cannot be sent: %v.\n\nTo fix this: "+
		"copy it again, without quotes or white space (attribute client_id, environment variable %s).", err, ClientVariable)}
}

func invalidAPIKey(err error) Problem {
	return Problem{"Invalid API key", fmt.Sprintf("The API key cannot be sent: %v. It is not shown here.\n\nTo fix this: "+
		"copy it again, without quotes or white space (attribute api_key, environment variable %s).", err, KeyVariable)}
}

func invalidAddress(err error) Problem {
	return Problem{"Invalid address of the service", fmt.Sprintf("The address cannot be used: %v.\n\nTo fix this: use an "+
		"address such as https://assess.example.com/v1, without quotes or spaces (attribute base_url, environment variable "+
		"%s).", err, AddressVariable)}
}

// InvalidHeaders is the problem of headers that cannot be sent.
func InvalidHeaders(err error) Problem {
	return Problem{"Invalid headers", fmt.Sprintf("The provider setting \"headers\" (environment variable %s) is not "+
		"valid: %v. Names and values are not shown here, except for the names of reserved headers.\n\nTo fix this: write "+
		"each header as \"NAME\" = \"VALUE\" in the configuration, or as JSON in %[1]s: {\"NAME\": \"VALUE\"}. Copy values "+
		"without line breaks, and remove reserved headers.", HeadersVariable, err)}
}

// InvalidBudget is the problem of an address of a Redis server that cannot be used.
func InvalidBudget(err error) Problem {
	return Problem{"Invalid address of the shared budget", fmt.Sprintf("The value of the setting \"coordination\" in the "+
		"block \"rate_limit\" (environment variable %s) is not valid, and is not shown here, because it can contain a "+
		"password: %v.\n\nTo fix this: use an address such as redis://host:6379/0.", BudgetVariable, err)}
}

// readOnlyConfig returns a read-only configuration for the service at base, with default values. The parameter budget
// is the key of the budget.
func readOnlyConfig(getenv func(string) string, base *url.URL, budget string) Config {
	return Config{
		BaseURL: base, ReadOnly: true, RequestTimeout: DefaultRequestTimeout, RetryTimeout: DefaultRetryTimeout,
		CacheDir: DefaultCacheDir(),
		Budget: Budget{
			Key: budget, Share: 1, Coordination: CoordinationHost, Unthrottled: getenv(unthrottledVariable) == "1",
		},
	}
}
