# SPDX-License-Identifier: LGPL-2.1-or-later
# Sourced by the scripts: what a fresh Debian or Ubuntu machine lacks, and the build. Takes --yes, if it is a script's first
# argument: what is missing is installed without a question, as with CUDASHAPES_YES set to anything.

repository=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gst-cudashapes
. "$repository/pipelines/lib/progress.sh"

# the Python that the distribution's packages are for
python=/usr/bin/python3
[ -x "$python" ] || python=python3

# package: what it is for
build_packages='
gcc: C compiler
meson: build system
ninja-build: build system
pkg-config: finds libraries
libgstreamer1.0-dev: GStreamer headers
libgstreamer-plugins-base1.0-dev: GStreamer video and FFT headers
libjansson-dev: reads JSON
libexpat1-dev: reads SVG
libmodbus-dev: decisions to a PLC
libaravis-dev: industrial cameras of the fruit line
libusb-1.0-0-dev: industrial cameras of the fruit line
libpango1.0-dev: labels on pictures
libmosquitto-dev: the fruit line'\''s decisions to an MQTT broker
librdkafka-dev: the fruit line'\''s decisions to Kafka
fonts-dejavu-core: letters of labels
libpython3-dev: contours of arrays in Python
gobject-introspection: Python bindings of the shapes
libgirepository1.0-dev: Python bindings of the shapes
gir1.2-gstreamer-1.0: GStreamer for Python
gir1.2-gst-plugins-base-1.0: GStreamer for Python
python3-gi: GStreamer for Python
python3-gst-1.0: GStreamer for Python
python3-numpy: shapes as arrays in Python
gstreamer1.0-tools: gst-launch-1.0 and gst-inspect-1.0
gstreamer1.0-plugins-base: sources, converters
gstreamer1.0-plugins-good: image and video formats'
picture_packages='
python3-pil: still pictures, with their colour profile and Exif'
film_packages="$picture_packages
gstreamer1.0-plugins-bad: image and video formats
gstreamer1.0-plugins-ugly: the x264 encoder
gstreamer1.0-libav: decoders of common films"
cuda_packages='
libgstreamer-plugins-bad1.0-dev: GStreamer CUDA memory headers
gstreamer1.0-plugins-bad: elements for CUDA memory'
# other people'\''s programs that the tests compare and work with
partner_packages='
g++: C++ compiler, to try the headers
ccache: a page of the documentation compiles the plugin anew
python3-skimage: the reference that contours are compared with
python3-scipy: a reference for hulls
python3-shapely: polygons, which shapes are converted to
python3-pandas: tables, which shapes are converted to
gjs: shapes from JavaScript
gi-docgen: the reference of the library
mkdocs: the site of the pages
mkdocs-material: how it looks
python3-numpydoc: the reference of the Python package
python3-pil: compares pictures
mypy: checks the types of the Python module
python3-opencv: a reference for edges
python3-pymodbus: a Modbus server, as a PLC
python3-serial-asyncio: that server does not start without it
python3-pip: installs readers of what the encoders write
mosquitto: the broker that decisions are sent to
python3-paho-mqtt: reads what has arrived there
kcat: reads what has arrived there
openssl: certificates for a broker
librsvg2-bin: draws SVG
ffmpeg: writes and reads GIF
gstreamer1.0-x: a window to use the brush in
xdotool: a mouse for that window
xvfb: a display for it
prometheus: reads the fruit line, and tries its alerts
abigail-tools: compares the ABI of the library'
browser_packages='
chromium: looks at the fruit line
chromium-driver: steers it
fonts-dejavu-core: letters'

# the same from PyPI, in a folder of their own, for they bring a NumPy of their own; these versions, and no other bytes
partner_wheels=$repository/tests/partners.txt
install_partner_wheels() {
  local folder=$cache/partners log
  export CUDASHAPES_PARTNERS=$folder
  if [ -n "${CUDASHAPES_BUILD:-}" ] || cmp -s "$folder/wheels" "$partner_wheels"; then return 0; fi
  say "Python packages for the tests, into $folder:"
  sed -n 's/^\([^# ]*\)==.*/\1/p' "$partner_wheels" | paste -sd' ' | fold -s | sed 's/^/  /' >&2
  agree "$python -m pip install --require-hashes --only-binary :all: --target $folder -r $partner_wheels"
  log=$(new_log wheels)
  rm -rf "$folder"
  if "$python" -m pip install -q --require-hashes --only-binary :all: --target "$folder" -r "$partner_wheels" >"$log" 2>&1; then
    cp "$partner_wheels" "$folder/wheels"
    rm -f "$log"
  elif grep -q 'DO NOT MATCH THE HASHES' "$log"; then
    die "a Python package is not the one that tests/partners.txt names ($log): find out why before you install it"
  else
    say "  not all could be installed ($log): their tests are skipped"
  fi
}

is_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null)" = 'ii ' ]
}

# agree COMMAND: ends the script unless the user has said that this may be installed, once for all that it lacks
agree() {
  local answer=no
  [ -z "${CUDASHAPES_YES:-}" ] || return 0
  if [ -t 0 ] && [ -t 2 ]; then
    printf 'Install this? [Y/n] ' >&2
    read -r answer || answer=no
    case $answer in
      '' | [yY] | [yY][eE][sS]) CUDASHAPES_YES=1; return 0 ;;
    esac
  fi
  die "nothing is installed without your word: --yes as the first argument, or CUDASHAPES_YES=1 in the environment, gives it. \
Or install it yourself: $1. Or name a build in CUDASHAPES_BUILD."
}

# install_packages LIST: apt-get install what is missing, saying what and why, if the user agrees; nothing where a build is
# given
install_packages() {
  local missing=() line name sudo='' log counted begin=$SECONDS
  [ -z "${CUDASHAPES_BUILD:-}" ] || return 0
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
  say "Missing:"
  printf '%s\n' "${missing[@]}" | by_purpose >&2
  agree "apt-get install --no-install-recommends ${missing[*]%%:*}"
  say "Installing what is missing"
  [ "$(id -u)" -eq 0 ] || { sudo=sudo; command -v sudo >/dev/null || die "run this as root, or install sudo"; }
  log=$(new_log packages)
  $sudo apt-get update -q >"$log" 2>&1 || say "apt-get update failed ($log); trying with the lists that are here"
  set -- "${missing[@]%%:*}"
  counted=$(LC_ALL=C apt-get install -y --no-install-recommends --print-uris "$@" 2>/dev/null |
    awk '/^.(http|https|ftp|file|mirror[^:]*|cdrom):/ { n++; s += $3 } END { printf "%d packages, %.0f MB", n, s / 1e6 }')
  say "  with what they need: $counted to download"
  # the shell is for sudo, which closes file descriptor 3
  { $sudo sh -c 'log=$1; shift; exec 3>&1 >>"$log" 2>&1
      DEBIAN_FRONTEND=noninteractive exec apt-get install -y -q --no-install-recommends \
        -o APT::Status-Fd=3 -o Dpkg::Use-Pty=0 "$@"' sh "$log" "$@" || echo failed; } | apt_progress ||
    failed_with "$log" "apt-get could not install: $*"
  rm -f "$log"
  say "  done in $((SECONDS - begin)) s"
}

# The architectures of this machine's GPUs that nvcc knows, as meson wants them; nothing when there are none.
gpu_archs() {
  local cap known
  known=$(nvcc --list-gpu-code 2>/dev/null) || return 0
  nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | tr -d ' .' | sort -un | while read -r cap; do
    if [ "$cap" -ge 75 ] 2>/dev/null && grep -qx "sm_$cap" <<<"$known"; then printf '%s\n' "$cap"; fi
  done | paste -sd,
}

# machine_options: for meson setup, what this machine can use: its GPUs, or no CUDA
machine_options() {
  local archs
  archs=$(gpu_archs) || archs=
  if [ -n "$archs" ]; then
    printf '%s\n' "-Dcuda=enabled" "-Dcuda-archs=$archs"
  elif command -v nvcc >/dev/null; then
    say "nvcc is here, but no GPU: building for the CPU (-Dcuda=enabled builds for GPUs elsewhere)"
    printf '%s\n' "-Dcuda=disabled"
  fi
}

# build DIR [MESON ARGUMENT...]: configure if that is still to do, for what this machine can use and without tests, unless
# the arguments say otherwise, and compile, all or $build_targets
build() {
  local dir=$1 log begin=$SECONDS
  shift
  log=$(new_log build)
  if [ ! -e "$dir/build.ninja" ]; then
    local options
    mapfile -t options < <(machine_options)
    set -- -Dtests=disabled "${options[@]}" "$@"
    case " $* " in *' -Dcuda=enabled '*) install_packages "$cuda_packages" ;; esac
    meson setup "$dir" "$repository" "$@" >"$log" 2>&1 || failed_with "$log" "the build could not be configured"
  elif [ $# -gt 0 ]; then
    case " $* " in *' -Dcuda=enabled '*) install_packages "$cuda_packages" ;; esac
    meson configure "$dir" "$@" >"$log" 2>&1 || failed_with "$log" "the build could not be configured"
  fi
  { NINJA_STATUS='[%f/%t] ' ninja -C "$dir" ${build_targets:-} 2>&1 || echo failed; } | tee "$log" | ninja_progress ||
    failed_with "$log" "the build failed"
  rm -f "$log"
  [ $((SECONDS - begin)) -lt 5 ] || say "  built in $((SECONDS - begin)) s"
}

# use_build DIR: let GStreamer and Python find what DIR holds
use_build() {
  export GST_PLUGIN_PATH_1_0=$1/gst${GST_PLUGIN_PATH_1_0:+:$GST_PLUGIN_PATH_1_0}
  export GST_PRESET_PATH=$repository/gst/presets${GST_PRESET_PATH:+:$GST_PRESET_PATH}
  export GI_TYPELIB_PATH=$1/common/shapes${GI_TYPELIB_PATH:+:$GI_TYPELIB_PATH}
  export LD_LIBRARY_PATH=$1/common/shapes${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export PYTHONPATH=$repository/common/shapes/python:$1/common/python${PYTHONPATH:+:$PYTHONPATH}
  export GST_REGISTRY_1_0=$1/registry.bin
}

# prepare [LIST]: before a script does its work: packages, with LIST beside those of the build, a build, and a GStreamer
# that finds it. CUDASHAPES_BUILD names a folder where it has been built, which is then used as it is.
prepare() {
  if [ -z "${CUDASHAPES_BUILD:-}" ]; then
    install_packages "$build_packages
${1:-}"
    build "$repository/build"
  fi
  use_build "${CUDASHAPES_BUILD:-$repository/build}"
}

# Prints the path of a real photograph of fruits, out of Debian's opencv-doc,
# fetched once, if the user agrees; or of a drawn scene when it cannot be had, or a build is given.
photograph() {
  local picture=$cache/fruits.jpg scene=$cache/fruit-scene.png dir deb
  mkdir -p "$cache"
  if [ ! -s "$picture" ] && [ -z "${CUDASHAPES_BUILD:-}" ] && command -v apt-get >/dev/null; then
    say "A photograph of fruits comes from the Debian package opencv-doc, 96 MB; only fruits.jpg is kept, in $cache."
    agree "apt-get download opencv-doc"
    say "Fetching it"
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

# empty_or_own FOLDER FILE: ends the script unless the folder is new, empty, or, as the file in it tells, a script has made it
empty_or_own() {
  [ ! -e "$1" ] || { [ -d "$1" ] && { [ -z "$(ls -A -- "$1")" ] || [ -e "$1/$2" ]; }; } ||
    die "${1@Q} holds something else: name a new folder"
}

# help: the text at the script's beginning
help() {
  sed -n '3,/^[^#]/s/^# //p' "$0"
  exit
}

# the arguments are those of the script that sources this
if [ "${1:-}" = --yes ]; then
  CUDASHAPES_YES=1
  shift
fi
