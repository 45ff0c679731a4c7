/** Sends the first channel of its input to the page, block by block. */
class Recorder extends AudioWorkletProcessor {
  /** @param {Float32Array[][]} inputs */
  process([[channel]]) {
    if (channel) this.port.postMessage(channel.slice());
    return true;
  }
}

registerProcessor("recorder", Recorder);
