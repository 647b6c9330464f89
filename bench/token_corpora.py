#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""token_corpora.py DATA OUT - texts to count tokens of: OUT/NAME.jsonl, one JSON string on a line.

The same bytes on every machine for the same tree and DATA: prose is a walk along the words of our
own pages with some rare words strewn in, code is our own code, JSON are the handoffs of DATA, and
the rest is put together from the phrases below. Documents have 1 to 64 KiB.
"""
import json
import pathlib
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BYTES = 1_500_000
SIZES = [1 << 10, 2 << 10, 4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10]
RARE = 14  # one word of so many is made up

CHINESE = """我们 今天 讨论 这个 项目 的 进展 。 首先 需要 检查 所有 文件 , 然后 把 结果 交给 下一个 代理 处理 。 如果 发现 错误 ,
请 立即 报告 并 说明 原因 。 北京 上海 广州 的 天气 非常 不错 , 很多 人 喜欢 在 公园 里 散步 。 数据库 连接 失败 时 , 系统 会 自动 重试 三次 。
经济 发展 与 环境 保护 同样 重要 。 他 昨天 买 了 一本 关于 历史 的 书 , 内容 十分 有趣 。 科学家 认为 气候 变化 将 影响 农业 生产 。 学生 们
正在 图书馆 认真 学习 。 机器 学习 模型 的 训练 需要 大量 数据 和 计算 资源 。 鲸 鲨 缓慢 地 游过 珊瑚 礁 , 潜水 员 屏息 凝视 。""".split()
JAPANESE = """私たち は 今日 この プロジェクト の 進捗 について 話し合い ます 。 まず すべて の ファイル を 確認 し 、 その後 結果 を 次 の
エージェント に 渡し ます 。 エラー が 見つかった 場合 は すぐに 報告 して ください 。 東京 と 大阪 の 天気 は とても 良い です 。 多く の 人 が
公園 で 散歩 を 楽しんで いる 。 データベース へ の 接続 に 失敗 した とき 、 システム は 自動的 に 再試行 する 。 昨日 買った 歴史 の 本 は 面白かった 。
科学者 たち は 気候 変動 が 農業 に 影響 する と 考えて いる 。 学生 は 図書館 で 勉強 して います 。 桜 の 花びら が 静か に 舞い落ちる 。""".split()
KOREAN = """우리는 오늘 이 프로젝트의 진행 상황을 논의합니다. 먼저 모든 파일을 확인한 다음 결과를 다음 에이전트에게 전달해야 합니다. 오류가 발견되면
즉시 보고하고 이유를 설명하세요. 서울과 부산의 날씨는 매우 좋습니다. 많은 사람들이 공원에서 산책을 즐깁니다. 데이터베이스 연결에 실패하면 시스템이
자동으로 다시 시도합니다. 어제 산 역사책은 정말 재미있었습니다. 과학자들은 기후 변화가 농업에 영향을 미칠 것이라고 생각한다. 학생들은 도서관에서
열심히 공부하고 있다. 기계 학습 모델을 훈련하려면 많은 데이터가 필요합니다.""".split()
EMOJI = """😀 😂 🥰 😎 🤔 😭 🙏 👍 👍🏽 👏🏿 🎉 🔥 ✨ 💯 🚀 ❤️ 💔 ⭐ ☀️ ☕ 🍕 🐱 🐶 🌍 🏳️‍🌈 👨‍👩‍👧‍👦 🧑🏻‍💻 👩‍🚀 🤷‍♀️ 🇩🇪 🇯🇵 🇧🇷 1️⃣ #️⃣ ✅ ❌ ➡️ 🦄 🪐 🫠 🥲 🧩""".split()
ONSETS = "b br c cl d dr f g gr h j k l m n p pr qu r s st t tr v w".split()
VOWELS = "a e i o u ea io ou y".split()
ENDINGS = ["ish", "less", "like", "ward", "ness", "able", "wise"]
CODAS = ["", "", "n", "r", "s", "l", "m", "nd", "x", "ck", "th"]


def made_up(rng, words):
    """A name of two syllables, or a word that no dictionary has."""
    if rng.randrange(2):
        return "".join(rng.choice(ONSETS) + rng.choice(VOWELS) + rng.choice(CODAS) for _ in range(2))
    return rng.choice(words).strip(",.;:?!").lower() + rng.choice(ENDINGS)


def prose(rng):
    pages = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("src/*/README.md")])
    words = re.findall(r"[A-Za-z]+(?:'[a-z]+)?[,.;:?!]?", " ".join(page.read_text(encoding="utf-8") for page in pages))
    follow = {}
    for one, two in zip(words, words[1:]):
        follow.setdefault(one, []).append(two)
    word = words[0]
    while True:
        rare = made_up(rng, words) if rng.randrange(RARE) == 0 else ""
        yield word + " " + (rare + " " if rare else "") + ("\n" if word.endswith(".") and rng.randrange(8) == 0 else "")
        word = rng.choice(follow.get(word) or words)


def code(_):
    files = sorted(path for folder in ("src", "app", "tests", "tools", "bench", "include") for path in (ROOT / folder).rglob("*")
                   if path.suffix in (".c", ".h", ".py", ".mjs"))
    while True:
        for path in files:
            yield path.read_text(encoding="utf-8")


def handoffs(data):
    def texts(rng):
        files = sorted(pathlib.Path(data).glob("handoffs/*/instances.jsonl"))
        lines = [line for path in files for line in path.read_text(encoding="utf-8").splitlines() if line]
        while True:
            value = rng.choice(lines)
            yield (value if rng.randrange(2) else json.dumps(json.loads(value), indent=2, ensure_ascii=False)) + "\n"
    return texts


def cjk(rng):
    while True:
        language = rng.choice([CHINESE, JAPANESE, KOREAN])
        joint = " " if language is KOREAN else ""
        yield joint.join(rng.choice(language) for _ in range(rng.randint(20, 60))) + "\n"


def emoji(rng):
    while True:
        yield "".join(rng.choice(EMOJI) for _ in range(rng.randint(1, 6))) + rng.choice([" ", " ", " ok ", "\n"])


def documents(pieces, sizes, size_in_all=BYTES):
    total, turn, text = 0, 0, ""
    while total < size_in_all:
        size = sizes[turn % len(sizes)]
        while len(text.encode()) < size:
            text += "".join(next(pieces) for _ in range(8))
        raw = text.encode()
        cut = raw[:size].decode(errors="ignore")
        text = text[len(cut):] if len(raw) < 4 * size else ""
        total += len(cut.encode())
        turn += 1
        yield cut


def write_sets(data, out, names=(), size=BYTES):
    """Write all sets, or those that are named, of so many bytes each."""
    sets = {"prose": prose, "json": handoffs(data), "code": code, "cjk": cjk, "emoji": emoji}
    for name in names or sets:
        chosen = documents(sets[name](random.Random(name)), SIZES, size)
        (out / f"{name}.jsonl").write_text("".join(json.dumps(text) + "\n" for text in chosen))


def main():
    data, out = sys.argv[1], pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    write_sets(data, out)
    (out / "letters.jsonl").write_text(json.dumps("a" * (64 << 10)) + "\n")


if __name__ == "__main__":
    main()
