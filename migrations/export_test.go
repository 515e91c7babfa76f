package migrations

// LockKey is what Up locks for a schema.
func LockKey(name string) int64 { return lockKey(schema(name)) }
