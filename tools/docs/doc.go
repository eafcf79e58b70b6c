// SPDX-License-Identifier: MPL-2.0

// Command docs does what tfplugindocs does not: it puts behind every attribute
// what the service's specification says of it, and checks that what the pages
// link to is there and that every configuration they show is one.
//
// tools/docs.sh calls it.
package main
