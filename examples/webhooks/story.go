package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/examples/webhooks/customer"
	"github.com/idem-go/idem/examples/webhooks/shop"
	"github.com/idem-go/idem/runtime"
	"github.com/idem-go/idem/runtime/outbox"
	"github.com/idem-go/idem/runtime/outbox/httpsender"
)

// story lets the shop and its customers play what the program shows, and tells it.
type story struct {
	out      io.Writer
	orders   *pgxpool.Pool // the shop's database
	bookings *pgxpool.Pool // the customers'
	client   *runtime.Client
	secrets  secrets
}

func (s *story) say(format string, args ...any) { _, _ = fmt.Fprintf(s.out, format+"\n", args...) }

func (s *story) tell(ctx context.Context) error {
	s.say("A shop books orders, and tells its customers' systems about them by webhook.")
	for _, chapter := range []func(context.Context) error{s.delivered, s.lost, s.unanswered} {
		s.say("")
		if err := chapter(ctx); err != nil {
			return err
		}
	}
	return nil
}

// delivered is what happens on most days.
func (s *story) delivered(ctx context.Context) error {
	s.say("1. A webhook is delivered")
	c, err := s.play(ctx, "ann", "o-1", loseNothing, 0)
	if err != nil {
		return err
	}
	defer c.network.close()
	s.say("   Her system verified the signature, booked the order and answered %q", c.answer)
	if err := s.tally(ctx, c); err != nil {
		return err
	}
	status, err := forge(ctx, c.network.url)
	if err != nil {
		return err
	}
	s.say("   A webhook that the shop has not signed is answered with %d", status)
	return nil
}

// lost is an acknowledgement that is lost, and ends well.
func (s *story) lost(ctx context.Context) error {
	s.say("2. The acknowledgement is lost")
	c, err := s.play(ctx, "bob", "o-2", loseAnswers, 1)
	if err != nil {
		return err
	}
	defer c.network.close()
	s.say("   His system booked the order, and the connection broke before its answer")
	s.say("   The relay sent it again under the same id, which his system knew: it answered %q", c.answer)
	return s.tally(ctx, c)
}

// unanswered is an outcome that stays unknown.
func (s *story) unanswered(ctx context.Context) error {
	s.say("3. No answer ever comes")
	c, err := s.play(ctx, "eve", "o-3", loseRequests, math.MaxInt32)
	if err != nil {
		return err
	}
	defer c.network.close()
	s.say("   Every connection broke. Seen from the shop this is no different from 2.: her system may have booked it")
	if err := s.tally(ctx, c); err != nil {
		return err
	}
	s.say("   Nothing is sent any more by itself. An operator asks eve whether her system has this id;")
	s.say("   if it has not, idem outbox replay sends it again, under the same id, and keeps who asked for it and why")
	return nil
}

// outcome is what became of one webhook.
type outcome struct {
	customer  string
	system    *customer.System
	network   *network
	id        string
	state     outbox.State
	attempts  int
	answer    string
	lastError string
}

// play places an order of a customer whose network has a fault, and waits for what becomes of its webhook.
func (s *story) play(ctx context.Context, name, orderID string, fault fault, first int32) (*outcome, error) {
	system, err := customer.New(s.bookings, name, s.secrets[name])
	if err != nil {
		return nil, err
	}
	network, err := serve(system, fault, first)
	if err != nil {
		return nil, err
	}
	c := &outcome{customer: name, system: system, network: network}
	in := shop.OrderInput{OrderID: orderID, Customer: name, TotalCents: 1250, Hook: network.url}
	// The order is the command's identity: asking twice places one.
	run, err := shop.PlaceOrderAction.Enqueue(ctx, s.client, in, runtime.WithKey("", orderID))
	if err == nil {
		err = s.await(ctx, run, c)
	}
	if err != nil {
		network.close()
		return nil, err
	}
	s.say("   Order %s of %s is booked, its webhook is %s", orderID, name, c.id)
	return c, nil
}

// await waits until the webhook of a run is not pending any more.
func (s *story) await(ctx context.Context, run runtime.Run, c *outcome) error {
	if _, err := s.client.Wait(ctx, run); err != nil {
		return err
	}
	var receipt []byte
	for pause := time.NewTicker(5 * time.Millisecond); c.state == "" || c.state == outbox.StatePending; {
		err := s.orders.QueryRow(ctx, `SELECT command_id, state, attempts, receipt, COALESCE(last_error, '') FROM webhook_outbox WHERE run_id = $1`, run.ID).
			Scan(&c.id, &c.state, &c.attempts, &receipt, &c.lastError)
		if err != nil {
			return err
		}
		<-pause.C
	}
	var r httpsender.Receipt
	if receipt != nil {
		if err := json.Unmarshal(receipt, &r); err != nil {
			return err
		}
	}
	c.answer = r.Body
	return nil
}

// tally tells both sides' numbers: what the shop knows, and what the customer's system has seen and done.
func (s *story) tally(ctx context.Context, c *outcome) error {
	booked, err := c.system.Bookings(ctx)
	if err != nil {
		return err
	}
	s.say("   The shop: %s, attempts %d. %s's system: requests %d, bookings %d", c.state, c.attempts, c.customer, c.network.requests.Load(), booked)
	return nil
}

// forge sends a webhook that is not signed, and returns the answer's status.
func forge(ctx context.Context, url string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(`{"type":"order.placed","order_id":"o-666","total_cents":1}`))
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}
