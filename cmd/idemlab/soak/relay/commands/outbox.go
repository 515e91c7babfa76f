package commands

// Notice is a command without any order. What it says, its JSON, is all that the receiver goes by.
//
//idem:outbox table=notices to=Destination item=Item
type Notice struct {
	Destination string `json:"-"`
	Item        int    `json:"-"`
	Who         string `json:"who"` // see [Who]
}

// Change is a command that is kept in the order of its key. Whoever queues the changes of a key commits them in the order
// of their positions, which begin at 1.
//
//idem:outbox table=changes to=Destination order_by=Key item=Item
type Change struct {
	Destination string `json:"-"`
	Item        int    `json:"-"`
	Who         string `json:"who"`
	Key         string `json:"key"`
	Position    int64  `json:"position"`
}
