"""Compare first takes of barks (one to three words) with the best of four takes by the studio's checks.

`python -m bench.barks f5|s1 [SEEDS]` speaks 50 barks with the embedded checkpoint and the shipped references, and prints
missing or wrong words. The studio's ears (Whisper) choose the take. Another recogniser (Moonshine) judges it by the bark that
sounds most like it.
"""

import re
import sys

from bench.second_hearing import nearest_line
from studio.ears.ears import Ears
from studio.script.checks.checker import Checker
from studio.script.checks.expected_take import Expected
from training.corpus.spelling import words
from training.evaluation.edit_distance import edits
from training.evaluation.synthesizer import Synthesizer, reference_of, samples_of
from training.references import SHIPPED, checkpoint, read_references

SEEDS = 4
BARKS = re.findall(
    r"\S[^.!?]*[.!?]",
    """
Fire! Help! Run! Stop. Wait. Attack! Retreat! Danger! Enemy! Medic! Now! Never. Victory! Traitor! Silence.
Careful. Behind you! Take cover. Over here. Hold fast. Move out. Look out! Fall back! Watch me. Open fire!
Stay close. Good work. Not yet. Follow me. Get down! Who goes? Come closer. Almost there. Too late.
Keep moving. Stand your ground. I need help. Cover my back. The gate opens. They are coming.
Bring more water. Leave me alone. Guard the bridge. Check your weapons. We have won. Do not move.
This way, quickly. Light the fire. My turn now. It is over.
""",
)


def measure(engine: str, seeds: int) -> None:
    """Print a line for each bark, then the sums."""
    known = sorted(read_references(SHIPPED).items())
    synthesizer, ears = Synthesizer(engine, checkpoint(engine)), Ears()
    checker = Checker(ears)
    wrong = []  # for each bark: wrong words of the take of each seed, then of the chosen take
    for number, bark in enumerate(BARKS):
        voice = reference_of(*known[number % len(known)][1])
        takes = [synthesizer.speak(voice, bark, seed) for seed in range(1, seeds + 1)]
        scores = [checker.check(Expected(text=bark, reference=voice.audio), take.audio).score for take in takes]
        missed = [edits(words(bark), words(nearest_line(samples_of(take), BARKS))) for take in takes]
        wrong.append([*missed, missed[scores.index(max(scores))]])
        sys.stdout.write(f"{bark:>20}: wrong {missed}, chosen {scores.index(max(scores)) + 1} of {scores}\n")
    ears.close()
    synthesizer.close()
    *first, best = [sum(column) for column in zip(*wrong, strict=True)]
    count = sum(len(words(bark)) for bark in BARKS)
    sys.stdout.write(f"{engine}: of {count} words wrong in takes of each seed {first}, in the best of {seeds} {best}\n")


if __name__ == "__main__":
    measure(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else SEEDS)
