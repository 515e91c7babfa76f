package runtime

const childEnv = "IDEM_TEST_CHILD"

// children are what the test binary does when it is started as a child of a test.
var children = map[string]func(){}
