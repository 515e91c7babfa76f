package faulttest

import (
	"time"

	"github.com/idem-go/idem/runtime/internal/wire"
)

// cuts lose each request of the worker to the database, and each reply.
func cuts(trips []exchange) (list []*fault) {
	for _, e := range trips {
		list = append(list,
			&fault{name: "request lost: " + e.String(), want: want{runs: span{1, 2}}, play: func(tr *trial) { tr.playCut(e, (*wire.Proxy).CutRequest) }},
			&fault{name: "reply lost: " + e.String(), want: e.afterReply(), play: func(tr *trial) { tr.playCut(e, (*wire.Proxy).CutReply) }})
	}
	return list
}

// afterReply is what follows when the server has done what it was asked for and the worker does not know. A claim is then
// taken back by a sweep; a completion is found in the step's row.
func (e exchange) afterReply() want {
	switch {
	case e.claims:
		return want{reclaims: 1}
	case e.completes:
		return want{}
	}
	return want{runs: span{1, 2}}
}

// playCut breaks the worker's connection at an exchange.
func (tr *trial) playCut(e exchange, arm func(*wire.Proxy, wire.Match, ...wire.CutOption) *wire.Cut) {
	if !tr.enqueued() {
		return
	}
	cut := arm(tr.wires(), nth(e.n))
	tr.work(through(tr.proxy))
	select {
	case <-cut.Fired():
		tr.fire()
	case <-time.After(tr.patience()):
		return
	}
	if tr.fault.want.reclaims > 0 { // claimed, and nobody knows
		tr.expire()
		tr.work(sweeping)
	}
	tr.wait()
}
