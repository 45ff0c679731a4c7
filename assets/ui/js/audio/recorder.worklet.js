/** Hands on the first channel of whatever is connected, block by block. */
class Recorder extends AudioWorkletProcessor {
  /** @param {Float32Array[][]} inputs */
  process([[channel]]) {
    if (channel) this.port.postMessage(channel.slice());
    return true;
  }
}

registerProcessor("recorder", Recorder);
