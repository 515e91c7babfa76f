package runtime

import "time"

// maxBackoff bounds the delay between two attempts.
const maxBackoff = time.Hour
