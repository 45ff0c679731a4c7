"""Sentences without digits: written ones in the files of this folder, and composed ones, equal in every run."""

import random
import re
from pathlib import Path

FOLDER = Path(__file__).parent
# The languages of openaudio-s1-mini.
LANGUAGES = ("ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "zh")

WORDS = {
    "name": (
        "Anna", "Mr Patel", "Captain O'Neill", "Zoë", "the Duke of York", "Grandma", "Dr Svensson", "Mary-Jane",
        "Lieutenant Park", "our neighbour", "nobody", "Elizabeth the Second",
    ),
    "place": (
        "Edinburgh", "the old mill", "New Orleans", "the third floor", "Saint-Denis", "the harbour", "Mount Fuji",
        "Rio de Janeiro", "the other side of the river", "Kraków",
    ),
    "number": (
        "two", "seventeen", "a hundred and four", "three thousand", "nine point five", "half a dozen", "one third",
        "twenty-one", "zero", "a million and a half",
    ),
    "thing": (
        "lanterns", "pages", "silver coins", "miles of rope", "loaves of bread", "ex-soldiers", "questions",
        "cups of tea", "unread e-mails", "ghosts", "kilos of flour",
    ),
    "did": (
        "counted", "lost", "read aloud", "carried away", "forgot", "didn't find", "couldn't resist", "sold", "re-read",
        "paid for",
    ),
    "when": (
        "on Monday morning", "at dawn", "in nineteen eighty-four", "the day before yesterday", "at a quarter to nine",
        "on the first of June", "after the storm", "long ago",
    ),
    "姓名": (
        "王小明", "欧阳娜娜", "单雄信", "曾国藩", "李重光", "乐毅", "诸葛亮", "任长霞", "解晓东", "张行长", "爷爷", "陈老师",
        "朴先生", "小雨", "司马相如",
    ),
    "地点": (
        "重庆", "长安", "银行", "音乐厅", "六安", "厦门", "大都会", "图书馆", "东莞", "行政大楼", "西藏", "校长办公室", "天台",
        "太行山", "番禺",
    ),
    "数目": ("一", "两", "三十二", "一百零八", "六千五百", "几", "一万二千", "十二点五", "好几", "二十一", "零点七"),
    "东西": (
        "本书", "把雨伞", "行字", "重的箱子", "只鸟", "张唱片", "斤水果", "条长裙", "种种子", "场比赛", "间教室", "杯热茶",
        "盏灯", "颗子弹",
    ),
    "动作": (
        "买了", "数了数", "看不了", "还给了我", "得到了", "弹着", "重写了", "调了调", "背不动", "装好了", "记得", "落下了",
        "种下了", "量了量", "教会了我认",
    ),
    "时候": (
        "二零二四年三月一日", "今天早上", "下午两点一刻", "长大以后", "昨天夜里", "假期里", "当天", "五月二十号",
        "不得不走的时候", "还没天亮",
    ),
    "English": (
        "iPhone", "AI", "Wi-Fi", "New York", "the API", "Michael Jordan", "CEO", "deadline", "Let's go", "PPT", "X",
        "e-mail", "O'Neill", "café", "GitHub", "K", "OK", "USB-C", "Champion Voice Studio", "Dr. Who",
    ),
}  # fmt: skip
TEMPLATES = {
    "english": (
        "{name} {did} {number} {thing} {when}.",
        "{when}, {name} went to {place}; {name} stayed at home.",
        '"{number} {thing}?" asked {name}. "That\'s too many!"',
        "If {name} hasn't {did} the {thing}, who has?",
        "From {place} to {place}, it's {number} hours: {name} knows.",
        "{name} (from {place}) {did} {number} {thing} - and {number} {thing}, too.",
        "Why would {name} go to {place} {when}, of all places?!",
        "“Don’t wait for {name},” said {name} {when}…",
        "{number} {thing}, {number} {thing}, and not a single word from {place}.",
        "I've never seen so many {thing} in {place}!",
    ),
    "chinese": (
        "{姓名}{时候}在{地点}{动作}{数目}{东西}。",
        "{时候}，{姓名}和{姓名}从{地点}出发，去了{地点}。",
        "“{姓名}，你{动作}{数目}{东西}吗？”{姓名}问道。",
        "{数目}{东西}和{数目}{东西}，一共多少钱？",
        "{姓名}说得对：{地点}的{东西}长得都很好！",
        "为了{数目}{东西}，{姓名}等了{数目}天……还得等下去。",
        "{姓名}（{地点}人）{动作}{数目}{东西}；{姓名}却不行。",
        "你了解{地点}吗？{姓名}都了解了，别着急。",
    ),
    "mixed": (
        "{姓名}{时候}在{地点}{动作}{数目}个{English}。",
        "{English}和{English}，你喜欢哪一个？",
        "我的{English}在{地点}丢了，{姓名}说：“{English}！”",
        "{name}和{姓名}一起去了{place}，看了{数目}{东西}。",
        "{name} said “{姓名}{动作}{数目}{东西}” {when}.",
        "Let's meet {姓名} in {地点} {when}, {English}?",
        "这个{English}的{English}不行，得重新{动作}。",
        "{时候}, {name} went to {地点}; {姓名} stayed in {place}.",
        "{English}，{English}，还有{数目}{东西}，都在{地点}。",
        "A{东西}，B{东西}，C{东西}：选{English}还是选{English}?",
    ),
}


def written(name: str) -> list[str]:
    """Return the lines of a file of this folder."""
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def sentences(kind: str, count: int) -> list[str]:
    """Return `count` different sentences: the written ones of a kind, then composed ones. The kinds are in TEMPLATES."""
    drawn = random.Random(f"{kind} sentences")
    made = dict.fromkeys(written(kind))
    while len(made) < count:
        template = TEMPLATES[kind][len(made) % len(TEMPLATES[kind])]
        made[re.sub(r"\{(\w+)\}", lambda slot: drawn.choice(WORDS[slot[1]]), template)] = None
    return list(made)[:count]
