// SPDX-License-Identifier: MPL-2.0

// Package throttle keeps HTTP requests within the limits of a service, at the
// edge of what they allow.
//
// # Guarantee
//
// A request occupies a slot in each of its windows from before it is sent until
// the window's length after its response arrived (Next returned, errors
// included). A window of L requests in any P has L slots. Hence at most L requests
// arrive at the service in any interval of length P, wherever it starts: in sliding
// and fixed windows alike.
//
// Proof. Suppose that L+1 requests arrive within P, and look at the one among
// them that got its slot last. Each of the others arrived, by definition, before
// its own response did, so its slot was held until later than its arrival plus P.
// That is later than the arrival of any of the L+1, and a request arrives after it
// got its slot. So when the last slot was granted, the L others, all granted
// before, were still held: there was none left to grant. ∎
//
// Nothing in it depends on how long anything takes, so there is nothing to tune.
// It assumes that a request which ended in an error does not arrive after that,
// and that Next sends a request at most once.
//
// # Waiting
//
// The requests of one Transport that ask for the same windows form a queue, first
// come first served. Only the first one asks the store. If no slot is free, the
// store answers for how long that is certain to remain so: a slot whose response
// has arrived says exactly when it is free, and one whose request is still under
// way is held for P after a response that cannot come before now. The first one
// sleeps that long and asks again.
//
// Asking again that late loses no time, and this is why neither polling nor any
// signal between processes is required. Let a slot be found under way at instant
// t. Its response arrives at s > t, so it is free at s+P, which is after t+P. The
// next look is at t+P at the latest: either the response has arrived by then and
// the instant is known, or the same argument holds from there.
//
// Queues that compete for a window, of one process or of several, are served by
// how many slots their runs hold, and a few slots of the longest window are kept
// for runs that hold few (claim.go). A queue that is held back by another of its
// windows holds back no other: results requests that wait for their own limit do
// not block others.
//
// # 429
//
// A response with status 429 means that another program uses the same key. It
// holds all users of the store, for as long as Retry-After says, up to three
// minutes, else for a second, doubling up to a minute. Then one request goes ahead
// as a probe. Any other status ends the hold for all.
//
// # Stores
//
// The state of a shared budget and its rules are a ledger, which a Store keeps: in
// memory, or in small files that several processes share (versions.go). A slot
// whose process died counts as answered when its request would have been given up
// (Config.MaxInFlight). For processes on several machines see the package redis.
//
// A store that finds that the ledger has lost what it knew before rebuilds it as if
// every window were full. So losing the shared state may cost time and never grants
// more than the limits.
package throttle
