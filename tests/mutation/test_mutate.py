#!/usr/bin/env python3
"""What mutate.py does before it builds anything: the mutants of a made-up file, the draw, and going on after an end."""

from __future__ import annotations

import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from mutate import Results, in_random_order, quotas, take  # noqa: E402
from mutators import Mutant, mutants_of  # noqa: E402
from schemata import switch  # noqa: E402
from workshop import NOTICED, SURVIVED, UNCOMPILABLE, Result, Workshop  # noqa: E402


def changes(line: str) -> list[str]:
    """What a line of code turns into."""
    return [mutant.now for mutant in mutants_of("a.cpp", f"void f() {{\n    {line}\n}}\n")]


class Mutators(unittest.TestCase):
    def test_operators(self) -> None:
        self.assertEqual(changes("x = a + b;"), ["x = a - b;"])
        self.assertEqual(changes("x = a / b;"), ["x = a * b;"])
        self.assertEqual(changes("x -= a;"), ["x += a;"])
        self.assertEqual(changes("return a <= b;"), ["return a < b;", "return a > b;"])
        self.assertEqual(changes("return a != b || c;"), ["return a == b || c;", "return a != b && c;"])

    def test_operator_at_the_end_of_a_line(self) -> None:
        self.assertEqual(changes("x = a +\n  b;"), ["x = a -"])

    def test_signs_and_negations(self) -> None:
        self.assertEqual(changes("return -a;"), ["return a;"])
        self.assertEqual(changes("f(a, -b);"), ["f(a, b);"])
        self.assertEqual(changes("if (!(a)) g();"), ["if ((a)) g();"])

    def test_literals(self) -> None:
        self.assertEqual(changes("x = 0.5;"), ["x = 0.0;", "x = 1.0;", "x = 0.505;"])
        self.assertEqual(changes("x = 0.0;"), ["x = 1.0;"])
        self.assertEqual(changes("x = 3;"), ["x = 2;", "x = 4;"])
        self.assertEqual(changes("x = 1e-8;"), ["x = 1e-05;", "x = 1e-11;"])
        self.assertEqual(changes("x = 512U;"), ["x = 511U;", "x = 513U;"])
        self.assertEqual(changes("x = true;"), ["x = false;"])

    def test_an_index_stays_in_range(self) -> None:
        self.assertEqual(changes("x = y[2];"), ["x = y[1];"])
        self.assertEqual(changes("x = y[0];"), ["x = y[1];"])

    def test_minimum_and_maximum(self) -> None:
        self.assertEqual(changes("x = std::min(a, b);"), ["x = std::max(a, b);"])
        self.assertEqual(changes("x = v.cwiseMax(a);"), ["x = v.cwiseMin(a);"])
        self.assertEqual(changes("x = std::numeric_limits<double>::max();"), [])

    def test_left_alone(self) -> None:
        for line in ('g("1 + 2");', "// 1 + 2", "/* a < b\n 1 */", "Vec3 points[4];", "double p[4] = {a, b};",
                     "static_assert(N == 3, \"N\");", "STICTION_CHECK(a < 3 && b, \"a\");", "throw Error(\"a\", 3);",
                     "template <int N = 3> void g();", "x.segment<3>(i);", "Eigen::Matrix<double, 12, 5> b;",
                     "using A = std::array<int, 4>;", "const Vec3& a = *b;", "Vec3* c = &d;", "f(T&& a);", "p->q();",
                     "++i;", "x = '+';", "bool operator==(const A& b) const;", "virtual void f() const = 0;",
                     "enum class A { b = 1 };", "std::vector<std::array<Index, 4>> c;", "#define N 3", "x = 0xFF;"):
            self.assertEqual(changes(line), [], line)

    def test_a_template_bracket_does_not_hide_a_comparison(self) -> None:
        self.assertEqual(changes("for (int i = k; i < n; ++i) x.block<3, 3>(i, j) += y;"),
                         ["for (int i = k; i <= n; ++i) x.block<3, 3>(i, j) += y;",
                          "for (int i = k; i >= n; ++i) x.block<3, 3>(i, j) += y;",
                          "for (int i = k; i < n; ++i) x.block<3, 3>(i, j) -= y;"])

    def test_a_mutant_changes_one_token_of_the_file(self) -> None:
        text = "int f() {\n    // 7\n    return 7 + g(7);\n}\nint h() { return 7; }\n"
        for mutant in mutants_of("a.cpp", text):
            changed = mutant.apply(text)
            lines = [(a, b) for a, b in zip(text.splitlines(), changed.splitlines()) if a != b]
            self.assertEqual([(a.strip(), b.strip()) for a, b in lines], [(mutant.was, mutant.now)])
            self.assertEqual(text.splitlines()[mutant.line - 1].strip(), mutant.was)

    def test_a_name_outlives_other_lines(self) -> None:
        line = "x = a + b;\n"
        before = [mutant.name for mutant in mutants_of("a.cpp", line + line)]
        after = [mutant.name for mutant in mutants_of("a.cpp", "y();\n\n  " + line + "z(3);\n" + line)]
        self.assertEqual(len(set(before)), 2)
        self.assertLess(set(before), set(after))


def many(file: str, number: int) -> list[Mutant]:
    return mutants_of(file, "".join(f"x{i} = a + b;\n" for i in range(number)))


class Drawing(unittest.TestCase):
    def test_quotas(self) -> None:
        sizes = {"large": 90, "small": 10, "tiny": 1, "empty": 0}
        result = quotas(sizes, 20, 1)
        self.assertEqual(sum(result.values()), 20)
        self.assertEqual(result["tiny"], 1)
        self.assertGreater(result["large"], 5 * result["small"])
        self.assertEqual(quotas(sizes, 1000, 1), {"large": 90, "small": 10, "tiny": 1})
        self.assertEqual(sum(quotas(sizes, 2, 1).values()), 2)

    def test_the_seed_decides(self) -> None:
        mutants = many("a.cpp", 30)
        first = in_random_order(mutants, 1)
        self.assertEqual(first, in_random_order(list(reversed(mutants)), 1))
        self.assertNotEqual(first, in_random_order(mutants, 2))
        self.assertEqual(Counter(first), Counter(mutants))

    def test_other_tokens_come_before_another_mutant_of_one(self) -> None:
        order = in_random_order(mutants_of("a.cpp", "x = 3;\ny = 5;\nz = 7;\n"), 1)
        self.assertEqual(len({mutant.start for mutant in order[:3]}), 3)

    def test_uncompilable_ones_are_drawn_again(self) -> None:
        orders = {"a": many("a", 10), "b": many("b", 2), "c": many("c", 1)}
        bad = {orders["a"][0], orders["b"][0], orders["b"][1], orders["c"][0]}
        tried = []

        def attempt(mutant: Mutant) -> Result:
            tried.append(mutant)
            return Result(UNCOMPILABLE if mutant in bad else NOTICED)

        taken = [mutant for mutant, _ in take(orders, {"a": 2, "b": 2, "c": 1}, attempt)]
        self.assertEqual(Counter(mutant.file for mutant in taken), {"a": 5})
        self.assertEqual(len(set(tried)), len(tried))
        self.assertFalse(bad & set(taken))


class Schemata(unittest.TestCase):
    def variants(self, text: str) -> tuple[str, dict[int, Mutant], set[int]]:
        numbered = dict(enumerate(mutants_of("a.cpp", text)))
        switched, left = switch(text, numbered)
        return switched.text, numbered, left

    def test_a_literal_is_switched_where_it_stands(self) -> None:
        text, _, left = self.variants("struct A {\n    double a = 0.0;\n};\n")
        self.assertEqual("".join(text.split("\n")[2:]), "    double a = (stiction_mutant(0) ? (1.0) : (0.0));};")
        self.assertEqual(left, set())

    def test_statements_and_values_are_written_twice(self) -> None:
        text, _, _ = self.variants("int f() {\n    return a + b;\n}\n")
        self.assertIn("if (stiction_mutant(0)) {return a - b;} else {return a + b;}", text.replace("\n", ""))
        text, _, _ = self.variants("void f() {\n    const Vec3 a = b + c, d = e;\n    g(a);\n}\n")
        self.assertIn("const Vec3 a = (stiction_mutant(0) ? Vec3(b - c) : Vec3(b + c)), d = e;", text.replace("\n", ""))
        text, _, _ = self.variants("void f() {\n    if (a) b = c * d;\n    else g();\n}\n")
        self.assertIn("if (stiction_mutant(0)) {if (a) b = c / d;    else g();} else {if (a)", text.replace("\n", ""))
        text, _, _ = self.variants("auto g = [&](double t) -> Vec3 { return a + t; };\n")
        self.assertIn("{ if (stiction_mutant(0)) {return a - t;} else {return a + t;} }", text.replace("\n", ""))

    def test_mutants_of_one_statement_exclude_each_other(self) -> None:
        text, _, _ = self.variants("void f() {\n    x = a + b * c;\n}\n")
        self.assertIn("if (stiction_mutant(0)) {x = a - b * c;} else if (stiction_mutant(1)) {x = a + b / c;} else {x = a + b * c;}",
                      text.replace("\n", ""))

    def test_what_cannot_be_switched_is_left(self) -> None:
        for source in ("struct A {\n    double a = b + c;\n};\n", "A::A() : a(b + c) {}\n",
                       "void f() {\n    const auto& a = {b + c};\n}\n", "void f() {\n    constexpr double a = b + c;\n}\n"):
            text, numbered, left = self.variants(source)
            self.assertEqual((text, left), (source, set(numbered)), source)

    def test_the_lines_of_each_mutant(self) -> None:
        source = "void f() {\n    x = a + b;\n    y = 3;\n}\n"
        numbered = dict(enumerate(mutants_of("a.cpp", source)))
        switched, _ = switch(source, numbered)
        for number, mutant in numbered.items():
            first, last = switched.lines[number]
            self.assertIn(mutant.replacement, "".join(switched.text.splitlines()[first - 1:last]))


class GoingOn(unittest.TestCase):
    def test_results_outlive_an_end_in_the_middle_of_a_line(self) -> None:
        mutants = many("a.cpp", 3)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "new" / "results.jsonl"
            results = Results(path)
            results.add(mutants[0], Result(NOTICED, "contact", "fails", 1.5))
            results.add(mutants[1], Result(SURVIVED, seconds=2.0))
            path.write_text(path.read_text()[:-20])
            results = Results(path)
            self.assertEqual(results.known, {mutants[0].name: Result(NOTICED, "contact", "fails", 1.5)})
            results.add(mutants[1], Result(SURVIVED))
            results.add(mutants[2], Result(UNCOMPILABLE))
            self.assertEqual(len(Results(path).known), 3)
            results.forget_survivors()
            self.assertEqual(set(Results(path).known), {mutants[0].name, mutants[2].name})


class MadeUpWorkshop(Workshop):
    """Compiles what does not contain a slash; its tests notice a changed literal of the one line that they look at."""

    def has(self, program: str) -> bool:
        return program != "absent"

    def make(self, program: str, failures: int = 1) -> tuple[bool, str]:
        text = (self.source / "a.cpp").read_text()
        return "/" not in text, "a.cpp:1: error: " if "/" in text else ""

    ran: list[str] = []

    def run(self, program: str, limit: float, number: int = -1) -> str:
        self.ran = [*self.ran, program]
        looked_at = {"near": "x = 3;", "far": "y = 5;"}[program]
        return "" if looked_at in (self.source / "a.cpp").read_text() else "fails"


class Attempts(unittest.TestCase):
    def test_nearest_program_first_and_the_copy_is_restored(self) -> None:
        text = "x = 3;\ny = 5;\nz = 7;\nw = a * b;\n"
        with tempfile.TemporaryDirectory() as folder:
            workshop = MadeUpWorkshop(Path(folder) / "source", Path(folder), 1)
            workshop.source.mkdir()
            (workshop.source / "a.cpp").write_text(text)
            found = {}
            for mutant in mutants_of("a.cpp", text):
                result = workshop.attempt(mutant, ("absent", "near", "far"))
                found[mutant.was[0]] = (result.status, result.by)
                self.assertEqual((workshop.source / "a.cpp").read_text(), text)
        self.assertEqual(found, {"x": (NOTICED, "near"), "y": (NOTICED, "far"), "z": (SURVIVED, ""),
                                 "w": (UNCOMPILABLE, "")})

    def test_what_passed_before_is_not_run_again(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            workshop = MadeUpWorkshop(Path(folder) / "source", Path(folder), 1)
            workshop.source.mkdir()
            (workshop.source / "a.cpp").write_text("x = 3;\ny = 5;\n")
            mutant = mutants_of("a.cpp", "x = 3;\ny = 5;\n")[-1]
            near = workshop.attempt(mutant, ("near",))
            self.assertEqual((near.status, near.passed), (SURVIVED, ("near",)))
            far = workshop.attempt(mutant, ("near", "far"), near)
            self.assertEqual((far.status, far.by, far.passed), (NOTICED, "far", ("near",)))
            self.assertEqual(workshop.ran, ["near", "near", "far", "far"])  # each once without the mutant


if __name__ == "__main__":
    unittest.main()
