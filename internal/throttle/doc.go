// SPDX-License-Identifier: MPL-2.0

// Package throttle keeps HTTP requests within the limits of a service, at the
// edge of what they allow.
//
// # Guarantee
//
// A request occupies a place in each of its windows from before it is sent until
// the window's length after its response arrived (Next returned, errors
// included). A window of L requests in any P has L places. Hence at most L
// requests arrive at the service in any interval of length P, wherever it starts:
// sliding and fixed windows alike.
//
// Proof. Suppose that L+1 requests arrive within P, and look at the one among
// them that was given its place last. Each of the others arrived, by
// definition, before its own response did, so its place was held until later
// than its arrival plus P. That is later than the arrival of any of the L+1, and
// a request arrives after it was given its place. So when the last place was
// given, the L others, all given before, were still held: there was none left to
// give. ∎
//
// Nothing in it depends on how long anything takes, so there is nothing to tune.
// It takes for granted that a request which ended in an error does not arrive
// after that.
//
// # Waiting
//
// The requests of one Transport that ask for the same windows form a line, first
// come first served. Only the first in line asks the store. Where no place is
// free, the store answers for how long that is certain to remain so: a place
// whose response has arrived says exactly when it is free, and one whose request
// is still under way is held for P after a response that cannot come before now.
// The first in line sleeps that long and asks again.
//
// Asking again that late loses no time, and this is why neither polling nor any
// signal between processes is needed. Let a place be found under way at instant
// t. Its response arrives at s > t, so it is free at s+P, which is after t+P. The
// next look is at t+P at the latest: either the response has arrived by then and
// the instant is known, or the same argument holds from there.
//
// Lines that compete for a window, of one process or of several, take turns
// (see line). A line that is held back by another of its windows holds back
// nobody: results requests that wait for their own limit do not block others.
//
// # 429
//
// A response with status 429 means that somebody else uses the same budget. It
// closes the gate for all users of the store, for as long as Retry-After says,
// else for a second, doubling up to a minute. Then one request goes ahead as a
// probe. Any other status opens the gate for all.
//
// # Stores
//
// The state of a budget and its rules are a ledger, which a Store keeps:
// in memory, or in a small file that several processes share. A place whose
// process died counts as answered when its request would have been given up
// (Config.MaxInFlight).
//
// For processes on several machines the ledger lies in Redis, under one key, and
// the same rules are a script that runs there (redis.lua): one message takes a
// place or answers how long to wait, another gives it back. The server's clock is
// the only one. Who finds that the ledger has lost what it knew before rebuilds it
// as if every window were full, so neither a restart nor a replica that lags grants
// too much.
package throttle
