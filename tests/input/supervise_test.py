# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a supervised tool ends, by all the ways there are: supervise_test.py <supervised_child>"""

import os
import pty
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

program = None


def soon(condition, seconds=20):
    """Waits until the condition holds; what it gives, or None."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    return None


def state_of(process):
    """The letter of ps, or None if there is no such process."""
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0]
    except OSError:
        return None


def is_gone(process):
    return state_of(process) in (None, "Z")


class Supervision(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="tilewright-supervise-")
        self.dir = self.folder.name
        self.addCleanup(self.folder.cleanup)

    def run_child(self, how, **options):
        def allow_cores():
            limit = resource.getrlimit(resource.RLIMIT_CORE)[1]
            resource.setrlimit(resource.RLIMIT_CORE, (limit, limit))
        return subprocess.run([program, how, self.dir], capture_output=True, cwd=self.dir, preexec_fn=allow_cores,
                              timeout=60, check=False, **options)

    def start_child(self, how, **options):
        process = subprocess.Popen([program, how, self.dir], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   cwd=self.dir, **options)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        worker = int(process.stdout.readline())
        self.assertNotEqual(worker, process.pid)
        return process, worker

    def check_says(self, how, *sentences):
        result = self.run_child(how)
        lines = result.stderr.decode().splitlines()
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertTrue(lines[0].startswith("child: error: "), lines)
        for sentence in sentences:
            self.assertIn(sentence, lines[0])
        self.assertEqual(result.returncode, 1)
        self.check_nothing_left()

    def check_nothing_left(self):
        self.assertEqual(os.listdir(self.dir), [])

    def test_exit_statuses_and_streams_pass_through(self):
        result = self.run_child("echo", input=b"bytes\0\xff")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, b"bytes\0\xff", b"to standard error\n"))
        for status in (0, 7):
            self.assertEqual(self.run_child(f"exit-{status}").returncode, status)
            self.check_nothing_left()

    def test_a_signal_while_reading_names_the_file(self):
        file = f"'{self.dir}/x\\x1B.bc': "
        for how, number in (("crash", "11 (Segmentation fault)"), ("abort", "6 (Aborted)"),
                            ("truncated-file", "7 (Bus error)")):
            with self.subTest(how):
                self.check_says(how, file + "is damaged: reading it ended with signal " + number,
                                "; expected something else")
        self.check_says("overflow", file + "is nested too deeply: reading it ended with signal 11",
                        "; expected something else")

    def test_what_others_end_is_not_called_damaged(self):
        file = f"'{self.dir}/x\\x1B.bc': "
        self.check_says("kill", file + "reading it ended with signal 9 (Killed), perhaps for want of memory")
        self.check_says("spend", file + "reading it ended with signal 24 (CPU time limit exceeded)")
        self.check_says("no-memory", file + "reading it ended for want of memory")

    def test_temporary_files_of_any_number_go(self):
        for number in (8, 60, 100, 1000):
            with self.subTest(number):
                self.check_says(f"kill-with-{number}-files", "signal 9 (Killed)")

    def test_fatal_errors_name_the_file(self):
        file = f"'{self.dir}/x\\x1B.bc': is damaged: "
        self.check_says("fatal", file + "the\\nreason; expected something else")
        self.check_says("impossible-size", file + "sizes in it are impossible")

    def test_the_thread_that_crashed_counts(self):
        self.check_says("crash-in-thread", "internal error in 'child': the_tile: generating it ended with signal 11")
        # It has no stack left to say so on, nor one for signals.
        self.check_says("overflow-in-thread", "signal 11")

    def test_without_a_file_it_names_the_command(self):
        self.check_says("bare-crash", "internal error: child ended with signal 11 (Segmentation fault)")
        self.check_says("bare-kill", "child ended with signal 9 (Killed), perhaps for want of memory")

    def test_without_supervision_the_signal_shows(self):
        environment = dict(os.environ, TILEWRIGHT_NO_SUPERVISION="1")
        result = self.run_child("bare-crash", env=environment)
        self.assertEqual(result.returncode, -signal.SIGSEGV)
        os.rmdir(f"{self.dir}/temporary")
        environment["TILEWRIGHT_NO_SUPERVISION"] = ""
        self.assertEqual(self.run_child("bare-crash", env=environment).returncode, 1)

    def test_signals_are_passed_on_and_kill_the_parent_too(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR2):
            with self.subTest(number.name):
                process, worker = self.start_child("wait")
                process.send_signal(number)
                self.assertEqual(process.wait(20), -number)
                self.assertTrue(is_gone(worker))
                self.assertEqual(process.stderr.read(), b"")
                self.check_nothing_left()

    def test_an_ignored_signal_stays_ignored_by_the_parent(self):
        process, worker = self.start_child("wait", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.send_signal(signal.SIGHUP)
        time.sleep(0.2)
        self.assertFalse(is_gone(worker))
        process.terminate()
        self.assertEqual(process.wait(20), -signal.SIGTERM)

    def test_a_parent_that_ignores_its_children(self):
        def ignore():
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        self.assertEqual(subprocess.run([program, "exit-7", self.dir], preexec_fn=ignore, timeout=60,
                                        check=False).returncode, 7)

    def test_a_killed_parent_takes_the_child_along(self):
        process, worker = self.start_child("wait")
        process.kill()
        process.wait(20)
        self.assertTrue(soon(lambda: is_gone(worker)))
        # The child has removed what LLVM knows of; the folder was the parent's to remove.
        self.assertEqual(os.listdir(f"{self.dir}/temporary"), [])

    def test_a_closed_pipe_ends_it_as_before(self):
        for off in ("", "1"):
            process = subprocess.Popen([program, "bare-write", self.dir], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, env=dict(os.environ, TILEWRIGHT_NO_SUPERVISION=off))
            process.stdout.readline()
            process.stdout.close()
            self.assertEqual(process.wait(20), -signal.SIGPIPE)
            self.assertEqual(process.stderr.read(), b"")
            process.stderr.close()
            if off:
                shutil.rmtree(f"{self.dir}/temporary")
            self.check_nothing_left()

    def test_stopping_and_continuing(self):
        # In a group of its own, which is not orphaned however this test is run: this process can continue it.
        process, worker = self.start_child("wait", preexec_fn=os.setpgrp)
        process.send_signal(signal.SIGTSTP)
        self.assertTrue(soon(lambda: state_of(process.pid) == "T" and state_of(worker) == "T"))
        process.send_signal(signal.SIGCONT)
        self.assertTrue(soon(lambda: state_of(process.pid) == "S" and state_of(worker) == "S"))
        process.terminate()
        self.assertEqual(process.wait(20), -signal.SIGTERM)

    def test_nobody_stops_in_an_orphaned_group(self):
        # The leader of a session has its parent outside of it.
        process, worker = self.start_child("wait", start_new_session=True)
        process.send_signal(signal.SIGTSTP)
        self.assertIsNone(soon(lambda: "T" in (state_of(process.pid), state_of(worker)), seconds=1))
        process.terminate()
        self.assertEqual(process.wait(20), -signal.SIGTERM)

    def test_the_keys_of_a_terminal(self):
        for key, number in ((b"\x03", signal.SIGINT), (b"\x1c", signal.SIGQUIT)):
            with self.subTest(number.name):
                process, terminal = pty.fork()
                if process == 0:
                    os.chdir(self.dir)
                    os.execv(program, [program, "wait", self.dir])
                os.read(terminal, 100)
                os.write(terminal, key)
                status = soon(lambda p=process: os.waitpid(p, os.WNOHANG)[0] and [1])
                os.close(terminal)
                self.assertTrue(status)
                self.check_nothing_left()


if __name__ == "__main__":
    program = os.path.abspath(sys.argv.pop(1))
    unittest.main()
