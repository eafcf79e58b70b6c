// SPDX-License-Identifier: MPL-2.0

// Package workflows has only tests. They check the workflows of this repository:
// actionlint finds mistakes, and each run step is executed in a shell.
//
// The steps run as on a runner of GitHub, in the order of the jobs. Programs that
// build, test or publish are replaced by stand-ins that record how they are called.
// Scripts, gpg and sha256sum are real.
package workflows
