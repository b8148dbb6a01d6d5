#!/usr/bin/env python3
"""Turns coloured terminal text on standard input into an SVG picture for the documentation.

    tmux capture-pane -e -p | tools/terminal_svg.py "gemtrail list" > list.svg

Knows the few SGR codes that gemtrail writes. tools/pictures.py takes all pictures, moving ones too.
"""
import html
import itertools
import re
import sys
import unicodedata

COLOURS = {"31": "#d1495b", "32": "#3a9a5b", "33": "#b7791f", "34": "#3b78c4", "35": "#9b59b6", "36": "#1b8a9a"}
INK, FAINT, PAPER = "#2b2a27", "#8a857b", "#fbfaf8"
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


def drawn(line, codes):
    """A line of the screen, at the top left."""
    out, x = [], 0.0
    for text, style in spans(line, codes):
        length = columns(text) * CELL
        fill = next((COLOURS[c] for c in style if c in COLOURS), FAINT if "2" in style else INK)
        if "7" in style:
            out.append(f'<rect x="{x:.1f}" y="-14" width="{length:.1f}" height="{LINE}" fill="{fill}"/>')
            fill = PAPER
        names = {"1": ' font-weight="bold"', "3": ' font-style="italic"', "4": ' text-decoration="underline"'}
        look = "".join(name for code, name in names.items() if code in style)
        if text.strip():
            out.append(f'<text x="{x:.1f}" fill="{fill}"{look} textLength="{length:.1f}">{html.escape(text)}</text>')
        x += length
    return "".join(out)


def framed(title, size, content):
    width, height = size[0] * CELL + 40, size[1] * LINE + 62
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" viewBox="0 0 {width:.0f} {height}" '
        f'font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" font-size="{SIZE}" role="img" aria-label="{html.escape(title)}">',
        "<style>text{white-space:pre}</style>",
        f'<rect width="100%" height="100%" rx="8" fill="{PAPER}" stroke="#d9d5cd"/>',
        f'<text x="20" y="26" fill="{FAINT}">$ {html.escape(title)}</text>',
        *content, "</svg>", ""])


def size_of(screen):
    lines = re.sub(r"\x1b\[[0-9;]*m", "", screen).split("\n")
    return max(80, *map(columns, lines)), len(lines)


def picture(title, screen):
    screen = screen.rstrip("\n")
    codes = set()
    lines = [drawn(line, codes) for line in screen.split("\n")]
    content = [f'<g transform="translate(20 {52 + number * LINE})">{line}</g>' for number, line in enumerate(lines) if line]
    return framed(title, size_of(screen), content)


def moving_picture(title, frames):
    """Screens one after another, each for so many seconds; each line is in it once. Without motion it is the longest shown."""
    ids, rules, groups = {}, [], []
    whole, start = sum(seconds for _, seconds in frames), 0.0
    still = max(range(len(frames)), key=lambda number: frames[number][1])
    for number, (screen, seconds) in enumerate(frames):
        codes = set()
        lines = [drawn(line, codes) for line in screen.rstrip("\n").split("\n")]
        uses = [f'<use href="#l{ids.setdefault(line, len(ids))}" x="20" y="{52 + at * LINE}"/>' for at, line in enumerate(lines) if line]
        groups.append(f'<g id="f{number}">{"".join(uses)}</g>')
        first, last = 100 * start / whole, 100 * (start + seconds) / whole
        before = "" if number == 0 else "0%{visibility:hidden}"
        rules.append(f"@keyframes f{number}{{{before}{first:.3f}%{{visibility:visible}}{last:.3f}%,100%{{visibility:hidden}}}}"
                     f"#f{number}{{animation:f{number} {whole:.2f}s step-end infinite}}")
        start += seconds
    style = (f'<style>g[id^=f]{{visibility:hidden}}{"".join(rules)}'
             f"@media(prefers-reduced-motion:reduce){{g[id^=f]{{animation:none!important}}#f{still}{{visibility:visible}}}}</style>")
    lines = "".join(f'<g id="l{at}">{line}</g>' for line, at in ids.items())
    return framed(title, size_of(frames[0][0].rstrip("\n")), [style, f"<defs>{lines}</defs>", *groups])


def main():
    title = sys.argv[1] if len(sys.argv) > 1 else "gemtrail"
    sys.stdout.write(picture(title, sys.stdin.read()))


if __name__ == "__main__":
    main()
