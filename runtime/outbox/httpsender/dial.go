package httpsender

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

// ErrTargetForbidden says that a command's destination is one that must not be connected to. Its text begins with the
// reason's name, target_forbidden.
var ErrTargetForbidden = errors.New("target_forbidden")

// special are the networks that are not public, beside what netip.Addr tells itself: of each family, what is set aside
// for a purpose other than reaching anybody on the internet.
var special = parsePrefixes(
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24", "240.0.0.0/4",
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", // Teredo and other special uses, documentation, 6to4
)

// publicV6 is the part of IPv6 that is given to the internet; what is outside holds translations of IPv4 as well.
var publicV6 = netip.MustParsePrefix("2000::/3")

func parsePrefixes(texts ...string) []netip.Prefix {
	prefixes := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		prefixes[i] = netip.MustParsePrefix(text)
	}
	return prefixes
}

// isPublic reports whether an address is one of the internet's. An IPv4 address in IPv6 clothes is judged as IPv4.
func isPublic(a netip.Addr) bool {
	a = a.Unmap()
	switch {
	case !a.IsValid(), a.Zone() != "", !a.IsGlobalUnicast(), a.IsPrivate():
		return false
	case a.Is6() && !publicV6.Contains(a):
		return false
	}
	return !slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(a) })
}

// guard decides about each address right before it is connected to: whatever a name resolved to earlier, or resolves to
// the next time, does not matter.
type guard struct {
	allow []netip.Prefix
	ports []uint16
}

func (g *guard) check(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: %q is no address", ErrTargetForbidden, address)
	}
	ip := at.Addr().Unmap()
	if slices.ContainsFunc(g.allow, func(p netip.Prefix) bool { return p.Contains(ip) }) {
		return nil
	}
	switch {
	case !isPublic(at.Addr()):
		return fmt.Errorf("%w: %v is not a public address; if it is meant, allow its network", ErrTargetForbidden, ip)
	case !slices.Contains(g.ports, at.Port()):
		return fmt.Errorf("%w: port %d is not one of %v; if it is meant, allow it", ErrTargetForbidden, at.Port(), g.ports)
	}
	return nil
}

// dialer returns a dialer that asks the guard.
func (g *guard) dialer() *net.Dialer {
	return &net.Dialer{
		Timeout:   10 * time.Second,
		KeepAlive: 30 * time.Second,
		ControlContext: func(_ context.Context, network, address string, _ syscall.RawConn) error {
			if network != "tcp4" && network != "tcp6" {
				return fmt.Errorf("%w: network %s", ErrTargetForbidden, network)
			}
			return g.check(address)
		},
	}
}
