# SPDX-License-Identifier: LGPL-2.1-or-later
# Sourced by the scripts: what a fresh Debian or Ubuntu machine lacks, and the build.

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gst-cudashapes

# the Python that the distribution's packages are for
python=/usr/bin/python3
[ -x "$python" ] || python=python3

say() { printf '%s\n' "$*" >&2; }
die() { say "$0: $*"; exit 1; }

# package: what it is for
build_packages='
gcc: C compiler
meson: build system
ninja-build: build system
pkg-config: finds libraries
libgstreamer1.0-dev: GStreamer headers
libgstreamer-plugins-base1.0-dev: GStreamer video and FFT headers
libgstreamer-plugins-bad1.0-dev: GStreamer CUDA memory headers
gobject-introspection: Python bindings of the shapes
libgirepository1.0-dev: Python bindings of the shapes
gir1.2-gstreamer-1.0: GStreamer for Python
gir1.2-gst-plugins-base-1.0: GStreamer for Python
python3-gi: GStreamer for Python
python3-numpy: shapes as arrays in Python'
run_packages='
gstreamer1.0-tools: gst-launch-1.0 and gst-inspect-1.0
gstreamer1.0-plugins-base: sources, converters
gstreamer1.0-plugins-good: image and video formats
gstreamer1.0-plugins-bad: image and video formats
gstreamer1.0-plugins-ugly: the x264 encoder
gstreamer1.0-libav: decoders of common films'
test_packages='
g++: C++ compiler, to try the headers
python3-skimage: the reference that contours are compared with
ffmpeg: writes and reads GIF
gstreamer1.0-x: a window to use the brush in
xdotool: a mouse for that window
xvfb: a display for it'

is_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null)" = 'ii ' ]
}

# install_packages LIST: apt-get install what is missing, saying what and why
install_packages() {
  local missing=() line name sudo=
  command -v apt-get >/dev/null || {
    say "This is not Debian or Ubuntu: install the equivalents of these packages yourself if the build stops:"
    printf '%s\n' "$1" | sed '/^$/d; s/^/  /' >&2
    return 0
  }
  while IFS= read -r line; do
    name=${line%%:*}
    [ -n "$name" ] && ! is_installed "$name" && missing+=("$line")
  done <<<"$1"
  [ ${#missing[@]} -eq 0 ] && return 0
  say "Installing what is missing:"
  printf '  %s\n' "${missing[@]}" >&2
  [ "$(id -u)" -eq 0 ] || { sudo=sudo; command -v sudo >/dev/null || die "run this as root, or install sudo"; }
  $sudo apt-get update -qq >&2 || say "apt-get update failed; trying with the lists that are here"
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]%%:*}" >&2 ||
    die "apt-get could not install: ${missing[*]%%:*}"
}

# The architectures of this machine's GPUs that nvcc knows, as meson wants them; nothing when there are none.
gpu_archs() {
  local cap known
  known=$(nvcc --list-gpu-code 2>/dev/null) || return 0
  nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d ' .' | sort -un | while read -r cap; do
    if [ "$cap" -ge 75 ] 2>/dev/null && grep -qx "sm_$cap" <<<"$known"; then printf '%s\n' "$cap"; fi
  done | paste -sd,
}

# build DIR [MESON ARGUMENT...]: configure when that is still to do, for this machine's GPUs if it has any, and compile
build() {
  local dir=$1 log archs
  shift
  log=$(mktemp)
  if [ ! -e "$dir/build.ninja" ]; then
    archs=$(gpu_archs) || archs=
    [ -n "$archs" ] && set -- "-Dcuda-archs=$archs" "$@"
    meson setup "$dir" "$repository" "$@" >"$log" 2>&1 || { cat "$log" >&2; die "the build could not be configured"; }
  elif [ $# -gt 0 ]; then
    meson configure "$dir" "$@" >"$log" 2>&1 || { cat "$log" >&2; die "the build could not be configured"; }
  fi
  ninja -C "$dir" >"$log" 2>&1 || { tail -n 60 "$log" >&2; die "the build failed"; }
  rm -f "$log"
}

# use_build DIR: let GStreamer and Python find what DIR holds
use_build() {
  export GST_PLUGIN_PATH_1_0=$1/gst${GST_PLUGIN_PATH_1_0:+:$GST_PLUGIN_PATH_1_0}
  export GST_PRESET_PATH=$repository/gst${GST_PRESET_PATH:+:$GST_PRESET_PATH}
  export GI_TYPELIB_PATH=$1/common/shapes${GI_TYPELIB_PATH:+:$GI_TYPELIB_PATH}
  export LD_LIBRARY_PATH=$1/common/shapes${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export PYTHONPATH=$repository/common/shapes/python${PYTHONPATH:+:$PYTHONPATH}
  export GST_REGISTRY_1_0=$1/registry.bin
}

# Prints the path of a real photograph of fruits, out of Debian's opencv-doc,
# fetched once; or of a drawn scene when it cannot be had.
photograph() {
  local picture=$cache/fruits.jpg scene=$cache/fruit-scene.png dir deb
  mkdir -p "$cache"
  if [ ! -s "$picture" ] && command -v apt-get >/dev/null; then
    say "Fetching a photograph of fruits (Debian package opencv-doc, 96 MB; only fruits.jpg is kept, in $cache)"
    dir=$(mktemp -d)
    chmod 755 "$dir"
    (cd "$dir" && apt-get download -qq opencv-doc >/dev/null 2>&1) || true
    for deb in "$dir"/*.deb; do
      [ -e "$deb" ] || continue
      dpkg-deb --fsys-tarfile "$deb" | tar -xO --wildcards '*/fruits.jpg*' >"$dir/picture" 2>/dev/null || true
      # Debian compresses large documentation files
      if gzip -t "$dir/picture" 2>/dev/null; then gzip -dc "$dir/picture" >"$picture"; else mv "$dir/picture" "$picture"; fi
    done
    rm -rf "$dir"
  fi
  if [ -s "$picture" ]; then
    printf '%s\n' "$picture"
  else
    say "The photograph cannot be had; drawing a fruit scene instead."
    "$python" "$repository/pipelines/lib/fruit_scene.py" "$scene" >&2 || die "no picture to work on: name one"
    printf '%s\n' "$scene"
  fi
}
