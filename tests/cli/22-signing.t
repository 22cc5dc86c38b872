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

# the head, as a text of its own
tm verify --head --sign; is "a signed head: status" "$rc" 0
cp "$work/.out" "$work/head.txt"
like "a signed head: what it says" "$out" "^entries [0-9]+$"
tm verify --expect "$work/head.txt"; like "a signed head: who" "$out" '^the expected head, signed with key SHA256:'
echo "mb@example.com $(cut -d' ' -f1,2 "$work/key.pub")" >"$work/signers"
echo 'print(2)' >b.py; tm run b.py
tm verify --expect "$work/head.txt" --signers "$work/signers" --json; jis "it went on: contained, signed" '(d["intact"], d["added"], d["unseen"])' "(True, 2, 0)"
tm verify --expect "$work/head.txt" --signers "$work/signers" "$work/signed.db"; is "in a copy, too" "$rc" 0
sed 's/^entries .*/entries 3/' "$work/head.txt" >"$work/forged.txt"
tm verify --expect "$work/forged.txt"; is "a forged one: status" "$rc" 1
like "a forged one: both" "$out" '^fault: the signature under the expected head does not fit: '
tm verify --sign; is "--sign without --head" "$rc" 3

# keys: every type; lines for several namespaces, several names; what held when the mark was made, not today
echo 'print(3)' >c.py; run_ok "to be signed by all" c.py
for t in rsa ecdsa; do
	ssh-keygen -q -t $t -N '' -f "$work/$t"; tm config --user signing-key "$work/$t"
	tm mark last accepted -n "with $t" --as-command; is "$t: signs" "$rc" 0
	pub=$(cut -d' ' -f1,2 "$work/$t.pub"); mine=$(cut -d' ' -f1,2 "$work/key.pub")
	printf 'git@x namespaces="git" %s\n%s@x,other@x namespaces="tickmark" %s\nmb@x %s\n' "$pub" $t "$pub" "$mine" >"$work/signers"
	tm verify --signers "$work/signers"; like "$t: by the line of our namespace" "$out" "signed with $t@x\$"
	"$TICKMARK" mark last withdrawn --as-command >/dev/null
done
tm config --user signing-key "$work/key"
workspace old; echo 'print(1)' >a.py; tm run a.py
TICKMARK_NOW_US=1583020800000000 "$TICKMARK" mark 1.1 accepted -n "in March 2020" --as-command >/dev/null
printf 'mb@x valid-before="20200601" %s\n' "$mine" >"$work/signers"; tm verify --signers "$work/signers"
is "a key that expired since: status" "$rc" 0; like "a key that expired since" "$out" 'signed with mb@x$'
printf 'mb@x valid-before="20200101" %s\n' "$mine" >"$work/signers"; tm verify --signers "$work/signers"
is "a key that had expired: status" "$rc" 1; like "a key that had expired: why" "$out" '^fault: .*: key has expired'
printf 'mb@x valid-after="20210101" %s\n' "$mine" >"$work/signers"; tm verify --signers "$work/signers"
like "a key that was not valid yet" "$out" '^fault: .*key is not yet valid'
printf 'mb@x namespaces="git" %s\n' "$mine" >"$work/signers"; tm verify --signers "$work/signers"
like "a key for something else" "$out" '^fault: .*not permitted for use in signature namespace'
printf 'no such line\n' >"$work/signers"; tm verify --signers "$work/signers"; is "a file of signers that is none: status" "$rc" 1
tm verify --signers "$work/nobody"; is "a file of signers that is not there: status" "$rc" 2
like "a file of signers that is not there: said" "$err" 'cannot read .*/nobody: No such file'
# a passphrase is never asked for, and an agent serves where it is there
ssh-keygen -q -t ed25519 -N secret -f "$work/locked"; tm config --user signing-key "$work/locked"
tm mark 1.1 questioned --as-command </dev/null; is "a passphrase and nobody to ask: status" "$rc" 3
like "a passphrase and nobody to ask: what to do" "$err" 'a key with a passphrase must be in ssh-agent'
tm show 1.1; unlike "and nothing was filed" "$out" 'questioned'
if eval "$(ssh-agent -s 2>/dev/null)" >/dev/null 2>&1 && [ -n "${SSH_AGENT_PID:-}" ]; then
	ssh-add -q "$work/key2"; mkdir "$work/away"; mv "$work/key2" "$work/away"; tm config --user signing-key "$work/key2.pub"
	tm mark 1.1 questioned --as-command; is "a key that only the agent has" "$rc" 0
	kill "$SSH_AGENT_PID"; unset SSH_AGENT_PID SSH_AUTH_SOCK
	tm mark 1.1 questioned --as-command; is "without the agent: status" "$rc" 3
fi
tm config --user signing-key "$work/key"; cd ../signing || exit 1

# without ssh-keygen everything else is verified
mkdir "$work/bin"
ln -s "$TICKMARK" "$work/bin/tickmark"
unseen() { env PATH="$work/bin" tickmark verify "$@" >"$work/.out" 2>"$work/.err"; rc=$?; out=$(cat "$work/.out"); }
unseen; is "no ssh-keygen: status" "$rc" 0
like "no ssh-keygen: said" "$out" '^6 signatures could not be looked at: .*ssh-keygen'
like "no ssh-keygen: the rest is verified" "$out" '^intact$'
unseen --signers "$work/signers"; is "no ssh-keygen, and signers were asked for" "$rc" 2
unseen --json --signers "$work/signers"; is "no ssh-keygen, signers, document: status" "$rc" 2
unseen --json; jis "no ssh-keygen: document" '(d["intact"], d["signed"], d["unseen"])' "(True, 0, 6)"
# what was signed is the attempt as it ended: one that says something else carries no signature
tm pack "$work/other.db"
sqlite3 "$work/other.db" "DROP TRIGGER ledger_no_UPDATE; UPDATE ledger SET entry = zeroblob(32) WHERE kind = 'ended' AND subject = 1"
tm verify "$work/other.db"; is "signed of another end: status" "$rc" 1
like "signed of another end" "$out" '^fault: 1\.1: the signature under "accepted" .*does not fit'
sqlite3 "$work/other.db" "UPDATE ledger SET entry = randomblob(32) WHERE kind = 'ended'"
tm verify "$work/other.db"; like "an opinion of another record" "$out" '^fault: record: the signature under "accepted" .*not in this record'
tm config --user signing-key "$work/none"
tm mark 1.1 rejected --as-command; is "a key that is not there" "$rc" 3
like "a key that is not there: said, nothing filed" "$err" 'could not be signed'
tm show 1.1; unlike "nothing was filed" "$out" 'rejected'
tm config --user --unset signing-key
tm verify --head --sign; is "no key is known: status" "$rc" 3
like "no key is known: what to do" "$err" 'tickmark config --user signing-key'
finish
