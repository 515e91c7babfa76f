# Keeps one Postgres server: makes its directory, starts and stops it, and removes both when the input ends, which it does
# when the process that wrote the commands is gone, for whatever reason.
#
# $1 is where to make the directory, $2 the directory of the server's binaries; the rest are arguments of postgres.
unset IDEM_PGTEST_KEEPER
umask 077
bin=$2
[ -x "$bin/initdb" ] && [ -x "$bin/postgres" ] || { echo denied; exit 1; }
dir=$(mktemp -d "$1/idem-pg-XXXXXX" 2>/dev/null) || { echo unwritable; exit 1; }
shift 2
postmaster=

stop() {
	[ -n "$postmaster" ] || return 0
	kill -s "$1" "$postmaster" 2>/dev/null && wait "$postmaster"
	postmaster=
}

# A server that died by itself may have backends that still write: removal is tried until it succeeds.
leave() {
	trap '' HUP INT TERM
	stop QUIT
	tries=0
	until rm -rf "$dir" 2>/dev/null || [ $tries -ge 30 ]; do
		tries=$((tries + 1))
		sleep 1
	done
}

# $1 is the character type: C.UTF-8 where the system has it, so that upper() knows more than ASCII.
init() {
	"$bin/initdb" -D "$dir/data" -U postgres --pwfile="$dir/password" -E UTF8 --locale=C --lc-ctype="$1" \
		--auth-local=trust --auth-host=scram-sha-256 --no-sync >"$dir/log" 2>&1
}

trap '' PIPE
trap leave EXIT
trap 'exit 0' HUP INT TERM

echo "dir $dir"
while read -r command argument; do
	case $command in
	init)
		printf '%s\n' "$argument" >"$dir/password"
		if init C.UTF-8 || { rm -rf "$dir/data" && init C; }; then echo ok; else echo failed; fi
		rm -f "$dir/password"
		;;
	start)
		"$bin/postgres" -D "$dir/data" -k "$dir" "$@" >>"$dir/log" 2>&1 </dev/null &
		postmaster=$!
		echo "ok $postmaster"
		;;
	alive)
		jobs >/dev/null # takes note of what has ended: a zombie would still count as alive
		if [ -n "$postmaster" ] && kill -0 "$postmaster" 2>/dev/null; then echo ok; else echo failed; fi
		;;
	stop)
		stop "$argument"
		echo ok
		;;
	esac
done
