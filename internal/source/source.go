// SPDX-License-Identifier: MPL-2.0

// Package source configures the connection of a command of the program, which only reads: to the service of the
// environment, or to the embedded service of a file.
package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/assessascode/terraform-provider-assess/internal/connection"
	"github.com/assessascode/terraform-provider-assess/internal/sandbox"
)

// Options say which service a command reads.
type Options struct {
	Version   string // of the provider, for the User-Agent
	StateFile string // of the embedded service; "" means the service of the environment
	// Getenv reads an environment variable. The variables are the same as for the provider.
	Getenv  func(string) string
	Created func(told string) // receives a line if the state file did not exist
	// CacheDir, Transport and Now are those of [connection.Config]. Empty means the usual ones.
	CacheDir  string
	Transport connection.Transport
	Now       func() time.Duration
}

// Config returns the configuration of the connection of a command.
func Config(ctx context.Context, o Options, command string) (cfg connection.Config, err error) {
	if o.StateFile != "" {
		cfg, err = embedded(ctx, o)
	} else {
		cfg, err = connection.Environment(o.Getenv)
	}
	cfg.UserAgent = "terraform-provider-assess/" + o.Version + " " + command
	if err != nil {
		return cfg, err
	}
	cfg.CacheDir, cfg.Now = cmp.Or(o.CacheDir, cfg.CacheDir), o.Now
	if o.Transport != nil {
		cfg.Transport = o.Transport
	}
	return cfg, nil
}

func embedded(ctx context.Context, o Options) (cfg connection.Config, err error) {
	file, err := filepath.Abs(o.StateFile)
	if err != nil {
		return cfg, err
	}
	_, missing := os.Lstat(file)
	service, err := sandbox.Open(ctx, sandbox.Options{StateFile: file})
	if err != nil {
		return cfg, fmt.Errorf("could not use the embedded service: %w", err)
	}
	if errors.Is(missing, fs.ErrNotExist) { // perhaps a mistyped name
		o.Created(fmt.Sprintf("The file %s did not exist, so it was created with invented data.", o.StateFile))
	}
	base, err := url.Parse(sandbox.BaseURL)
	if err != nil {
		return cfg, err
	}
	cfg = connection.Embedded(o.Getenv, base, file, service)
	cfg.ClientID, cfg.APIKey = sandbox.ClientID, sandbox.APIKey
	return cfg, nil
}
