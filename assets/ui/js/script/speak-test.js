/** Plays a test sentence of the lexicon with the first voice of the cast, through the public speech route. */
import * as player from "../audio/player.js";
import { contextAt, Track } from "../audio/tracks.js";
import { attempt } from "../core/login.js";
import { sound } from "../core/server.js";
import { voices } from "./voices.js";

const RATE = 48_000;
const KEY = "lexicon";

/** @param {string} input @param {Cast} cast */
export function speakTest(input, cast) {
  const first = Object.values(cast)
    .flatMap((by) => Object.values(by))
    .flat()
    .find(({ clip }) => !clip);
  const voice = first?.voice ?? voices()[0]?.id;
  return attempt(async () => {
    const bytes = await sound("/v1/audio/speech", {
      input,
      voice,
      response_format: "wav",
      ...(first?.engine && { model: first.engine }),
    });
    const buffer = await contextAt(RATE).decodeAudioData(bytes);
    const track = new Track(buffer.sampleRate);
    track.add(buffer);
    player.play(KEY, track, 0);
  });
}
