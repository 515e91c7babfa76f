package provider

import (
	"time"

	"github.com/idem-go/idem/runtime/internal/store"
)

// OutcomeOf names what an error of a provider function says; "" for none.
func OutcomeOf(err error) string {
	if err == nil {
		return ""
	}
	return map[outcome]string{unknown: "unknown", rejected: "rejected", notSent: "not sent", conflict: "conflict"}[outcomeOf(err).outcome]
}

// DelayOf returns how long the provider wants to be left alone.
func DelayOf(err error) time.Duration { return outcomeOf(err).delay }

// Statements are what calls run again and again, for tests of their plans.
func Statements(schema string) map[string]string {
	all := map[string]string{
		"load": sqlLoad, "latest": sqlLatest, "latest undo": sqlLatestUndo, "settle": sqlSettle, "doubt": sqlDoubt,
		"again": sqlAgain, "unsent": sqlUnsent, "remark": sqlRemark,
	}
	for name, sql := range all {
		all[name] = store.In(schema, sql)
	}
	return all
}
