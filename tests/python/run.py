# SPDX-License-Identifier: Apache-2.0
"""run.py FILE.py [ARGUMENT]... - run the unittest cases of a file and print the result of each as TAP."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))


class Tap(unittest.TestResult):
    """One line for each test; subtests that fail are lines of their own."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def _print(self, word, test, more=""):
        self.count += 1
        print(f"{word} {self.count} - {test.id().partition('.')[2]}{more}", flush=True)

    def _print_failure(self, test, error):
        print("\n".join("# " + line for line in self._exc_info_to_string(error, test).splitlines()))
        self._print("not ok", test)

    def addSuccess(self, test):
        self._print("ok", test)

    def addSkip(self, test, reason):
        self._print("ok", test, f" # SKIP {reason}")

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self._print_failure(test, error)

    def addError(self, test, error):
        super().addError(test, error)
        self._print_failure(test, error)

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self._print_failure(subtest, error)


def main():
    file = pathlib.Path(sys.argv[1])
    sys.argv[:] = sys.argv[1:]
    suite = unittest.defaultTestLoader.loadTestsFromName(file.stem)
    result = Tap()
    suite.run(result)
    print(f"1..{result.count}", flush=True)
    return 0 if result.wasSuccessful() and result.count > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
