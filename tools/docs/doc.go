// SPDX-License-Identifier: MPL-2.0

// Command docs does what tfplugindocs does not: it makes links work wherever pages are
// read, and checks links, the troubleshooting guide and the configurations on pages.
//
// tools/docs.sh calls it.
package main
