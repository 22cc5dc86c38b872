#!/bin/bash
# Themes are readable: the contrast of WCAG 2 for what stands as text on the background that a theme says it is
# for (its first lines: dark backgrounds, light backgrounds, or both), for each pair that it sets itself, and under
# what lies over a row; in true colour, and as the nearest of 256 and of 16 colours, by xterm's values. The sixteen
# colours themselves are the terminal's own affair, unless one of them stands on another.
cd "$(dirname "$0")/../.." || exit 1
python3 - themes/*.theme <<'P'
import re, sys

NAMES = "black red green yellow blue magenta cyan white".split()
BASE = [(0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229),
        (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255), (255, 0, 255), (0, 255, 255), (255, 255, 255)]
STEPS = (0, 95, 135, 175, 215, 255)
OVER = ("selected", "hit", "current", "chosen")
NO_TEXT = ("border",)
BLACK, WHITE = (0, 0, 0), (255, 255, 255)

def index_rgb(n):
    if n < 16:
        return BASE[n]
    if n < 232:
        return tuple(STEPS[(n - 16) // d % 6] for d in (36, 6, 1))
    return (8 + 10 * (n - 232),) * 3

def colour(word):
    """Its value, and whether that is known whatever the terminal's own colours are."""
    if re.fullmatch("#[0-9a-fA-F]{6}", word):
        return tuple(int(word[i:i + 2], 16) for i in (1, 3, 5)), True
    if word.isdigit():
        return index_rgb(int(word)), int(word) >= 16
    name = word.removeprefix("bright-")
    return (BASE[NAMES.index(name) + 8 * word.startswith("bright-")], False) if name in NAMES else (None, False)

def nearest(c, colours):
    return min((index_rgb(i) for i in range(16 if colours > 16 else 0, colours)), key=lambda p: sum((a - b) ** 2 for a, b in zip(c, p)))

def light(c):
    v = [x / 255 for x in c]
    v = [x / 12.92 if x <= .03928 else ((x + .055) / 1.055) ** 2.4 for x in v]
    return .2126 * v[0] + .7152 * v[1] + .0722 * v[2]

def contrast(a, b):
    x, y = sorted((light(a), light(b)), reverse=True)
    return (x + .05) / (y + .05)

def read(path):
    roles, said = {}, ""
    for line in open(path):
        m = re.match(r"([a-z]+)\s*=\s*(.*)", line)
        if line.startswith("#") and not roles:
            said += line
        elif m:
            words, back = m[2].split(), None
            if "on" in words:
                i = words.index("on")
                back, words = words[i + 1], words[:i] + words[i + 2:]
            roles[m[1]] = (next((w for w in words if colour(w)[0]), None), back)
    dark, bright = re.search(r"\bdark\b", said), re.search(r"\blight\b(?! on)", said)
    return roles, [b for b, on in ((BLACK, dark), (WHITE, bright)) if on]

def faults(path):
    roles, backs = read(path)
    over = [(o, colour(roles[o][1])[0]) for o in OVER if o in roles and roles[o][1] and not roles[o][0]]
    least = 3.0 if len(backs) == 2 else 4.5
    for role, (fore, back) in roles.items():
        if not fore or role in NO_TEXT:
            continue
        c, known = colour(fore)
        if back:
            pairs = [("on " + back, c, colour(back)[0], 4.5)]
        elif known:
            if not backs:
                yield f"{role}: nothing says which backgrounds the theme is for"
            pairs = [("on its background", c, b, least) for b in backs] + [("under " + o, c, b, 3.0) for o, b in over]
            # of sixteen the terminal's palette decides how well, but none may vanish
            pairs += [(f"of {n} colours", nearest(c, n), b, wanted) for n, wanted in ((256, 2.5 if len(backs) == 2 else 3.0), (16, 1.5)) for b in backs]
        else:
            pairs = []
        for what, a, b, wanted in pairs:
            if contrast(a, b) < wanted:
                yield f"{role} {what}: {contrast(a, b):.1f}, wanted {wanted}"

count = 0
for path in sys.argv[1:]:
    count += 1
    found = list(faults(path))
    print(f"{'not ' if found else ''}ok {count} - {path} is readable")
    for f in found:
        print("#   " + f)
# it can fail
import tempfile
for text, why in (("# for dark backgrounds\ngood = #0072b2\n", "on its background"), ("good = #888888\n", "nothing says"),
                  ("# for light backgrounds\nbad = white on bright-yellow\n", "on bright-yellow"),
                  ("# for light backgrounds\ndim = #606060\nselected = on #404040\n", "under selected")):
    with tempfile.NamedTemporaryFile("w", suffix=".theme") as f:
        f.write(text)
        f.flush()
        count += 1
        good = any(why in x for x in faults(f.name))
        print(f"{'' if good else 'not '}ok {count} - a theme that is not is found: {why}")
print(f"1..{count}")
P
