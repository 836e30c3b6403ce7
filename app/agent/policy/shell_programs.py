"""Programs that start other programs, and where in their arguments those stand. Pure data and its reading."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from app.agent.policy.shell_words import Word


@dataclass(frozen=True, slots=True)
class Started:
    """What a command starts: commands, code for a shell, and whether there is more that cannot be seen."""

    commands: tuple[tuple[Word, ...], ...] = ()
    hides: bool = False
    code: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Wrapper:
    """Options that take a value, and how many arguments come before the program."""

    valued: frozenset[str] = frozenset()
    before: int = 0


def _wrapper(valued: str = "", before: int = 0) -> _Wrapper:
    return _Wrapper(frozenset(valued.split()), before)


_WRAPPERS = {
    "sudo": _wrapper("-u -g -h -p -C -D -R -T -U -r -t --user --group --host --prompt --chdir"),
    "doas": _wrapper("-u -C"),
    "env": _wrapper("-u -C --unset --chdir"),
    "nice": _wrapper("-n --adjustment"),
    "ionice": _wrapper("-c -n -p"),
    "chrt": _wrapper("-p", before=1),
    "taskset": _wrapper("-p", before=1),
    "timeout": _wrapper("-k -s --kill-after --signal", before=1),
    "stdbuf": _wrapper("-i -o -e"),
    "time": _wrapper("-f -o"),
    "xargs": _wrapper(
        "-I -n -P -L -d -E -s -a -i -l --max-args --max-procs --delimiter --arg-file --replace"
    ),
    "parallel": _wrapper("-j -S -I -a --jobs"),
    "exec": _wrapper("-a"),
    "chroot": _wrapper(before=1),
    "flock": _wrapper("-w -E", before=1),
    "strace": _wrapper("-o -e -p -s -u"),
    "unshare": _wrapper(),
    "setsid": _wrapper(),
    "nohup": _wrapper(),
    "command": _wrapper(),
    "builtin": _wrapper(),
    "busybox": _wrapper(),
    "toybox": _wrapper(),
    "caffeinate": _wrapper("-t -w"),
    "watch": _wrapper("-n -d"),
    "entr": _wrapper(),
    "proot": _wrapper("-r -b -w"),
    "run0": _wrapper("-u -D"),
    "systemd-run": _wrapper("-p -u -E"),
    "pkexec": _wrapper("--user"),
}
_SHELLS = frozenset("sh bash dash zsh ksh ash fish mksh rbash csh tcsh pwsh powershell cmd".split())
_INTERPRETERS = re.compile(
    r"(?:python|pypy|perl|ruby|node|deno|bun|php|lua|tclsh|awk|gawk|mawk|sed|vim?|ed|ex)[\d.]*"
)
_INLINE = re.compile(r"-[A-Za-z]*[ceErR]|--eval|--print|--command")
_CODE_OPTION = frozenset("su runuser script flock".split())
_REMOTE = frozenset(
    "ssh su runuser script docker podman kubectl make ninja at batch crontab gdb screen tmux".split()
)
_LAUNCHING_OPTIONS = {
    "tar": ("--to-command", "--checkpoint-action", "-I", "--use-compress-program", "--rsh-command"),
    "rsync": ("-e", "--rsh", "--rsync-path"),
    "scp": ("-S", "-o"),
    "sort": ("--compress-program",),
    "man": ("-P", "--pager", "-H"),
    "zip": ("-TT", "--unzip-command"),
    "rg": ("--pre",),
    "git": ("bisect", "submodule", "rebase", "difftool", "mergetool", "filter-branch", "for-each-repo"),
}
"""Words among the arguments by which these start other programs."""

_TEXT_TOOLS = frozenset(
    (
        "echo printf cat tac nl head tail grep egrep fgrep rg ls dir wc sort uniq cut paste tr diff cmp "
        "comm file stat du df date cal which type whereis man test [ true false : pwd cd pushd popd mkdir "
        "rmdir touch cp mv ln chmod chown tee tar zip unzip gzip gunzip less more basename dirname "
        "realpath readlink md5sum sha256sum jq git pip conda npm export set unset read return exit kill "
        "sleep seq fold fmt od xxd hexdump"
    ).split()
)
_SUBCOMMANDS = {
    "git": frozenset(
        "-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env".split()
    ),
    "pip": frozenset(["--python", "--log", "--proxy"]),
    "conda": frozenset[str](),
    "npm": frozenset(["--prefix"]),
    "svn": frozenset(["--config-dir"]),
    "hg": frozenset(["-R", "--cwd", "--config"]),
    "systemctl": frozenset(["-H", "-M"]),
    "apt": frozenset(["-o", "-c"]),
    "apt-get": frozenset(["-o", "-c"]),
}


_MOST = 20
"""More programs than this nobody starts with one `find`."""


def started_by(name: str, arguments: Sequence[Word]) -> Started:
    """Return what a program of this name starts when it is given these arguments."""
    started = _started(name, tuple(arguments))
    return replace(started, hides=True) if _launches(name, arguments) else started


def only_names(name: str) -> bool:
    """Return whether a program takes the names of others as text or files, and never starts them."""
    return name in _TEXT_TOOLS


def lends_itself(name: str, arguments: Sequence[Word]) -> bool:
    """Return whether a program is there to run what its arguments say, so that its name says nothing."""
    started = started_by(name, arguments)
    inline = _INTERPRETERS.fullmatch(name) is not None and any(_INLINE.fullmatch(w.text) for w in arguments)
    carries = bool(started.commands or started.code) or _launches(name, arguments)
    return carries or inline or name in _SHELLS or name in (".", "source")


def _launches(name: str, arguments: Sequence[Word]) -> bool:
    return any(word.text.startswith(_LAUNCHING_OPTIONS.get(name, ())) for word in arguments)


def _started(name: str, words: tuple[Word, ...]) -> Started:
    if name in _SHELLS:
        return _shell(words)
    if name in ("eval", "trap"):
        code = words if name == "eval" else words[:1]
        return Started(hides=_unknown(code), code=(" ".join(word.text for word in code),))
    if name in (".", "source"):
        return Started(hides=True)
    if name in _CODE_OPTION and any(word.text == "-c" for word in words):
        return _shell(words)
    if name in _WRAPPERS:
        looks_up = name == "command" and any(word.text in ("-v", "-V") for word in words[:1])
        return Started() if looks_up else _wrapped(name, words)
    if name == "find":
        return _found(words)
    if name in _SUBCOMMANDS:
        return _subcommand(name, words)
    if _INTERPRETERS.fullmatch(name):
        inline = not words or any(_INLINE.fullmatch(word.text) or not word.literal for word in words)
        return Started(hides=inline or name in ("sed", "awk", "gawk", "mawk"))
    return Started(hides=name in _REMOTE or name == "alias")


def _shell(words: tuple[Word, ...]) -> Started:
    for place, word in enumerate(words):
        if re.fullmatch(r"-[a-z]*c[a-z]*", word.text) and len(words) > place + 1:
            return Started(hides=_unknown(words), code=(words[place + 1].text,))
    return Started(hides=True)  # a script, or what comes through a pipe


def _wrapped(name: str, words: tuple[Word, ...]) -> Started:
    if name == "env" and (split := _split_string(words)):
        return Started(hides=_unknown(words), code=(split,))
    wrapper = _WRAPPERS[name]
    program = _after_options(words, wrapper.valued, wrapper.before)
    if not program:
        return Started()
    code = (" ".join(word.text for word in program),) if name in ("watch", "parallel", "entr") else ()
    # What xargs and parallel add to the command comes from elsewhere.
    return Started((program,), hides=name in ("xargs", "parallel"), code=code)


def _split_string(words: tuple[Word, ...]) -> str:
    """Return the command line in `env -S`, empty without that option."""
    for place, word in enumerate(words):
        if option := re.match(r"-[a-z0-9]*S|--split-string=?", word.text):
            rest = (one.text for one in words[place + 1 :])
            return " ".join([word.text[option.end() :], *rest]).strip()
    return ""


def _after_options(words: tuple[Word, ...], valued: frozenset[str], before: int) -> tuple[Word, ...]:
    place = 0
    while place < len(words):
        text = words[place].text
        if text == "--":
            place += 1
            break
        if not text.startswith("-") and "=" not in text:
            break
        place += 2 if text in valued else 1
    return words[place + before :]


def _found(words: tuple[Word, ...]) -> Started:
    places = [i for i, word in enumerate(words) if word.text in ("-exec", "-execdir", "-ok", "-okdir")]
    commands = []
    for place in places[:_MOST]:
        rest = words[place + 1 :]
        end = next((i for i, one in enumerate(rest) if one.text in (";", "+")), len(rest))
        if end:
            commands.append(rest[:end])
    return Started(tuple(commands), hides=len(places) > _MOST)


def _subcommand(name: str, words: tuple[Word, ...]) -> Started:
    rest = _after_options(words, _SUBCOMMANDS[name], 0)
    options = words[: len(words) - len(rest)]
    # Options before the subcommand can name other programs: aliases, pagers, transports.
    risky = any(word.text.startswith(("-c", "--config", "--exec-path")) for word in options)
    return Started(((Word(name), *rest),) if options and rest else (), hides=risky)


def _unknown(words: Sequence[Word]) -> bool:
    return any(not word.literal for word in words)
