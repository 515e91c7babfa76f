package directive

import "testing"

func TestParseSize(t *testing.T) {
	tests := map[string]int64{
		"1": 1, "4096": 4096, "512B": 512, "64KiB": 64 << 10, "1MiB": 1 << 20, "2GiB": 2 << 30,
		"9223372036854775807": 1<<63 - 1, "8589934591GiB": 8589934591 << 30,
	}
	for text, want := range tests {
		if got, err := ParseSize(text); got != want || err != nil {
			t.Errorf("%s is %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "0KiB", "-1", "+1", "1.5MiB", "1 KiB", "KiB", "1KB", "1kib", "8589934592GiB", "9223372036854775808", "0x10", "1_000"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("%q is %d, want an error", text, got)
		}
	}
}

func FuzzParseSize(f *testing.F) {
	for _, seed := range []string{"1", "64KiB", "1MiB", "2GiB", "9223372036854775807", "1kb", "-1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := ParseSize(text)
		if err != nil {
			return
		}
		if n <= 0 {
			t.Fatalf("%q is %d", text, n)
		}
		if again, err := ParseSize(FormatSize(n)); again != n || err != nil {
			t.Errorf("%q is %d, written as %s, read as %d, %v", text, n, FormatSize(n), again, err)
		}
	})
}
