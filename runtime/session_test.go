package runtime

import (
	goruntime "runtime"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/idem-go/idem/runtime/pgtest"
)

// TestServerNoticesADeadNetwork: a request that was cut in its middle holds its locks as long as the server waits for
// the rest, which only TCP's keepalives end. That they do is the system's affair; here they must be set on every
// connection that can hold a lock.
func TestServerNoticesADeadNetwork(t *testing.T) {
	t.Parallel()
	server := must[*pgtest.Server](t)(pgtest.Start(t.Context(), pgtest.Private(), pgtest.TCP()))
	t.Cleanup(func() { _ = server.Stop() })
	cfg := must[*pgxpool.Config](t)(pgxpool.ParseConfig(must[string](t)(server.NewDatabase(t.Context(), pgtest.Migrated("runtime", migrate)))))
	cfg.ConnConfig.RuntimeParams["tcp_keepalives_count"] = "5" // whoever knows better is listened to
	pool := must[*pgxpool.Pool](t)(pgxpool.NewWithConfig(t.Context(), cfg))
	t.Cleanup(pool.Close)
	b := newBenchOn(t, pool)
	RegisterAction(b.reg, NewAction[charge]("charge", WithTimeout(testTimeout)), recordCharge)
	_, w := b.workOn(pool, slow()) // its lease is a minute
	b.eventually("the worker listens", func() bool {
		return b.count(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`) > 0
	})
	for name, pool := range map[string]*pgxpool.Pool{"handlers": w.host.Handlers, "control": w.host.Control, "aside": w.host.Session.Aside} {
		for setting, want := range map[string]string{
			"tcp_keepalives_idle": "30", "tcp_keepalives_interval": "10", "tcp_keepalives_count": "5", "tcp_user_timeout": "60000",
		} {
			if setting == "tcp_user_timeout" && goruntime.GOOS != "linux" {
				continue // the others do not have it
			}
			var got string
			if err := pool.QueryRow(t.Context(), "SHOW "+setting).Scan(&got); err != nil || got != want {
				t.Errorf("%s: %s is %s, want %s; %v", name, setting, got, want, err)
			}
		}
	}
}
