#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes an archive of objects of the functions of a shared library that are wanted.

A program that is linked with the archive contains what it calls, and so does not need the library
where it runs. Each function becomes an object of its own: its instructions as bytes, with relocations
where they name other functions or constants. Only code as compilers make it from mathematical
functions is understood: no jump tables, no variables. Anything else ends the script with an error.
"""
import argparse
import bisect
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\t((?:[0-9a-f]{2} )+)\s*(?:\t(.*))?$")
NAMED_TARGET = re.compile(r"#\s*([0-9a-f]+)\s")
DIRECT_TARGET = re.compile(r"^([0-9a-f]+)\s<([^>]*)>")
RETURNS = {"ret", "repz", "retq"}
STOPS = {"ud2", "hlt"}


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Library:
    """The instructions, symbols, relocations and constants of a shared library."""

    def __init__(self, path, objdump, readelf):
        with open(path, "rb") as file:
            self.content = file.read()
        self.instructions = {}
        for line in output_of(objdump, "-d", "-w", "--insn-width=16", path).splitlines():
            if match := INSTRUCTION.match(line):
                self.instructions[int(match[1], 16)] = (bytes.fromhex(match[2]), match[3] or "")
        self.sections = {}
        for line in output_of(readelf, "-SW", path).splitlines():
            if match := re.match(r"\s*\[\s*\d+\]\s+(\S+)\s+\S+\s+([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+)", line):
                self.sections[match[1]] = tuple(int(match[i], 16) for i in (2, 3, 4))
        self.symbols, self.tables = {}, {}
        for line in output_of(readelf, "--dyn-syms", "-W", path).splitlines():
            words = line.split()
            if len(words) < 8 or words[6] == "UND" or words[3] not in ("FUNC", "OBJECT"):
                continue
            name, address = words[7].split("@")[0], int(words[1], 16)
            self.symbols[name] = address
            if words[3] == "OBJECT":
                self.tables[address] = int(words[2], 0)
        self.names = {}  # of an address: several names may mean one function
        for name, address in sorted(self.symbols.items()):
            self.names.setdefault(address, []).append(name)
        self.slots = {}  # of the global offset table
        for line in output_of(readelf, "-rW", path).splitlines():
            words = line.split()
            if len(words) > 4 and words[2] == "R_X86_64_GLOB_DAT":
                self.slots[int(words[0], 16)] = int(words[3], 16)
        # Where tables begin whose addresses are taken, so that each ends where the next one begins.
        self.taken = sorted({self.named_target(text) for _, text in self.instructions.values()
                             if text.startswith("lea ") and "(%rip)" in text} | set(self.tables))

    @staticmethod
    def named_target(text):
        return int(NAMED_TARGET.search(text)[1], 16)

    def is_constant(self, address):
        start, _, size = self.sections[".rodata"]
        return start <= address < start + size

    def bytes_at(self, address, size):
        start, offset, length = self.sections[".rodata"]
        size = min(size, start + length - address)
        return self.content[offset + address - start:offset + address - start + size]

    def table_size(self, address):
        if address in self.tables:
            return self.tables[address]
        start, _, length = self.sections[".rodata"]
        following = bisect.bisect_right(self.taken, address)
        end = self.taken[following] if following < len(self.taken) else start + length
        return min(end, start + length) - address


class Function:
    """The code that is reached from an entry without a call, as assembly with relocations."""

    def __init__(self, library, entry):
        self.library, self.entry = library, entry
        self.name = symbol_of(library, entry)
        self.callees, self.constants, self.tables = set(), {}, set()
        self.reached = self.reach()

    def fail(self, address, why):
        sys.exit(f"{self.name}: {address:x}: {self.library.instructions[address][1]}: {why}")

    def is_other_function(self, address):
        return address != self.entry and address in self.library.names

    def reach(self):
        reached, waiting = set(), [self.entry]
        while waiting:
            address = waiting.pop()
            if address in reached:
                continue
            reached.add(address)
            code, text = self.library.instructions[address]
            mnemonic = re.sub(r"^(bnd|notrack|repz) ", "", text).split()[0]
            direct = DIRECT_TARGET.match(text.split(None, 1)[1]) if " " in text else None
            if mnemonic in RETURNS or mnemonic in STOPS:
                continue
            if mnemonic.startswith("j"):
                if not direct:
                    self.fail(address, "a jump through a table")
                target = int(direct[1], 16)
                if not self.is_other_function(target):
                    waiting.append(target)
                if mnemonic == "jmp":
                    continue
            if not (mnemonic == "call" and "__stack_chk_fail" in text):
                waiting.append(address + len(code))
        return sorted(reached)

    def runs(self):
        """The reached instructions in pieces without gaps."""
        runs = []
        for address in self.reached:
            if runs and address == self.end(runs[-1]):
                runs[-1].append(address)
            else:
                runs.append([address])
        return runs

    def end(self, run):
        return run[-1] + len(self.library.instructions[run[-1]][0])

    def assembly(self):
        lines = [f'.section .text.{self.name},"ax",@progbits', ".balign 64",
                 *declarations(self.library, self.entry, "function")]
        runs = self.runs()
        run_of = {address: i for i, run in enumerate(runs) for address in run}
        for i, run in enumerate(sorted(runs, key=lambda run: self.entry not in run)):
            lines.append(f".balign 16\n.skip {run[0] % 16}, 0x90" if i else "")
            for address in run:
                if address == self.entry:
                    lines += [f"{name}:" for name in names_of(self.library, address)]
                lines.append(f".L{address:x}:")
                lines.append(self.encoded(address, run_of))
        lines.append(f".size {self.name}, . - {self.name}")
        for size in sorted(set(self.constants.values()), reverse=True):
            lines.append('.section .rodata,"a",@progbits')
            for address in sorted(a for a, s in self.constants.items() if s == size):
                lines += [f".balign {size}", f".Lconstant_{address:x}:",
                          bytes_line(self.library.bytes_at(address, size))]
        lines.append('.section .note.GNU-stack,"",@progbits')
        return "\n".join(lines) + "\n"

    def encoded(self, address, run_of):
        """An instruction as bytes, with its 32-bit displacement by name where it leads elsewhere."""
        code, text = self.library.instructions[address]
        end = address + len(code)
        operand = text.split(None, 1)[1] if " " in text else ""
        direct = DIRECT_TARGET.match(operand)
        mnemonic = text.split()[0]
        if direct and (mnemonic == "call" or mnemonic.startswith("j")):
            target = int(direct[1], 16)
            if "@plt" in direct[2]:
                return self.displaced(address, code, target, direct[2].split("@")[0] + "@PLT")
            if mnemonic == "call" or self.is_other_function(target):
                self.callees.add(target)
                return self.displaced(address, code, target, symbol_of(self.library, target))
            if run_of[target] == run_of[address]:
                return bytes_line(code)
            return self.displaced(address, code, target, f".L{target:x}")
        if "(%rip)" not in text:
            return bytes_line(code)
        target = self.library.named_target(text)
        if target in self.library.slots:  # mov from the global offset table: becomes lea
            at = code.rfind(b"\x8b", 0, len(code) - 5)
            if mnemonic != "mov" or at != len(code) - 6:
                self.fail(address, "an unknown use of the global offset table")
            table = self.library.slots[target]
            if table not in self.library.tables:
                self.fail(address, "the address of something that is no table")
            self.tables.add(table)
            code = code[:at] + b"\x8d" + code[at + 1:]
            return self.displaced(address, code, target, symbol_of(self.library, table))
        if not self.library.is_constant(target):
            self.fail(address, "neither a constant nor a function")
        if mnemonic == "lea":
            self.tables.add(target)
            return self.displaced(address, code, target, symbol_of(self.library, target))
        wide = 64 if "%zmm" in text else 32 if "%ymm" in text else 16
        self.constants[target] = max(wide, self.constants.get(target, 0))
        return self.displaced(address, code, target, f".Lconstant_{target:x}")

    def displaced(self, address, code, target, name):
        displacement = (target - address - len(code)).to_bytes(4, "little", signed=True)
        places = [at for at in range(1, len(code) - 3) if code[at:at + 4] == displacement]
        if len(places) != 1:
            self.fail(address, "no displacement of 32 bits")
        at = places[0]
        rest = code[at + 4:]
        here = "" if "@" in name else " - ."  # what goes through the linkage table is relative already
        lines = [bytes_line(code[:at]), f".long {name}{here} - {4 + len(rest)}"]
        return "\n".join(lines + ([bytes_line(rest)] if rest else []))


def names_of(library, address):
    return library.names.get(address) or [f"conclave_extracted_{address:x}"]


def symbol_of(library, address):
    return names_of(library, address)[0]


def declarations(library, address, kind):
    return [f".globl {name}\n.hidden {name}\n.type {name},@{kind}"
            for name in names_of(library, address)]


def bytes_line(data):
    return ".byte " + ",".join(str(byte) for byte in data)


def table_assembly(library, address):
    names = names_of(library, address)
    return "\n".join([f'.section .rodata.{names[0]},"a",@progbits', ".balign 64",
                      *declarations(library, address, "object"), *(f"{name}:" for name in names),
                      bytes_line(library.bytes_at(address, library.table_size(address))),
                      '.section .note.GNU-stack,"",@progbits']) + "\n"


def extract(library, wanted):
    """The assembly of all wanted functions and of what they need, by symbol."""
    texts, waiting, tables = {}, [library.symbols[name] for name in wanted], set()
    while waiting:
        entry = waiting.pop()
        if symbol_of(library, entry) in texts:
            continue
        function = Function(library, entry)
        texts[function.name] = function.assembly()
        waiting += function.callees
        tables |= function.tables
    for address in tables:
        texts[symbol_of(library, address)] = table_assembly(library, address)
    return texts


def wanted_names(library, nm, bitcode, variants):
    """The library's functions that the bitcode calls, and their variants for vectors."""
    scalars = {line.split()[-1] for line in output_of(nm, "--undefined-only", bitcode).splitlines()}
    scalars = {name for name in scalars if name in library.symbols}
    names = set(scalars)
    for name in scalars:
        stem, accuracy = name.rsplit("_", 1)
        pattern = re.compile(re.escape(stem) + r"d?\d+_" + accuracy + "(" + "|".join(variants) + ")$")
        names |= {other for other in library.symbols if pattern.match(other)}
    return sorted(names)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library")
    parser.add_argument("bitcode", help="whose undefined functions are wanted")
    parser.add_argument("archive", help="to write")
    parser.add_argument("--variants", default="", help="suffixes of wanted vector functions: sse2,...")
    for tool in ("objdump", "readelf", "nm", "ar", "cc"):
        parser.add_argument("--" + tool, required=True)
    arguments = parser.parse_args()
    library = Library(arguments.library, arguments.objdump, arguments.readelf)
    wanted = wanted_names(library, arguments.nm, arguments.bitcode, arguments.variants.split(","))
    folder = arguments.archive + ".objects"
    os.makedirs(folder, exist_ok=True)

    def assemble(item):
        name, text = item
        path = os.path.join(folder, name)
        with open(path + ".s", "w", encoding="ascii") as file:
            file.write(text)
        subprocess.run([arguments.cc, "-c", path + ".s", "-o", path + ".o"], check=True)
        return path + ".o"

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = sorted(pool.map(assemble, extract(library, wanted).items()))
    if os.path.exists(arguments.archive):
        os.remove(arguments.archive)
    subprocess.run([arguments.ar, "rcsD", arguments.archive, *objects], check=True)


if __name__ == "__main__":
    main()
