/** Return a mono WAV file of 32-bit float samples. @param {Float32Array[]} pieces @param {number} rate  Hz */
export function wav(pieces, rate) {
  const count = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const file = new DataView(new ArrayBuffer(58 + 4 * count));
  const text = (/** @type {number} */ at, /** @type {string} */ letters) => {
    for (let place = 0; place < letters.length; place += 1) file.setUint8(at + place, letters.charCodeAt(place));
  };
  text(0, "RIFF");
  file.setUint32(4, 50 + 4 * count, true);
  text(8, "WAVEfmt ");
  file.setUint32(16, 18, true);
  file.setUint16(20, 3, true); // IEEE float
  file.setUint16(22, 1, true);
  file.setUint32(24, rate, true);
  file.setUint32(28, 4 * rate, true);
  file.setUint16(32, 4, true);
  file.setUint16(34, 32, true);
  text(38, "fact");
  file.setUint32(42, 4, true);
  file.setUint32(46, count, true);
  text(50, "data");
  file.setUint32(54, 4 * count, true);
  let at = 58;
  for (const piece of pieces) {
    for (const sample of piece) {
      file.setFloat32(at, sample, true);
      at += 4;
    }
  }
  return file.buffer;
}
