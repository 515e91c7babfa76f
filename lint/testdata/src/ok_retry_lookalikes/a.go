package ok_retry_lookalikes

import "fmt"

type Request struct{ ClientToken string }

type API interface{ Do(Request) error }

// Each round is another item.
func Items(a API, ids []string) error {
	for i := 0; i < len(ids); i++ {
		if err := a.Do(Request{ClientToken: fmt.Sprintf("%s-%d", ids[i], i)}); err != nil {
			return err
		}
	}
	return nil
}

// The first item that works wins; each is another intent.
func Failover(a API, n int, ids []string) error {
	var err error
	for i := 0; i < n; i++ {
		if err = a.Do(Request{ClientToken: fmt.Sprintf("%s-%d", ids[i], i)}); err == nil {
			return nil
		}
	}
	return err
}

// Pages are numbered.
func Pages(a API, id string) error {
	for page := 1; page < 10; page++ {
		if err := a.Do(Request{ClientToken: fmt.Sprintf("%s-page-%d", id, page)}); err != nil {
			return err
		}
	}
	return nil
}

// A consumer goes on after a success.
func Consume(a API, next func() (string, error)) {
	n := 0
	for {
		id, err := next()
		if err != nil {
			return
		}
		n++
		if err := a.Do(Request{ClientToken: fmt.Sprintf("%s-%d", id, n)}); err != nil {
			fmt.Println(err)
			continue
		}
	}
}
