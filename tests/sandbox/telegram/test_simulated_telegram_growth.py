from sandbox.telegram.client import Telegram
from socialgate_sandbox.vendors.telegram.seed import BAKERY_CHANNEL, REGULARS_GROUP

DAY = 86400


def test_a_channel_wins_subscribers_and_a_group_stays(telegram: Telegram) -> None:
    assert telegram.use(lambda bot: bot.get_chat_member_count("@adasbakery")) == 1284
    telegram.call("sendMessage", chat_id="@adasbakery", text="Fresh")
    telegram.pass_time(90 * DAY)
    later = telegram.use(lambda bot: bot.get_chat_member_count("@adasbakery"))
    days = telegram.running.look("numbers", platform="telegram", account=BAKERY_CHANNEL)["days"]
    assert later == days[-1]["followers"] > 1284
    won = sum(day["metrics"]["joined"] - day["metrics"]["left"] for day in days[1:])
    assert won == days[-1]["followers"] - days[0]["followers"]
    assert telegram.use(lambda bot: bot.get_chat_member_count(int(REGULARS_GROUP))) == 57
