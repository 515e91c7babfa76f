package store

// Statements are the SQL texts for one schema. What their parameters are stands with each text, in the file of its subject.
type Statements struct {
	Insert, InsertNew           string // one step
	InsertMany, InsertManyNew   string // steps of one node
	Digests                     string
	Claim, ClaimThese, Behind   string
	Input, Due                  string
	Complete, CompleteOne       string
	ReadBack, Settle            string
	Heartbeat, Expired, Sweep   string
	Retire                      string
	Status, Cancel, Retry, Wake string
	Version                     string
	Notify, Channel             string
}

// NewStatements returns the statements for a schema.
func NewStatements(schema string) *Statements {
	in := func(sql string) string { return In(schema, sql) }
	return &Statements{
		Insert: in(sqlInsert), InsertNew: in(sqlInsertNew),
		InsertMany: in(sqlInsertMany), InsertManyNew: in(sqlInsertManyNew),
		Digests: in(sqlDigests),
		Claim:   in(sqlClaim), ClaimThese: in(sqlClaimThese), Behind: in(sqlBehind),
		Input: in(sqlInput), Due: in(sqlDue),
		Complete: in(sqlComplete), CompleteOne: in(sqlCompleteOne),
		ReadBack: in(sqlReadBack), Settle: in(sqlSettle),
		Heartbeat: in(sqlHeartbeat), Expired: in(sqlExpired), Sweep: in(sqlSweep),
		Retire: in(sqlRetire),
		Status: in(sqlStatus), Cancel: in(sqlCancel), Retry: in(sqlRetry), Wake: in(sqlWake),
		Version: in(sqlVersion),
		Notify:  sqlNotify, Channel: Channel(schema),
	}
}
