"""What a program must be like before it is packed."""
import cargo
import elf


def gates(report, program):
    """`program`: a path `<target triple>/gemtrail`."""
    triple = program.parent.name
    if triple.endswith("-linux-musl"):
        report.check(elf.is_static(program), f"{triple}: statically linked", elf.libraries(program))
    elif triple.endswith("-linux-gnu"):
        newest = ".".join(map(str, max(elf.glibc_versions(program))))
        report.check(not elf.too_new(program), f"{triple}: the newest symbol is of GLIBC_{newest}", "\n".join(elf.too_new(program)))
    data = program.read_bytes()
    found = [path for path in cargo.own_paths() if f"{path}/".encode() in data]
    report.check(not found, f"{triple}: no path of this machine in it", found)
    print(f"     {len(data) / 1e6:.1f} MB", flush=True)
