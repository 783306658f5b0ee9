"""Who is told on their device, of what, when, and how often. Rooms, database and push service are real; time is not."""

import asyncio
import base64
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select

from server.clocks import FakeClock, settle
from server.push_service import Device, PushService, push_service, read64
from server.spies import Person, desk
from sobremesa.core.errors import SobremesaError
from sobremesa.core.language import LANGUAGES
from sobremesa.rooms import messages as m
from sobremesa.server.attendance import Visitor
from sobremesa.server.database import devices, metadata, pushes
from sobremesa.server.devices import MAX_FAILURES, Devices
from sobremesa.server.engine_pool import EnginePool
from sobremesa.server.house import language
from sobremesa.server.hub import Hub, OpenRoom
from sobremesa.server.limits import TokenBuckets
from sobremesa.server.notifier import LOOK_EVERY, RETRY_AFTER, Notifier
from sobremesa.server.presence import PRESENCE_SECONDS, Presence
from sobremesa.server.storage import Store, forget_person
from sobremesa.server.web_push import PADDED_LENGTH, PushServices, Subscription, encrypt

AWAY = 60.0
DAY = 86_400


@pytest.fixture
def service() -> Iterator[PushService]:
    with push_service() as service:
        yield service
        assert not service.refused, service.refused


class Watcher:
    """Somebody's open page."""

    def __init__(self, person: str) -> None:
        self.person = person

    def tell(self, text: str) -> None:
        pass

    def dismiss(self, reason: str, retry_after: float) -> None:
        pass


class Process:
    """One process of a house; several may share its database."""

    def __init__(self, url: str, clock: FakeClock, service: PushService, budget: int = 60, most: int = 10) -> None:
        self.clock = clock
        self.store = Store(url)
        self.hub = Hub(self.store, EnginePool(1), clock=clock)
        self.presence = Presence(clock)
        self.devices = Devices(self.store, clock, most)
        buckets = TokenBuckets(budget / 3600, budget, clock.monotonic)
        self.notifier = Notifier(
            self.store,
            self.hub,
            self.devices,
            self.presence,
            PushServices((service.address,)),
            language,
            away_for=AWAY,
            contact="https://house.example",
            budget=buckets,
        )
        self.hub.subscribers.append(self.notifier.publish)
        self.hub.visited = self.notifier.visited
        self.ids = iter(range(10**6))

    async def open(self, *seats: str, host: str = "ana", clock: int = 3 * DAY, game: str = "callisto") -> OpenRoom:
        """A table; seats are people who sit down at once, but for the host, who is the first."""
        setup = m.NewRoom(game=game, seats=[_plan(seat) for seat in seats], name="Ana", clock=clock)
        opened = await self.hub.create(setup, host)
        for seat, person in enumerate(seats):
            if seat and person.islower() and person not in ("open", "greedy"):
                await self.do(opened, m.Sit, person, name=person.title(), seat=seat)
        return opened

    async def do(self, opened: OpenRoom, kind: Any, person: str, **fields: Any) -> None:
        name = kind.model_fields["type"].annotation.__args__[0]
        command = kind(type=name, id=f"c{id(self)}-{next(self.ids)}", **fields)
        await opened.actor.do(command, person)

    async def move(self, opened: OpenRoom, person: str) -> None:
        room = opened.room
        assert room.sitting is not None
        (seat,) = room.seats_of(person)
        move = str(next(iter(room.sitting.state.legal_moves(seat))))
        await self.do(opened, m.Move, person, seat=seat, version=room.version, move=move)

    async def told(self, person: str, service: PushService, language: str = "en") -> Device:
        device = Device(service)
        to = Subscription(device.endpoint, device.p256dh, device.auth)
        await self.devices.add(person, None, to, language)
        return device

    async def pass_by(self, seconds: float) -> None:
        """Time goes on, and everybody looks as often as they do."""
        await quiet(self.hub)
        while seconds > 0:
            step = min(LOOK_EVERY, seconds)
            await self.clock.advance(step)
            await self.notifier.look()
            seconds -= step

    async def count(self, table: Any) -> int:
        async with self.store.reading() as connection:
            return int((await connection.execute(select(func.count()).select_from(table))).scalar_one())


def _plan(seat: str) -> m.SeatPlan:
    if seat == "ana":
        return m.SeatPlan(kind="me")
    if seat == "greedy":
        return m.SeatPlan(kind="engine", player="greedy")
    return m.SeatPlan(kind="open")


async def quiet(hub: Hub) -> None:
    """What was begun in the background is done."""
    await settle()
    while hub._tasks:
        await asyncio.wait(list(hub._tasks))
        await settle()


@contextlib.asynccontextmanager
async def house(
    folder: Path, service: PushService, processes: int = 1, **settings: Any
) -> AsyncIterator[list[Process]]:
    clock = FakeClock()
    url = f"sqlite:///{folder / 'house.db'}"
    found = [Process(url, clock, service, **settings) for _ in range(processes)]
    async with found[0].store.engine.begin() as connection:
        await connection.run_sync(metadata.create_all)
    try:
        yield found
    finally:
        for process in found:
            await process.hub.close()
            await process.hub.finish()
            await process.store.close()


def test_the_example_of_the_rfc_is_read_and_ours_are_like_it(service: PushService) -> None:
    """RFC 8291, appendix A, shows that the device of these tests decrypts as devices do."""
    private = int.from_bytes(read64("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"))
    device = Device(service, private, read64("BTBZMqHH6r4Tts7J_aSIgg"))
    assert device.p256dh == ("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4")
    body = (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK"
        "6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )
    assert device.decrypt(read64(body)) == b"When I grow up, I want to be a watermelon"
    to = Subscription(device.endpoint, device.p256dh, device.auth)
    for text in (b"", b"x", "¡Te toca!".encode(), b"y" * (PADDED_LENGTH - 1)):
        assert device.decrypt(encrypt(text, to)) == text
    assert len({len(encrypt(bytes(length), to)) for length in (0, 1, 500, 1000)}) == 1, "the length tells nothing"
    assert encrypt(b"x", to) != encrypt(b"x", to), "keys and salt are new each time"
    with pytest.raises(ValueError):
        encrypt(bytes(PADDED_LENGTH), to)


@pytest.mark.parametrize(
    ("endpoint", "known"),
    [
        ("https://fcm.googleapis.com/fcm/send/abc", True),
        ("https://updates.push.services.mozilla.com/wpush/v2/abc", True),
        ("https://web.push.apple.com/abc", True),
        ("https://wns2-par02p.notify.windows.com/w/?token=abc", True),
        ("http://fcm.googleapis.com/fcm/send/abc", False),
        ("https://fcm.googleapis.com:8443/fcm/send/abc", False),
        ("https://fcm.googleapis.com.evil.example/", False),
        ("https://evilpush.apple.com.example/", False),
        ("https://x@fcm.googleapis.com/", False),
        ("https://fcm.googleapis.com@127.0.0.1/", False),
        ("https://127.0.0.1/", False),
        ("https://[::1]/", False),
        ("http://127.0.0.1:9999/x", False),
        ("http://named.example:99/x", True),
        ("http://named.example/x", False),
        ("https://named.example:99/x", False),
        ("https://fcm.googleapis.com/a b", False),
        ("https://fcm.googleapis.com/a\r\nHost: x", False),
        ("ftp://fcm.googleapis.com/", False),
        ("https://fcm.googleapis.com:99999/", False),
        ("", False),
    ],
)
def test_messages_go_to_push_services_alone(endpoint: str, known: bool) -> None:
    assert PushServices(("http://named.example:99",)).knows(endpoint) is known


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.0.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "::1",
        "fe80::1",
        "::ffff:10.0.0.1",
        "0.0.0.0",
        "fd00::1",
    ],
)
def test_a_known_name_at_an_inner_address_is_not_asked(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever controls the name server could point it there."""
    services = PushServices()

    async def send() -> str:
        async def resolve(*_: Any, **__: Any) -> Any:
            return [(2, 1, 6, "", ("17.57.146.1", 443)), (2, 1, 6, "", (address, 443))]

        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", resolve)
        return (await services.post("https://web.push.apple.com/x", {}, b"x")).kind

    assert asyncio.run(send()) == "later"
    with pytest.raises(SobremesaError, match="push service"):
        PushServices(("push.example",))


def test_who_is_away_is_told_once_that_it_is_their_turn(tmp_path: Path, service: PushService) -> None:
    async def play() -> None:
        async with house(tmp_path, service) as (here,):
            phone = await here.told("bo", service)
            room = await here.open("ana", "bo")
            await here.pass_by(200)
            assert phone.got == [], "the game began as they sat down, and it is Ana's turn"
            await here.move(room, "ana")
            await here.pass_by(AWAY - LOOK_EVERY)
            assert phone.got == [], "not at once"
            await here.pass_by(2 * LOOK_EVERY)
            assert phone.got[-1] == {
                "title": "It is your turn",
                "body": "Callisto with Ana",
                "path": f"/r/{room.room.id}",
                "tag": room.room.id,
                "language": "en",
            }
            await here.pass_by(1000)
            assert len(phone.got) == 1, "once for a decision"
            await here.move(room, "bo")
            await here.move(room, "ana")
            await here.pass_by(200)
            assert phone.titles == ["It is your turn"] * 2, "and once for the next"

    asyncio.run(play())


def test_who_looks_is_not_told_until_they_look_away(tmp_path: Path, service: PushService) -> None:
    async def play() -> None:
        async with house(tmp_path, service) as (here,):
            phone = await here.told("bo", service)
            room = await here.open("ana", "bo")
            watcher = Watcher("bo")
            here.presence.come("bo")
            room.join(watcher, Visitor("bo", "net"))
            await here.move(room, "ana")
            await here.do(room, m.Say, "ana", text="Hello!")
            await here.pass_by(600)
            assert phone.got == []
            assert await here.count(pushes) == 1, "for who looks nothing is written but when their time runs out"
            here.presence.go("bo")  # the tab is behind others; its socket is still open
            await here.pass_by(AWAY + 2 * LOOK_EVERY)
            assert phone.titles == ["It is your turn"], "what was said they have seen"
            room.leave(watcher)

    asyncio.run(play())


def test_who_moves_in_time_is_not_told(tmp_path: Path, service: PushService) -> None:
    async def play() -> None:
        async with house(tmp_path, service) as (here,):
            phone = await here.told("bo", service)
            room = await here.open("ana", "bo")
            room.visit(Visitor("bo", "net"))  # what has begun they see
            await here.move(room, "ana")
            await here.pass_by(AWAY / 2)
            await here.move(room, "bo")
            await here.pass_by(600)
            assert phone.got == []

    asyncio.run(play())


def test_time_that_runs_out_is_told_beforehand(tmp_path: Path, service: PushService) -> None:
    async def play() -> None:
        async with house(tmp_path, service) as (here,):
            phone = await here.told("bo", service, "es")
            room = await here.open("ana", "bo", clock=3 * DAY)
            await here.move(room, "ana")
            await quiet(here.hub)
            await here.clock.advance(2 * DAY)
            await here.notifier.look()
            assert phone.titles == ["Te toca"]
            await here.clock.advance(DAY / 2 + 10)
            await here.notifier.look()
            assert phone.titles == ["Te toca", "Se te acaba el tiempo"]
            assert phone.got[-1]["body"] == "Callisto con Ana: quedan 12 horas"
            await here.pass_by(600)
            assert len(phone.got) == 2

    asyncio.run(play())


@pytest.mark.parametrize(("seats", "clock"), [(("ana", "greedy"), 3 * DAY), (("ana", "bo"), 30), (("ana", "bo"), 600)])
def test_nobody_is_told_of_quick_tables_or_of_computers(
    tmp_path: Path, service: PushService, seats: tuple[str, ...], clock: int
) -> None:
    async def play() -> None:
        async with house(tmp_path, service) as (here,):
            phones = [await here.told(person, service) for person in ("ana", "bo")]
            await here.open(*seats, clock=clock)
            await here.pass_by(2 * AWAY)
            assert [phone.got for phone in phones] == [[], []]

    asyncio.run(play())


def test_an_invitation_that_is_taken_talk_and_offers_are_told(tmp_path: Path, service: PushService) -> None:
    async def play() -> None:
        async with house(tmp_path, service) as (here,):
            phone = await here.told("ana", service)
            room = await here.open("ana", "open", "open", clock=0)
            await here.do(room, m.Sit, "bo", name="Bo", seat=1)
            await here.pass_by(2 * AWAY)
            assert phone.titles == ["Bo sits at your table"]
            await here.do(room, m.Say, "bo", text="a secret plan")
            await here.do(room, m.Say, "bo", text="and another")
            await here.pass_by(2 * AWAY)
            await here.do(room, m.Say, "bo", text="are you there?")
            await here.pass_by(2 * AWAY)
            assert phone.titles == ["Bo sits at your table"], (
                "who was told, and has not come, knows that they are wanted"
            )
            room.visit(Visitor("ana", "net"))
            await here.pass_by(2 * AWAY)
            await here.do(room, m.Say, "bo", text="a secret plan")
            await here.do(room, m.Say, "bo", text="and another")
            await here.pass_by(2 * AWAY)
            assert phone.titles[1:] == ["Bo has written to you"]
            assert "secret" not in str(phone.got), "what was said is read at the table"
            await here.do(room, m.Sit, "cleo", name="Cleo", seat=2)
            await here.pass_by(2 * AWAY)
            assert phone.titles[2:] == ["It is your turn"]
            await here.move(room, "ana")
            await here.do(room, m.Offer, "bo", what="stop")
            await here.pass_by(2 * AWAY)
            assert phone.titles[3:] == ["Bo would like to stop the game"]
            await here.do(room, m.AnswerOffer, "bo", yes=False)
            await here.do(room, m.Offer, "bo", what="stop")
            await here.do(room, m.AnswerOffer, "cleo", yes=True)
            await here.do(room, m.AnswerOffer, "ana", yes=True)
            await here.pass_by(2 * AWAY)
            assert phone.titles[4:] == [], "who did it knows of it"

    asyncio.run(play())


def test_of_several_processes_one_tells(tmp_path: Path, service: PushService) -> None:
    async def play() -> None:
        async with house(tmp_path, service, processes=3) as processes:
            here = processes[0]
            phone = await here.told("bo", service)
            room = await here.open("ana", "bo")
            await here.move(room, "ana")
            await quiet(here.hub)
            processes[2].presence.come("bo")  # who looks by way of another process looks
            await here.clock.advance(AWAY + 1)
            await processes[2].notifier.look()
            await asyncio.gather(*(process.notifier.look() for process in processes))
            assert phone.got == []
            processes[2].presence.go("bo")
            for _ in range(40):
                await here.clock.advance(LOOK_EVERY)
                await asyncio.gather(*(process.notifier.look() for process in processes))
            assert phone.titles == ["It is your turn"]
            assert sum(process.notifier.sent["sent"] for process in processes) == 1

    asyncio.run(play())


def test_what_is_due_outlives_the_process(tmp_path: Path, service: PushService) -> None:
    async def play() -> None:
        async with house(tmp_path, service) as (here,):
            phone = await here.told("bo", service)
            room = await here.open("ana", "bo")
            await here.move(room, "ana")
            await quiet(here.hub)
        async with house(tmp_path, service) as (again,):
            await again.pass_by(2 * AWAY)
            assert phone.titles == ["It is your turn"]
            assert again.hub.rooms[room.room.id].room.version == room.room.version

    asyncio.run(play())


def test_devices_that_are_gone_are_forgotten_and_services_that_are_busy_asked_again(
    tmp_path: Path, service: PushService
) -> None:
    async def play() -> None:
        async with house(tmp_path, service) as (here,):
            phone, tablet = await here.told("bo", service), await here.told("bo", service)
            room = await here.open("ana", "bo")
            room.visit(Visitor("bo", "net"))
            service.answers += [(410, {}), (201, {})]
            await here.move(room, "ana")
            await here.pass_by(2 * AWAY)
            assert await here.count(devices) == 1
            await here.move(room, "bo")
            await here.move(room, "ana")
            service.answers += [(503, {"Retry-After": "300"})]
            await here.pass_by(AWAY + RETRY_AFTER)
            assert phone.got + tablet.got == [], "not before the service wants to be asked"
            await here.pass_by(300)
            assert [*phone.titles, *tablet.titles] == ["It is your turn"]
            service.answers += [(400, {})] * MAX_FAILURES
            (left,) = [each for each in (phone, tablet) if each.got]
            for _ in range(MAX_FAILURES):
                assert (await here.notifier.try_out("bo", left.endpoint)).kind == "refused"
            assert await here.count(devices) == 0, "one that never takes anything is given up"

    asyncio.run(play())


def test_nobody_is_told_without_end(tmp_path: Path, service: PushService) -> None:
    async def play() -> None:
        async with house(tmp_path, service, budget=3, most=2) as (here,):
            phones = [await here.told("bo", service) for _ in range(3)]
            assert await here.count(devices) == 2, "the oldest went"
            rooms = [await here.open("ana", "bo") for _ in range(6)]
            for room in rooms:
                await here.move(room, "ana")
            await here.pass_by(2 * AWAY)
            assert [len(phone.got) for phone in phones] == [0, 3, 3]
            assert here.notifier.sent["withheld"] == 3

    asyncio.run(play())


def test_who_is_forgotten_is_told_nothing(tmp_path: Path, service: PushService) -> None:
    async def play() -> None:
        async with house(tmp_path, service) as (here,):
            phone = await here.told("bo", service)
            room = await here.open("ana", "bo")
            await here.move(room, "ana")
            await quiet(here.hub)
            assert await here.count(pushes) == 2, "the news, and the warning"
            await forget_person(here.store, "bo")
            assert (await here.count(pushes), await here.count(devices)) == (0, 0)
            await here.pass_by(4 * AWAY)
            assert phone.got == []

    asyncio.run(play())


@pytest.mark.parametrize("code", LANGUAGES)
def test_messages_are_in_the_language_of_the_device(tmp_path: Path, service: PushService, code: str) -> None:
    async def play() -> None:
        async with house(tmp_path, service) as (here,):
            phone = await here.told("bo", service, code)
            room = await here.open("ana", "bo")
            await here.move(room, "ana")
            await here.pass_by(2 * AWAY)
            (told,) = phone.got
            expected = {"en": "It is your turn", "es": "Te toca", "fr": "C’est ton tour", "nl": "Jij bent aan de beurt"}
            assert (told["title"], told["language"]) == (expected[code], code)

    asyncio.run(play())


def test_presence_ends_a_while_after_the_last_question() -> None:
    clock = FakeClock()
    presence = Presence(clock)
    presence.see("ana")
    assert "ana" in presence
    assert presence.everybody() == {"ana"}
    clock._now += PRESENCE_SECONDS
    assert "ana" not in presence
    assert presence.everybody() == set()


def test_over_http(tmp_path: Path, service: PushService) -> None:
    """A device subscribes, tries it out, follows its token, and ends with it; nobody else can end it."""

    async def ask() -> None:
        async with desk(tmp_path, push_services=(service.address,)) as here:
            ana, bo = Person(1), Person(2)
            path = "/api/me/devices/push"

            async def call(who: Person | str, method: str, path: str, body: Any = None) -> httpx.Response:
                token = who if isinstance(who, str) else who.token
                return await here.http.request(method, path, json=body, headers={"authorization": f"Bearer {token}"})

            key = (await call(ana, "GET", path)).json()["key"]
            assert len(base64.urlsafe_b64decode(key + "=")) == 65
            assert (await call(bo, "GET", path)).json()["key"] == key
            phone = Device(service)
            assert (await call(ana, "PUT", path, phone.subscription("fr"))).status_code == 204
            tried = await call(ana, "POST", f"{path}/try", {"endpoint": phone.endpoint})
            assert tried.json() == {"outcome": "sent"}
            assert [told["body"] for told in phone.got] == ["Les messages arrivent ici."]
            refused = await call(bo, "POST", f"{path}/try", {"endpoint": phone.endpoint})
            assert refused.json() == {"outcome": "refused"}
            assert (await call(bo, "POST", f"{path}/end", {"endpoint": phone.endpoint})).status_code == 204
            assert len(await here.house.devices.of(ana.id)) == 1, "only one's own"
            exported = (await call(ana, "GET", "/api/me/export")).json()
            assert exported["devices"][0]["endpoint"] == phone.endpoint
            for wrong in (
                phone.subscription() | {"endpoint": "https://127.0.0.1/x"},
                phone.subscription() | {"endpoint": "http://169.254.169.254/latest"},
            ):
                assert (await call(ana, "PUT", path, wrong)).status_code == 403
            for wrong in (
                phone.subscription() | {"p256dh": "A" * 87},
                phone.subscription() | {"auth": "A" * 40},
                phone.subscription() | {"endpoint": "nowhere"},
                phone.subscription() | {"language": "de"},
            ):
                assert (await call(ana, "PUT", path, wrong)).status_code == 422
            renewed = await call(ana, "POST", "/api/me/renew", {"everywhere": False})
            token = renewed.cookies["sobremesa_person"]
            assert len(await here.house.devices.of(ana.id)) == 1, "the same device with another token"
            tablet = Device(service)
            assert (await call(token, "PUT", path, tablet.subscription())).status_code == 204
            code = (await call(token, "POST", "/api/me/devices")).json()["path"].rpartition("=")[2]
            claimed = await here.http.post("/api/me/devices/claim", json={"code": code})
            other = claimed.cookies["sobremesa_person"]
            laptop = Device(service)
            assert (await call(other, "PUT", path, laptop.subscription())).status_code == 204
            here.http.cookies.clear()
            left = await call(other, "POST", "/api/me/renew", {"everywhere": True})
            assert left.status_code == 204
            (device,) = await here.house.devices.of(ana.id)
            assert device.endpoint == laptop.endpoint, "signed out everywhere else"
            last = left.cookies["sobremesa_person"]
            here.http.cookies.clear()
            assert (await call(last, "DELETE", "/api/me")).status_code == 204
            assert await here.house.devices.of(ana.id) == []

    asyncio.run(ask())
