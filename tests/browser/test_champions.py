"""Champions in a real Chromium: kept, edited, packaged, brought back, sent to a bucket and fetched, spoken with; whose."""

import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from studio.champion_format.champion import Votes
from studio.champions.library import Library
from studio.champions.saved import SavedChampion
from tests.browser.serving import ROOT, Served, serving
from tests.browser.test_finish import PHONE, SMALL, serious
from tests.browser.test_reference import drag_file
from tests.browser.visiting import Visitor, held_back, visiting
from tests.studio.champions.voices import keep
from tests.studio.stores.proxy import Proxy
from tests.waiting import until

ICON = ROOT / "docs" / "images" / "champions-light.png"
WEIGHTS = ROOT / "assets" / "voices" / "f5" / "checkpoint" / "model.safetensors"  # as if tuned on some voice
LOGIN = {"user": "owner", "password": "a long secret"}
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test", "AWS_EC2_METADATA_DISABLED": "true"}


@pytest.fixture(scope="module")
def bucket() -> Iterator[Proxy]:
    """A real S3 server with an empty bucket `voices`, behind a proxy that can be told to break what passes."""
    from moto.server import ThreadedMotoServer  # not before other tests have set the size of its parts

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    port = server.get_host_and_port()[1]
    httpx.put(f"http://127.0.0.1:{port}/voices").raise_for_status()
    proxy = Proxy(port)
    yield proxy
    proxy.close()
    server.stop()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, bucket: Proxy) -> Iterator[Served]:
    """A studio that others can reach, with a folder and the bucket as stores."""
    folder = tmp_path_factory.mktemp("champions")
    (folder / "shelf").mkdir()
    s3 = f"bucket=s3://voices/champions/?endpoint={bucket.url}&addressing=path&region=us-east-1"
    stores = f"shelf=folder:{folder / 'shelf'},{s3}"
    reached = {"STUDIO_HOST": "0.0.0.0", "STUDIO_LOGIN": ":".join(LOGIN.values())}
    with serving(folder / "studio", STUDIO_ENGINES="f5", STUDIO_STORES=stores, **reached, **CREDENTIALS) as served:
        yield served


@pytest.fixture
def owner(browser: Browser, house: Served) -> Iterator[Visitor]:
    with visiting(browser, house) as visitor:
        assert visitor.page.request.post(house.url + "/studio/login", data=LOGIN).ok
        yield visitor


def kept(served: Served, id: str, **facts: Any) -> SavedChampion:
    """A champion in a studio's library, kept from elsewhere."""
    return keep(Library(served.log.parent), id, **({"name": id.capitalize()} | facts))


def reported(owner: Visitor, path: str) -> Any:
    return owner.page.request.get(f"{owner.url}/studio/{path}", max_retries=3).json()


def known(owner: Visitor, id: str) -> dict[str, Any]:
    champion: dict[str, Any] = reported(owner, f"champions/{id}")
    return champion


def card(page: Page, id: str) -> Locator:
    return page.locator(f"li.champion[data-id='{id}']")


def sheet(page: Page) -> Locator:
    return page.get_by_role("dialog")


def choose(page: Page, id: str, words: str) -> None:
    """An entry of a card's menu."""
    card(page, id).get_by_role("button", name="More actions for").click()
    page.get_by_role("menuitem", name=words).click()


def import_archive(page: Page, archive: Path) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Import archive", exact=True).click()
    chooser.value.set_files(archive)


def downloaded(page: Page, id: str, folder: Path) -> Path:
    card(page, id).get_by_role("button", name="Export archive").click()
    with page.expect_download() as download:
        card(page, id).get_by_role("link", name=re.compile(rf"^Download \d+ KB, {id}\.tar\.gz$")).click()
    assert download.value.suggested_filename == f"{id}.tar.gz"
    download.value.save_as(folder / f"{id}.tar.gz")
    return folder / f"{id}.tar.gz"


def take_of(visitor: Visitor, text: str) -> None:
    visitor.open()
    visitor.hurry()
    visitor.write(text)
    visitor.speak()
    visitor.wait_for_takes(1)


def test_a_take_is_kept_packaged_brought_back_pushed_pulled_and_spoken_with(
    owner: Visitor, house: Served, tmp_path: Path
) -> None:
    page = owner.page
    take_of(owner, "Keep this voice.")
    page.get_by_role("button", name="Keep as champion").click()
    expect(sheet(page).get_by_label("Preview line")).to_have_value("Keep this voice.")
    sheet(page).get_by_label("Name", exact=True).fill("Ahri")
    sheet(page).get_by_label("Voice owner").fill("The speaker")
    sheet(page).get_by_role("button", name="Save champion").click()
    owner.expect_message("Champion saved.")
    page.get_by_role("button", name="Show").click()
    first = known(owner, "ahri")
    assert first["consent"]["by"] == "The speaker"

    archive = downloaded(page, "ahri", tmp_path)
    choose(page, "ahri", "Delete")
    expect(card(page, "ahri")).to_have_count(0)
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(card(page, "ahri")).to_be_visible()
    choose(page, "ahri", "Delete")
    expect(card(page, "ahri")).to_have_count(0)
    import_archive(page, archive)
    owner.expect_message("Ahri imported as ahri.")
    assert known(owner, "ahri") == first | {"saved_at": known(owner, "ahri")["saved_at"]}

    choose(page, "ahri", "Upload to store…")
    sheet(page).get_by_role("button", name="bucket S3").click()
    expect(sheet(page)).to_contain_text("to bucket as a new archive ahri")
    sheet(page).get_by_role("button", name="Upload champion", exact=True).click()
    expect(sheet(page)).to_contain_text("SHA-256 verified")
    page.keyboard.press("Escape")
    choose(page, "ahri", "Delete")
    expect(card(page, "ahri")).to_have_count(0)
    page.get_by_role("button", name="Download from store…").click()
    row = sheet(page).locator("li.held", has_text="ahri")
    expect(row).to_contain_text("Not in library")
    row.get_by_role("button", name="Download ahri from bucket").click()
    expect(row).to_contain_text("Download")
    row.get_by_role("button", name="Download champion").click()
    expect(row).to_contain_text("Up to date")
    page.keyboard.press("Escape")
    assert known(owner, "ahri")["version"] == first["version"]

    card(page, "ahri").get_by_role("button", name="Use voice").click()
    expect(page.locator(".picker option:checked")).to_have_text("Ahri")
    owner.write("I am back.")
    owner.speak()
    owner.wait_for_takes(2)
    order = owner.takes()[0]["order"]
    assert (order["champion"], order["version"], order["clip_id"]) == ("ahri", first["version"], "")


def test_the_keyboard_alone_keeps_a_take(owner: Visitor, house: Served) -> None:
    page = owner.page
    take_of(owner, "By hand.")
    page.locator("#script textarea").blur()
    page.keyboard.press("p")
    expect(sheet(page).get_by_label("Name", exact=True)).to_be_focused()
    page.keyboard.type("Lux, la Lumière")
    expect(sheet(page).get_by_label("Id", exact=True)).to_have_value("lux-la-lumiere")
    page.keyboard.press("Tab")
    page.keyboard.type("lux")
    page.keyboard.press("Shift+Tab")
    page.keyboard.type("Lux")
    expect(sheet(page).get_by_label("Id", exact=True)).to_have_value("lux")  # its own by now
    page.keyboard.press("Enter")
    owner.expect_message("Champion saved.")
    assert known(owner, "lux")["name"] == "Lux"


@pytest.mark.gate
def test_cards_are_searched_sorted_walked_and_heard_by_keys(owner: Visitor, house: Served) -> None:
    for id, won in (("sorted-b", 1), ("sorted-a", 0), ("sorted-c", 2)):
        kept(house, id, votes=Votes(won=won))
    page, titles = owner.page, owner.page.locator("li.champion h3")
    owner.open("#champions")
    expect(card(page, "sorted-a")).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("nobody at all")
    expect(page.get_by_text("No champion matches")).to_be_visible()
    page.get_by_role("button", name="Clear search").click()
    page.keyboard.type("sorted")
    expect(titles).to_have_text(["Sorted-c", "Sorted-a", "Sorted-b"])
    page.get_by_label("Sort", exact=True).select_option("name")
    expect(titles).to_have_text(["Sorted-a", "Sorted-b", "Sorted-c"])
    page.get_by_label("Sort", exact=True).select_option("votes")
    expect(titles).to_have_text(["Sorted-c", "Sorted-b", "Sorted-a"])
    page.get_by_label("Search champions").blur()
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(card(page, "sorted-b")).to_be_focused()
    page.keyboard.press("Space")
    page.wait_for_function("window.heard.length > 0")


def test_a_champion_says_its_line_once_and_again_from_the_take(owner: Visitor, house: Served) -> None:
    kept(house, "says", line="Hm.", settings={"steps": 2})
    page = owner.page
    owner.open("#champions")
    card(page, "says").get_by_role("button", name="Play preview line: Hm.").click()
    page.wait_for_function("window.heard.length > 0")
    expect(card(page, "says").get_by_role("button", name="Play preview line: Hm.")).to_be_visible()
    before = len(owner.heard())
    card(page, "says").get_by_role("button", name="Play preview line: Hm.").click()
    page.wait_for_function(f"window.heard.length > {before}")
    (take,) = owner.takes()
    assert (take["order"]["champion"], take["order"]["text"], take["order"]["steps"]) == ("says", "Hm.", 2)


def conflicted(owner: Visitor, house: Served, id: str) -> None:
    """Somebody saves while a form with other words is open, and then that is to be saved too."""
    owner.refusals_expected = True
    page, version = owner.page, kept(house, id).version
    owner.open("#champions")
    card(page, id).get_by_role("button", name="Edit").click()
    sheet(page).get_by_label("Notes").fill("Mine, typed for an hour.")
    theirs = {"expected": version, "champion": {"notes": "Theirs."}}
    assert page.request.put(f"{owner.url}/studio/champions/{id}", data=theirs).ok
    sheet(page).get_by_role("button", name="Save changes", exact=True).click()
    row = sheet(page).get_by_role("row", name="notes")
    expect(row).to_contain_text("Mine, typed for an hour.")
    expect(row).to_contain_text("Theirs.")


def test_a_conflict_is_settled_by_saving_over_it(owner: Visitor, house: Served) -> None:
    conflicted(owner, house, "fought-over")
    sheet(owner.page).get_by_role("button", name="Save my version").click()
    owner.expect_message("Champion saved.")
    assert known(owner, "fought-over")["notes"] == "Mine, typed for an hour."
    notes = [one["notes"] for one in reported(owner, "champions/fought-over/versions")]
    assert "Theirs." in notes


def test_a_conflict_is_settled_under_another_id(owner: Visitor, house: Served) -> None:
    conflicted(owner, house, "parted")
    expect(sheet(owner.page).get_by_label("New id")).to_have_value("parted-2")
    sheet(owner.page).get_by_role("button", name="Save with new id").click()
    owner.expect_message("Champion saved.")
    assert known(owner, "parted")["notes"] == "Theirs."
    assert known(owner, "parted-2")["notes"] == "Mine, typed for an hour."


def test_what_was_typed_and_not_saved_is_there_after_a_reload(owner: Visitor, house: Served) -> None:
    kept(house, "unsaved")
    page = owner.page
    owner.open("#champions")
    card(page, "unsaved").get_by_role("button", name="Edit").click()
    sheet(page).get_by_label("Notes").fill("Half a thought")
    page.keyboard.press("Escape")
    page.reload()
    card(page, "unsaved").get_by_role("button", name="Edit").click()
    expect(sheet(page).get_by_label("Notes")).to_have_value("Half a thought")
    sheet(page).get_by_role("button", name="Discard changes").click()
    expect(sheet(page).get_by_label("Notes")).to_have_value("")


def test_a_setting_its_engine_cannot_take_is_corrected_before_it_is_kept(owner: Visitor, house: Served) -> None:
    kept(house, "bounded", settings={"steps": 2})
    page = owner.page
    owner.open("#champions")
    card(page, "bounded").get_by_role("button", name="Edit").click()
    steps, save = (
        sheet(page).locator("[name=steps]"),
        sheet(page).get_by_role("button", name="Save changes", exact=True),
    )
    expect(steps).to_have_attribute("max", "64")
    steps.fill("1000")
    save.click()
    assert steps.evaluate("input => input.validity.rangeOverflow")
    assert known(owner, "bounded")["settings"] == {"steps": 2}
    steps.fill("7")
    save.click()
    owner.expect_message("Champion saved.")
    assert known(owner, "bounded")["settings"] == {"steps": 7}


def test_versions_portrait_and_copies(owner: Visitor, house: Served) -> None:
    kept(house, "many")
    page = owner.page
    owner.open("#champions")
    card(page, "many").get_by_role("button", name="Edit").click()
    with page.expect_file_chooser() as chooser:
        sheet(page).get_by_role("button", name="Choose portrait").click()
    chooser.value.set_files(ICON)
    sheet(page).get_by_role("button", name="Save changes", exact=True).click()
    expect(card(page, "many").locator(".face img")).to_be_visible()
    page.wait_for_function("document.querySelector(\"[data-id='many'] .face img\").naturalWidth > 0")
    choose(page, "many", "Show versions")
    expect(sheet(page).get_by_role("listitem")).to_have_count(2)
    expect(sheet(page).get_by_role("listitem").first).to_contain_text("Changed: portrait")
    sheet(page).get_by_role("button", name="Restore version").click()
    expect(sheet(page).get_by_role("listitem").last).to_contain_text("current")
    page.keyboard.press("Escape")
    expect(card(page, "many").get_by_role("button", name="More actions for")).to_be_focused()
    expect(card(page, "many").locator(".face img")).to_have_count(0)
    choose(page, "many", "Duplicate")
    expect(sheet(page).get_by_label("Id")).to_have_value("many-2")
    sheet(page).get_by_role("button", name="Duplicate").click()
    expect(card(page, "many-2")).to_be_visible()


def test_an_archive_dropped_on_the_page_whose_id_is_taken_comes_in_under_another(
    owner: Visitor, house: Served, tmp_path: Path
) -> None:
    kept(house, "taken")
    page = owner.page
    owner.open("#champions")
    archive = downloaded(page, "taken", tmp_path)
    changed = {"expected": known(owner, "taken")["version"], "champion": {"notes": "Another by now."}}
    assert page.request.put(f"{owner.url}/studio/champions/taken", data=changed).ok
    for kind in ("dragEnter", "dragOver", "drop"):
        drag_file(page, kind, ".champion-grid", archive)
    expect(page.get_by_text("A different champion with the id taken already exists.")).to_be_visible()
    page.get_by_role("button", name="Import with new id").click()
    expect(sheet(page).get_by_label("Id")).to_have_value("taken-2")
    sheet(page).get_by_role("button", name="Import", exact=True).click()
    owner.expect_message("Taken imported as taken-2.")
    expect(card(page, "taken-2")).to_be_visible()
    assert known(owner, "taken")["notes"] == "Another by now."


def test_a_push_is_paused_survives_a_reload_and_goes_on(owner: Visitor, house: Served, bucket: Proxy) -> None:
    kept(house, "slow")
    page = owner.page
    owner.open("#champions")
    bucket.fault = lambda method, target, seen: "503" if "partNumber" in target else None
    choose(page, "slow", "Upload to store…")
    sheet(page).get_by_role("button", name="bucket S3").click()
    sheet(page).get_by_role("button", name="Upload champion", exact=True).click()
    page.keyboard.press("Escape")
    card(page, "slow").get_by_role("button", name="Pause").click()
    expect(card(page, "slow").locator(".work")).to_contain_text("Paused")
    page.reload()
    card(page, "slow").get_by_role("button", name="Resume").click()
    card(page, "slow").get_by_role("button", name="Pause").wait_for()
    page.goto("about:blank")
    owner.open()  # where it ends before the Champions page was shown
    bucket.fault = lambda method, target, seen: None
    owner.expect_message("slow uploaded to bucket.")
    page.get_by_role("link", name="Champions").click()
    card(page, "slow").wait_for()
    expect(card(page, "slow").locator(".work")).to_have_count(0)
    assert "slow" in [held["id"] for held in reported(owner, "stores/bucket")]


def test_a_store_is_deleted_from_only_when_asked_twice(owner: Visitor, house: Served) -> None:
    kept(house, "stored")
    page = owner.page
    assert page.request.post(f"{owner.url}/studio/stores/shelf/stored/push").ok
    (house.log.parent.parent / "shelf" / "Stored.tar.gz").write_bytes(b"not an id")
    owner.open("#champions")
    page.get_by_role("button", name="Download from store…").click()
    sheet(page).get_by_role("button", name="shelf folder").click()
    misnamed = sheet(page).locator("li.held", has_text="Stored.tar.gz")
    expect(misnamed).to_contain_text("rename the file, for example to stored.tar.gz")
    expect(misnamed.get_by_role("button")).to_have_count(0)
    row = sheet(page).locator("li.held", has=page.get_by_text("stored", exact=True))
    row.get_by_role("button", name="Delete stored from shelf").click()
    expect(row.get_by_role("alert")).to_contain_text("from shelf? Other studios can then no longer")
    row.get_by_role("button", name="Cancel").click()
    assert "stored" in [held["id"] for held in reported(owner, "stores/shelf")]
    row.get_by_role("button", name="Delete stored from shelf").click()
    row.get_by_role("button", name="Delete permanently").click()
    expect(row).to_have_count(0)
    assert [held["id"] for held in reported(owner, "stores/shelf")] == ["Stored.tar.gz"]


def test_a_package_can_still_be_downloaded_after_a_reload_until_a_newer_version(
    owner: Visitor, house: Served, tmp_path: Path
) -> None:
    kept(house, "packed")
    page = owner.page
    owner.open("#champions")
    downloaded(page, "packed", tmp_path)
    page.reload()
    expect(card(page, "packed").get_by_role("link", name="packed.tar.gz")).to_have_text(
        re.compile(r"^Download \d+ KB$")
    )
    card(page, "packed").get_by_role("button", name="Edit").click()
    sheet(page).get_by_label("Notes").fill("Newer.")
    sheet(page).get_by_role("button", name="Save changes", exact=True).click()
    expect(card(page, "packed").get_by_role("button", name="Export archive")).to_be_visible()


def test_a_champion_that_speaks_is_still_chosen_after_a_reload(owner: Visitor, house: Served) -> None:
    kept(house, "chosen", name="Chosen one", settings={"seed": 11})
    page = owner.page
    owner.open()
    page.locator(".picker").select_option(label="Chosen one")
    expect(page.locator(".speaker")).to_contain_text("one two three")
    expect(page.locator("#seed input")).to_have_value("11")
    page.wait_for_function("JSON.parse(localStorage.getItem('studio-draft-1'))?.champion === 'chosen'")
    page.reload()
    expect(page.locator(".picker option:checked")).to_have_text("Chosen one")
    expect(page.locator("#transcript")).to_be_hidden()
    page.locator(".picker").select_option(label="Amber")
    expect(page.locator("#transcript textarea")).to_have_value(re.compile("Welcome to the studio"))


def attach(page: Page, id: str, weights: Path) -> None:
    choose(page, id, "Attach weights")
    expect(sheet(page)).to_contain_text("file with F5-TTS weights")
    with page.expect_file_chooser() as chooser:
        sheet(page).get_by_role("button", name="Choose file").click()
    chooser.value.set_files(weights)


def test_weights_are_heard_before_they_are_kept(owner: Visitor, house: Served) -> None:
    kept(house, "tuned", line="Hm.", settings={"steps": 2})
    page = owner.page
    owner.open("#champions")
    attach(page, "tuned", WEIGHTS)
    expect(card(page, "tuned")).to_contain_text("The weights work with")
    page.reload()
    card(page, "tuned").get_by_role("button", name="Play preview line", exact=True).click()
    page.wait_for_function("window.heard.length > 0")
    expect(page.locator("body.performing")).to_have_count(0)
    assert owner.takes()[0]["order"]["attachment"]
    assert not known(owner, "tuned")["fine_tuned"]
    card(page, "tuned").get_by_role("button", name="Save weights", exact=True).click()
    expect(card(page, "tuned")).to_contain_text("fine-tuned")
    assert known(owner, "tuned")["fine_tuned"]


def test_what_is_no_archive_and_no_weights_is_refused_in_a_sentence(
    owner: Visitor, house: Served, tmp_path: Path
) -> None:
    kept(house, "weighed")
    page, failed = owner.page, owner.page.locator(".work.failed")
    owner.open("#champions")
    (tmp_path / "no.tar.gz").write_bytes(b"not an archive at all")
    import_archive(page, tmp_path / "no.tar.gz")
    expect(failed).to_contain_text("Importing an archive failed.")
    failed.get_by_role("button", name="Dismiss").click()
    expect(failed).to_have_count(0)
    (tmp_path / "weights.pt").write_bytes(b"\x80\x04canary")
    attach(page, "weighed", tmp_path / "weights.pt")
    expect(failed).to_contain_text("Checking weights for weighed failed.")
    failed.get_by_role("button", name="Dismiss").click()
    expect(failed).to_have_count(0)


def test_axe_finds_nothing_serious(owner: Visitor, house: Served) -> None:
    kept(house, "axe")
    page, id = owner.page, "axe"
    owner.open("#champions")
    expect(card(page, id)).to_be_visible()
    card(page, id).get_by_role("button", name="More actions for").click()
    assert serious(page) == []
    for words in ("Upload to store…", "Show versions", "Duplicate", "Attach weights"):
        page.get_by_role("menuitem", name=words).click()
        expect(sheet(page)).to_be_visible()
        assert serious(page) == []
        page.keyboard.press("Escape")
        card(page, id).get_by_role("button", name="More actions for").click()
    page.keyboard.press("Escape")
    card(page, id).get_by_role("button", name="Edit").click()
    assert serious(page) == []


def test_a_phone_scrolls_only_down_and_offers_large_targets(browser: Browser, house: Served, tmp_path: Path) -> None:
    kept(house, "pocket", name="Pocket, a champion with quite a long name")
    with visiting(browser, house, **PHONE) as visitor:
        page = visitor.page
        assert page.request.post(house.url + "/studio/login", data=LOGIN).ok
        visitor.open("#champions")
        expect(card(page, "pocket")).to_be_visible()
        page.screenshot(path=tmp_path / "champions-phone.png")
        for press, opens in (("Edit", "dialog[open]"), ("More actions for", ".menu:not([hidden])")):
            card(page, "pocket").get_by_role("button", name=press).tap()
            expect(page.locator(opens)).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
            assert not (small := page.evaluate(SMALL)), small
            page.keyboard.press("Escape")
        nav = "document.querySelector('.header nav')"
        assert page.evaluate(f"{nav}.scrollWidth <= {nav}.clientWidth")


def test_a_visitor_only_hears_and_the_owner_logs_in_and_does_the_rest(browser: Browser, house: Served) -> None:
    version = kept(house, "seen").version
    with visiting(browser, house) as guest, visiting(browser, house) as host:
        guest.refusals_expected = host.refusals_expected = True
        for one in (guest, host):
            one.open("#champions")
            expect(card(one.page, "seen")).to_be_visible()
            expect(one.page.get_by_text("You are a visitor")).to_be_visible()
        for words in ("Edit", "Export archive", "More actions for Seen", "Download from store…", "Import archive"):
            expect(guest.page.get_by_role("button", name=words, exact=True)).to_have_count(0)
        request, root = guest.page.request, f"{house.url}/studio"
        refused = [
            request.put(f"{root}/champions/seen", data={"expected": version, "champion": {"notes": "mine"}}),
            request.delete(f"{root}/champions/seen"),
            request.post(f"{root}/champions/seen/package"),
            request.get(f"{root}/stores", max_retries=3),
            request.get(f"{root}/jobs", max_retries=3),
        ]
        assert {answer.status for answer in refused} == {401}
        card(guest.page, "seen").get_by_role("button", name="Play reference").click()
        guest.page.wait_for_function("window.heard.length > 0")

        log_in(host.page, "a guess")
        expect(sheet(host.page).get_by_role("alert")).to_contain_text("Wrong user or password")
        sheet(host.page).get_by_label("Password").fill(LOGIN["password"])
        host.page.keyboard.press("Enter")
        host.expect_message("Logged in")
        card(host.page, "seen").get_by_role("button", name="Edit").click()
        expect(sheet(host.page).get_by_label("Voice owner")).to_have_value("the speaker")  # which guests are not told
        host.page.keyboard.press("Escape")
        choose(host.page, "seen", "Delete")
        expect(card(host.page, "seen")).to_have_count(0)
        host.page.get_by_role("button", name="Log out").click()
        expect(host.page.get_by_text("You are a visitor")).to_be_visible()


def test_who_just_logged_in_edits_what_the_owner_is_told_and_not_what_visitors_see(
    browser: Browser, house: Served
) -> None:
    kept(house, "shown")
    with visiting(browser, house) as host:
        host.open("#champions")
        expect(card(host.page, "shown")).to_be_visible()
        with held_back(host.page, "**/studio/champions"):
            log_in(host.page, LOGIN["password"])
            host.expect_message("Logged in")
            card(host.page, "shown").get_by_role("button", name="Edit").click()
            expect(sheet(host.page).get_by_label("Voice owner")).to_have_value("the speaker")


def log_in(page: Page, password: str) -> None:
    page.get_by_role("button", name="Log in").click()
    sheet(page).get_by_label("User").fill(LOGIN["user"])
    sheet(page).get_by_label("Password").fill(password)
    sheet(page).get_by_role("button", name="Log in").click()


def test_a_visitor_who_presses_keep_is_told_whose_champions_are(browser: Browser, house: Served) -> None:
    with visiting(browser, house) as guest:
        take_of(guest, "Not mine to keep.")
        expect(guest.page.get_by_role("button", name="Keep as champion")).to_have_count(0)
        guest.page.locator("#script textarea").blur()
        guest.page.keyboard.press("p")
        guest.expect_message("Only the owner can do this")
        guest.page.locator(".notice-box").get_by_role("button", name="Log in").click()
        expect(sheet(guest.page).get_by_label("User")).to_be_focused()


def test_an_import_that_failed_before_the_page_knew_of_it_offers_another_id(
    owner: Visitor, house: Served, tmp_path: Path
) -> None:
    kept(house, "quick")
    page = owner.page
    owner.open("#champions")
    archive = downloaded(page, "quick", tmp_path)
    changed = {"expected": known(owner, "quick")["version"], "champion": {"notes": "Another by now."}}
    assert page.request.put(f"{owner.url}/studio/champions/quick", data=changed).ok

    def answer_late(route: Route) -> None:
        file = {"name": archive.name, "mimeType": "application/gzip", "buffer": archive.read_bytes()}
        id = page.request.post(route.request.url, multipart={"file": file}).json()["id"]
        until(lambda: job(owner, id)["state"] == "failed")
        route.fulfill(status=202, json=job(owner, id))

    page.route("**/studio/champions/import*", answer_late)
    import_archive(page, archive)
    expect(page.get_by_role("button", name="Import with new id")).to_be_visible()
    page.locator(".work.failed").get_by_role("button", name="Dismiss").click()
    expect(page.locator(".work.failed")).to_have_count(0)


def test_what_was_put_away_stays_away_when_earlier_answers_arrive(owner: Visitor, tmp_path: Path) -> None:
    page, failed = owner.page, owner.page.locator(".work.failed")
    owner.open("#champions")
    (tmp_path / "no.tar.gz").write_bytes(b"not an archive at all")
    import_archive(page, tmp_path / "no.tar.gz")
    expect(failed).to_be_visible()
    early = page.request.get(f"{owner.url}/studio/jobs", max_retries=3).text()
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/studio/jobs", hold)
    for place in ("#monitor", "#champions"):  # each asks for the jobs
        with page.expect_request("**/studio/jobs"):
            page.evaluate(f"location.hash = '{place}'")
    with page.expect_request("**/studio/jobs"):
        failed.get_by_role("button", name="Dismiss").click()
    *overtaken, last = held
    for route in overtaken:
        with page.expect_response("**/studio/jobs"):
            route.fulfill(content_type="application/json", body=early)
    with page.expect_response("**/studio/jobs"):
        last.continue_()
    expect(failed).to_have_count(0)


def job(owner: Visitor, id: str) -> dict[str, Any]:
    (found,) = [one for one in reported(owner, "jobs") if one["id"] == id]
    return found
