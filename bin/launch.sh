# Sourced by the launchers beside it, with $here set to this folder. Only builtins, so that it takes no time.
root=$(CDPATH= cd -- "$here/.." && pwd -P) || exit 1

# Flags of the Node that is launched alone; NODE_OPTIONS would be handed on to what it starts.
node_flags=

# npm links nothing here that a program imports, and $root is resolved: Node need not look for links in each file's path.
no_links='--preserve-symlinks --preserve-symlinks-main'

# MiB that V8 takes for young objects, from the beginning and for good, unless NODE_OPTIONS says how many. By itself it takes
# more as streams come, and keeps that. Collecting costs less the more there are (docs/performance.md).
hold_young() {
  case ${NODE_OPTIONS:-} in
    *semi-space*) ;;
    *) node_flags="--min-semi-space-size=$1 --max-semi-space-size=$1" ;;
  esac
}

# Replaces this shell by a Node that runs a file of the project: the one of node_modules, else one on the PATH.
launch() {
  entry=$root/$1
  shift
  if [ ! -d "$root/node_modules" ]; then
    echo "${0##*/}: the packages are not installed yet. Run this first: cd $root && npm ci" >&2
    exit 1
  fi
  if [ -x "$root/node_modules/.bin/node" ]; then
    exec "$root/node_modules/.bin/node" $no_links --require "$root/bin/compiled.cjs" $node_flags "$entry" "$@"
  fi
  if is_new_enough "$(node --version 2>/dev/null)"; then
    exec node $no_links --require "$root/bin/compiled.cjs" $node_flags "$entry" "$@"
  fi
  found=$(node --version 2>/dev/null) || found=none
  echo "${0##*/}: this needs Node 24.17 or newer; the one on the PATH is: $found." >&2
  echo "On most systems npm ci brings one along; otherwise install it from https://nodejs.org." >&2
  exit 1
}

# Takes what node --version prints, such as v24.17.0.
is_new_enough() {
  version=${1#v}
  major=${version%%.*}
  rest=${version#*.}
  minor=${rest%%.*}
  case $major$minor in '' | *[!0-9]*) return 1 ;; esac
  [ "$major" -gt 24 ] || { [ "$major" -eq 24 ] && [ "$minor" -ge 17 ]; }
}
