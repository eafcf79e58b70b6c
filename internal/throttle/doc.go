// SPDX-License-Identifier: MPL-2.0

// Package throttle keeps HTTP requests within the rate limits of a service, and
// uses as much of the limits as possible.
//
// # Guarantee
//
// A request occupies a slot in each of its windows. It takes the slots before it
// is sent, and holds them until the window's length after its response arrived.
// The response has arrived when Next returns, with or without an error. A window
// of L requests per P has L slots. So at most L requests arrive at the service in
// any interval of length P, wherever the interval starts. This holds for sliding
// and for fixed windows.
//
// Proof. Suppose that L+1 requests arrive within P. Consider the request among
// them that got its slot last. Each of the other L requests arrived before its own
// response did, so its slot was held until later than its arrival plus P. That is
// later than the arrival of any of the L+1 requests, and a request arrives after
// it got its slot. So when the last slot was granted, the L other slots were still
// held, and no slot was left to grant. ∎
//
// The proof does not depend on how long anything takes, so there is nothing to
// tune. It assumes that a request that ended in an error does not arrive later,
// and that Next sends a request at most once. So the client of the service speaks only
// HTTP/1.1, and a test resets connections at every moment.
//
// # Waiting
//
// The requests of one Transport that ask for the same windows form a queue, first
// come first served. Only the first request asks the store. If no slot is free,
// the store answers for how long that is certain to remain so. If the response of
// a slot has arrived, the store knows exactly when the slot is free. If the
// request of a slot is in flight, the slot is held for P after a response that
// arrives now at the earliest. The first request sleeps for that time and asks
// again.
//
// This wait does not count for the timeout of a request (WithTimeout). The time after a
// 429, and the time in which the store does not answer, do count. So a store that is
// slow, silent or broken costs at most that timeout.
//
// Asking again that late loses no time, so neither polling nor signals between
// processes are required. Suppose that a request is in flight at instant t, and
// that its response arrives at s > t. Its slot is free at s+P, which is after t+P.
// The first request asks again at t+P at the latest. Either the response has
// arrived by then and the instant is known, or the same argument applies again.
//
// Several queues may compete for a window, in one process or in several. The queue
// whose run holds the fewest slots is served first. A few slots of the longest
// window are reserved for runs that hold few slots (waiting.go). A queue that
// waits for one of its other windows blocks no other queue. For example, requests
// for results that wait for their own limit do not block other requests.
//
// # 429
//
// A response with status 429 means that another program uses the same key. For all
// users of the store, it holds the requests that count in the same windows, for as long
// as Retry-After says, up to three minutes. Without Retry-After, it holds them for a
// second, and each further 429 doubles that time up to a minute. Then one request is sent
// as a probe. If its response has any other status, the hold ends.
//
// # Stores
//
// The state of a shared budget and its rules are a ledger (ledger.go). A Store keeps the
// ledger in memory, or in a locked file that several processes share. If a process dies, the slots
// of its requests count as answered when these requests would have been given up
// (Config.MaxInFlight). If a process is stopped while it holds the lock, another one takes the lock
// over. For processes on several machines, see the package redis.
//
// If a store finds that the ledger has lost earlier requests, it rebuilds the
// ledger as if every window were full. So losing the shared state may cost time,
// but never grants more than the limits. The file uses the time since the machine was
// started, because the wall clock can be set.
package throttle
