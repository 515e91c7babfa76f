package finding

import (
	"encoding/json"
	"os"
)

// Save writes a soak's report to a file, as JSON; to none if file is empty.
func Save(file string, report any) error {
	if file == "" {
		return nil
	}
	data, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o666)
}
