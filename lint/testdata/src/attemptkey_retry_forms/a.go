package attemptkey_retry_forms

import (
	"errors"
	"fmt"
	"time"
)

type Request struct{ ClientToken string }

type API interface {
	Do(Request) error
	Get(Request) (int, error)
}

func RangeInt(a API, id string) (err error) {
	for i := range 5 {
		if err = a.Do(Request{ClientToken: fmt.Sprintf("%s-%d", id, i)}); err == nil { // want `\[attemptkey\]`
			return nil
		}
	}
	return err
}

func Continues(a API, id string) error {
	var last error
	for i := 0; i < 3; i++ {
		code, err := a.Get(Request{ClientToken: fmt.Sprintf("%s-%d", id, i)}) // want `\[attemptkey\]`
		if err != nil {
			last = err
			time.Sleep(time.Second)
			continue
		}
		fmt.Println(code)
		return nil
	}
	return last
}

func Condition(a API, id string) error {
	err := errors.New("not tried yet")
	for n := 1; err != nil && n < 4; n++ {
		err = a.Do(Request{ClientToken: fmt.Sprintf("%s-%d", id, n)}) // want `\[attemptkey\]`
	}
	return err
}

func Endless(a API, id string) {
	tries := 0
	for {
		tries++
		if err := a.Do(Request{ClientToken: fmt.Sprintf("%s-%d", id, tries)}); err == nil { // want `\[attemptkey\]`
			break
		}
	}
}

func Status(a API, id string) error {
	for try := 1; ; try++ {
		code, err := a.Get(Request{ClientToken: fmt.Sprint(id, "-", try)}) // want `\[attemptkey\]`
		if err == nil && code < 500 {
			return nil
		}
		if try == 4 {
			return fmt.Errorf("code %d: %w", code, err)
		}
	}
}

func InClosure(a API, id string) error {
	for attempt := 1; attempt < 4; attempt++ {
		do := func() error {
			return a.Do(Request{ClientToken: fmt.Sprintf("%s-%d", id, attempt)}) // want `\[attemptkey\]`
		}
		if do() == nil {
			return nil
		}
	}
	return errors.New("no luck")
}
