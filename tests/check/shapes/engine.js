// SPDX-License-Identifier: LGPL-2.1-or-later
// GstShapeEngine without pointers: a language binding gives and takes bytes.
imports.gi.versions.GstShapes = '1.0';
const {GLib, GstShapes} = imports.gi;

function check(what, found, expected) {
  if (String(found) !== String(expected))
    throw new Error(`${what}: ${found}, not ${expected}`);
}

function bytes(array) {
  return new GLib.Bytes(new Uint8Array(array.buffer));
}

function read(result, array, Type) {
  const data = result.get_bytes(array).toArray();
  // a copy, for Type wants it aligned
  return Array.from(new Type(Uint8Array.from(data).buffer));
}

function message(call) {
  try {
    call();
  } catch (error) {
    return error.message;
  }
  throw new Error('no error');
}

const {ShapeNumber, ShapeArrayType, ShapeContoursFlags, ShapeHullFlags} =
  GstShapes;
const engine = GstShapes.ShapeEngine.new('cpu', -1);
check('backend', engine.get_active_backend(), 'cpu');

// a pixel of 1 in the middle of zeros: a diamond, by hand
const image = new Float64Array([0, 0, 0, 0, 1, 0, 0, 0, 0]);
const find = (data, type, width, height, channels, levels) =>
  engine.find_contours_bytes(bytes(data), type, width, height, channels,
    levels, ShapeContoursFlags.MEASURES);
let result = find(image, ShapeNumber.F64, 3, 3, 1, [0.5]);
check('offsets', read(result, ShapeArrayType.OFFSETS, Uint32Array), [0, 5]);
const points = read(result, ShapeArrayType.POINTS, Float64Array);
check('points', points.length, 10);
for (let i = 0; i < 10; i += 2)
  check('distance', Math.abs(points[i] - 1) + Math.abs(points[i + 1] - 1), 0.5);
check('no circles', result.get_bytes(ShapeArrayType.CIRCLES), null);

// two channels, of which the second has it, in bytes; rows are not columns
result = find(new Uint8Array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0,
  0, 0, 0, 0, 0, 0, 0, 0]), ShapeNumber.U8, 4, 3, 2, [4.5]);
const record = result.get_bytes(ShapeArrayType.POLYLINES).toArray();
check('records', record.length, 104);
check('class', new DataView(Uint8Array.from(record).buffer).getInt32(8, true),
  1);
check('x', read(result, ShapeArrayType.POINTS, Float64Array)
  .filter((_, i) => i % 2 === 0).reduce((a, b) => Math.min(a, b)), 0.5);

check('size', message(() => find(image, ShapeNumber.F64, 3, 4, 1, [0.5])),
  '72 bytes are not 4 rows of 3 pixels with 1 samples of 8 bytes');
check('huge', message(() => find(image, ShapeNumber.F64, 0xffffffff, 0xffffffff,
  0xffffffff, [0.5])).includes('bytes are not'), true);
check('type', message(() => find(image, ShapeNumber.I32, 6, 3, 1, [0.5]))
  .includes('type'), true);

result = engine.convex_hull_bytes(bytes(new Int32Array([0, 0, 4, 0, 1, 1, 0,
  4])), ShapeNumber.I32, ShapeHullFlags.NONE);
check('hull', read(result, ShapeArrayType.INDICES, Uint32Array).sort(),
  [0, 1, 3]);
check('half a point', message(() => engine.convex_hull_bytes(
  bytes(new Float32Array([1, 2, 3])), ShapeNumber.F32, ShapeHullFlags.NONE)),
  '12 bytes are no points of twice 4 bytes');
check('no points', engine.convex_hull_bytes(new GLib.Bytes([]),
  ShapeNumber.F64, ShapeHullFlags.NONE).get_bytes(ShapeArrayType.INDICES).get_size(), 0);
print('done');
