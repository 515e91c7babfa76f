package runtime

// refuseLate tells the observer of a call that came after the attempt's end, and gives its error. After an
// ordinary return such a call is a mistake of the handler's: it left a goroutine behind.
func (ex *execution) refuseLate(err error) error {
	e := ex.step.event(EventLate)
	e.Err = err
	ex.w.observe(e)
	return err
}
