// SPDX-License-Identifier: MPL-2.0

// Package throttle keeps requests within the rate limits of a service, and uses as much of the limits as possible.
//
// # Guarantee
//
// A window of L requests per P has L slots. A request occupies one slot in each of its windows. It takes the slots
// before it is sent (Limiter.Acquire). Each slot stays occupied until P has passed after the response arrived
// (Release). So at most L requests arrive at the service in any interval of length P, wherever the interval starts.
// This is true for sliding and for fixed windows.
//
// Proof. Suppose that L+1 requests arrive at the service within P. Consider the request among them that got its slot
// last. Each of the other L requests arrived at the service before its response came back, so its slot stayed occupied
// for more than P after it arrived. The last request got its slot before it arrived, which was at most P after each of
// the other arrivals. So when the last request got its slot, the L other slots were still occupied, and no slot was
// free. ∎
//
// The proof does not depend on the speed of the service or the network, so nothing has to be tuned. It makes three
// assumptions: a request is given up within Config.MaxInFlight, a request that ended in an error does not arrive later,
// and the caller sends a request at most once. To meet them, the client of the service has a timeout, speaks only
// HTTP/1.1, follows no redirects, and gives each GET a body that net/http cannot send again.
//
// # State
//
// The state of a window is a list of slots. A slot has a token, and the time until which it is occupied (State). While
// a request is in flight, its slot is occupied until MaxInFlight plus P after the grant, so the slots of a killed
// process become free by themselves. After a 429, the list has an additional entry, and no slot is free until
// the entry expires. If the state was lost, the list has such an entry for 75 seconds. After this time, no unknown
// request counts any more (Lost).
//
// A Store keeps the state in memory, in a locked file for all processes of a user on one machine, or in sorted sets on
// a server (package redis), where a script implements the same rules.
//
// # Losses
//
// If a run notices that the state was lost, it waits longer, but is never granted more than the limits. A run that
// worked before the loss notices the loss when it next asks the store. Until then, a run that starts after the loss can
// get slots that are still occupied, because it cannot notice a loss of these kinds:
//
//   - The file was deleted. A new run cannot distinguish this from the first use of a key, for which 75 seconds would
//     be too long to wait. Only people delete the file. A server can lose its data by itself, so on a server the first
//     use counts as a loss.
//   - The clock of the machine or of the server was set forward. A new run has no earlier time to compare it with.
//
// No run notices that the clock was set forward by less than ClockTolerance. If the user of a server may not run INFO,
// no run notices that the server was restarted with old data. If a server process fails over to a replica, and becomes
// the primary again while no run has asked, no run notices that the data lacks the server's last grants, because the
// sets still contain the server's run_id. A run that continues in memory (Alone) does not count the requests of other
// runs.
//
// # Waiting
//
// The requests of one run that need the same windows form a queue, first come first served. One goroutine per queue
// asks the store for up to twenty slots at once. If no slot is free, the store returns a time during which no slot can
// become free, and the goroutine sleeps for that time. If a slot's response has arrived, the store knows exactly when
// the slot becomes free. If the request is still in flight, its response can arrive now at the earliest, so the slot
// stays occupied for at least P. So the goroutine needs neither polling nor signals from other processes. Only the two
// rules below can make a slot available before the sleep ends.
//
// Two rules divide the slots among the queues. They compare queues and not runs, so the few requests for results come
// first even if their run sends many other requests.
//
//   - The waiting queue that uses the fewest slots comes first. In the window that had no free slot, queues that use
//     more slots leave the first queue twice as many free slots as it asked for. They do so until 1.5 seconds after the
//     first queue was served.
//   - If another run was active in the last ten minutes, a queue that uses 40 or more slots of a minute leaves the last
//     40 of the 500 slots to others (Window.Reserve).
//
// So no queue waits forever: the slots of a queue that gets no new slots expire, and then it uses the fewest. But a run
// that was alone may have used all slots of a minute. Then runs that start later wait until these slots expire.
//
// If a run may use only a share of the limits (Config.Share), each of its requests first passes a second budget, which
// is in memory.
//
// # 429
//
// A response with status 429 means that another program uses the same key. The caller passes to release how long all
// runs must pause, which is called a hold. The hold stops all operations that count in the last window of the request.
// So a 429 to a request for results stops only requests for results.
package throttle
