"""A bot that plays any game at a Sobremesa server, with nothing but HTTP and a socket. docs/bots.md explains it.

python examples/bot.py http://127.0.0.1:8765/r/k3v9
"""

import itertools
import json
import random
import sys
import time
import urllib.request

from websockets.sync.client import connect


def play(address: str, name: str = "Bot") -> dict:
    """Sits down in a room, plays one game with random moves, and returns its result."""
    server, _, room = address.partition("/r/")
    with urllib.request.urlopen(server + "/api/me") as answer:  # the first answer brings a token: who we are
        cookie = answer.headers["Set-Cookie"].partition(";")[0]
    ids, waiting = itertools.count(), True
    url = f"{server.replace('http', 'ws', 1)}/api/rooms/{room}/socket"
    with connect(url, additional_headers={"Cookie": cookie}) as socket:
        socket.send(json.dumps({"type": "join"}))
        socket.send(json.dumps({"type": "sit", "id": "sit", "name": name}))
        for message in map(json.loads, socket):
            if message["type"] == "refused" and message["reason"] not in ("stale", "late", "busy"):
                raise SystemExit(f"{message['reason']}: {message['text']}")
            if message["type"] == "refused":  # the table has changed, or too much at once: look again
                time.sleep(message["retry_after"] or 0)
                socket.send(json.dumps({"type": "join"}))
            waiting = waiting and message["type"] not in ("accepted", "refused")
            if message["type"] == "update" and message["room"]["over"]:
                return message["room"]["result"]
            if message["type"] == "update" and (asked := message["room"]["ready"]):  # a public table, before it begins
                socket.send(json.dumps({"type": "ready", "id": f"ready-{int(asked['deadline'])}"}))  # done once
            if message["type"] == "update" and message["legal"] and not waiting:
                seat, moves = next(iter(message["legal"].items()))  # our seat that has to decide, and what it may do
                move = {"seat": int(seat), "version": message["version"], "move": random.choice(moves)}
                socket.send(json.dumps({"type": "move", "id": f"move-{next(ids)}"} | move))
                waiting = True  # updates that come before the answer ask for the same move
    raise SystemExit("the server is gone")


if __name__ == "__main__":
    print(play(sys.argv[1]))
