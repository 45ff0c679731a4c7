/** A small example sheet, in the clipboard format of spreadsheets. */
const ROWS = [
  ["id", "character", "text", "emotion", "file", "notes"],
  ["EX_001", "Amber", "The bridge is out, so take the long way round.", "calm", "ex_001", ""],
  ["EX_002", "Amber", "Behind you!", "shout", "ex_002", "short and sharp"],
  ["EX_003", "Basil", "Hold the gate until the last of them is through.", "calm", "ex_003", ""],
  ["EX_004", "Basil", "Never.", "whisper", "ex_004", "a bark: one word"],
  ["EX_005", "Amber", "You won 67% of them. Not bad for a first evening.", "", "ex_005", "numbers are spelled out"],
  ["EX_006", "Basil", "Wait [pause:0.6s] did you hear that?", "whisper", "ex_006", "a pause inside the line"],
];

export const EXAMPLE = ROWS.map((row) => row.join("\t")).join("\n");
