"""Copies the customers in a database to the platform, a thousand at a time. Python 3.9 and its standard library.

python3 sync.py shop.db          finds contacts by the ID of the customer
python3 sync.py shop.db email    finds them by their address and gives them this ID: for rows that failed because another contact has
                                 their email, such as one that signed up itself

Remove the row before you delete or erase a contact, or the next run creates and subscribes it again.
"""

import json
import os
import sqlite3
import sys
import time
import urllib.error
import urllib.request

BATCH = 1_000


def call(method, path, body, attempts=5):
    request = urllib.request.Request(
        os.environ["MP_BASE_URL"] + "/v2" + path,
        method=method,
        data=json.dumps(body).encode(),
        headers={"Authorization": "Bearer " + os.environ["MP_API_KEY"], "Content-Type": "application/json"},
    )
    for attempt in range(1, attempts + 1):
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)["data"]
        except urllib.error.HTTPError as error:
            # A batch that is repeated changes nothing the second time.
            if attempt == attempts or error.code not in (429, 500, 502, 503, 504):
                raise SystemExit(f"{method} {path}: {error.code} {error.read().decode()}")
            time.sleep(float(error.headers.get("Retry-After", attempt)))


def customers(database):
    rows = database.execute("SELECT id, email, name, plan, agreed_at, withdrawn_at FROM customers ORDER BY id")
    for customer_id, email, name, plan, agreed_at, withdrawn_at in rows:
        contact = {"external_id": str(customer_id), "email": email, "first_name": name, "attributes": {"plan": plan}}
        # Times have a zone, as 2026-01-15T09:30:00Z does; for others of SQLite, select strftime('%Y-%m-%dT%H:%M:%SZ', agreed_at).
        # A withdrawal is sent, because without consent the contact keeps the one it has. Empty it when the customer agrees again.
        if withdrawn_at:
            contact["consent"] = {"email": {"status": "unsubscribed", "at": withdrawn_at}}
        # With its time, a consent never overrules a later unsubscription.
        elif agreed_at:
            contact["consent"] = {"email": {"status": "subscribed", "at": agreed_at}}
        yield contact


def batches(items, size):
    batch = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def main(path, match_on="external_id"):
    totals = {}
    with sqlite3.connect(path) as database:
        for batch in batches(customers(database), BATCH):
            # The ID of the customer decides who is who, so a new address is a change of the contact.
            body = {"match_on": match_on, "change_identifiers": True, "contacts": batch}
            result = call("POST", "/contacts/batch", body)
            for status, count in result["counts"].items():
                totals[status] = totals.get(status, 0) + count
            for row in result["results"]:
                if row["status"] == "error":
                    print(batch[row["index"]]["external_id"], row["error"]["message"], file=sys.stderr)
    print(json.dumps(totals))
    return 1 if totals.get("error") else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
