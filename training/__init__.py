"""How the embedded voices in `assets/voices` are made, from the sentences they are trained on to the figures on their cards.

python -m training                         both voices in one call: corpus, trainings, small files to export from
python -m training.corpus                  the corpus
python -m training.corpus.recording        the references
python -m training.f5                      F5: train, train-vocoder, export
python -m training.s1.codec                S1's codec: train, evaluate, export
python -m training.s1.language             S1's language model: train; export of the whole checkpoint
python -m training.evaluation              figures on held-out lines, and the model card
python -m training.evaluation.likeness     likeness to voices of synthesizers that are held out

`--help` lists the options of each.
"""
