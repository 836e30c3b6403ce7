"""What the battery lets a model read: two languages of our subject, a filler, and a detail to find again."""

from __future__ import annotations

ENGLISH = (
    "We present spectroscopic observations of a pulsating star in the outer disc of the Galaxy. The light "
    "curve shows a period of 331.4 days with an amplitude of 0.8 mag in the V band, and the radial "
    "velocities follow it with a small lag in phase. From the period-luminosity relation we derive a "
    "distance of 4.2 ± 0.3 kpc, in agreement with the parallax. The metallicity, [Fe/H] = -0.35, fits the "
    "gradient of the disc at this radius."
)

CHINESE = (
    "我们给出银河系外盘中一颗脉动变星的光谱观测。其光变周期为331.4天，V波段振幅为0.8等，视向速度曲线与光变曲线之间有微小的相位差。"
    "由周光关系得到的距离为4.2±0.3千秒差距，与视差测量一致。该星的金属丰度为[Fe/H]=-0.35，符合银盘在此半径处的丰度梯度。"
)

COUNT = "Write the numbers from one to forty in English words, separated by commas."

DETAIL = "The password of the old observatory is tangerine."
DETAIL_QUESTION = "What is the password of the old observatory? Answer with one word."
DETAIL_ANSWER = "tangerine"

_SENTENCES = (
    "The survey covers {n} square degrees of the northern sky in five bands.",
    "Field {n} was observed under clear skies with a seeing of one arcsecond.",
    "We reduced the frames of night {n} with the usual steps of bias, flat field and sky subtraction.",
    "In cluster {n} the red sequence is well defined down to the limit of the photometry.",
    "The catalogue lists {n} sources, of which most are faint galaxies.",
    "Object {n} lies close to a bright star and was left out.",
)


def filler(length: int) -> list[str]:
    """Return sentences of our subject, no two the same, of about `length` characters together."""
    sentences: list[str] = []
    total = 0
    while total < length:
        number = len(sentences)
        sentence = _SENTENCES[number % len(_SENTENCES)].format(n=number + 11)
        sentences.append(sentence)
        total += len(sentence) + 1
    return sentences
