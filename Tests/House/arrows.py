#!/usr/bin/python3
"""Draws the arrows between the folders of a target, from the folder that uses a name to the one that declares it.

arrows.py FOLDER..., each a target's (Sources/NAME). Ends with status 1 if the arrows of one go round in a circle, and says
by which names. A file in none of the target's folders counts as one.

It goes by the words of the code and knows no types of expressions. It sees: types by their names, nested ones by their full
names or by short ones that only one type has, wherever extensions declare them; what is declared outside of types; and
members after a dot, or within their type, that extensions declare in another folder than that of the type. It does not
see other members, for which no name of a type has to be written, nor operators, initialisers and subscripts, nor what
the standard library or another target calls by a protocol. Of a name that more than one folder declares, or of a member's
that another target in the same place declares too, it says nothing. It takes a member of the standard library for one of
the target's own that is called alike.
"""

import sys
from collections import defaultdict
from pathlib import Path

import swift_names


class Target:
    """The folders of a target: what each declares, and what each uses of the others."""

    def __init__(self, top):
        self.files = {path.relative_to(top): swift_names.read(path.read_text()) for path in sorted(top.rglob("*.swift"))}
        self.types = defaultdict(list)  # by full name: (file, declaration)
        self.short = defaultdict(set)  # full names by the last of their parts
        self.members = defaultdict(list)  # by name
        for file, names in self.files.items():
            for declaration in names.declarations:
                known = self.types[declaration.path] if declaration.is_type else self.members[declaration.name]
                known.append((file, declaration))
                if declaration.is_type:
                    self.short[declaration.name].add(declaration.path)
        # A member after a dot may as well be one that another target declares.
        for path in top.parent.rglob("*.swift"):
            if not path.is_relative_to(top):
                for declaration in swift_names.read(path.read_text()).declarations:
                    if not declaration.is_type:
                        self.members.pop(declaration.name, None)

    def arrows(self):
        """One use for each arrow: {(from, to): sentence}."""
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
        """The types that a name says, as far as it is known which: (full name, file)."""
        first, *rest = use.name.strip("[]").split(".")
        # After a dot stands the last part of a name whose first is no type that is written, as in Self.Kind.
        named = self.short[first] if use.follows_dot else {self.visible(first, use.owner)}
        path = next(iter(named)) if len(named) == 1 else ""
        while path:
            if origin := self.origin(file, self.types.get(path, [])):
                yield path, origin
            path = f"{path}.{rest.pop(0)}" if rest else ""

    def visible(self, name, owner):
        """The full name of the type that is called so within another."""
        around = owner.split(".") if owner else []
        paths = [".".join([*around[:count], name]) for count in range(len(around), -1, -1)]
        return next((path for path in paths if path in self.types), "")

    def member_names(self, file, use):
        """What is no type and is declared in one folder, if that is not the one of the type it is a member of."""
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
        """Whether a member stands in another folder than its type, or has none in this target."""
        if declaration.owner and not declaration.extends:
            return False
        home = self.origin(file, self.types.get(declaration.owner, []))
        return not home or folder(home) != folder(file)

    @staticmethod
    def origin(file, known):
        """The file that declares what is meant in a file, if that is certain."""
        own = [other for other, _ in known if other == file]
        others = [other for other, declaration in known if not declaration.is_private]
        if own or len({folder(other) for other in others}) != 1:
            return own[0] if own else None
        return others[0]


def folder(file):
    """The part of the target that a file belongs to: a folder, or the file itself if it is in none."""
    return file.parts[0]


def circles(arrows):
    """The shortest way round from each folder that lies on one: lists of arrows, each circle once."""
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
