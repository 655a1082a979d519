# SPDX-License-Identifier: LGPL-2.1-or-later
# Sourced by setup.sh: what a person reads while packages are installed and code is compiled. Everything goes to the
# standard error; the programs' own output goes to logs, which are named if something fails.

say() { printf '%s\n' "$*" >&2; }
die() { say "$0: $*"; exit 1; }

# new_log NAME: a file for a program's output
new_log() { mktemp "${TMPDIR:-/tmp}/gst-cudashapes-$1-XXXXXX.log"; }

# failed_with LOG MESSAGE: the end of the log, where it is, and the end of the script
failed_with() {
  tail -n 40 "$1" >&2
  die "$2; all that was said: $1"
}

# by_purpose: lines of "package: what for" as lines of "what for: packages"
by_purpose() {
  awk -F': ' '{ if (!($2 in names)) order[++n] = $2; names[$2] = names[$2] " " $1 }
    END { for (i = 1; i <= n; i++) printf "  %s:%s\n", order[i], names[order[i]] }'
}

# show TEXT: in place on a terminal; else a line at most every 10 seconds
show() {
  if [ -t 2 ]; then
    printf '\r\033[K  %s' "$1" >&2
  elif [ $((SECONDS - ${shown_at:--99})) -ge 10 ]; then
    shown_at=$SECONDS
    say "  $1"
  fi
}
show_end() { if [ -t 2 ]; then printf '\r\033[K' >&2; fi; }

# apt_progress: reads apt's status lines; fails if the last line is "failed"
apt_progress() {
  local kind text percent line=''
  while IFS= read -r line; do
    IFS=: read -r kind text percent _ <<<"$line"
    case $kind in
      dlstatus) show "downloading: ${percent%%.*} %" ;;
      pmstatus) show "unpacking and setting up: ${percent%%.*} %" ;;
      failed) break ;;
    esac
  done
  show_end
  [ "$line" != failed ] && [ "${kind:-}" != failed ]
}

# ninja_progress: reads ninja's output, with NINJA_STATUS='[%f/%t] '; fails if the last line is "failed"
ninja_progress() {
  local line failed=0
  while IFS= read -r line; do
    case $line in
      \[*/*\]\ *)
        line=${line%%]*}
        line=${line#[}
        show "compiling: ${line%/*} of ${line#*/}" ;;
      failed) failed=1 ;;
    esac
  done
  show_end
  return $failed
}
