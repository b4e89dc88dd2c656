#!/usr/bin/env bash
# The step of action.yml: installs a release, serves the mock around commands or in the background, and checks what was
# recorded. Its inputs come as variables INPUT_…; what one step has to know of an earlier one of the same job is in
# $RUNNER_TEMP/understudy. It needs no more than bash (macOS has 3.2), curl and tar, and Git's bash with its unzip on
# Windows.
set -euo pipefail

# Windows' own programs want D:/folder, as variables and files of the runner do; only PATH of this bash wants /d/folder.
home="$RUNNER_TEMP"
self="$0"
shell=bash
exe=''
if [ "$RUNNER_OS" = Windows ]; then
	home="$(cygpath -m "$RUNNER_TEMP")"
	self="$(cygpath -m "$0")"
	shell="$(cygpath -m "$BASH")" # bash alone may be that of another system within Windows
	exe=.exe
fi
home="$home/understudy"

# understudy runs the command that was installed. Git's bash does not take words such as path=/api for folders here.
understudy() { MSYS_NO_PATHCONV=1 MSYS2_ARG_CONV_EXCL='*' "$home/bin/understudy$exe" "$@"; }

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
	local version="$INPUT_VERSION"
	if [ -z "$version" ] && [[ "$ACTION_REF" =~ ^v[0-9]+\.[0-9]+\.[0-9]+ ]]; then
		version="$ACTION_REF"
	fi
	if [ -n "$INPUT_DOWNLOAD" ]; then
		echo "${INPUT_DOWNLOAD%/}"
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
		rm -rf "${home:?}/bin" "$home/from"
		mkdir "$home/bin"
		case "$file" in
		*.zip) unzip -q "$home/$file" -d "$home/bin" ;;
		*) tar -xzf "$home/$file" -C "$home/bin" ;;
		esac
		rm "$home/$file"
		echo "$from/$file" >"$home/from"
	fi
	if [ "$RUNNER_OS" = Windows ]; then
		PATH="$(cygpath -u "$home/bin"):$PATH"
		cygpath -w "$home/bin" >>"$GITHUB_PATH"
	else
		PATH="$home/bin:$PATH"
		echo "$home/bin" >>"$GITHUB_PATH"
	fi
	understudy --version
}

# flags sets the array flags to those of understudy serve.
flags() {
	flags=(--listen 127.0.0.1:0 --scenario "$INPUT_SCENARIO")
	if [ -z "$INPUT_RECORD" ] && [ "$INPUT_CHECK" = true ]; then
		INPUT_RECORD="$home/traffic.ndjson"
	fi
	if [ -n "$INPUT_RECORD" ]; then
		flags+=(--record "$INPUT_RECORD")
		echo "$INPUT_RECORD" >"$home/record"
	fi
	local word
	while IFS= read -r word; do
		if [ -n "$word" ]; then flags+=("$word"); fi
	done <<<"$INPUT_ARGS"
}

# start serves the mock in the background, and sets the variables that later steps find it by. The mock ends with the
# command that it is served around, which waits for a file: Windows knows no signal that lets it end in order.
start() {
	if [ -e "$home/serving" ]; then
		fail "an earlier step serves a mock already: end it first, by a step with check: true"
	fi
	rm -f "$home/record" # of a mock that has ended
	flags
	local folder tries=0
	folder="$(mktemp -d "$home/mock.XXXXXX")"
	(
		trap '' HUP # it outlives this step
		code=0
		understudy serve "${flags[@]}" -- "$shell" "$self" hold "$folder" || code=$?
		echo "$code" >"$folder/code"
	) >"$folder/log" 2>&1 </dev/null &
	until [ -e "$folder/variables" ]; do
		if [ -e "$folder/code" ] || [ $((tries += 1)) -gt 300 ]; then
			: >"$folder/end"
			cat "$folder/log"
			fail "the mock did not start"
		fi
		sleep 0.2
	done
	echo "$folder" >"$home/serving"
	local name value
	while IFS='=' read -r name value; do
		echo "$name=$value" >>"$GITHUB_ENV"
		case "$name" in
		UNDERSTUDY_CONTROL_TOKEN) echo "::add-mask::$value" ;;
		UNDERSTUDY_URL)
			echo "url=$value" >>"$GITHUB_OUTPUT"
			echo "the mock serves $INPUT_SCENARIO at $value"
			;;
		esac
	done <"$folder/variables"
}

# finish ends the mock that an earlier step has started, so that its recording is whole.
finish() {
	local folder tries=0
	folder="$(cat "$home/serving" 2>/dev/null)" || return 0
	rm "$home/serving"
	if [ -e "$folder/code" ]; then
		fail "the mock has ended before the check: $(tail -n 1 "$folder/log")"
	fi
	: >"$folder/end"
	until [ -s "$folder/code" ]; do
		if [ $((tries += 1)) -gt 150 ]; then fail "the mock does not end"; fi
		sleep 0.2
	done
	if [ "$(cat "$folder/code")" != 0 ]; then
		cat "$folder/log"
		fail "the mock has ended with exit code $(cat "$folder/code")"
	fi
}

# around serves the mock around the commands, and returns their exit code.
around() {
	flags
	printf '%s\n' "$INPUT_RUN" >"$home/run.sh"
	understudy serve "${flags[@]}" -- "$shell" "$self" run "$home/run.sh"
}

# hold and run are what the mock is served around.
hold() {
	env | grep -E '^UNDERSTUDY_(([A-Z]+_)?URL|CONTROL_TOKEN|CA)=' >"$1/new"
	mv "$1/new" "$1/variables"
	until [ -e "$1/end" ]; do sleep 0.3; done
}

run() {
	unset MSYS_NO_PATHCONV MSYS2_ARG_CONV_EXCL
	exec "$BASH" -eo pipefail "$1"
}

# check returns the exit code of understudy check, and writes its reports.
check() {
	local recording flags=(--format github) files=() line code=0
	recording="${INPUT_RECORD:-$(cat "$home/record" 2>/dev/null || :)}"
	if [ -z "$recording" ]; then
		fail "there is nothing to check: want record, a file, in the step that starts the mock"
	fi
	while IFS= read -r line; do
		if [ -n "$line" ]; then
			flags+=(--report "$line")
			files+=("${line#*=}")
		fi
	done <<<"$INPUT_REPORT"
	understudy check "${flags[@]}" "$recording" || code=$?
	{
		echo "report<<end of the list of reports"
		printf '%s\n' ${files[@]+"${files[@]}"}
		echo "end of the list of reports"
	} >>"$GITHUB_OUTPUT"
	return "$code"
}

case "${1:-}" in
hold)
	hold "$2"
	exit
	;;
run) run "$2" ;;
esac
case "$INPUT_CHECK" in
true | false) ;;
*) fail "check: \"$INPUT_CHECK\": want true or false" ;;
esac
mkdir -p "$home"
install
code=0
if [ -n "$INPUT_RUN" ]; then
	around || code=$?
elif [ "$INPUT_CHECK" = false ]; then
	start
else
	finish
fi
if [ "$INPUT_CHECK" = true ]; then
	checked=0
	check || checked=$?
	if [ "$code" = 0 ]; then code=$checked; fi
fi
exit "$code"
