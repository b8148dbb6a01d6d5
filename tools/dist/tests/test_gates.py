"""The gates close where they must: what is too new is seen, and so is what is not static."""
import shutil
import sys
import unittest

import release  # noqa: F401 (sets the path of the modules)
import elf
import try_wheels


@unittest.skipUnless(sys.platform == "linux" and shutil.which("readelf"), "needs readelf and programs of Linux")
class Gates(unittest.TestCase):
    def test_a_program_of_this_system_is_not_static(self):
        self.assertFalse(elf.is_static(sys.executable))
        self.assertTrue(elf.libraries(sys.executable))

    def test_versions_are_compared_as_numbers(self):
        versions = elf.glibc_versions(sys.executable)
        self.assertTrue(versions)
        self.assertEqual(bool(elf.too_new(sys.executable)), max(versions) > elf.NEWEST_GLIBC)
        self.assertLess(elf._numbers("2.4"), elf.NEWEST_GLIBC)
        self.assertGreater(elf._numbers("2.34"), elf.NEWEST_GLIBC)


class Tags(unittest.TestCase):
    def test_a_wheel_must_not_promise_more_than_its_program_keeps(self):
        self.assertTrue(try_wheels._keeps("manylinux_2_17_x86_64", "manylinux_2_17_x86_64"))
        self.assertTrue(try_wheels._keeps("manylinux_2_5_x86_64", "manylinux_2_17_x86_64"))
        self.assertFalse(try_wheels._keeps("manylinux_2_34_x86_64", "manylinux_2_17_x86_64"))
        self.assertFalse(try_wheels._keeps("linux_x86_64", "manylinux_2_17_x86_64"))


if __name__ == "__main__":
    unittest.main()
