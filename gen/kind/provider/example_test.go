package provider_test

import (
	"fmt"

	"github.com/idem-go/idem/gen/kind/provider"
	"github.com/idem-go/idem/gen/model"
)

// The names of what is generated follow from the model alone.
func ExampleProvider() {
	p := provider.Provider{Name: "send_sms", Func: "SendSMS", Recv: &model.Recv{Type: "Carrier"}}
	fmt.Println(p.CallSelector(), p.GeneratedMethods())
	// Output: Carrier.CallSendSMS [sendSMSProvider CallSendSMS]
}
