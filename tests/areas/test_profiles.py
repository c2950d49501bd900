from support.service import OwnerOf


def test_a_new_owner_has_a_first_profile(owner: OwnerOf) -> None:
    profiles = owner.key().get("/profiles").json()["data"]
    assert [profile["name"] for profile in profiles] == ["Default"]
    assert profiles[0]["timezone"] == "UTC"
    assert profiles[0]["accountCount"] == 0


def test_created_profiles_are_listed_newest_first(owner: OwnerOf) -> None:
    client = owner.key()
    made = [client.post("/profiles", json={"name": f"P{n}"}).json() for n in range(3)]
    listed = client.get("/profiles").json()
    assert [profile["id"] for profile in listed["data"]] == [p["id"] for p in reversed(made)] + [owner.profile_id]
    assert listed["nextCursor"] is None


def test_a_change_touches_only_what_it_names(owner: OwnerOf) -> None:
    client = owner.key()
    made = client.post("/profiles", json={"name": "Bakery", "description": "Three shops"}).json()
    changed = client.patch(f"/profiles/{made['id']}", json={"timezone": "America/Lima"}).json()
    assert changed == {**made, "timezone": "America/Lima", "updatedAt": changed["updatedAt"]}
    assert changed["updatedAt"] > made["updatedAt"]
    cleared = client.patch(f"/profiles/{made['id']}", json={"description": None}).json()
    assert cleared["description"] is None


def test_an_unknown_timezone_is_refused(owner: OwnerOf) -> None:
    for name in ("Mars/Olympus", "../../etc/passwd", "Europe", ""):
        answer = owner.session.post("/profiles", json={"name": "x", "timezone": name})
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["pointer"] == "/timezone"


def test_a_limited_key_sees_and_changes_only_its_profiles(owner: OwnerOf) -> None:
    inside, outside = owner.new_profile("inside"), owner.new_profile("outside")
    limited = owner.limited_key(inside)
    assert [p["id"] for p in limited.get("/profiles").json()["data"]] == [inside]
    assert limited.patch(f"/profiles/{inside}", json={"name": "mine"}).status_code == 200
    refused = limited.patch(f"/profiles/{outside}", json={"name": "mine"})
    assert (refused.status_code, refused.json()["code"]) == (403, "out_of_scope")
    assert limited.post("/profiles", json={"name": "new"}).status_code == 403
