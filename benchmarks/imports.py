"""`import minagent_lab` beside `import pydantic_ai`, each in fresh processes. Prints the ratio."""

import importlib.util
import statistics
import subprocess
import sys

ROUNDS = 11
TIMED = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"


def seconds(module: str) -> float:
    done = subprocess.run(
        [sys.executable, "-c", TIMED.format(module)], capture_output=True, encoding="utf-8", check=True
    )
    return float(done.stdout)


def main() -> None:
    modules = ["minagent_lab", *(name for name in ("pydantic_ai",) if importlib.util.find_spec(name))]
    times: dict[str, list[float]] = {name: [] for name in modules}
    for name in modules:
        seconds(name)  # once to write the bytecode
    for _ in range(ROUNDS):
        for name in modules:
            times[name].append(seconds(name))
    for name, taken in times.items():
        ratio = statistics.median(mine / its for mine, its in zip(times["minagent_lab"], taken, strict=True))
        print(f"{name:14} {statistics.median(taken) * 1e3:7.1f} ms   minagent_lab is x {ratio:.3f} of it")
    if len(modules) == 1:
        print("pydantic_ai is not installed; see benchmarks/README.md")


if __name__ == "__main__":
    main()
