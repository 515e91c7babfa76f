package flow

import (
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// keyNames end the names of parameters, fields and columns that hold a deduplication key, folded.
var keyNames = []string{
	"idempotencykey", "idempotencytoken", "idempotentkey", "dedupkey", "dedupekey", "dedupid", "dedupeid",
	"deduplicationid", "deduplicationkey", "clientrequesttoken", "clienttoken",
}

// keyHeaders name the deduplication key in a header or in a map, folded.
var keyHeaders = []string{
	"idempotencykey", "xidempotencykey", "natsmsgid", "webhookid", "paypalrequestid", "deduplicationid",
	"messagededuplicationid", "dedupekey", "dedupkey",
}

// fold drops case and separators.
func fold(name string) string {
	if !strings.ContainsAny(name, "-_ ") {
		return strings.ToLower(name)
	}
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(name))
}

// isKeyName reports whether a name is that of a deduplication key.
func isKeyName(name string) bool {
	if len(name) < len("dedup_id") {
		return false
	}
	folded := fold(name)
	for _, suffix := range keyNames {
		if strings.HasSuffix(folded, suffix) {
			return true
		}
	}
	return false
}

// isKeyHeader reports whether a name is that of a header or an entry that holds a deduplication key. Only
// as a header is Webhook-Id one; webhook_id is the id of a webhook.
func isKeyHeader(name string) bool {
	folded := fold(name)
	if folded == "webhookid" {
		return strings.Contains(name, "-")
	}
	return slices.Contains(keyHeaders, folded)
}

// attemptNames are those of fields and parameters that are called as an attempt is, folded.
var attemptNames = []string{
	"attempt", "attempts", "attemptno", "attemptnumber", "attemptcount", "retry", "retries", "retryno", "retrycount", "retrynumber", "tries",
	"deliverycount", "redeliverycount", "receivecount", "numdelivered", "timesdelivered",
}

// named is the attempt that a field or a parameter is by its name, or nil.
func (p *Package) named(name string, t types.Type, pos token.Pos) *Value {
	if !p.options.AttemptNames || !isInteger(t) || !slices.Contains(attemptNames, fold(name)) {
		return nil
	}
	return opaque(Origin{Kind: Attempt, What: name, Pos: pos})
}

// watching end the names of packages and types that only look at what they are given.
var watching = []string{
	"log", "logger", "logging", "logrus", "tracer", "trace", "tracing", "span", "metric", "metrics", "telemetry", "prometheus",
	"sentry", "cache", "errors", "error", "zap", "attribute", "otel",
}

// seeming end as a watcher does and are none.
var seeming = []string{"catalog", "dialog", "blog", "backlog"}

// onlyWatches reports whether a callee is a logger, a tracer, a metric, an error or a cache: a key that is
// told to it decides nothing.
func onlyWatches(f *types.Func) bool {
	if f.Pkg() == nil || watches(f.Pkg().Name()) {
		return true
	}
	recv := f.Signature().Recv()
	if recv == nil {
		return false
	}
	named, ok := types.Unalias(deref(recv.Type())).(*types.Named)
	return ok && watches(named.Obj().Name())
}

func deref(t types.Type) types.Type {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

func watches(name string) bool {
	name = strings.ToLower(name)
	ends := func(list []string) bool {
		for _, w := range list {
			if strings.HasSuffix(name, w) {
				return true
			}
		}
		return false
	}
	return ends(watching) && !ends(seeming)
}
