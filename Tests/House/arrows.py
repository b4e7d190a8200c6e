#!/usr/bin/python3
"""Draws the arrows between the folders of a target, from the folder that uses a name to the one that declares it.

arrows.py FOLDER..., each a target's (Sources/NAME). Exits with 1 if a target's arrows form a circle, and prints
the names that cause it. A file outside the target's folders counts as a folder.

It reads the words of the code and does not know the types of expressions. It sees: types by their names, nested ones by their
full names or by short ones that only one type has, wherever extensions declare them; declarations outside of types; and
members after a dot, or within their type, that extensions declare in a folder other than the type's. It does not
see other members, whose use needs no name of a type, nor operators, initialisers and subscripts, nor functions that
the standard library or another target calls through a protocol. It ignores a name that more than one folder declares, and a
member's name that another target in the same place also declares. It mistakes a member of the standard library for one of
the target's own with the same name.
"""

import sys
from collections import defaultdict
from pathlib import Path

import swift_names


class Target:
    """The folders of a target: the names that each declares, and those of the others that each uses."""

    def __init__(self, top):
        self.files = {path.relative_to(top): swift_names.read(path.read_text()) for path in sorted(top.rglob("*.swift"))}
        self.types = defaultdict(list)  # by full name: (file, declaration)
        self.short = defaultdict(set)  # full names by their last part
        self.members = defaultdict(list)  # by name
        for file, names in self.files.items():
            for declaration in names.declarations:
                known = self.types[declaration.path] if declaration.is_type else self.members[declaration.name]
                known.append((file, declaration))
                if declaration.is_type:
                    self.short[declaration.name].add(declaration.path)
        # A member after a dot may also be one that another target declares.
        for path in top.parent.rglob("*.swift"):
            if not path.is_relative_to(top):
                for declaration in swift_names.read(path.read_text()).declarations:
                    if not declaration.is_type:
                        self.members.pop(declaration.name, None)

    def arrows(self):
        """A use for each arrow: {(from, to): sentence}."""
        found = {}
        for file, names in self.files.items():
            uses = names.uses + [
                swift_names.Use(declaration.owner, "", declaration.line, True, False)
                for declaration in names.declarations
                if declaration.extends
            ]
            for use in uses:
                for name, origin in self.type_names(file, use) if use.is_type else self.member_names(file, use):
                    if folder(origin) != folder(file):
                        found.setdefault((folder(file), folder(origin)), f"{file}:{use.line} uses {name} of {origin}")
        return found

    def type_names(self, file, use):
        """The types to which a name refers, as far as they are known: (full name, file)."""
        first, *rest = use.name.strip("[]").split(".")
        # After a dot this is the last part of a name whose first part is no written type, as in Self.Kind.
        named = self.short[first] if use.follows_dot else {self.visible(first, use.owner)}
        path = next(iter(named)) if len(named) == 1 else ""
        while path:
            if origin := self.origin(file, self.types.get(path, [])):
                yield path, origin
            path = f"{path}.{rest.pop(0)}" if rest else ""

    def visible(self, name, owner):
        """The full name of the type that has this name within another."""
        around = owner.split(".") if owner else []
        paths = [".".join([*around[:count], name]) for count in range(len(around), -1, -1)]
        return next((path for path in paths if path in self.types), "")

    def member_names(self, file, use):
        """A member or function that is declared in one folder only, if that is not the folder of its type."""
        known = self.members.get(use.name, [])
        origin = self.origin(file, known)
        visible = [declaration for other, declaration in known if not declaration.is_private]
        if not origin or not all(self.is_away(origin, declaration) for declaration in visible):
            return
        for declaration in visible:
            is_within = declaration.owner and use.owner.split(".")[0] == declaration.owner.split(".")[0]
            if is_within or use.follows_dot == bool(declaration.owner):
                yield declaration.path, origin
                return

    def is_away(self, file, declaration):
        """Whether a member is in a folder other than its type's, or its type is not in this target."""
        if declaration.owner and not declaration.extends:
            return False
        home = self.origin(file, self.types.get(declaration.owner, []))
        return not home or folder(home) != folder(file)

    @staticmethod
    def origin(file, known):
        """The file that declares the name used in a file, if that is certain."""
        own = [other for other, _ in known if other == file]
        others = [other for other, declaration in known if not declaration.is_private]
        if own or len({folder(other) for other in others}) != 1:
            return own[0] if own else None
        return others[0]


def folder(file):
    """The part of the target that a file belongs to: a folder, or the file itself if it is in none."""
    return file.parts[0]


def circles(arrows):
    """The shortest circle through each folder that is on one: lists of arrows, each circle once."""
    found = {}
    for start in sorted({source for source, _ in arrows}):
        ways, seen = [[start]], set()
        while ways:
            way = ways.pop(0)
            for source, target in sorted(arrows):
                if source != way[-1] or target in seen:
                    continue
                if target == start:
                    found.setdefault(frozenset(way), list(zip(way, [*way[1:], start])))
                    ways = []
                    break
                seen.add(target)
                ways.append([*way, target])
    return list(found.values())


def main(tops):
    failed = False
    for top in tops:
        arrows = Target(top).arrows()
        print(f"{top.name}:")
        for source in sorted({source for source, _ in arrows}):
            print(f"  {source} → {', '.join(sorted(target for other, target in arrows if other == source))}")
        for circle in circles(arrows):
            failed = True
            print(f"  a circle: {' → '.join([circle[0][0], *(target for _, target in circle)])}")
            for arrow in circle:
                print(f"    {arrow[0]} → {arrow[1]}: {arrows[arrow]}")
    return failed


if __name__ == "__main__":
    if not sys.argv[1:]:
        sys.exit(__doc__)
    sys.exit(main([Path(argument) for argument in sys.argv[1:]]))
