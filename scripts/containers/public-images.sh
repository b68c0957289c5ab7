#!/usr/bin/env bash
# Ensures that Docker has the public images that this repository uses. Pulls missing images. If an image cannot be pulled,
# builds one of the same name from Debian packages, and prints that. Building needs root, debootstrap and Debian apt sources.
# Built images are cached for a week in the user's cache directory.
set -euo pipefail

suite=bookworm
debian=debian:$suite-slim
node=node:26-$suite-slim
postgres=postgres:15
# The name that the tests use. No registry has it, so it is never pulled.
postgres_of_tests=postgres:15-local

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checkout=$here/../..
own_certificates=/usr/local/share/ca-certificates
cache=${XDG_CACHE_HOME:-$HOME/.cache}/chapter-membership-service/images
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "$*" >&2
  exit 1
}

# Runs a command and prints the end of its output only if it fails.
quietly() {
  "$@" > "$work/log" 2>&1 && return 0
  tail -n 15 "$work/log" >&2
  return 1
}

# Prints the address of the first apt source of this machine that has the given label.
mirror() {
  apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 'Origin: Debian' "Label: $1" | head -n 1
}

build_debian() {
  [ "$(id -u)" -eq 0 ] || fail "$debian cannot be built without root."
  command -v debootstrap > /dev/null || fail "$debian cannot be built without debootstrap."
  local main security root=$work/root
  main=$(mirror Debian) security=$(mirror Debian-Security)
  [ -n "$main" ] || fail "$debian cannot be built without a Debian apt source."

  quietly debootstrap --variant=minbase "$suite" "$root" "$main"
  {
    echo "deb $main $suite main"
    echo "deb $main $suite-updates main"
    if [ -n "$security" ]; then echo "deb $security $suite-security main"; fi
  } > "$root/etc/apt/sources.list"
  printf 'path-exclude=/usr/share/%s/*\n' doc info locale man > "$root/etc/dpkg/dpkg.cfg.d/slim"
  # Keeps packages from starting daemons when they are installed.
  printf '#!/bin/sh\nexit 101\n' > "$root/usr/sbin/policy-rc.d"
  chmod 755 "$root/usr/sbin/policy-rc.d"
  if [ -d "$own_certificates" ]; then cp -RL "$own_certificates" "$root/usr/local/share/"; fi
  rm -rf "$root"/usr/share/{doc,info,locale,man}/* "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* \
    "$root"/var/log/* "$root"/etc/{hostname,resolv.conf}
  tar -C "$root" --numeric-owner -c . | docker import -c 'CMD ["bash"]' - "$debian" > /dev/null
  rm -rf "$root"
}

# Uses the network of the host, because another network may not reach the packages.
build() { quietly docker build --network host --tag "$1" "$2"; }

build_postgres() { build "$postgres" "$here/postgres"; }

build_node() {
  local pinned=$checkout/node_modules/.bin/node npm
  [ -x "$pinned" ] || pinned=$(command -v node) || fail "$node cannot be built without Node on this machine."
  npm=$(npm root --global 2> /dev/null)/npm
  [ -d "$npm" ] || fail "$node cannot be built without npm on this machine."
  cp -R "$here/node" "$work/node"
  cp -L "$pinned" "$work/node/node"
  cp -RL "$npm" "$work/node/npm"
  build "$node" "$work/node"
}

# Prints a digest of the inputs of the images that are known before building them.
digest() {
  {
    cat "$here/public-images.sh" "$here"/*/*
    mirror Debian
    if [ -d "$own_certificates" ]; then find -L "$own_certificates" -type f -exec cat {} +; fi
    sha256sum "$checkout/package.json"
  } | sha256sum | cut -c 1-16
}

# Builds an image, or loads it from the cache if it was built in the last week.
build_or_load() {
  local image=$1 make=$2 kept
  command -v apt-get > /dev/null || fail "$image cannot be pulled, and without apt it cannot be built."
  if [ -z "$(mirror Debian)" ] && [ "$(id -u)" -eq 0 ]; then quietly apt-get update -qq; fi
  kept=$cache/$(digest)/${image//:/-}.tar.gz
  if [ -n "$(find "$kept" -mtime -7 2> /dev/null)" ] && quietly docker load --input "$kept"; then
    echo "$image cannot be pulled; using the image built from Debian packages earlier."
    return 0
  fi
  "$make"
  echo "$image cannot be pulled; using an image built now from Debian packages."
  # Removes cached images that were built from other inputs.
  find "$cache" -mindepth 1 -maxdepth 1 ! -path "${kept%/*}" -exec rm -rf {} + 2> /dev/null || true
  mkdir -p "${kept%/*}"
  docker save "$image" | gzip -1 > "$work/kept"
  mv "$work/kept" "$kept"
}

ensure() {
  if docker image inspect "$1" > /dev/null 2>&1; then
    echo "$1 is present."
  elif timeout 120 docker pull --quiet "$1" > "$work/log" 2>&1; then
    echo "$1 has been pulled."
  else
    build_or_load "$@"
  fi
}

docker info > /dev/null 2>&1 || fail 'The Docker daemon does not respond.'
ensure "$debian" build_debian
ensure "$node" build_node
ensure "$postgres" build_postgres
docker tag "$postgres" "$postgres_of_tests"
