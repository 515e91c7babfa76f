package cli

import "regexp"

var (
	userinfo = regexp.MustCompile(`://[^\s@]*(@[^\s@]*)*@`)
	password = regexp.MustCompile(`(?i)(password)\s*=\s*('[^']*'|[^\s&"]+)`)
)

// Redact takes passwords out of connection strings in a text.
func Redact(text string) string {
	return password.ReplaceAllString(userinfo.ReplaceAllString(text, "://xxxxx@"), "$1=xxxxx")
}
