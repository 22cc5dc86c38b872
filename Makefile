# tickmark: no configure step, builds out of tree in build/VARIANT.
#   make            the program                   make check     everything that must pass
#   make demo       a sample to look at           make help      the other targets

VARIANT ?= release
CC      ?= cc
B       := build/$(VARIANT)
PREFIX  ?= /usr/local
DESTDIR ?=
SHELL   := /bin/bash

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings \
        -Wpointer-arith -Wundef -Wvla -Wformat=2
ifdef CI
WARN += -Werror
endif
HARDEN := -fstack-protector-strong
OPT-release := -O2 -g -D_FORTIFY_SOURCE=2
OPT-debug   := -O0 -g
OPT-asan    := -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
OPT-fuzz    := $(OPT-asan) -fsanitize=fuzzer-no-link
ifeq ($(VARIANT),fuzz)
override CC := clang
endif
# What the sanitizers know of each check is 190,000 addresses, which the loader of a PIE puts right in every process anew;
# with that and their libraries in the file a short command takes two thirds of the time.
PIE := -fPIE -pie
ifeq ($(VARIANT),asan)
PIE := -fno-pie -no-pie $(if $(shell $(CC) --version | grep clang),-static-libsan,-static-libasan -static-libubsan)
endif
CFLAGS  ?= $(OPT-$(VARIANT))
override CFLAGS += -std=gnu17 -D_GNU_SOURCE -iquote include -I$(B) -pthread $(WARN) $(HARDEN) $(filter -f%,$(PIE))
LDFLAGS ?= $(filter -fsanitize%,$(OPT-$(VARIANT)))
override LDFLAGS += $(filter-out -f%,$(PIE)) -pthread -Wl,-z,relro,-z,now

# Linked statically where Debian ships the archive: loading libcrypto alone costs a short-lived
# command more than all its work (measured: 4.5 ms of 7), and only SHA-256 of it is used.
STATIC ?= 1
ifeq ($(STATIC),1)
LIBS := -l:libsqlite3.a -l:libjansson.a -l:libcrypto.a -l:libpcre2-8.a -l:libz.a -l:libncursesw.a -l:libtinfo.a -lm -ldl
else
LIBS := -lsqlite3 -ljansson -lcrypto -lpcre2-8 -lz -lncursesw -ltinfo
endif

SRC    := $(filter-out src/sandbox/filtergen.c,$(sort $(wildcard src/*.c src/*/*.c)))
OBJ    := $(SRC:%.c=$(B)/%.o)
LIBOBJ := $(filter-out $(B)/src/main.o $(B)/src/cli/%,$(OBJ))
PY     := $(wildcard src/*/*.py)
GEN    := $(B)/gen/filter.h $(B)/gen/schema_sql.h $(B)/gen/default_theme.h $(foreach p,$(PY),$(B)/gen/$(basename $(notdir $(p)))_py.h)
UNIT   := $(patsubst tests/%.c,$(B)/tests/%,$(sort $(wildcard tests/unit/test_*.c tests/sandbox/*.c)))
# Sanitizers are for what reads bytes and keeps pointers. These units start processes and wait for them, most of their
# time: the commands that the sanitizers get do the same. SOAK=1 has them all.
ifeq ($(VARIANT)$(SOAK),asan)
UNIT   := $(filter-out $(addprefix $(B)/tests/unit/test_,model_run model_offer model_source model_view model_watch \
            model_control model_backlog model_repeat store_contention sandbox_run sandbox_tiers sandbox_load),$(UNIT))
endif
# make check has what only computes from the sanitizers: they run the same assertions.
ifeq ($(VARIANT)$(SAMPLE)$(SOAK),release1)
UNIT   := $(filter-out $(addprefix $(B)/tests/unit/test_,text_% ui_% mcp_%),$(UNIT))
endif

.PHONY: all deps deps-bench deps-kernel demo deb check check-interop check-kernel asan lint fuzz bench soak fresh install uninstall clean help tests clang-warnings list-tests
all: $(B)/tickmark

help:
	@echo "all deps demo check check-interop check-kernel asan lint fuzz bench soak install uninstall deb clean"

$(B)/tickmark: $(OBJ)
	$(CC) $(LDFLAGS) -o $@ $^ $(LIBS)

$(B)/src/%.o: src/%.c | $(GEN)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

# A test links only what it calls, and is itself run once: compiling it well takes longer than running it.
TEST_OPT := -O0 -g1 -U_FORTIFY_SOURCE
TEST_LD  := $(if $(shell command -v ld.gold),-fuse-ld=gold)
$(B)/tests/bench/%: TEST_OPT :=
$(B)/all.a: $(LIBOBJ)
	rm -f $@ && $(AR) rcs $@ $^
$(B)/tests/%: tests/%.c $(B)/all.a | $(GEN)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(TEST_OPT) -iquote src -MMD -MP $(LDFLAGS) $(TEST_LD) -o $@ $< $(B)/all.a -lcmocka $(LIBS)

$(B)/tests/unit/test_sandbox_filter: LIBS += -lseccomp # numbers of the calls by name

# ---- generated: the syscall filter from its table, the schema and Python files as strings

$(B)/filtergen: src/sandbox/filtergen.c src/sandbox/rules.h
	@mkdir -p $(@D)
	$(CC) -std=gnu17 -D_GNU_SOURCE -iquote include -O1 $(WARN) -o $@ $< -lseccomp

$(B)/gen/filter.h: $(B)/filtergen
	@mkdir -p $(@D)
	$< > $@.tmp && mv $@.tmp $@

# $(call embed,NAME): the file as the C string NAME
define embed
	@mkdir -p $(@D)
	(echo 'static const char $(1)[] ='; sed 's/\\/\\\\/g;s/"/\\"/g;s/.*/"&\\n"/' $<; echo ';') > $@.tmp && mv $@.tmp $@
endef
$(B)/gen/schema_sql.h: src/store/schema.sql
	$(call embed,schema_sql)
$(B)/gen/default_theme.h: themes/default.theme
	$(call embed,default_theme)
$(B)/gen/%_py.h: src/model/%.py
	$(call embed,$*_py)

-include $(OBJ:.o=.d) $(UNIT:=.d)

# ---- what apt must install -------------------------------------------------------------------

DEPS_BUILD := gcc make pkg-config libc6-dev libsqlite3-dev libjansson-dev libssl-dev libseccomp-dev \
              libpcre2-dev libncurses-dev zlib1g-dev
DEPS_DEMO  := python3 python3-pandas python3-openpyxl python3-matplotlib
DEPS_TEST  := $(DEPS_DEMO) poppler-utils perl libcmocka-dev clang libclang-rt-14-dev sqlite3 \
              git util-linux procps mandoc shellcheck tmux openssh-client zsh fish
DEPS_BENCH := bubblewrap hyperfine ripgrep
DEPS_KERNEL := qemu-system-x86 busybox-static cpio e2fsprogs kmod python3

deps:
	@sh tests/lint/deps.sh $(DEPS_BUILD) $(DEPS_TEST)
deps-bench:
	@sh tests/lint/deps.sh $(DEPS_BUILD) $(DEPS_BENCH)

deps-kernel:
	@sh tests/lint/deps.sh $(DEPS_BUILD) libcmocka-dev $(DEPS_KERNEL)

# ---- tests ---------------------------------------------------------------------------------------

tests: $(UNIT) $(B)/tests/bench/generate
list-tests:
	@printf '%s\n' $(UNIT)

# what clang warns of, which it finds before it makes code
clang-warnings: $(GEN)
	@bash tests/lint/clang.sh $(CFLAGS) -iquote src -- $(SRC) $(wildcard tests/*/*.c)

check: deps
	+@bash tests/check.sh

# real clients of the protocol, from npm, against the real server
check-interop: all
	@bash tests/interop/run.sh $(B)/tickmark

asan:
	+$(MAKE) VARIANT=asan all tests
	@bash tests/prove.sh asan

lint:
	@prove -e bash tests/lint/*.t

fuzz: deps
	+@bash tests/fuzz/run.sh
# a real record to begin with, made by the ordinary build
build/fuzz/tickmark-seed: all
	@rm -rf build/fuzz/seed && mkdir -p build/fuzz/seed
	@TICKMARK=$(CURDIR)/build/release/tickmark; cd build/fuzz/seed && $$TICKMARK init --yes >/dev/null 2>&1 && \
	  printf 'print(6*7)\nopen("x","w").write("y")' | $$TICKMARK run - >/dev/null 2>&1
build/fuzz/fuzz_%: tests/fuzz/fuzz_%.c build/fuzz/all.a
	$(CC) $(CFLAGS) -fsanitize=fuzzer -iquote src -o $@ $< build/fuzz/all.a $(LIBS)

bench: deps deps-bench all $(B)/tests/bench/generate
	@bash tests/bench/run.sh

# the sandbox on the kernel that users of Debian 12 have, in a virtual machine without KVM
check-kernel: deps-kernel $(B)/tests/sandbox/probes
	@bash tests/kernel/run.sh

soak: deps
	+@SOAK=1 bash tests/check.sh
	@[ "$$(id -u)" != 0 ] || bash tests/fresh/run.sh bookworm
# the README's two commands in a root that has nothing; FRESH=noble for Ubuntu
fresh:
	@bash tests/fresh/run.sh $(FRESH)

# ---- a first look: installs what is missing, builds, runs a sample in a folder of its own ---------

demo:
	@sh tests/lint/deps.sh $(DEPS_BUILD) $(DEPS_DEMO)
	@$(MAKE) -s -j"$$(nproc)" all
	@$(B)/tickmark demo

# ---- installing -----------------------------------------------------------------------------------

DATA    := $(PREFIX)/share/tickmark
VERSION := $(shell sed -n 's/.*TICKMARK_VERSION "\(.*\)"/\1/p' include/model.h)
# an AppArmor profile where AppArmor is, or where a package is built
APPARMOR ?= $(if $(DESTDIR),1,$(wildcard /etc/apparmor.d))

install: all
	install -Dm755 $(B)/tickmark $(DESTDIR)$(PREFIX)/bin/tickmark
	install -d $(DESTDIR)$(DATA)
	rm -rf $(DESTDIR)$(DATA)/samples
	cp -r sample-workspaces $(DESTDIR)$(DATA)/samples
	install -Dm644 -t $(DESTDIR)$(DATA)/themes themes/*.theme
	chmod -R u=rwX,go=rX $(DESTDIR)$(DATA)
ifneq ($(APPARMOR),)
	install -d $(DESTDIR)/etc/apparmor.d
	sed 's|@BINDIR@|$(PREFIX)/bin|' src/sandbox/apparmor.profile > $(DESTDIR)/etc/apparmor.d/tickmark
	-[ -n "$(DESTDIR)" ] || apparmor_parser -r /etc/apparmor.d/tickmark
endif
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions \
	  $(DESTDIR)$(PREFIX)/share/zsh/site-functions $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	$(B)/tickmark man > $(DESTDIR)$(PREFIX)/share/man/man1/tickmark.1
	$(B)/tickmark completions bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/tickmark
	$(B)/tickmark completions zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_tickmark
	$(B)/tickmark completions fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/tickmark.fish

uninstall:
	rm -rf $(DESTDIR)$(DATA)
	rm -f $(if $(APPARMOR),$(DESTDIR)/etc/apparmor.d/tickmark)
	rm -f $(DESTDIR)$(PREFIX)/bin/tickmark $(DESTDIR)$(PREFIX)/share/man/man1/tickmark.1 \
	  $(DESTDIR)$(PREFIX)/share/bash-completion/completions/tickmark \
	  $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_tickmark \
	  $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/tickmark.fish

# a Debian package, from the same install
DEB_ARCH := $(shell dpkg --print-architecture 2>/dev/null)
DEB := build/tickmark_$(VERSION)_$(DEB_ARCH).deb
deb: all
	rm -rf build/deb
	$(MAKE) install DESTDIR=$(CURDIR)/build/deb PREFIX=/usr
	gzip -9n build/deb/usr/share/man/man1/tickmark.1
	strip build/deb/usr/bin/tickmark
	install -Dm644 LICENSE build/deb/usr/share/doc/tickmark/copyright
	install -d build/deb/DEBIAN
	printf '%s\n' 'Package: tickmark' 'Version: $(VERSION)' 'Architecture: $(DEB_ARCH)' 'Section: science' \
	  'Priority: optional' 'Maintainer: the tickmark authors <founders@tickmark.invalid>' 'Depends: libc6, python3' \
	  'Recommends: python3-pandas, python3-openpyxl, python3-matplotlib' \
	  'Description: runs Python in a sandbox and keeps every attempt as evidence' \
	  ' A terminal program for people who must stand behind numbers that came out of' \
	  ' code: every attempt is recorded with its code, inputs, streams and files, can' \
	  ' be repeated, compared, reviewed and signed off.' > build/deb/DEBIAN/control
	echo /etc/apparmor.d/tickmark > build/deb/DEBIAN/conffiles
	printf '#!/bin/sh\nset -e\n[ "$$1" != configure ] || ! command -v apparmor_parser >/dev/null || %s\n' \
	  'apparmor_parser -r /etc/apparmor.d/tickmark || true' > build/deb/DEBIAN/postinst
	chmod 755 build/deb/DEBIAN/postinst
	dpkg-deb --root-owner-group -b build/deb $(DEB)

clean:
	rm -rf build
