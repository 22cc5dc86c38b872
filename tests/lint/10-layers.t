#!/bin/bash
# The law between the layers: who may include whose headers, and which third-party header has which
# owner. A quoted include is a private header beside the file or a public header of an allowed layer;
# generated headers are <gen/…> and belong to the one layer whose sources they come from.
cd "$(dirname "$0")/../.." || exit 1

declare -A may=(
	[base]="record base" [text]="record base text" [store]="record base store"
	[sandbox]="record base sandbox" [model]="record base text store sandbox model"
	[ui]="record base text model ui" [cli]="record base text model cli" [mcp]="record base text model mcp"
	[main.c]="record base model ui cli mcp"
)
declare -A owner=(
	[sqlite3.h]=src/store/ [seccomp.h]=src/sandbox/ [pcre2.h]=src/text/ [zlib.h]=src/text/ [jansson.h]=src/base/
	[openssl/sha.h]=src/base/ [ncurses.h]=src/ui/term.c [curses.h]=src/ui/term.c [term.h]=src/ui/term.c
	[gen/filter.h]=src/sandbox/ [gen/schema_sql.h]=src/store/
)

# prints what is wrong with one file
check_file() {
	local file=$1 layer allowed header name own
	case $file in
	src/*/*/*) echo "$file: a layer has no folders inside"; return ;;
	include/*) layer=${file#include/}; layer=${layer%%/*}; layer=${layer%.h}; allowed="record base $layer" ;;
	*) layer=${file#src/}; layer=${layer%%/*}; allowed=${may[$layer]:-} ;;
	esac
	[ -n "$allowed" ] || { echo "$file: in no layer"; return; }
	while read -r kind header; do
		if [ "$kind" = quoted ]; then
			case $header in *..*) echo "$file: includes $header"; continue ;; esac
			[ "$header" = "${header##*/}" ] && [ -f "${file%/*}/$header" ] && [ "${file%%/*}" = src ] && continue
			name=${header%%/*}; name=${name%.h}
			case " $allowed " in *" $name "*) ;; *) echo "$file: may not include $header" ;; esac
		else
			own=${owner[$header]:-}
			[ -z "$own" ] || case $file in "$own"*) ;; *) echo "$file: <$header> belongs to $own" ;; esac
		fi
	done < <(sed -nE 's/^[ \t]*#[ \t]*include[ \t]*"([^"]+)".*/quoted \1/p; s/^[ \t]*#[ \t]*include[ \t]*<([^>]+)>.*/angled \1/p' "$file")
}

mapfile -t files < <(find src include -name '*.[ch]' | sort)
wrong=$(for f in "${files[@]}"; do check_file "$f"; done)
echo 1..3
if [ -z "$wrong" ]; then echo "ok 1 - ${#files[@]} files keep the law"; else
	echo "not ok 1 - the law between the layers"; while IFS= read -r l; do echo "# $l"; done <<<"$wrong"; fi

# base names are unique: they prefix what a file exports
twice=$(printf '%s\n' "${files[@]}" | grep '\.c$' | sed 's|.*/||' | sort | uniq -d | tr '\n' ' ')
if [ -z "$twice" ]; then echo "ok 2 - base names are unique"; else echo "not ok 2 - twice: $twice"; fi

# the check itself can fail: a file that breaks the law is found
tmp=$(mktemp -d) && cp -r include "$tmp/" && mkdir -p "$tmp/src/cli" && printf '#include "store.h"\n#include <sqlite3.h>\n' > "$tmp/src/cli/bad.c"
found=$(cd "$tmp" && check_file src/cli/bad.c | wc -l); rm -rf "$tmp"
if [ "$found" = 2 ]; then echo "ok 3 - a breach is seen"; else echo "not ok 3 - a breach is not seen ($found)"; fi
