#!/usr/bin/env bash
# The step of action.yml: installs a release, serves the mock around commands or in the background, and checks what was
# recorded. Its inputs come as variables, in capitals; what one step has to know of an earlier one of the same job is
# in $RUNNER_TEMP/understudy. It needs no more than bash, curl and tar, and unzip on Windows.
set -euo pipefail

home="$RUNNER_TEMP/understudy"

fail() {
	echo "::error title=Understudy::$*" >&2
	exit 2
}

# archive prints the name of the release's archive for this machine.
archive() {
	local os arch
	case "$RUNNER_OS" in
	Linux) os=linux ;;
	macOS) os=darwin ;;
	Windows) os=windows ;;
	*) fail "no release for the system $RUNNER_OS: want Linux, macOS or Windows" ;;
	esac
	case "$RUNNER_ARCH" in
	X64) arch=amd64 ;;
	ARM64) arch=arm64 ;;
	*) fail "no release for the architecture $RUNNER_ARCH: want X64 or ARM64" ;;
	esac
	if [ "$os" = windows ]; then echo "understudy_${os}_$arch.zip"; else echo "understudy_${os}_$arch.tar.gz"; fi
}

# address prints where the files of the release are.
address() {
	local version="$VERSION"
	if [ -z "$version" ] && [[ "$ACTION_REF" =~ ^v[0-9]+\.[0-9]+\.[0-9]+ ]]; then
		version="$ACTION_REF"
	fi
	if [ -n "$DOWNLOAD" ]; then
		echo "${DOWNLOAD%/}"
	elif [ -z "$ACTION_REPOSITORY" ]; then
		fail "the action is used by a path, so that its releases are not known: want download, the address of a release's files"
	elif [ -z "$version" ] || [ "$version" = latest ]; then
		echo "$GITHUB_SERVER_URL/$ACTION_REPOSITORY/releases/latest/download"
	else
		echo "$GITHUB_SERVER_URL/$ACTION_REPOSITORY/releases/download/$version"
	fi
}

fetch() {
	curl --fail --silent --show-error --location --retry 3 --output "$home/$2" "$1/$2" || fail "cannot download $1/$2"
}

# install puts the commands into $home/bin and into the path of this and later steps. An archive that the checksums of
# its release do not list, or list otherwise, is not unpacked.
install() {
	local from file sum=(sha256sum)
	file="$(archive)"
	from="$(address)"
	command -v sha256sum >/dev/null || sum=(shasum -a 256)
	if [ "$(cat "$home/from" 2>/dev/null)" != "$from/$file" ]; then
		fetch "$from" checksums.txt
		fetch "$from" "$file"
		(cd "$home" && grep -E "^[0-9a-f]{64}  $file\$" checksums.txt | "${sum[@]}" -c - >/dev/null) ||
			fail "$from/$file does not have the checksum that checksums.txt gives for it"
		rm -rf "${home:?}/bin"
		mkdir "$home/bin"
		case "$file" in
		*.zip) unzip -q "$home/$file" -d "$home/bin" ;;
		*) tar -xzf "$home/$file" -C "$home/bin" ;;
		esac
		rm "$home/$file"
		echo "$from/$file" >"$home/from"
	fi
	PATH="$home/bin:$PATH"
	echo "$home/bin" >>"$GITHUB_PATH"
	understudy --version
}

# flags sets the array flags to those of understudy serve.
flags() {
	flags=(--listen 127.0.0.1:0 --scenario "$SCENARIO")
	if [ -z "$RECORD" ] && [ "$CHECK" = true ]; then
		RECORD="$home/traffic.ndjson"
	fi
	if [ -n "$RECORD" ]; then
		flags+=(--record "$RECORD")
		echo "$RECORD" >"$home/record"
	fi
	local word
	while IFS= read -r word; do
		if [ -n "$word" ]; then flags+=("$word"); fi
	done <<<"$ARGS"
}

# start serves the mock in the background, and sets the variables that later steps find it by.
start() {
	flags
	nohup understudy serve "${flags[@]}" >"$home/ready.json" 2>"$home/serve.log" </dev/null &
	local pid=$! tries=0
	until [ -s "$home/ready.json" ]; do
		if ! kill -0 "$pid" 2>/dev/null || [ $((tries += 1)) -gt 300 ]; then
			cat "$home/serve.log"
			fail "the mock did not start"
		fi
		sleep 0.2
	done
	echo "$pid" >"$home/pid"
	local name url
	grep -o '"[a-z]*":"http[^"]*"' "$home/ready.json" | tr -d '"' | while IFS=: read -r name url; do
		name="$(tr '[:lower:]' '[:upper:]' <<<"$name")_URL"
		echo "UNDERSTUDY_${name/#URL_/}=$url" >>"$GITHUB_ENV"
		if [ "$name" = URL_URL ]; then
			echo "url=$url" >>"$GITHUB_OUTPUT"
			echo "the mock serves $SCENARIO at $url"
		fi
	done
}

# finish ends the mock that an earlier step has started, so that its recording is whole.
finish() {
	local pid
	pid="$(cat "$home/pid" 2>/dev/null)" || return 0
	rm "$home/pid"
	kill "$pid" 2>/dev/null || fail "the mock has ended before the check: $(tail -n 1 "$home/serve.log")"
	local tries=0
	while kill -0 "$pid" 2>/dev/null && [ $((tries += 1)) -le 150 ]; do
		sleep 0.2
	done
}

# check returns the exit code of understudy check, and writes its reports.
check() {
	local recording flags=(--format github) files=() line code=0
	recording="${RECORD:-$(cat "$home/record" 2>/dev/null || :)}"
	if [ -z "$recording" ]; then
		fail "there is nothing to check: want record, a file, in the step that starts the mock"
	fi
	while IFS= read -r line; do
		if [ -n "$line" ]; then
			flags+=(--report "$line")
			files+=("${line#*=}")
		fi
	done <<<"$REPORT"
	understudy check "${flags[@]}" "$recording" || code=$?
	{
		echo "report<<end of the list of reports"
		printf '%s\n' ${files[@]+"${files[@]}"}
		echo "end of the list of reports"
	} >>"$GITHUB_OUTPUT"
	return "$code"
}

case "$CHECK" in
true | false) ;;
*) fail "check: \"$CHECK\": want true or false" ;;
esac
mkdir -p "$home"
install
code=0
if [ -n "$RUN" ]; then
	flags
	understudy serve "${flags[@]}" -- bash -eo pipefail -c "$RUN" || code=$?
elif [ "$CHECK" = false ]; then
	start
else
	finish
fi
if [ "$CHECK" = true ]; then
	checked=0
	check || checked=$?
	if [ "$code" = 0 ]; then code=$checked; fi
fi
exit "$code"
