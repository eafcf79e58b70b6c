// SPDX-License-Identifier: MPL-2.0

package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"github.com/assessascode/terraform-provider-assess/internal/messages"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// Options select the service of a run: the service of the environment variables, or the sandbox of a file.
type Options struct {
	Version   string // of the program, for the User-Agent
	StateFile string // of the sandbox; "" means the service of the environment
	NoLimits  bool   // disables the rate limits of the sandbox
	// Getenv reads a setting by the name of its environment variable. In the provider, most attributes take precedence.
	Getenv  func(string) string
	Created func(told string) // receives a line if the state file did not exist. It may be nil
	// If CacheDir or Transport is set, it replaces the field of [Config] with the same name.
	CacheDir  string
	Transport http.RoundTripper
}

// Settings returns a read-only configuration that checks no plans, for the service of the environment. With
// o.StateFile, it opens this sandbox instead, and creates the file if it does not exist. ASSESS_UNTHROTTLED and
// o.NoLimits can lift the rate limits (see [Budget]). client is the name of the command, or the CLI with its version,
// for the User-Agent. The error is of type [Problems] if a setting causes it.
func Settings(ctx context.Context, o Options, client string) (cfg Config, err error) {
	if o.StateFile != "" {
		cfg, err = sandboxConfig(ctx, o)
	} else {
		cfg, err = environmentConfig(o.Getenv)
	}
	if err != nil {
		return Config{}, err
	}
	cfg.UserAgent = "terraform-provider-assess/" + o.Version + " " + client
	cfg.CacheDir = cmp.Or(o.CacheDir, cfg.CacheDir)
	if o.Transport != nil {
		cfg.Transport = o.Transport
	}
	return cfg, nil
}

// sandboxConfig opens the sandbox of o.StateFile (see openSandbox), and returns a read-only configuration for it. The
// absolute path of the file identifies the budget.
func sandboxConfig(ctx context.Context, o Options) (cfg Config, err error) {
	base, _ := url.Parse(sandbox.BaseURL) // a constant address
	file, err := filepath.Abs(o.StateFile)
	if err != nil {
		return cfg, err
	}
	service, err := openSandbox(ctx, o, file)
	if err != nil {
		return cfg, err
	}
	cfg = readOnlyConfig(o.Getenv, base, "sandbox\x00"+file)
	cfg.Transport, cfg.ClientID, cfg.APIKey = service, sandbox.ClientID, sandbox.APIKey
	cfg.Budget.Sandbox = true
	cfg.Budget.Unthrottled = cfg.Budget.Unthrottled || o.NoLimits
	return cfg, nil
}

// openSandbox opens the sandbox of o.StateFile. The parameter file is the absolute path of o.StateFile. If the file did
// not exist, openSandbox creates it and tells o.Created. The error is of type [Problems], unless ctx has ended.
func openSandbox(ctx context.Context, o Options, file string) (http.RoundTripper, error) {
	_, err := os.Lstat(file)
	isNew := errors.Is(err, fs.ErrNotExist) // sandbox.Open returns any other error
	service, err := sandbox.Open(ctx, sandbox.Options{StateFile: file, NoLimits: o.NoLimits})
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, errors.New("the run was interrupted")
	case err != nil:
		return nil, Problems{{
			Summary: "Could not use the sandbox",
			Detail: messages.Capitalized(err) + ".\n\nTo fix this: name another file (state_file in the block sandbox, or " +
				"--sandbox). If the sandbox wrote this file, correct it, or delete it to start again.",
		}}
	case isNew && o.Created != nil: // perhaps a mistyped name
		o.Created(fmt.Sprintf("The file %s did not exist, so it was created with invented data.", o.StateFile))
	}
	return service, nil
}
