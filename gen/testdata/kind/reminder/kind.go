package reminder

import (
	"github.com/idem-go/idem/gen/directive"
	"github.com/idem-go/idem/gen/kind"
	"github.com/idem-go/idem/gen/resolve"
)

// Kind is the kind of //idem:reminder.
var Kind = kind.Kind{
	Resolve: resolve.Kind{Directives: []*directive.Spec{spec}, Imports: []string{"net/url"}, Resolve: resolveReminder},
	Section: reminders,
	Form:    form, ReadForm: readForm,
}
