// SPDX-License-Identifier: MPL-2.0

// Package throttle keeps requests within the rate limits of a service, and uses as much of the limits as possible.
//
// # Guarantee
//
// A request occupies a slot in each of its windows. It takes the slots before it is sent (Limiter.Acquire), and they
// stay occupied until the window's length after its response arrived (release). A window of L requests per P has L
// slots. So at most L requests arrive at the service in any interval of length P, wherever the interval starts. This
// is true for sliding and for fixed windows.
//
// Proof. Suppose that L+1 requests arrive within P. Consider the request among them that got its slot last. Each of
// the other L requests arrived before its own response did, so its slot was occupied until later than its arrival plus
// P. That is later than the arrival of any of the L+1 requests, and a request arrives after it got its slot. So when
// the last slot was granted, the L other slots were still occupied, and no slot was left to grant. ∎
//
// The proof does not depend on how fast the service or the network is, so there is nothing to tune. It makes three
// assumptions: a request is given up within Config.MaxInFlight, a request that ended in an error does not arrive
// later, and the caller sends a request at most once. So the client of the service has a timeout, speaks only HTTP/1.1,
// follows no redirects, and gives each GET a body that net/http cannot send again.
//
// # State
//
// The state of a window is a list of slots: a token, and until when the slot is occupied (State). A request in flight
// occupies its slot for as long as it may take plus P, so the slots of a process that was killed are free after that.
// After a 429, the list contains one more entry, and the window grants nothing until that expires. It is the same
// after a loss of the state: the window is full for 75 seconds, after which no unknown request can count (Lost). A
// Store keeps the state in memory, in a locked file for all processes of a user on one machine, or, in the package
// redis, as sorted sets on a server, where a script has the same rules.
//
// # Losses
//
// If a run notices that the state was lost, this costs time, but never grants more than the limits. A run that worked
// before the loss notices it at its next question. Until then, a run that starts after the loss can get slots that are
// still occupied in these cases, because it cannot notice them:
//
//   - The file was deleted. A file that never existed looks the same, and if that counted as full, each new key would
//     cost 75 seconds. Only people delete the file. A server loses its data by itself, so there the first use counts as
//     full.
//   - The clock of the machine or of the server was set forward. A new run has nothing to compare it with.
//
// Nobody notices that the clock was set forward by less than ClockTolerance, or that a server was restarted with old
// data if its user may not run INFO. A run that goes on in memory (Alone) does not know of others.
//
// # Waiting
//
// The requests of one run that ask for the same windows form a queue, first come first served. One goroutine asks the
// store, for up to twenty slots at once. If none is free, the store says for how long that is certain to remain so,
// and the goroutine sleeps for that time. If the response of a slot has arrived, the store knows exactly when the
// slot is free. If its request is in flight, that is P after a response that arrives now at the earliest. So neither
// polling nor signals between processes are required. Only the two rules below can end earlier than the sleep.
//
// Two rules share the slots. Both compare queues, not runs, so requests for results, of which there are few, also come
// first beside many other requests of their own run.
//
//   - Among the queues that wait, the one that uses the fewest slots comes first. Queues that use more leave it twice
//     as many free slots as it asked for, in the window that had none, until 1.5 seconds after it was served.
//   - A queue that uses 40 or more slots of a minute leaves the last 40 of the 500 to others (Window.Reserve), if
//     another run was at work in the last ten minutes.
//
// So nobody starves: the slots of a queue that gets no slots expire, and then it uses the fewest. But a run that was
// alone until now may have used up the minute. Then the runs that start meanwhile wait until its slots expire.
//
// The share of a run is a second budget, in memory, which each of its requests passes first.
//
// # 429
//
// A response with status 429 means that another program uses the same key. The caller passes to release how long all
// runs pause, which is called a hold. It stops the operations that count in the last window of the request: after a 429
// to a request for results, only these.
package throttle
