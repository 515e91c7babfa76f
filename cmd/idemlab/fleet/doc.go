// Package fleet runs worker processes that are the running command once more, so that a worker's death is a real
// one: the demonstration and the soak kill them with SIGKILL, and the soak stops them for a while.
package fleet
