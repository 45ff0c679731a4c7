"""Listening sessions over a real server: takes are made, listeners vote, the owner sees results."""

import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from studio.listening.sessions.trials import trials_of
from studio.settings import Settings
from tests.engines.metronome import Metronome
from tests.studio.house import served, studio_of, web
from tests.studio.listening.sessions.visit import LINES, ROOT, Visit, answered, arm, plan, visiting
from tests.waiting import until


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    with visiting(tmp_path_factory.mktemp("visit")) as found:
        yield found


def test_a_session_makes_a_take_for_each_arm_and_line(visit: Visit) -> None:
    session = visit.create()
    assert (session["takes"], session["made"], session["state"]) == (6, 6, "open")
    takes = visit.studio.history.list(f"listening-{session['id']}")
    assert sorted({(take.order.seed, take.order.text) for take in takes}) == sorted(
        (seed, line) for seed in (31337, 27182) for line in LINES
    )


def test_votes_of_a_listener_become_results(visit: Visit) -> None:
    id = visit.create()["id"]
    guest = visit.guest(visit.invite(id))
    for number in (1, 2, 3):
        assert (guest.state["stage"], guest.state["number"], guest.state["count"]) == ("trials", number, 3)
        assert set(guest.sounds()) == {"A", "B"}
        guest.vote(choice="a")
    assert guest.finish().state["stage"] == "done" and guest.state["completion_code"]
    results = visit.results(id)
    assert results["votes"] == 3
    (pair,) = results["pairs"]
    assert pair["wins"] + pair["losses"] == 3
    assert [one["votes"] for one in results["listeners"]] == [3]


@pytest.mark.parametrize(
    ("method", "names", "vote"),
    [
        ("ab_reference", {"A", "B", "Reference"}, {"choice": "both_bad"}),
        ("abx", {"A", "B", "X"}, {"choice": "b"}),
        ("mos", {"A"}, {"scores": {"A": 4}}),
        ("mushra", {"A", "B", "C", "Reference"}, {"scores": {"A": 90, "B": 20, "C": 55}}),
    ],
)
def test_each_method_has_its_sounds_and_answers(visit: Visit, method: str, names: set[str], vote: dict) -> None:
    id = visit.create(method=method)["id"]
    guest = visit.guest(visit.invite(id))
    sounds = guest.sounds()
    assert set(sounds) == names and len({len(sound) for sound in sounds.values()}) == 1
    assert guest.send(choice="tie" if method == "abx" else None).status_code == 400
    guest.vote(**vote)
    assert (guest.state["number"], visit.session(id)["votes"]) == (2, 1)


def test_a_vote_counts_once_and_can_be_taken_back(visit: Visit) -> None:
    id = visit.create()["id"]
    guest = visit.guest(visit.invite(id))
    first = guest.state["trial"]
    again = {"trial": first["id"], "choice": "a", "heard_s": {"A": 3.0, "B": 3.0}}
    guest.vote(choice="a")
    repeated = guest.client.post(f"{guest.path}/votes", json=again)
    assert repeated.status_code == 200 and repeated.json()["number"] == 2
    assert guest.client.post(f"{guest.path}/votes", json={**again, "choice": "b"}).status_code == 409
    assert visit.results(id)["votes"] == 1
    back = answered(guest.client.post(f"{guest.path}/undo"))
    assert back["number"] == 1 and back["trial"] == first
    assert visit.results(id)["votes"] == 0


def test_a_side_that_was_not_heard_cannot_be_voted_on(visit: Visit) -> None:
    guest = visit.guest(visit.invite(visit.create()["id"]))
    unloaded = guest.send(choice="a")
    assert unloaded.status_code == 409 and "listened to A" in unloaded.json()["detail"]
    guest.sounds()
    assert "long enough" in guest.send(choice="a").json()["detail"]  # nobody hears both sides in so short a time
    visit.clock.ahead_s += 60.0
    refused = guest.send(choice="a", heard_s={"A": 3.0, "B": 0.1})
    assert refused.status_code == 409 and "listened to B" in refused.json()["detail"]
    guest.vote(choice="a")


def test_a_listener_comes_back_to_the_same_trial(visit: Visit) -> None:
    guest = visit.guest(visit.invite(visit.create()["id"])).vote(choice="a")
    before = guest.state
    assert guest.look().state == before


def test_a_withdrawn_unknown_or_expired_link_opens_nothing(visit: Visit) -> None:
    id = visit.create()["id"]
    links = {name: visit.invite(id, days=1e-9 if name == "expired" else None) for name in ("revoked", "expired")}
    revoked = next(one for one in answered(visit.owner.get(f"{ROOT}/{id}/invitations")) if one["state"] == "valid")
    assert visit.owner.delete(f"{ROOT}/{id}/invitations/{revoked['id']}").status_code == 204
    for path, word in [(links["revoked"], "withdrawn"), (links["expired"], "expired"), ("/listen/nobody", "not known")]:
        refused = visit.owner.post(f"{path}/listeners")
        assert refused.status_code == 404 and word in refused.json()["detail"]


def test_a_session_with_votes_keeps_its_plan(visit: Visit) -> None:
    id = visit.create()["id"]
    changed = plan(lines=["Another line."])
    assert answered(visit.owner.put(f"{ROOT}/{id}", json=changed))["plan"]["lines"] == ["Another line."]
    until_open = visit.create()  # the renderer is idle again
    assert until_open["state"] == "open"
    visit.guest(visit.invite(id)).vote(choice="a")
    assert visit.owner.put(f"{ROOT}/{id}", json=plan()).status_code == 409


def test_a_closed_session_takes_no_votes_and_a_deleted_one_can_be_restored(visit: Visit) -> None:
    id = visit.create()["id"]
    guest = visit.guest(visit.invite(id))
    answered(visit.owner.post(f"{ROOT}/{id}/close", json={"closed": True}))
    assert guest.send(choice="a").status_code == 404
    assert visit.owner.delete(f"{ROOT}/{id}").status_code == 204
    assert visit.owner.get(f"{ROOT}/{id}").status_code == 404
    answered(visit.owner.get(f"{ROOT}/{id}/results"))  # a page may send this request after the deletion
    answered(visit.owner.post(f"{ROOT}/{id}/restore"))
    answered(visit.owner.post(f"{ROOT}/{id}/close", json={"closed": False}))
    guest.vote(choice="a")


def test_questions_follow_the_trials(visit: Visit) -> None:
    asked = [{"text": "Which device?", "choices": ["Headphones", "Speakers"]}, {"text": "Remarks?"}]
    id = visit.create(trials=1, questions=asked)["id"]
    guest = visit.guest(visit.invite(id)).vote(choice="a")
    assert (guest.state["stage"], guest.state["trial"]) == ("questions", None)
    wrong = guest.client.post(f"{guest.path}/answers", json={"answers": {"0": "Radio"}})
    assert wrong.status_code == 400
    done = answered(guest.client.post(f"{guest.path}/answers", json={"answers": {"0": "Speakers", "1": "Fine."}}))
    assert done["stage"] == "done"
    (listener,) = visit.results(id)["listeners"]
    assert listener["answers"] == {"Which device?": "Speakers", "Remarks?": "Fine."}


def test_the_headphone_check_comes_first(visit: Visit) -> None:
    guest = visit.guest(visit.invite(visit.create(headphones=True)["id"]))
    for number in range(1, 7):
        assert (guest.state["stage"], guest.state["number"]) == ("headphones", number)
        guest.vote(choice="2")
    assert guest.state["stage"] == "trials"
    assert set(visit.guest(guest.path).sounds()) == {"1", "2", "3"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"arms": [arm("Oak", 1)]}, "at least 2 arms"),
        ({"lines": []}, "no lines"),
        ({"arms": [arm("Oak", 1), arm("oak ", 2)]}, "the same name"),
        ({"arms": [arm("Oak", 1), arm("Elm", 1)]}, "the same voice, engine and settings"),
        ({"reference": 2}, "the reference is not one of the arms"),
        ({"method": "mos", "arena": True}, "only A/B and A/B with reference can be an arena"),
        ({"lines": ["One.", "  "]}, "line 2: "),
        ({"lines": ["One.", "[pause:0.5s]"]}, "line 2: "),
        ({"name": "Oak\u0000"}, "the invisible character U+0000"),
        ({"title": "Oak\u202eelm"}, 'the text "Oakelm" contains the invisible character U+202E'),
        ({"questions": [{"text": "Why?", "choices": ["Oak\u2028"]}]}, "U+2028"),
    ],
)
def test_a_mistake_in_a_plan_is_refused_with_advice(visit: Visit, changes: dict, words: str) -> None:
    refused = visit.owner.post(ROOT, json=plan(**changes))
    assert refused.status_code == 400 and words in refused.json()["detail"]


def test_a_take_that_cannot_be_made_is_named_and_tried_again(visit: Visit) -> None:
    made = answered(visit.owner.post(ROOT, json=plan(lines=["One two.", "Stop!"])))  # the engine refuses exclamations
    until(lambda: visit.session(made["id"])["state"] == "failed")
    assert visit.session(made["id"])["failure"].startswith("Oak, line 2: a metronome has no exclamations")
    again = answered(visit.owner.post(f"{ROOT}/{made['id']}/render", json={"on": True}))
    assert (again["state"], again["failure"]) == ("rendering", "")


def test_the_winner_becomes_a_champion_with_its_evidence(visit: Visit) -> None:
    id = visit.create()["id"]
    assert visit.owner.post(f"{ROOT}/{id}/champion", json={}).status_code == 400
    guest = visit.guest(visit.invite(id))
    for _ in range(3):
        guest.vote(choice="a")
    made = answered(visit.owner.post(f"{ROOT}/{id}/champion", json={"name": "Oaken"}))
    votes = made["votes"]
    assert (made["name"], votes["won"] + votes["lost"]) == ("Oaken", 3)
    assert votes["session"]["question"] == "Which is better?"
    assert votes["session"]["method"] == "ab" and votes["session"]["votes"] == 3
    low, value, high = (votes["session"][name] for name in ("interval_low", "value", "interval_high"))
    assert 0 <= low <= value <= high <= 1 and votes["session"]["decided"] is False


def test_votes_are_a_table_and_a_report(visit: Visit) -> None:
    session = visit.create(name="<Oak> & elm")
    visit.guest(visit.invite(session["id"])).vote(choice="a")
    rows = visit.owner.get(f"{ROOT}/{session['id']}/votes.csv").text.splitlines()
    assert len(rows) == 3 and "preferred" in rows[1]
    page = visit.owner.get(f"{ROOT}/{session['id']}/report.html").text
    assert "&lt;Oak&gt; &amp; elm" in page and "<svg" in page and "http" not in page


def test_the_last_vote_can_be_undone_until_the_listener_finishes(visit: Visit) -> None:
    id = visit.create(trials=1)["id"]
    guest = visit.guest(visit.invite(id)).vote(choice="a")
    assert (guest.state["stage"], guest.state["questions"], guest.state["can_undo"]) == ("questions", [], True)
    guest.state = answered(guest.client.post(f"{guest.path}/undo"))
    assert guest.state["stage"] == "trials"
    guest.vote(choice="b")
    done = guest.finish().state
    assert done["stage"] == "done" and done["completion_code"] and not done["can_undo"]
    assert visit.results(id)["votes"] == 1


def test_a_listener_who_voted_on_all_trials_can_finish_in_a_closed_session(visit: Visit) -> None:
    id = visit.create(trials=1)["id"]
    guest = visit.guest(visit.invite(id)).vote(choice="a")
    answered(visit.owner.post(f"{ROOT}/{id}/close", json={"closed": True}))
    assert guest.look().state["can_undo"] is False
    assert guest.client.post(f"{guest.path}/undo").status_code == 409
    assert guest.finish().state["completion_code"]


def test_a_take_whose_file_is_gone_is_made_again(visit: Visit) -> None:
    first = visit.create()["id"]
    oak = visit.studio.listening_sessions.take(first, 0, 1)
    visit.studio.history.audio_path(oak.session_id, oak.id).unlink()
    again = visit.create(arms=[arm("Ash", 31337), arm("Fir", 16180)])
    assert (again["state"], again["made"]) == ("open", again["takes"])


def test_votes_on_practice_and_catch_trials_count_only_as_all_votes(visit: Visit) -> None:
    id = visit.create(trials=1, practice=1, catches=True)["id"]
    guest = visit.guest(visit.invite(id))
    for _ in range(6):
        guest.vote(choice="a")
    session = visit.session(id)
    assert (session["votes"], session["listeners"]) == (1, 1)
    assert session["all_votes"] == 6


def test_a_wrong_answer_to_a_catch_trial_shows_only_when_it_cannot_be_corrected(visit: Visit) -> None:
    id = visit.create(trials=2, catches=True)["id"]
    guest, sessions = visit.guest(visit.invite(id)), visit.studio.listening_sessions
    (row,) = sessions._tables.listeners.where(listening_id=id)
    wrong = False
    for number, trial in enumerate(trials_of(sessions.get(id).plan, row.seed), 1):
        assert (guest.state["number"], guest.state["count"]) == (number, 6)
        assert guest.state["can_undo"] == (number > 1)
        right = trial.right
        guest.vote(choice="tie" if right is None else "ab"[right if wrong else 1 - right])
        wrong = wrong or right is not None
    assert (guest.state["number"], guest.state["count"], guest.state["can_undo"]) == (7, 10, False)
    assert guest.client.post(f"{guest.path}/undo").status_code == 409
    assert guest.vote(choice="tie").state["can_undo"]


def test_a_listener_of_a_deleted_session_learns_that_it_was_deleted(visit: Visit) -> None:
    id = visit.create()["id"]
    guest = visit.guest(visit.invite(id))
    visit.owner.delete(f"{ROOT}/{id}")
    refused = guest.client.get(f"{guest.path}/state")
    assert (refused.status_code, refused.json()["detail"]) == (
        404,
        "the owner deleted this listening session; you need not do anything",
    )


def test_the_owner_sees_which_take_is_made_and_when_all_are_made(tmp_path: Path) -> None:
    allowed, tick = threading.Semaphore(0), Metronome()
    tick.gate = allowed.acquire
    with visiting(tmp_path, metronome=tick) as visit:
        id = answered(visit.owner.post(ROOT, json=plan()))["id"]
        until(lambda: visit.session(id)["current"] == "Oak, line 1")
        assert visit.session(id)["left_s"] is None  # nothing is known before the first take
        allowed.release(len(LINES[0]))
        until(lambda: visit.session(id)["current"] == "Elm, line 1")
        assert visit.session(id)["left_s"] is not None
        later = answered(visit.owner.post(ROOT, json=plan(lines=["After all others."])))["id"]
        assert visit.session(later)["left_s"] > visit.session(id)["left_s"]
        first, second, third = map(len, LINES)
        allowed.release(first + 2 * second + third)
        until(lambda: visit.session(id)["current"] == "Elm, line 3")
        until(lambda: visit.session(id)["left_s"] is not None)  # of the last take, which runs
        allowed.release(10_000)
        until(lambda: visit.session(id)["state"] == "open")
        assert (visit.session(id)["current"], visit.session(id)["left_s"]) == ("", None)


@pytest.mark.long
def test_takes_that_were_not_checked_are_checked_after_the_next_start_and_the_results_show_it(tmp_path: Path) -> None:
    with visiting(tmp_path, metronome=Metronome(click_s=0.1)) as visit:
        id = visit.create(lines=LINES[:1])["id"]
        assert visit.results(id)["scores"] == []
        visit.guest(visit.invite(id)).vote(choice="a")
        assert [one["heard"] for one in visit.results(id)["scores"]] == [0, 0]
    with visiting(tmp_path, hears=True, metronome=Metronome(click_s=0.1)) as visit:
        until(lambda: all(one["heard"] for one in visit.results(id)["scores"]))
        assert "Automatic checks" in visit.owner.get(f"{ROOT}/{id}/report.html").text
        assert [one["lost"] for one in visit.results(id)["scores"]] == [1, 1]  # the takes are clicks, not words


def test_equal_takes_of_another_session_are_reused(visit: Visit) -> None:
    first = visit.create()["id"]
    again = visit.create(arms=[arm("Fir", 16180), arm("Ash", 31337)])["id"]  # Ash has the seed of Oak
    take = visit.studio.listening_sessions.take
    oak, fir, ash = take(first, 0, 1), take(again, 0, 1), take(again, 1, 1)
    assert ash.created_at == oak.created_at and ash.peaks == oak.peaks and ash.id != oak.id
    assert fir.created_at > oak.created_at


def test_only_the_owner_sees_sessions(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data", login="ann:secret")
    with studio_of(tmp_path, Metronome(), settings=settings) as studio, served(web(studio)) as url:
        assert httpx.get(f"{url}{ROOT}").status_code == 401
