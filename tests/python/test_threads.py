# SPDX-License-Identifier: Apache-2.0
"""test_threads.py - engines that threads share, processes that fork, interpreters of their own."""
import concurrent.futures
import json
import multiprocessing
import os
import sys
import threading
import unittest

import baton
import samples

NOW = "2026-05-04T09:30:00Z"
THREADS = 8


def judge_many(engine, count):
    good = baton.check(samples.handoff(), now=NOW, engine=engine)
    bad = baton.check(samples.handoff(target="ledger-reader"), now=NOW, engine=engine)
    for _ in range(count):
        if baton.check(samples.handoff(), now=NOW, engine=engine) != good or not good.accepted:
            return False
        if baton.check(samples.handoff(target="ledger-reader"), now=NOW, engine=engine) != bad or bad.accepted:
            return False
    return True


class Threads(unittest.TestCase):
    def test_eight_threads_share_an_engine(self):
        for engine in (None, baton.Engine(), baton.Engine({"seed": 7})):
            with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
                self.assertTrue(all(pool.map(lambda _: judge_many(engine, 20), range(THREADS))))

    def test_more_threads_than_the_pool_keeps_are_served(self):
        engine = baton.Engine()
        barrier = threading.Barrier(40)

        def judge(_):
            barrier.wait()
            return judge_many(engine, 2)

        with concurrent.futures.ThreadPoolExecutor(40) as pool:
            self.assertTrue(all(pool.map(judge, range(40))))

    def test_a_seed_gives_every_identifier_once(self):
        value = samples.handoff()
        del value["handoff"]["trace_id"]

        def identifiers():
            engine = baton.Engine({"seed": 11, "now": NOW})
            with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
                made = pool.map(lambda _: baton.repair(value, "universal", engine=engine).document["handoff"]["trace_id"], range(32))
                return sorted(made)

        first = identifiers()
        self.assertEqual(len(set(first)), 32)
        self.assertEqual(identifiers(), first)

    def test_the_interpreter_runs_while_an_engine_works(self):
        text = json.dumps({"a": ["x" * 50] * 50000})
        running = True
        counted = 0

        def count():
            nonlocal counted
            while running:
                counted += 1

        thread = threading.Thread(target=count)
        before = sys.getswitchinterval()
        sys.setswitchinterval(1)  # another thread runs only while this one has released the lock
        try:
            thread.start()
            baton.check(text, "universal")
            running = False
        finally:
            running = False
            sys.setswitchinterval(before)
            thread.join()
        self.assertGreater(counted, 0)


def judge_in_child(queue):
    queue.put(baton.check(samples.handoff(), now=NOW).accepted)


class Processes(unittest.TestCase):
    @unittest.skipUnless(hasattr(os, "fork"), "this system cannot fork")
    def test_a_forked_child_judges_while_threads_of_the_parent_do(self):
        for engine in (baton.Engine(), baton.Engine({"seed": 3})):
            stop = threading.Event()

            def work():
                while not stop.is_set():
                    baton.check(samples.handoff(), now=NOW, engine=engine)

            threads = [threading.Thread(target=work) for _ in range(3)]
            for thread in threads:
                thread.start()
            try:
                for _ in range(5):
                    child = os.fork()
                    if child == 0:
                        os._exit(0 if judge_many(engine, 3) else 1)
                    self.assertEqual(os.waitpid(child, 0)[1], 0)
            finally:
                stop.set()
                for thread in threads:
                    thread.join()

    def test_a_spawned_child_judges(self):
        context = multiprocessing.get_context("spawn")
        queue = context.Queue()
        child = context.Process(target=judge_in_child, args=(queue,))
        child.start()
        self.assertTrue(queue.get(timeout=60))
        child.join()


class Interpreters(unittest.TestCase):
    def test_each_interpreter_has_a_module_of_its_own(self):
        interpreters = self._interpreters()
        script = "import sys; sys.path[:0] = %r; import baton; assert not baton.check(b'{}', 'universal').accepted; baton.tokens.count('a'); assert baton.schema.Validator(True).is_valid({})" % (sys.path,)
        for _ in range(3):
            made = interpreters.create()
            try:
                interpreters.run_string(made, script)
            finally:
                interpreters.destroy(made)
        self.assertFalse(baton.check(b"{}", "universal").accepted)

    def test_threads_have_an_interpreter_each(self):
        interpreters = self._interpreters()
        script = "import sys; sys.path[:0] = %r; import baton\nfor _ in range(20): assert not baton.check({'a': [1]}, 'universal').accepted" % (sys.path,)
        failures = []

        def judge():
            made = interpreters.create()
            try:
                failures.append(interpreters.run_string(made, script))  # newer ones return what was raised
            except Exception as error:
                failures.append(error)
            finally:
                interpreters.destroy(made)

        threads = [threading.Thread(target=judge) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [None] * 4)

    def _interpreters(self):
        for name in ("_interpreters", "_xxsubinterpreters"):
            try:
                return __import__(name)
            except ImportError:
                pass
        self.skipTest("this Python has no interpreters module")
        return None
