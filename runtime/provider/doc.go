// Package provider calls other systems whose answer may get lost.
//
// A handler may run any number of times, and the answer of a payment or SMS provider can be lost after the provider has
// done its work. So each call is an intent: a row with a key of its own, committed before anything is sent, and kept when
// the step is rolled back. Generated code defines a [Provider] per annotated function, and calls it by [Provider.Call].
//
// # The life of an intent
//
//	prepared ──> confirmed ───────────────┐
//	   │                                  ├──> compensated
//	   ├───────> unknown ──> reconciled ──┘
//	   │            │
//	   └────────────┴──────> rejected
//
// It is prepared when the call is about to be sent. The answer is stored as soon as it is there, in a short transaction of
// its own: what was done outside is a fact, whatever becomes of the step. An execution that finds
//
//   - confirmed or reconciled gets the stored receipt, and nothing is sent;
//   - rejected gets the rejection, which is permanent, see [NextGeneration];
//   - prepared, of an execution that died, makes it unknown and goes on from there;
//   - unknown asks the provider's lookup. Found: reconciled. Proven absent: sent again with the same key. Without a lookup
//     it is sent again with the same key while the provider is sure to remember it: within the window, less a margin. After
//     that nothing is sent by itself any more: the step waits, for as long as it takes, until an operator decides
//     ([Operator], idem intents).
//
// While an outcome is unknown the step waits: neither its attempt nor its reclaims grow ([runtime.Wait]).
//
// The database allows no other transitions, and keeps every one of them as a row of history with who and why.
//
// # What is promised
//
// On the wire a call is at-least-once. It has its effect once if the provider honours the key within the declared window,
// or if the lookup tells the truth; where neither can be had, the outcome stays visibly unknown, and nothing is repeated.
//
// Finished intents are evidence, and stay until a [Purger] removes them: not before their windows are over, and not while
// their step can run again.
//
// The provider function says what an error means: [Rejected], [NotSent], [RetryAfter], [Conflict]. Any other error leaves
// the outcome unknown. [Do] classifies the answers of HTTP servers.
package provider
