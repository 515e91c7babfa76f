// Package watermillsender sends the commands of an outbox to message brokers, by any Publisher of Watermill
// (github.com/ThreeDotsLabs/watermill). It is a module of its own, so that only those get Watermill who use it.
//
// A command becomes one message: its UUID is the command's id, its payload the command's exact bytes, and its metadata has
// the run, the node and the key that order is kept by. The topic is the command's destination, unless [Config] says
// otherwise.
//
// # What an answer means
//
//	Publish returned nil         confirmed: the broker has the message, as far as this publisher waits for that
//	Publish returned an error    unknown: sent again, under the same id
//	Publish has not returned     unknown; the next send waits for the same call instead of making another one
//	there is no topic            parked
//
// An error never means that the message was not taken: a broker may have it although its answer got lost. And nil is worth
// what the publisher makes of it. One that only puts messages into a buffer, such as a client in asynchronous mode, or one
// that does not ask the broker for an acknowledgement, confirms what can still be lost, and this package cannot tell. Use
// publishers that wait, as JetStream's does, and tell Kafka's to wait for all replicas: watermill-kafka asks for the
// leader's acknowledgement alone unless its RequiredAcks is set to sarama.WaitForAll.
//
// A Publish that hangs does not keep a relay: the send ends with its deadline, and its message has the send's context for
// publishers that look at it. The call goes on by itself until the publisher gives up, and may then still bring the
// message to the broker.
//
// # Duplicates
//
// A message is at-least-once: a relay that dies between a send and the note of it sends again. What comes again has the
// same UUID and the same bytes. Where it becomes one:
//
//   - JetStream drops a message whose header Nats-Msg-Id came before within the stream's deduplication window
//     (Duplicates, two minutes unless set). watermill-nats puts the UUID there with TrackMsgId. What is sent again later
//     than that stands in the stream twice: outbox.Config.Window set to the same time leaves such a command dead, for
//     somebody to look at, instead of sending it.
//   - Kafka keeps every copy. An idempotent producer removes those that it makes itself, and knows nothing of commands.
//   - A consumer with an outbox.Inbox does a command once, however often and from wherever it comes: pass it the UUID and
//     the payload.
//
// # Order
//
// With order_by=, relays send the commands of a key one after the other. Kafka keeps that order within a partition:
// [PartitionKey] is the function for its partitioning marshaler. A copy of an earlier message may come between later ones;
// the first copies are in order. Only a command that was given up with its outcome unknown may come late: its key has gone
// on by then.
package watermillsender
