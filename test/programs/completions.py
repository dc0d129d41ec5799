#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a tool's --help lists, the completions of bash, zsh and fish know, option by option, and the
shells that are installed accept the files.

usage: completions.py BIN SOURCE BUILD
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

OPTION = re.compile(r"(?<![\w-])--?[a-zA-Z][\w-]*")
failures = []


def check(holds, what):
    if not holds:
        failures.append(what)


def help_of(*words):
    """The help text up to its examples."""
    done = subprocess.run([*words, "--help"], capture_output=True, text=True, check=True)
    check("Examples:" in done.stdout, f"{' '.join(words)} --help has no examples")
    return done.stdout.split("Examples:")[0]


def options_of(text):
    """Options at the beginning of the lines of a help text: {"-j", "--json"}."""
    options = set()
    for line in text.splitlines():
        match = re.match(r"  +(-.*?)(?:  |$)", line)
        if match:
            # What follows an option is its argument.
            for part in re.split(r",\s*", match[1]):
                found = OPTION.match(part)
                if found:
                    options.add(found[0])
    return options


def commands_of(text):
    """The commands that a help text lists."""
    part = text.partition("Subcommands:")[2]
    return re.findall(r"^  (\S+)  ", part, re.MULTILINE)


def in_fish(script, options, what, condition=""):
    lines = [line for line in script.splitlines() if condition in line]
    for option in options:
        name = option.lstrip("-")
        forms = [f" -l {name} "] if option.startswith("--") else [f" -s {name} ", f" -o {name} "]
        check(any(form in line + " " for line in lines for form in forms), f"fish: {what} {option}")


def in_words(script, options, what, shell):
    for option in options:
        check(re.search(r"(?<![\w-])" + re.escape(option) + r"(?![\w-])", script),
              f"{shell}: {what} {option}")


def section(script, command, shell):
    """What the script says of a command."""
    pattern = {"zsh": rf"^        {command}\) _arguments(.*?);;$", "bash": rf"^    {command}\) (.*?);;$"}[shell]
    found = re.search(pattern, script, re.MULTILINE | re.DOTALL)
    check(found, f"{shell}: conclave {command}")
    return found[1] if found else ""


def check_conclave(tool, scripts):
    text = help_of(tool)
    commands = commands_of(text)
    check(len(commands) >= 9, f"only these commands were found: {commands}")
    in_words(scripts["zsh"], options_of(text), "conclave", "zsh")
    in_words(scripts["bash"], options_of(text) - {"-h"}, "conclave", "bash")
    in_fish(scripts["fish"], options_of(text), "conclave", "__fish_use_subcommand")
    for command in commands:
        about = help_of(tool, command)
        options = options_of(about)
        check("--help" in options, f"conclave {command} --help lists {options}")
        parts = commands_of(about)
        what = f"conclave {command}"
        check(f"-a {command} " in scripts["fish"], f"fish: {what}")
        in_fish(scripts["fish"], options, what, f"'__fish_seen_subcommand_from {command}'")
        in_words(section(scripts["zsh"], command, "zsh"), options | set(parts), what, "zsh")
        in_words(section(scripts["bash"], command, "bash"), (options - {"-h", "--help"}) | set(parts), what, "bash")
        for part in parts:
            check(f"'__fish_seen_subcommand_from {command}' -a {part} " in scripts["fish"], f"fish: {what} {part}")


def check_syntax(files):
    for shell in ("bash", "zsh", "fish"):
        if not shutil.which(shell):
            print(f"{shell} is not installed: its files are not parsed")
            continue
        for file in files[shell]:
            done = subprocess.run([shell, "-n", file], capture_output=True, text=True)
            check(done.returncode == 0, f"{file}: {done.stderr}")
    if shutil.which("fish"):
        for line, expected in (("conclave top --so", "--sort"), ("conclave cache sh", "show"), ("conclave tr", "trace"),
                               ("clocl --emi", "--emit"), ("conclave top --sort wai", "waiting")):
            with tempfile.TemporaryDirectory() as home:
                sources = "; ".join(f"source '{file}'" for file in files["fish"])
                done = subprocess.run(["fish", "--no-config", "-c", f"{sources}; complete -C '{line}'"],
                                      capture_output=True, text=True, env={"HOME": home, "PATH": "/usr/bin:/bin"})
            check(expected in done.stdout, f"fish completes '{line}' with: {done.stdout}{done.stderr}")


def main():
    tools, source, build = map(pathlib.Path, sys.argv[1:])
    monitor, compiler = source / "monitor/completion", source / "compiler/driver/completion"
    made = build / "monitor/completions"
    files = {
        "bash": [monitor / "conclave", compiler / "clocl"],
        "zsh": [made / "_conclave", monitor / "_ti-mctd", monitor / "_ti-mct-heap-check", compiler / "_clocl"],
        "fish": [made / "conclave.fish", monitor / "ti-mctd.fish", monitor / "ti-mct-heap-check.fish",
                 compiler / "clocl.fish"],
    }
    check_conclave(str(tools / "conclave"), {shell: files[shell][0].read_text() for shell in files})
    for tool in ("ti-mctd", "ti-mct-heap-check", "clocl"):
        options = options_of(help_of(str(tools / tool)))
        check(len(options) >= 4, f"{tool}: only these options were found: {options}")
        zsh = next(file for file in files["zsh"] if file.name == "_" + tool)
        fish = next(file for file in files["fish"] if file.name == tool + ".fish")
        # TI's options without effect.
        options -= {"-a", "-b", "-d", "-s", "-z"} if tool == "clocl" else set()
        in_words(zsh.read_text(), options, tool, "zsh")
        in_fish(fish.read_text(), options, tool)
        if tool == "clocl":
            in_words(files["bash"][1].read_text(), options - {"--server"}, tool, "bash")
    check_syntax(files)
    for failure in failures:
        print("FAILED:", failure)
    print(f"completions: {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
