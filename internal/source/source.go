// SPDX-License-Identifier: MPL-2.0

// Package source reads which service the provider or a command of the companion uses, and how to connect to it: the
// service of the settings, or the embedded service of a file.
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
	"github.com/assessascode/terraform-provider-assess/internal/words"
)

// Options say which service is used.
type Options struct {
	Version   string // of the provider, for the User-Agent
	StateFile string // of the embedded service; "" means the service of the environment
	NoLimits  bool   // disables the rate limits of the embedded service
	// Getenv reads an environment variable. The variables are the same for the provider and for commands.
	Getenv  func(string) string
	Created func(told string) // receives a line if the state file did not exist. It may be nil
	// CacheDir, Transport and Now are those of [connection.Config]. Empty means the usual ones.
	CacheDir  string
	Transport connection.Transport
	Now       func() time.Duration
}

// Config returns the configuration of a connection that only reads. client is the command, or the CLI of the provider.
// The error is of type [connection.Problems] if a setting causes it.
func Config(ctx context.Context, o Options, client string) (cfg connection.Config, err error) {
	if o.StateFile != "" {
		cfg, err = embedded(ctx, o)
	} else {
		cfg, err = connection.Environment(o.Getenv)
	}
	cfg.UserAgent = "terraform-provider-assess/" + o.Version + " " + client
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
	service, err := sandbox.Open(ctx, sandbox.Options{StateFile: file, NoLimits: o.NoLimits})
	if err != nil {
		return cfg, connection.Problems{{
			Summary: "Could not use the embedded service",
			Detail: words.Capitalized(err) + ".\n\nTo fix this: name another file (state_file in the block sandbox, or " +
				"--sandbox). If the embedded service wrote this file, correct it, or delete it to start again.",
		}}
	}
	if o.Created != nil && errors.Is(missing, fs.ErrNotExist) { // perhaps a mistyped name
		o.Created(fmt.Sprintf("The file %s did not exist, so it was created with invented data.", o.StateFile))
	}
	base, err := url.Parse(sandbox.BaseURL)
	if err != nil {
		return cfg, err
	}
	cfg = connection.Embedded(o.Getenv, base, file, service)
	cfg.ClientID, cfg.APIKey = sandbox.ClientID, sandbox.APIKey
	cfg.Budget.Unthrottled = cfg.Budget.Unthrottled || o.NoLimits
	return cfg, nil
}
