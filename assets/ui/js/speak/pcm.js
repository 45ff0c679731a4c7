/** Reads raw audio samples from a stream. */

/**
 * Decode int16 little-endian samples. A sample may be split between two chunks.
 * @param {ReadableStream<Uint8Array<ArrayBuffer>>} body
 */
export async function* wholeSamples(body) {
  const reader = body.getReader();
  let odd = new Uint8Array(0);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const bytes = new Uint8Array(odd.length + value.length);
    bytes.set(odd);
    bytes.set(value, odd.length);
    const whole = bytes.length - (bytes.length % 2);
    odd = bytes.slice(whole);
    if (whole) yield Float32Array.from(new Int16Array(bytes.buffer.slice(0, whole)), (sample) => sample / 32768);
  }
}
