"""What holds, what does not, and what could not be tried here."""


class Report:
    def __init__(self):
        self.failures = 0
        self.skipped = []

    def check(self, holds, what, evidence=""):
        print(f"{'ok  ' if holds else 'FAIL'} {what}", flush=True)
        if not holds:
            self.failures += 1
            print("     " + str(evidence).strip().replace("\n", "\n     "), flush=True)
        return bool(holds)

    def skip(self, what, reason):
        self.skipped.append(what)
        print(f"SKIPPED: {what}: {reason}", flush=True)

    def finish(self):
        if self.skipped:
            print(f"skipped: {', '.join(self.skipped)}")
        print(f"{self.failures} failed" if self.failures else "all hold")
        return 1 if self.failures else 0
