"""``memopt batch``: runs over many users whose model is asked through files."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext, redirect_stdout, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memopt.cli.files import check_target
from memopt.cli.grouped import Only, grouped
from memopt.cli.optimize import Request
from memopt.cli.options import Common, Log, MinRecall, OnStore, Questions, Report
from memopt.cli.plain import PlainCommand, PlainGroup
from memopt.cli.run import Work, progress
from memopt.cli.safe import native_path, shown_path, visible
from memopt.errors import Interrupted, StoreError, UsageError
from memopt.wording import count

if TYPE_CHECKING:
    from memopt.batch import Batch, Export, Import, RequestFile, RequestFiles, Results
    from memopt.cli.render import Screen
    from memopt.evaluation.gate import Gate
    from memopt.fleet import Selection, Summary
    from memopt.models.batch import Service
    from memopt.plan import Filters
    from memopt.settings import Settings
    from memopt.stores.base import MemoryStore

app = typer.Typer(
    name="batch",
    cls=PlainGroup,
    help="Ask the model through files: write the requests of many users, let a batch service or vLLM answer them, and make plans "
    "of the answers.",
    rich_markup_mode=None,
)

BatchPath = Annotated[
    str | None,
    typer.Option("--batch", metavar="FILE", help="What the batch is remembered in: the file of requests with .batch at its end."),
]
MaxPerFile = Annotated[
    str | None,
    typer.Option("--max-per-file", metavar="N", help="Requests in one file, then another one is begun (50000, 200 MB at most)."),
]
_MAX_REQUESTS = "Ask for no more than this, all rounds together."
_MAX_COST = "Spend no more than this in all rounds; needs --price."
_PRICE = "What a million tokens cost in a batch, such as 0.075/0.30."


Exported = Annotated[
    Request,
    Only(
        "out all_users users users_from user when limit_users shard force strategies policy options agent team topic model "
        "base_url judge on_loss context_tokens prompt_file protect max_rewrites max_drop allow_empty price max_requests max_cost "
        "log verbose",
        out="Where the requests go, as JSON Lines.",
        all_users="Every user, the most expensive first.",
        base_url="Where the model serves, for the record; nothing is sent there.",
        price=_PRICE,
        max_requests=_MAX_REQUESTS,
        max_cost=_MAX_COST,
    ),
]


def export(
    request: Exported,
    without: Annotated[
        tuple[str, ...],
        typer.Option("--without", metavar="WHAT", help="Leave out of the requests: schema, system or temperature; repeatable."),
    ] = (),
    max_per_file: MaxPerFile = None,
    batch: BatchPath = None,
    *,
    common: Common,
) -> Work:
    """Write the requests of many users to a file, for a batch service or vLLM's batch runner. Nothing is sent."""
    return lambda: _export(replace(request, common=common), without, max_per_file, batch)


def _export(request: Request, without: Sequence[str], max_per_file: str | None, batch_path: str | None) -> int:
    from memopt.batch import Export, RequestFiles
    from memopt.cli import fleet
    from memopt.cli import optimize as one
    from memopt.cli.render import steps_text, store_text
    from memopt.manager import step_of
    from memopt.stores.batches import SUFFIX, new_batch

    flags = request.fleet
    if request.out is None:
        raise UsageError("say where the requests go: --out FILE.jsonl")
    out = check_target(request.out, kind=None)
    request, selection, _ = _settled(request)
    if request.only is not None:
        raise UsageError(
            f"policy {request.policy} says only = {request.only!r}, which parts what is written at once from what is kept for "
            "review; a batch keeps whole plans: memopt review walks through each"
        )
    state = out.with_suffix(SUFFIX) if batch_path is None else check_target(batch_path, "--batch", None)
    if state == out:
        raise UsageError("--out and --batch name the same file")
    per_file = _per_file(max_per_file)

    request, settings, chain = one.resolved(request)
    made = _made(request, settings, chain, without)
    store = request.common.manager(settings).store
    if request.user is not None:
        _check_known(store, request.user)
    made = replace(made, store=store.ref).made_with(chain)
    steps = tuple(step_of(each) for each in chain)

    with fleet.Told(flags.log, applying=False) as told:
        files = RequestFiles(out, per_file)
        done: list[RequestFile] = []
        try:
            with suppress(_Empty), new_batch(state, made.to_dict()) as batch:
                run = Export(
                    store,
                    chain,
                    made,
                    batch,
                    files,
                    now=int(time.time()),
                    selection=selection,
                    force=flags.force,
                    told=told.outcome,
                    sized=told.sized,
                )
                summary, done = _run(run, told, files)
                if not done:
                    raise _Empty
        except BaseException:
            for file in done:  # without the file of the batch, nobody could do anything with the answers
                file.path.unlink(missing_ok=True)
            raise
        finally:
            files.discard()
        if not summary.users and flags.users and summary.passed_over["selection"]:
            raise UsageError(
                f"no user of {store.ref.location} fits {' or '.join(map(repr, flags.users))}; memopt users lists them"
            )
        view = fleet.View(
            ref=store.ref,
            steps=steps,
            model={"name": made.service.name, "endpoint": made.service.endpoint},
            encoding=made.encoding,
            applying=False,
            selection=selection,
            policy=request.policy,
        )
        told.clear()
        if request.common.json:
            head = {**_document(made, state if done else None, 1, steps), "policy": request.policy, **_files_document(run, done)}
            fleet.write_document(head, told, summary)
        else:
            from memopt.cli.render import Screen

            screen = Screen(sys.stdout)
            if flags.verbose:
                fleet.users_table(screen, view, told, summary)
            else:
                screen.line((f"Batch for {count(summary.users, 'user')}", "bold"))
                about = [("store", store_text(store.ref)), ("strategy", steps_text(steps))]
                chosen = fleet.chosen_text(view, summary)
                _tell(screen, [*about, ("chosen", chosen)] if chosen else about)
            _tell(screen, _told_export(run, done, state, made))
            screen.line(fleet.states_line(summary))
            if done:
                screen.line("nothing was written to the store; make plans of the answers with:")
                screen.line(f"  memopt batch import RESULTS --batch {_quoted(state)} --out plans")
            else:
                screen.line("no request is needed, and nothing was written" + _hint(summary))
        sys.stdout.flush()
        fleet.tell_failures(view, summary)
        return told.exit_code(int(summary.exit_code))


class _Empty(Exception):
    """There was nothing to write."""


def _hint(summary: Summary) -> str:
    return "; memopt optimize makes these plans without a model" if summary.counted["changed"] else ""


def _run(run: Export | Import, told: Any, files: RequestFiles | None) -> tuple[Summary, list[RequestFile]]:
    """Run it, with Ctrl-C and SIGTERM ending it between two users. Raises what stopped it, but for a limit."""
    from memopt.cli.run import stopping_by
    from memopt.errors import LimitError

    told.summary = run.summary
    kept = "the plans that were made are kept, and the batch is as it was" if run.kept else "nothing was written"
    stopped = Interrupted(f"interrupted; {kept}")
    progress.left = kept
    with stopping_by(lambda: run.stop(stopped)), redirect_stdout(sys.stderr):  # a strategy of somebody else's may print
        summary = run.run()
    progress.left = None
    if summary.stopped is not None and not isinstance(summary.stopped, LimitError):
        raise summary.stopped
    return summary, [] if files is None else files.finish()


def _settled(request: Request) -> tuple[Request, Selection, Filters]:
    """``fleet.settled``, for one user too."""
    from memopt.cli.fleet import WHO, settled
    from memopt.cli.options import one_user

    flags = request.fleet
    if not flags.wanted and request.user is None:
        raise UsageError(f"say which users: --user ID, {WHO}")
    if flags.wanted or request.user is None:
        return settled(request)
    user = one_user(request.user, False)
    made, selection, filters = settled(replace(request, user=None))
    return replace(made, user=user), replace(selection, ids=frozenset([user or ""])), filters


def _check_known(store: MemoryStore, user_id: str) -> None:
    """Raise UnknownUser for a user that the store does not have."""
    from memopt.manager import MemoryManager

    MemoryManager(store).get_user_memories(user_id)


def _made(request: Request, settings: Settings, chain: Sequence[Any], without: Sequence[str]) -> Batch:
    """How the plans are made; the store is filled in by the caller."""
    from memopt.batch import Batch
    from memopt.cli import optimize as one
    from memopt.cli.asking import BUILT_IN
    from memopt.models.address import OPENAI_URL, read_base_url
    from memopt.models.batch import Service, read_without
    from memopt.plan import StoreRef
    from memopt.protect import Protection
    from memopt.settings import whole_number

    if not any(each.needs_model for each in chain):
        raise UsageError("these strategies ask no model: memopt optimize --all-users --out DIR makes the plans at once")
    if settings.model is None or settings.model == BUILT_IN:
        raise UsageError("say which model will answer the requests: --model NAME; the built-in one needs no batch")
    if any(getattr(each, "embedder", None) is not None for each in chain):
        raise UsageError("an embedding model of a service would be asked live, for every round anew; name a local one")
    if settings.judge == BUILT_IN:
        raise UsageError(f"--judge takes a model of a service; {BUILT_IN} does not judge")
    address = read_base_url(settings.base_url)
    endpoint = OPENAI_URL if address is None else address.url
    left_out = read_without(without)

    def service(name: str) -> Service:
        return Service(name, endpoint, settings.context_tokens, left_out)

    Protection.read(request.protect)
    asked = one.questions_of(request)
    gate = one.open_gate(request)  # a mistake in it is told before anything is paid for
    if gate is not None:
        gate.check_whose()
    made = Batch(
        store=StoreRef("", "", ""),
        strategies=tuple(request.strategies),
        options=one.options_of(request),
        service=service(settings.model),
        judge=None if settings.judge is None else service(settings.judge),
        filters=one.filters_of(request),
        protect=tuple(request.protect),
        max_drop=request.max_drop,
        allow_empty=request.allow_empty,
        encoding=settings.encoding,
        price=settings.price,
        questions=None if asked is None else asked[0],
        min_recall=None if asked is None else asked[1],
    )
    if request.max_rewrites is not None:
        made = replace(made, max_rewrites=whole_number(request.max_rewrites, "--max-rewrites"))
    return _limited(made, (None, request.asking.max_requests, request.asking.max_cost))


def _per_file(text: str | None) -> int:
    from memopt.models.batch import MOST_REQUESTS
    from memopt.settings import whole_number

    return MOST_REQUESTS if text is None else whole_number(text, "--max-per-file")


# -- import -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Import:
    """What ``import`` was told, as texts."""

    results: Annotated[
        tuple[str, ...], typer.Argument(metavar="RESULTS", help="The files that came back, of answers and of errors.")
    ]
    out: Annotated[str | None, typer.Option("--out", metavar="DIR", help="Where the plans go, one a user.")] = None
    next_: Annotated[
        str | None, typer.Option("--next", metavar="FILE", help="Where the requests go of users who need another round.")
    ] = None
    again: Annotated[
        tuple[str, ...],
        typer.Option("--again", metavar="WHAT", help="With --next: ask anew for missing, failed or stale ones; repeatable."),
    ] = ()
    batch: BatchPath = None
    questions: Questions = None
    min_recall: MinRecall = None
    price: Annotated[str | None, typer.Option("--price", metavar="IN/OUT", help=_PRICE)] = None
    max_requests: Annotated[str | None, typer.Option("--max-requests", metavar="N", help=_MAX_REQUESTS)] = None
    max_cost: Annotated[str | None, typer.Option("--max-cost", metavar="AMOUNT", help=_MAX_COST)] = None
    max_per_file: MaxPerFile = None
    log: Log = None
    report: Report = None
    common: OnStore


def import_(said: _Import) -> Work:
    """Make plans of the answers, one a user, for memopt apply DIR. Nothing is sent, and nothing is written to the store."""
    return lambda: _import(said)


def _import(said: _Import) -> int:
    from memopt.batch import Batch, Import, RequestFiles, read_again, take_results
    from memopt.cli import fleet
    from memopt.manager import step_of
    from memopt.stores.batches import open_batch
    from memopt.strategies.registry import make_chain

    if said.out is None:
        raise UsageError("say where the plans go: --out DIR")
    wanted = read_again(said.again)
    if wanted and said.next_ is None:
        raise UsageError("--again goes with --next FILE, which takes the requests")
    paths = [_results_path(each) for each in said.results]
    folder = fleet.read_folder_path(said.out)
    target = None if said.next_ is None else check_target(said.next_, "--next", None)
    if target is not None and target in paths:
        raise UsageError("--next names a file of results")
    if said.questions is not None:
        _gate(said, None)  # a mistake in it is told before any other
    per_file = _per_file(said.max_per_file)
    path = _found_batch(paths) if said.batch is None else _real(said.batch)
    report = fleet.open_report(said.report, said.log)

    files = None if target is None else RequestFiles(target, per_file)
    with fleet.Told(said.log, applying=False, report=report) as told:
        try:
            with open_batch(path) as batch:
                made = _limited(Batch.from_dict(batch.head), (said.price, said.max_requests, said.max_cost))
                about: dict[str, Any] = {"applying": False, "encoding": made.encoding, "settings": _settings_of(said, path)}
                try:
                    store, _ = fleet.store_made_from(made.store, said.common, "the requests were")
                except StoreError:
                    with report or nullcontext():
                        if report is not None:
                            report.expect(made.store, **about)
                        raise
                with redirect_stdout(sys.stderr):
                    chain = make_chain(list(made.strategies), made.options)
                gate = _gate(said, made)
                if gate is not None:
                    gate.check_found(store)
                steps = tuple(step_of(each) for each in chain)
                model = {"name": made.service.name, "endpoint": made.service.endpoint}
                found = take_results(batch, paths)
                run = Import(
                    store,
                    chain,
                    made,
                    batch,
                    files,
                    folder=fleet.folder_maker(folder, made.store),
                    gate=None if gate is None else gate.hold,
                    with_last=report is not None,
                    again=wanted,
                    now=int(time.time()),
                    told=told.outcome,
                    sized=told.sized,
                )
                with report or nullcontext():
                    if report is not None:
                        report.begin(store, run.summary, steps=steps, model=model, **about)
                    summary, written = _run(run, told, files)
                round_ = batch.round + (1 if written else 0)
        finally:
            if files is not None:
                files.discard()
        view = fleet.View(
            ref=store.ref, steps=steps, model=model, encoding=made.encoding, applying=False, folder=folder, out=said.out
        )
        told.clear()
        if said.common.json:
            head = {
                **_document(made, path, round_, steps),
                "folder": str(folder),
                "results": asdict(found),
                **_files_document(run, written),
            }
            fleet.write_document(head, told, summary)
        else:
            from memopt.cli.render import Screen

            screen = Screen(sys.stdout)
            fleet.users_table(screen, view, told, summary)
            _tell(screen, _told_import(found, run, written, path))
            for line in fleet.closing_lines(view, summary, told.plans):
                screen.line(line)
            for line in _told_next(written, path, said.out):
                screen.line(line)
        sys.stdout.flush()
        fleet.tell_failures(view, summary)
        code = told.exit_code(int(summary.exit_code))
        return code if report is None else report.exit_code(code)


def _gate(said: _Import, made: Batch | None) -> Gate | None:
    """The gate that the command line asks for, and where it says nothing the policy of the export."""
    from memopt.cli.optimize import open_gate
    from memopt.evaluation.gate import Gate
    from memopt.evaluation.questions import read_questions
    from memopt.policy import read_share

    if said.questions is None and made is not None and made.questions is not None:
        asked = read_questions(made.questions, "the questions of the export's policy").questions
        least = made.min_recall if said.min_recall is None else read_share(said.min_recall, "--min-recall")
        gate: Gate | None = Gate(asked, least)
    else:
        gate = open_gate(Request(common=said.common, questions=said.questions, min_recall=said.min_recall))
        if gate is not None and gate.min_recall is None and made is not None:
            gate.min_recall = made.min_recall
    if gate is not None:
        gate.of_many = True
        gate.check_whose()
    return gate


def _settings_of(said: _Import, path: Path) -> dict[str, Any]:
    """What was said, by option, for the report."""
    names = ("again", "min_recall", "price", "max_requests", "max_cost")
    return {**{name: getattr(said, name) for name in names}, "batch": str(path), "plans": said.out, "next": said.next_}


def _real(given: str) -> Path:
    return Path(os.path.realpath(os.path.expanduser(native_path(given))))  # noqa: PTH111 - as for plan files


def _results_path(given: str) -> Path:
    path = _real(given)
    if path.is_dir():
        raise UsageError(f"{shown_path(given)} is a folder; name the files of results in it")
    if not path.is_file():
        raise UsageError(f"there is no file of results {shown_path(given)}")
    return path


def _found_batch(results: Sequence[Path]) -> Path:
    """The file of the batch that the results belong to, beside them or here.

    Raises:
        UsageError: there is none, or there are several.
    """
    from memopt.stores.batches import SUFFIX, batch_id

    wanted = _batch_in(results)
    folders = dict.fromkeys([*(path.parent for path in results), Path.cwd()])
    fitting = [path for path in _beside(folders, SUFFIX) if wanted is not None and batch_id(path) == wanted]
    if len(fitting) == 1:
        return fitting[0]
    where = "several files here belong to it" if fitting else "the file that memopt batch export wrote beside the requests"
    raise UsageError(f"say which batch the results are of: --batch FILE{SUFFIX} ({where})")


def _beside(folders: Sequence[Path] | dict[Path, None], suffix: str) -> Iterator[Path]:
    seen: set[Path] = set()
    for folder in folders:
        for path in sorted(folder.glob(f"*{suffix}")):
            real = Path(os.path.realpath(path))
            if real.is_file() and real not in seen:
                seen.add(real)
                yield real


def _batch_in(results: Sequence[Path]) -> str | None:
    """The batch that the first readable line of results belongs to."""
    from memopt.batch import LONGEST_LINE
    from memopt.models.batch import batch_of, read_line

    for path in results:
        try:
            with path.open("rb") as stream:
                while line := stream.readline(LONGEST_LINE):
                    found = batch_of(read_line(line).custom_id or "")
                    if found is not None:
                        return found
        except OSError as error:
            raise UsageError(f"{shown_path(str(path))} cannot be read: {error.strerror or error}") from None
    return None


def _limited(made: Batch, limits: tuple[str | None, str | None, str | None]) -> Batch:
    """The batch with what the command line says about its limits."""
    from memopt.cli.asking import read_amount
    from memopt.settings import whole_number
    from memopt.usage import Price as Prices

    price, max_requests, max_cost = limits
    if price is not None:
        Prices.read(price)
        made = replace(made, price=price)
    if max_requests is not None:
        made = replace(made, max_requests=whole_number(max_requests, "--max-requests"))
    if max_cost is not None:
        made = replace(made, max_cost=read_amount(max_cost))
    made.budget()
    return made


# -- telling ------------------------------------------------------------------------------------------------------------


def _quoted(path: Path) -> str:
    here = Path.cwd()
    return shlex.quote(shown_path(str(path.relative_to(here) if path.is_relative_to(here) else path)))


def _bytes(number: int) -> str:
    return f"{number / 1e6:,.1f} MB" if number >= 1e6 else f"{number / 1e3:,.1f} kB"


def _requests(number: int) -> str:
    return f"{number:,} request" + ("" if number == 1 else "s")


def _tell(screen: Screen, lines: Iterable[tuple[str, str]]) -> None:
    for name, text in lines:
        screen.wrapped([(text, "")], indent=f"  {name:<12}", hanging=" " * 14)


def _told_files(run: Export | Import, files: Sequence[RequestFile]) -> Iterator[tuple[str, str]]:
    made = run.made
    many = len({file.model for file in files}) > 1
    cost = ""
    if made.price is not None and files:
        from memopt.usage import Price as Prices

        cost = f", at most about {Prices.read(made.price).of(run.tokens, run.tokens):.4g} at the price given"
    if files:
        yield "requests", f"{sum(file.requests for file in files):,}, about {run.tokens:,} tokens{cost}"
    for file in files:
        model = f", for {visible(file.model)}" if many else ""
        yield "file", f"{_quoted(file.path)} ({_requests(file.requests)}, {_bytes(file.bytes)}{model})"


def _told_export(run: Export, files: Sequence[RequestFile], state: Path, made: Batch) -> Iterator[tuple[str, str]]:
    yield "model", f"{visible(made.service.name)} at {visible(made.service.endpoint)}"
    yield from _told_files(run, files)
    if files:
        yield "batch", f"{_quoted(state)}, which memopt batch import needs"


def _told_import(found: Results, run: Import, files: Sequence[RequestFile], path: Path) -> Iterator[tuple[str, str]]:
    words = [
        (found.answers - found.failures, "answer", "answers"),
        (found.failures, "failed request", "failed requests"),
        (found.repeated, "known already", "known already"),
        (found.duplicates, "second answer to one request, not used", "second answers to one request, not used"),
        (found.outdated, "of users whose memories changed", "of users whose memories changed"),
        (found.unknown, "of no request of this batch", "of no request of this batch"),
        (found.broken, "cut off or broken", "cut off or broken"),
        (found.requests, "line of a file of requests", "lines of a file of requests"),
    ]
    told = ", ".join(f"{count:,} {one if count == 1 else many}" for count, one, many in words if count) or "none"
    lines = f"{found.lines:,} line" + ("" if found.lines == 1 else "s")
    yield "results", f"{lines}: {told}"
    yield from _told_files(run, files)
    if files:
        yield "batch", f"{_quoted(path)}, which the next memopt batch import needs"


def _told_next(files: Sequence[RequestFile], path: Path, out: str) -> Iterator[str]:
    """What is to be done with a further round's requests; nothing where there are none."""
    if files:
        which = _quoted(files[0].path) if len(files) == 1 else f"the {len(files)} files of requests"
        yield f"have {which} answered, and go on with:"
        yield f"  memopt batch import RESULTS --batch {_quoted(path)} --out {shlex.quote(shown_path(out))} --next FILE"


def _service_document(service: Service | None) -> dict[str, Any] | None:
    return None if service is None else {"name": service.name, "endpoint": service.endpoint}


def _document(made: Batch, path: Path | None, round_: int, steps: Sequence[Any]) -> dict[str, Any]:
    from memopt.cli.documents import store_document

    return {
        "store": store_document(made.store),
        "batch": None if path is None else str(path),
        "round": round_,
        "steps": [{"strategy": step.strategy, "options": dict(step.options)} for step in steps],
        "model": _service_document(made.service),
        "judge": _service_document(made.judge),
        "encoding": made.encoding,
    }


def _files_document(run: Export | Import, files: Sequence[RequestFile]) -> dict[str, Any]:
    listed = [{"path": str(file.path), "model": file.model, "requests": file.requests, "bytes": file.bytes} for file in files]
    return {"requests": sum(file.requests for file in files), "request_tokens": run.tokens, "files": listed}


_CONTEXT = {"help_option_names": ["-h", "--help"]}
app.command("export", cls=PlainCommand, short_help="Write the requests of many users to a file.", context_settings=_CONTEXT)(
    grouped(export)
)
app.command("import", cls=PlainCommand, short_help="Make plans of the answers, one a user.", context_settings=_CONTEXT)(
    grouped(import_)
)
