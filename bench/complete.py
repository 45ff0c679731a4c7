"""Compare first takes with "Generate until complete": `python -m bench.complete f5|s1 [LINES]`.

It speaks barks (one to three words) and held-out lines with the embedded checkpoint and the shipped references, and makes
further takes as the page does: at most four, until the studio's ears (Whisper) hear all words; the take that lacks the fewest
words is chosen. Another recogniser (Moonshine) judges: for a bark, whether it sounds more like another bark; for a line, which
words are lost. The judge's own error is the same figure on clips without faults.
"""

import math
import sys
from collections.abc import Iterator, Sequence

from bench.barks import BARKS
from bench.hearing import clean
from bench.second_hearing import lost_words, nearest_line
from engines.types import Reference, Take
from studio.ears.comparison import compare
from studio.ears.models import Models
from studio.ears.vocabulary import Comparison
from studio.script.checks.wording import typed_words
from training.corpus.heldout import heldout
from training.evaluation.synthesizer import Synthesizer, reference_of, samples_of
from training.references import SHIPPED, checkpoint, read_references

FURTHER = 4  # takes, as assets/ui/js/takes/until-complete.js makes


def takes_of(synthesizer: Synthesizer, voice: Reference, line: str, models: Models) -> Iterator[tuple[float, Take]]:
    """Yield takes after their numbers of lost words, until a take is complete."""
    for seed in range(1, 2 + FURTHER):
        take = synthesizer.speak(voice, line, seed)
        heard = compare(models.recogniser, take.audio, typed_words(line))
        yield _lost(heard), take
        if heard.complete:
            return


def _lost(heard: Comparison) -> float:
    return math.inf if heard.complete is None else len(heard.missing) + len(heard.misheard) + len(heard.added)


def measure(engine: str, kind: str, lines: Sequence[str]) -> None:
    """Print how many first takes and chosen takes lack a word: by the judge, by the ears, and by both."""
    known, models = sorted(read_references(SHIPPED).items()), Models()
    synthesizer = Synthesizer(engine, checkpoint(engine))
    rows = []
    for number, line in enumerate(lines):
        voice = reference_of(*known[number % len(known)][1])
        made = list(takes_of(synthesizer, voice, line, models))
        first, best = made[0], min(made, key=lambda one: one[0])
        judged = [_lacks(kind, take, line) for _, take in (first, best)]
        heard = (first[0] > 0, best[0] > 0)
        both = [one and other for one, other in zip(judged, heard, strict=True)]
        rows.append((*judged, *heard, *both, len(made)))
        sys.stdout.write(f"{engine} {kind} {number}: {rows[-1]} {line}\n")
        sys.stdout.flush()
    synthesizer.close()
    first_judged, best_judged, first_heard, best_heard, first_both, best_both, count = map(sum, zip(*rows, strict=True))
    sys.stdout.write(
        f"{engine}, {len(lines)} {kind}: lack a word by the judge {first_judged} first takes, {best_judged} chosen takes; "
        f"by the ears {first_heard} and {best_heard}; by both {first_both} and {best_both}; {count} takes\n"
    )


def _lacks(kind: str, take: Take, line: str) -> bool:
    clip = samples_of(take)
    return nearest_line(clip, BARKS) != line if kind == "barks" else bool(lost_words(clip, line))


def main() -> None:
    """Print the judge's own error, then both kinds of lines."""
    engine, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 50
    clips = [(spoken.audio.samples, spoken.text) for _, spoken in clean()]
    wrong = sum(bool(lost_words(clip, text)) for clip, text in clips)
    sys.stdout.write(f"judge: {wrong} of {len(clips)} clips without faults lack a word\n")
    measure(engine, "barks", BARKS[:count])
    measure(engine, "lines", heldout()["open"][:count])


if __name__ == "__main__":
    main()
