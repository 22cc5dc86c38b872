#!/bin/bash
# sanitizer sample
# Marks signed with the reviewer's SSH key, by ssh-keygen as git does it, and checked.
. "$(dirname "$0")/lib.sh"
# ssh-keygen wants a user that the machine knows by name
command -v ssh-keygen >/dev/null || { echo "1..0 # SKIP no ssh-keygen"; exit 0; }
ssh-keygen -q -t ed25519 -N '' -f "$work/key" 2>/dev/null && ssh-keygen -q -t ed25519 -N '' -f "$work/key2" 2>/dev/null ||
	{ echo "1..0 # SKIP ssh-keygen does not know this user"; exit 0; }
workspace signing
echo 'print(1)' >a.py; tm run a.py
tm config --user signing-key "$work/key"
tm mark 1.1 accepted -n "footed" --as-command; is "a signed mark" "$rc" 0
tm mark record accepted --as-command; is "a signed opinion" "$rc" 0
tm verify; like "verify says who signed" "$out" '^1\.1 accepted by .*, signed with key SHA256:'
echo "mb@example.com namespaces=\"tickmark\" $(cut -d' ' -f1,2 "$work/key.pub")" >"$work/signers"
tm verify --signers "$work/signers"; is "--signers: status" "$rc" 0
like "--signers: by name" "$out" '^record accepted by .*, signed with mb@example.com$'
echo "mb@example.com $(cut -d' ' -f1,2 "$work/key2.pub")" >"$work/signers"
tm verify --signers "$work/signers" --json; is "another's key: status" "$rc" 1
jis "another's key: both named" '(d["signed"], len(d["faults"]), d["intact"])' "(0, 2, False)"
tm pack "$work/signed.db"; tm verify "$work/signed.db"; like "a copy keeps signatures" "$out" '^1\.1 accepted .* signed with key'
tm config --user signing-key "$work/none"
tm mark 1.1 rejected --as-command; is "a key that is not there" "$rc" 3
like "a key that is not there: said, nothing filed" "$err" 'could not be signed'
tm show 1.1; unlike "nothing was filed" "$out" 'rejected'
tm config --user --unset signing-key
finish
