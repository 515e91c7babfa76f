package runtime

// spareRunners is how many goroutines without a step are kept.
const spareRunners = 256

// start runs a held step, by a goroutine that has run others if one is free.
func (w *Worker) start(s *heldStep) {
	select {
	case w.spare <- s:
	default:
		go w.runner(s)
	}
}

// runner executes one step after the other: a goroutine that has run a handler has grown the stack that the next one
// needs. A handler that ends its goroutine ends no more than that.
func (w *Worker) runner(s *heldStep) {
	for {
		w.execute(s)
		if w.idle.Add(1) > spareRunners {
			w.idle.Add(-1)
			return
		}
		select {
		case s = <-w.spare:
			w.idle.Add(-1)
		case <-w.lasting.Done():
			return
		}
	}
}
