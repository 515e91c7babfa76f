package runtime

import (
	"reflect"
	"testing"
)

// What a handler is given has no methods but those that are promised: a type assertion finds no way to end the attempt or the
// transaction.
func TestHandlersSeeNoMoreThanTheirInterfaces(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	a := NewAction[charge]("sealed")
	RegisterAction(b.reg, a, func(ctx Context, _ charge) error {
		for given, promised := range map[any]reflect.Type{ctx: reflect.TypeFor[Context](), ctx.CompletionTx(): reflect.TypeFor[Tx]()} {
			given := reflect.TypeOf(given)
			for i := range given.NumMethod() {
				if name := given.Method(i).Name; !hasMethod(promised, name) {
					t.Errorf("%v has %s, which %v does not promise", given, name, promised)
				}
			}
		}
		return nil
	})
	b.work(Config{})
	run, err := a.Enqueue(t.Context(), b.client, charge{})
	if err != nil {
		t.Fatal(err)
	}
	b.is(b.wait(run), StateCompleted, "", 1, 0)
}

func hasMethod(t reflect.Type, name string) bool {
	_, ok := t.MethodByName(name)
	return ok
}
