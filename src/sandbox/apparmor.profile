# Ubuntu 24.04 and later let only named programs make user namespaces, which the sandbox is built of.
abi <abi/4.0>,
include <tunables/global>

profile tickmark @BINDIR@/tickmark flags=(unconfined) {
  userns,
  include if exists <local/tickmark>
}
