package output_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/idem-go/idem/gen/output"
)

// Files are compared first, and written together.
func ExampleWrite() {
	dir, err := os.MkdirTemp("", "idem")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "idem_gen.go")
	file, err := output.Compare(path, "idem_gen.go", []byte(output.Header+"\n\npackage shop\n"), output.Generated)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(file.State)
	if err := output.Write([]output.File{file}); err != nil {
		log.Fatal(err)
	}
	file, err = output.Compare(path, "idem_gen.go", file.Content, output.Generated)
	fmt.Println(file.State, err)
	// Output:
	// missing
	// kept <nil>
}
