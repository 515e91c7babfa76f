package pgtest

import "syscall"

// memory is where files live in memory. Making a database means making some 300 files, which disks differ in a lot.
const memory = "/dev/shm"

// enoughMemory is far more than a test's server uses; containers often have no more than 64 MB there.
const enoughMemory = 2 << 30

func roomInMemory() bool {
	var fs syscall.Statfs_t
	return syscall.Statfs(memory, &fs) == nil && fs.Bavail*uint64(fs.Bsize) >= enoughMemory
}
