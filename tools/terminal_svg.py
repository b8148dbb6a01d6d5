#!/usr/bin/env python3
"""Turns coloured terminal text on standard input into an SVG picture for the documentation.

    tmux capture-pane -e -p | tools/terminal_svg.py "gemtrail list" > docs/images/list.svg

Knows the few SGR codes that gemtrail writes.
"""
import html
import itertools
import re
import sys
import unicodedata

COLOURS = {"31": "#d1495b", "32": "#3a9a5b", "33": "#b7791f", "34": "#3b78c4", "35": "#9b59b6", "36": "#1b8a9a"}
CELL, LINE, SIZE = 8.4, 19, 14


def columns(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def spans(line, codes):
    """(text, codes) pairs of one line. What is set at its end is still set in the next one."""
    found = []
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        match = re.fullmatch(r"\x1b\[([0-9;]*)m", piece)
        if not match:
            found.append((piece, frozenset(codes)))
            continue
        # The first eight of the 256 colours are the terminal's own.
        for code in re.sub(r"\b38;5;([0-7])\b", r"3\1", match.group(1) or "0").split(";"):
            if code in ("", "0"):
                codes.clear()
            elif code == "39":
                codes -= set(COLOURS)
            elif code == "22":
                codes -= {"1", "2"}
            elif code in ("23", "24", "27"):
                codes.discard(code[1])
            else:
                if code in COLOURS:
                    codes -= set(COLOURS)
                codes.add(code)
    # Wide characters by themselves: where a font has them in another width, nothing else is stretched.
    def runs(text):
        return ["".join(run) for _, run in itertools.groupby(text, lambda c: columns(c) == 2)]

    return [(run, style) for text, style in found for run in runs(text)]


def main():
    title = sys.argv[1] if len(sys.argv) > 1 else "gemtrail"
    lines = sys.stdin.read().rstrip("\n").split("\n")
    plain = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines]
    width = max(80, max(columns(line) for line in plain)) * CELL + 40
    height = len(lines) * LINE + 62
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}" '
           f'font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="{SIZE}" role="img" aria-label="{html.escape(title)}">',
           f'<rect width="100%" height="100%" rx="8" fill="#fbfaf8" stroke="#d9d5cd"/>',
           f'<text x="20" y="26" fill="#8a857b">$ {html.escape(title)}</text>']
    codes = set()
    for number, line in enumerate(lines):
        x, y = 20.0, 52 + number * LINE
        for text, style in spans(line, codes):
            fill = next((COLOURS[c] for c in style if c in COLOURS), "#8a857b" if "2" in style else "#2b2a27")
            weight = ' font-weight="bold"' if "1" in style else ""
            slant = ' font-style="italic"' if "3" in style else ""
            slant += ' text-decoration="underline"' if "4" in style else ""
            length = columns(text) * CELL
            if "7" in style:
                out.append(f'<rect x="{x:.1f}" y="{y - 14}" width="{length:.1f}" height="{LINE}" fill="#2b2a27"/>')
                fill = "#fbfaf8"
            out.append(f'<text x="{x:.1f}" y="{y}" fill="{fill}"{weight}{slant} xml:space="preserve" textLength="{length:.1f}" '
                       f'lengthAdjust="spacingAndGlyphs">{html.escape(text)}</text>')
            x += length
    out.append("</svg>")
    print("\n".join(out))


if __name__ == "__main__":
    main()
