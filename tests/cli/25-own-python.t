#!/bin/bash
# What Python has in the user's own shell and not in a run: told by doctor and at the line of the error, and, of his
# own packages, seen where he wants them. Virtual environments of every kind, and a conda prefix below HOME.
. "$(dirname "$0")/lib.sh"
workspace ws
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
site=$HOME/.local/lib/python$version/site-packages
mkdir -p "$site/userpkg-1.2.dist-info" "$work/extra" "$HOME/.local/share"
echo 'X = "own"' >"$site/usermod.py"
echo secret >"$HOME/.local/share/secret"
printf 'Metadata-Version: 2.1\nName: userpkg\nVersion: 1.2\n' >"$site/userpkg-1.2.dist-info/METADATA"
echo 'X = "extra"' >"$work/extra/extramod.py"
echo 'import usermod.deep' >deep.py
echo 'import extramod' >extra.py
cat >see.py <<'PY'
import os, sys
for m in sys.argv[1:]:
    try: print(__import__(m).X)
    except ImportError: print("no " + m)
print(os.path.exists(os.environ.get("PYTHONUSERBASE", "/x") + "/share"))
PY
tm run deep.py
like "his own package, not seen: where it is and what to do" "$err" "no module usermod in .*; it is among your own packages in $site, which runs see after tickmark config user-site yes"
PYTHONPATH=$work/extra tm run extra.py
like "a folder of PYTHONPATH: where it is" "$err" "it is in $work/extra of your PYTHONPATH, which a run does not get"
tm run extra.py; unlike "a module that is nowhere: nothing of that" "$err" 'PYTHONPATH|your own packages'
PYTHONPATH=$work/extra PYTHONOPTIMIZE=1 tm doctor
like "doctor: his own packages" "$out" "your Python +runs do not see your own packages \\(1 in $site\\); tickmark config user-site yes"
like "doctor: PYTHONPATH" "$out" 'your Python +PYTHONPATH is set in your shell, and runs do not get it'
like "doctor: other variables" "$out" 'your Python +PYTHONOPTIMIZE is set'
tm doctor; unlike "doctor: none of it where none is set" "$out" 'PYTHONPATH'
tm config user-site perhaps; is "the setting is yes or no" "$rc" 3
tm config user-site yes; is "he wants them" "$rc" 0
tm run --new see.py usermod; is "a run sees them, and nothing beside them" "$out" "own
False"
tm show last --json; jis "they are among the packages of the record" '"userpkg 1.2" in str(d["environment"]["packages"]) or "userpkg" in str(d["environment"]["packages"])' True
tm repeat last; is "a check has them too" "$rc" 0
tm doctor; like "doctor: says so" "$out" "your Python +runs see your own packages \\(1 in $site\\)"

# kinds of environments
tm config --unset python
make_env() { "$python" -m venv --without-pip "$@" 2>/dev/null && echo 'X = "venv"' >"${!#}/lib/python$version/site-packages/venvmod.py"; }
if make_env "$work/plain"; then
	VIRTUAL_ENV=$work/plain tm run --new see.py venvmod usermod
	is "a virtual environment elsewhere: its modules, and not his own" "$(head -2 <<<"$out")" "venv
no usermod"
	echo "$work/extra" >"$work/plain/lib/python$version/site-packages/e.pth"
	VIRTUAL_ENV=$work/plain tm run --new extra.py
	like "one with a package under development elsewhere" "$err" "it is in $work/extra, which .*/site-packages/e.pth names and a run does not see"
	make_env --system-site-packages "$work/with"
	VIRTUAL_ENV=$work/with tm run --new see.py venvmod usermod
	is "one with the system's packages: both" "$(head -2 <<<"$out")" "venv
own"
	make_env "$PWD/inside"
	tm run --new --python inside/bin/python see.py venvmod
	is "one inside the workspace" "$(head -1 <<<"$out")" venv
else
	skip "virtual environments" "python3-venv is not installed"
fi
tm config --unset user-site
conda=$HOME/miniconda3
mkdir -p "$conda/conda-meta" "$conda/bin" "$conda/lib"
cp "$(realpath "$python")" "$conda/bin/python$version" && ln -s "python$version" "$conda/bin/python3" && ln -s python3 "$conda/bin/python"
ln -s "$("$python" -c 'import os; print(os.path.dirname(os.__file__))')" "$conda/lib/python$version"
CONDA_PREFIX=$conda tm run --new see.py
is "an active conda environment below HOME: status" "$rc" 0
tm show last --json; jis "it is the interpreter" 'd["environment"]["python"]' "$conda/bin/python3"
mkdir -p "$HOME/.local/share/uv/python" "$work/new" && mv "$conda" "$HOME/.local/share/uv/python/cpython-$version-linux"
cd "$work/new" && tm init --yes
like "a Python of uv's is listed" "$out" "$HOME/.local/share/uv/python/cpython-$version-linux/bin/python3 +3\\."
finish
