"""Writes pipe-vectors.json: argument texts, and what Python's json module makes of each. Needs nothing but Python 3.

    python3 pipe-vectors.py > pipe-vectors.json
"""
import json
import random
import struct

draw = random.Random(20260101)
CHARS = ["a", "b", "Z", "0", "|", '"', "\\", "/", "\x00", "\x1f", "\n", "\t", "\x7f", "é", "e\u0301", "\u2028",
         "\ud7ff", "\ue000", "\uffee", "\uffff", "😀", "\U0010ffff"]


def number():
    match draw.randrange(8):
        case 0: return str(draw.randrange(-50, 50))
        case 1: return str(draw.randrange(-10**draw.randrange(1, 60), 10**draw.randrange(1, 60)))
        case 2: return f"{draw.randrange(-10**6, 10**6)}.{draw.randrange(100):02}"
        case 3: return draw.choice(["-0", "-0.0", "0.0", "0e7", "1e-400", "-1E-999", "5e-324", "4.9e-324"])
        case 4: return f"{draw.choice(['', '-'])}{draw.randrange(10)}{draw.choice(['e', 'E', 'e+', 'e-', 'E-0'])}{draw.randrange(30)}"
        case 5: return f"{draw.randrange(1, 10)}.{draw.randrange(10**draw.randrange(1, 25))}e{draw.randrange(-320, 308)}"
        case _:
            while True:
                x, = struct.unpack(">d", draw.randbytes(8))
                if x == x and abs(x) != float("inf"):
                    return draw.choice([repr(x), f"{x:.25e}"])


def string():
    text = "".join(draw.choices(CHARS, k=draw.randrange(5)))
    return json.dumps(text, ensure_ascii=draw.random() < 0.5).replace("/", draw.choice(["/", "\\/"]))


def space():
    return draw.choice(["", "", " ", "\n", "\t "])


def value(depth):
    match draw.randrange(10 if depth else 6):
        case 0: return draw.choice(["null", "true", "false"])
        case 1 | 2 | 3: return number()
        case 4 | 5: return string()
        case 6 | 7: return f"[{','.join(space() + value(depth - 1) + space() for _ in range(draw.randrange(4)))}]"
        case _: return members(depth - 1)


def members(depth):
    names = {json.loads(name): name for name in (string() for _ in range(draw.randrange(1, 4)))}
    return "{" + ",".join(space() + name + space() + ":" + space() + value(depth) for name in names.values()) + "}"


def vector(text):
    return [text, json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"))]


texts = [members(2) for _ in range(1800)] + [f'{{"n":[{",".join(number() for _ in range(8))}]}}' for _ in range(200)]
print("[\n" + ",\n".join(json.dumps(vector(text), separators=(",", ":")) for text in texts) + "\n]")
