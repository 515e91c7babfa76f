package retention_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/idem-go/idem/runtime/internal/retention"
)

func ExampleCheck() {
	const day = 24 * time.Hour
	err := retention.Check(14*day, retention.Time{Name: "Retention.Completed", Keep: 7 * day})
	fmt.Println(errors.Is(err, retention.ErrTooShort))
	fmt.Println(retention.Check(14*day, retention.Time{Name: "Retention.Completed", Keep: 30 * day}))
	// Output:
	// true
	// <nil>
}
