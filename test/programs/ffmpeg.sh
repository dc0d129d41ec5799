#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# FFmpeg's filters on the device give what its filters of the same names on the CPU give: the
# signal-to-noise ratio of the brightness is at least what the table below says. It is not infinite
# where a filter computes with other numbers than its namesake; all implementations of OpenCL that
# were tried have the same ratio there.
. "$(dirname "$0")/checks.sh"
if [[ $(ffmpeg -hide_banner -filters 2> /dev/null || true) != *avgblur_opencl* ]]; then
  echo "skipped: no ffmpeg with OpenCL filters (Debian's package ffmpeg)"
  exit 77
fi

device=(-hide_banner -nostdin -init_hw_device opencl=device:0.0 -filter_hw_device device)
source=testsrc2=size=352x288:rate=5:duration=1

# render <filter graph>: runs it on the sources a and b.
render() {
  run 0 ffmpeg "${device[@]}" -f lavfi -i "$source" -f lavfi -i "testsrc=size=352x288:rate=5:duration=1" \
    -filter_complex "$1" -f null -
  expect_no 'Failed|Error|error'
}

# alike <ratio> <pixel format> <filter on the device> [<filter on the CPU>]: of one source.
alike() {
  local least=$1 format=$2 device_filter=$3
  local cpu_filter=${4:-${device_filter/_opencl/}}
  render "[0:v]format=$format,split[a][b]; [a]hwupload,${device_filter},hwdownload,format=${format}[x];
          [b]${cpu_filter}[y]; [x][y]psnr"
  enough "$least" "$device_filter"
}

# alike_of_two <ratio> <pixel format> <filter on the device>: of two sources.
alike_of_two() {
  local least=$1 format=$2 device_filter=$3
  render "[0:v]format=$format,split[a][b]; [1:v]format=$format,split[c][d];
          [a]hwupload[e]; [c]hwupload[f]; [e][f]${device_filter},hwdownload,format=${format}[x];
          [b][d]${device_filter/_opencl/}[y]; [x][y]psnr"
  enough "$least" "$device_filter"
}

# enough <ratio> <name>: in the last output. Of colours, psnr says green first.
enough() {
  local ratio
  ratio=$(grep -oE 'PSNR [yr]:[0-9a-z.]+' <<< "$output" | tail -n 1 | cut -d: -f2)
  [ -n "$ratio" ] || fail "$2: no ratio"
  [ "$ratio" = inf ] || awk "BEGIN { exit !($ratio >= $1) }" || fail "$2: $ratio dB, less than $1"
  echo "$2: $ratio dB"
}

alike 45 yuv420p avgblur_opencl=4
alike 50 yuv420p boxblur_opencl=2:1
kernel='0 -1 0 -1 5 -1 0 -1 0'
alike inf yuv420p "convolution_opencl=$kernel:$kernel:$kernel:$kernel"
alike inf yuv420p dilation_opencl
alike inf yuv420p erosion_opencl
alike 40 yuv420p nlmeans_opencl=s=3:p=5:r=7
alike 60 yuv420p prewitt_opencl
alike 60 yuv420p roberts_opencl
alike 60 yuv420p sobel_opencl
alike 45 yuv420p unsharp_opencl=lx=5:ly=5:la=1
for direction in cclock clock cclock_flip clock_flip; do
  alike inf yuv420p transpose_opencl=$direction
done
# It writes beyond its image, where nothing may happen.
alike inf yuv420p pad_opencl=400:320:20:10
alike inf rgba colorkey_opencl=blue:0.3:0.1
alike_of_two inf yuv420p overlay_opencl=30:40
for transition in fade wipeleft; do
  alike_of_two 45 yuv420p xfade_opencl=transition=$transition:duration=0.8:offset=0
done

# Coordinates come from images of 16 bits, and have to be whole numbers again.
coordinates() { echo "color=size=352x288:rate=5:duration=1,format=gray16,geq=lum='$1',split"; }
render "[0:v]format=rgba,split[a][b]; $(coordinates 'mod(X*3+7*Y\,352)')[c][d];
        $(coordinates 'mod(X+Y\,288)')[e][f]; [a]hwupload[A]; [c]hwupload[C]; [e]hwupload[E];
        [A][C][E]remap_opencl=interp=near,hwdownload,format=rgba,format=gbrp[x];
        [b]format=gbrp[g]; [g][d][f]remap[y]; [x][y]psnr"
enough inf remap_opencl

# Filters without a namesake that does the same.
render "[0:v]format=yuv420p,hwupload,deshake_opencl,hwdownload,format=yuv420p"
expect 'frame= +5 '
render "[0:v]format=p010,setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc,hwupload,
        tonemap_opencl=tonemap=hable:format=nv12,hwdownload,format=nv12"
expect 'frame= +5 '
