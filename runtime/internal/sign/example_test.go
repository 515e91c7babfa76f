package sign_test

import (
	"fmt"
	"time"

	"github.com/idem-go/idem/runtime/internal/sign"
)

func ExampleCheck() {
	fmt.Println(sign.Check("Config", sign.Int("Batch", 0), sign.Duration("Poll", -time.Second)))
	// Output: idem: Config.Poll is negative (-1s); leave it zero for its default
}
