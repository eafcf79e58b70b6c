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
	Demo      bool   // use the embedded service with its initial data, in memory
	// Getenv reads an environment variable. The variables are the same as for the provider.
	Getenv func(string) string
	// CacheDir, Transport and Now are those of [connection.Config]. Empty means the usual ones.
	CacheDir  string
	Transport connection.Transport
	Now       func() time.Duration
}

// Config returns the configuration of the connection of a command.
func Config(ctx context.Context, o Options, command string) (cfg connection.Config, err error) {
	switch {
	case o.Demo && o.StateFile != "":
		err = errors.New("-demo and -sandbox-state cannot be used together")
	case o.Demo || o.StateFile != "":
		cfg, err = embedded(ctx, o)
	default:
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
	file := ""
	if !o.Demo {
		if file, err = filepath.Abs(o.StateFile); err != nil {
			return cfg, err
		}
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) { // the service would create it, with a mistyped name
			return cfg, fmt.Errorf("the file %s of the embedded service does not exist. Correct its name, or use -demo "+
				"instead, which reads invented data without a file", o.StateFile)
		}
	}
	service, err := sandbox.Open(ctx, sandbox.Options{StateFile: file})
	if err != nil {
		return cfg, fmt.Errorf("could not use the embedded service: %w", err)
	}
	base, err := url.Parse(sandbox.BaseURL)
	if err != nil {
		return cfg, err
	}
	cfg = connection.Embedded(o.Getenv, base, file, service)
	cfg.ClientID, cfg.APIKey = sandbox.ClientID, sandbox.APIKey
	return cfg, nil
}
