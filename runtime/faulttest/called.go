package faulttest

import (
	"crypto/sha256"
	"encoding/json"

	"github.com/idem-go/idem/runtime/internal/value"
)

// Called makes it so that a step of another run has called a provider, and has got a receipt: for a handler that takes such
// a call back, by provider.Of. Use it when [F.First] is set.
func (f *F) Called(provider, runID, node string, receipt any) {
	f.Helper()
	data, err := json.Marshal(receipt)
	if err != nil {
		f.Fatalf("faulttest: the receipt of %s: %v", provider, err)
	}
	key := value.DerivedID("call_", "faulttest", provider, runID, node)
	request := "{}"
	digest := sha256.Sum256([]byte(request))
	if _, err := f.Pool.Exec(f.Context(), `INSERT INTO "idem".intents
		(key, run_id, node, provider, owner, request, request_digest, actor, reason, undoable)
		VALUES ($1::text, $2::text, $3::text, $4::text, 'faulttest', $5::json, $6::bytea, 'faulttest', 'called before the test', true)`,
		key, runID, node, provider, request, digest[:]); err != nil {
		f.Fatalf("faulttest: the call of %s: %v", provider, err)
	}
	if _, err := f.Pool.Exec(f.Context(), `UPDATE "idem".intents SET state = 'confirmed', receipt = $2::json, settled_at = clock_timestamp(),
		epoch = epoch + 1, reason = 'answered before the test' WHERE key = $1::text`, key, string(data)); err != nil {
		f.Fatalf("faulttest: the receipt of %s: %v", provider, err)
	}
}
