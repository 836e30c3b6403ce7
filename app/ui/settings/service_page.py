"""The service page: a model on another computer (or in another program here), tried before it is used."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QFrame, QHBoxLayout, QLineEdit, QScrollArea, QVBoxLayout, QWidget

from app.errors import AppError
from app.llm.remote.address import is_this_computer, shown
from app.llm.remote.profiles import profile_of
from app.services.model_services import ModelServices, ServiceCheck, ServiceKind, kinds
from app.services.models import service_address
from app.settings import Settings
from app.ui.settings.consent_line import ConsentLine
from app.ui.settings.form import Form, Suggestions
from app.ui.tasks import Tasks
from app.ui.theme import M, S
from app.ui.widgets.basics import button, label, restyle, rule
from app.ui.widgets.fields import Check, Choice
from app.ui.widgets.notices import Message

if TYPE_CHECKING:
    from app.application import Application

LOCAL = "local"
KEY = "api_key"


class ServicePage(QWidget):
    """What is typed is a draft until it is used; emits `changed` as `app.settings.save` takes it."""

    changed = Signal(object)

    def __init__(self, application: Application, tasks: Tasks, post: Callable[..., object]) -> None:
        super().__init__()
        self.setObjectName("servicePage")
        self._secrets, self._tasks, self._post = application.secrets, tasks, post
        self._services = ModelServices(lambda: application.settings, application.secrets)
        self._settings = application.settings
        self._kinds = {_name(kind): kind for kind in kinds()}
        self._has_key = False
        self._make_fields()
        self.consent = ConsentLine(application.consent, tasks)
        self._lay_out()
        self._fill(application.settings)
        self.show_settings(application.settings)

    def show_settings(self, settings: Settings) -> None:
        """Show the values in use; what is being typed stays while nothing of it was changed elsewhere."""
        before, self._settings = self._settings, settings
        if settings.llm != before.llm:
            self._fill(settings)
        remote = settings.llm.provider != LOCAL
        self.local.setVisible(remote)
        if not remote:
            said, tone = self.tr("In use: a model on this computer. Nothing is sent."), "ok"
        elif settings.offline and not is_this_computer(service_address(settings)):
            said, tone = self.tr("Offline: the local model stands in for %1."), "warn"
        else:
            said, tone = self.tr("In use: %1"), "ok"
        self.state.setText(said.replace("%1", settings.llm.model))
        restyle(self.state, "tone", tone)
        self.consent.refresh()
        self._tasks.start(self._look_for_key(), "service key")
        self._chosen()

    def kind(self) -> ServiceKind:
        """Return the service that is chosen."""
        return self._kinds[str(self.service.currentData())]

    def draft(self) -> dict[str, Any]:
        """Return the settings of what is typed."""
        kind = self.kind()
        return {
            "provider": kind.provider,
            "service": _name(kind),
            "base_url": self.address.text().strip() or None,
            "model": self.model.text().strip() or None,
            "thinking": self.thinking.isChecked(),
            "proxy": self.proxy.text().strip() or None,
            "ca_file": self.ca_file.text().strip() or None,
        }

    def show_check(self, check: ServiceCheck) -> None:
        """Show what came of a check, and the models to choose from."""
        self._say(self._check_words(check), _tone(check))
        if check.ok:
            self.model.set_values(
                {
                    offered.name: _offered_words(offered.label, offered.context_tokens)
                    for offered in check.models
                }
            )

    def _check_words(self, check: ServiceCheck) -> str:
        if check.ok and check.model_known is False:
            words = self.tr("The key works, but the service does not list %1. Choose one that it lists.")
            return words.replace("%1", self.model.text().strip())
        if check.ok and check.models:
            return self.tr("The key works; %n model(s).", None, len(check.models))
        return " ".join(filter(None, (check.message, check.hint)))

    # -- what is pressed ------------------------------------------------------------------------

    def check(self) -> None:
        """Try address and key, and ask for the models."""
        self._say(self.tr("Asking %1…").replace("%1", shown(self._address())), "meta")
        self.check_button.setEnabled(False)
        self._tasks.start(self._check(), "service check")

    def use(self) -> None:
        """Keep the key and let this service answer from now on."""
        if not self.model.text().strip():
            self._say(self.tr("Choose a model first: press “Check” for those there are."), "warn")
            self.model.setFocus()
            return
        self._tasks.start(self._use(), "service use")

    def forget_key(self) -> None:
        """Take the key out of the keyring."""
        self._tasks.start(self._forget_key(), "service use")

    async def _check(self) -> None:
        try:
            llm = {name: value for name, value in self.draft().items() if name != "ca_file"}
            ca_file = self.ca_file.text().strip()
            now = self._settings.llm.model_copy(
                update={
                    **{name: "" if value is None else value for name, value in llm.items()},
                    "ca_file": Path(ca_file).expanduser() if ca_file else None,
                }
            )
            draft = self._settings.model_copy(update={"llm": now})
            self.show_check(await self._services.check(draft, key=self.key.text().strip() or None))
        finally:
            self.check_button.setEnabled(True)

    async def _use(self) -> None:
        if key := self.key.text().strip():
            stored = await asyncio.to_thread(self._secrets.set, KEY, key)
            self.key.clear()
            if stored.message:
                self._post(Message("warning", stored.message))
        self.changed.emit({"llm": self.draft()})
        await self._look_for_key()

    async def _forget_key(self) -> None:
        await asyncio.to_thread(self._secrets.forget, KEY)
        self.key.clear()
        await self._look_for_key()

    async def _look_for_key(self) -> None:
        try:
            self._has_key = await asyncio.to_thread(self._secrets.get, KEY) is not None
        except AppError:
            self._has_key = False
        self._chosen()

    def _chosen(self) -> None:
        kind = self.kind()
        self.address.setPlaceholderText(kind.base_url or "https://example.org/v1")
        if self._has_key:
            hint = self.tr("A key is kept; type another one to replace it")
        elif kind.needs_key:
            hint = self.tr("From the pages of the service; kept in the system’s keyring")
        else:
            hint = self.tr("Not needed as a rule")
        self.key.setPlaceholderText(hint)
        self.forget.setVisible(self._has_key)

    def _address(self) -> str:
        return self.address.text().strip() or self.kind().base_url

    def _say(self, said: str, tone: str) -> None:
        self.result.setText(said)
        self.result.setVisible(bool(said))
        restyle(self.result, "tone", tone)

    def _service_changed(self) -> None:
        self.address.clear()
        self.model.set_values({})
        self._say("", "meta")
        self._chosen()

    def _choose_ca(self) -> None:
        dialog = QFileDialog(self, self.tr("Choose a certificate file"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters([self.tr("Certificates (*.pem *.crt *.cer)"), self.tr("All files (*)")])
        dialog.fileSelected.connect(self.ca_file.setText)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    # -- how it is set --------------------------------------------------------------------------

    def _fill(self, settings: Settings) -> None:
        llm = settings.llm
        name = "anthropic" if llm.provider == "anthropic" else llm.service
        name = name or profile_of("", llm.base_url).name
        self.service.setCurrentIndex(max(0, self.service.findData(name)))
        self.address.setText(llm.base_url)
        self.model.setText(llm.model)
        self.thinking.setChecked(llm.thinking)
        self.proxy.setText(llm.proxy)
        self.ca_file.setText(str(llm.ca_file or ""))

    def _make_fields(self) -> None:
        self.state = label("", "meta", wrap=True)
        names = {name: kind.label for name, kind in self._kinds.items()}
        self.service = Choice(names, "", self.tr("Service"))
        self.service.activated.connect(lambda _: self._service_changed())
        self.address, self.key = QLineEdit(), QLineEdit()
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        self.forget = button(self.tr("Forget"), self.forget_key)
        self.check_button = button(self.tr("Check"), self.check)
        self.result = label("", "meta", wrap=True)
        self.result.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.result.hide()
        self.model = Suggestions(self.tr("Name of the model; “Check” lists those there are"))
        self.thinking = Check(self.tr("Let it think first: slower, better at hard questions"))
        self.proxy, self.ca_file = QLineEdit(), QLineEdit()
        self.proxy.setPlaceholderText(self.tr("http://… (empty: as the system says; “none”: without)"))
        self.ca_file.setPlaceholderText(self.tr("Certificates trusted besides the system’s"))
        self.local = button(
            self.tr("Use the local model"), lambda: self.changed.emit({"llm": {"provider": LOCAL}})
        )
        self.use_button = button(self.tr("Use this service"), self.use, kind="primary")

    def _lay_out(self) -> None:
        form = Form()
        form.add(self.tr("Service"), self.service)
        form.add(self.tr("Address"), self.address)
        form.add(self.tr("Key"), self.key, self.forget)
        form.add("", self.check_button, self.result, stretch=False)
        form.add(self.tr("Model"), self.model)
        form.add(self.tr("Thinking"), self.thinking)
        form.add(self.tr("Proxy"), self.proxy)
        form.add(self.tr("Certificates"), self.ca_file, button(self.tr("Choose…"), self._choose_ca))
        foot = QHBoxLayout()
        foot.setSpacing(S)
        foot.addStretch(1)
        foot.addWidget(self.local)
        foot.addWidget(self.use_button)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, M, 0)
        column.setSpacing(M)
        column.addWidget(self.state)
        column.addLayout(form)
        column.addLayout(foot)
        column.addWidget(rule())
        column.addWidget(self.consent)
        column.addStretch(1)
        scroll = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(inside)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(scroll)


def _name(kind: ServiceKind) -> str:
    return kind.service or kind.provider


def _tone(check: ServiceCheck) -> str:
    if not check.ok:
        return "bad"
    return "warn" if check.model_known is False else "ok"


def _offered_words(said: str, tokens: int) -> str:
    return f"{said} · {tokens:,}" if tokens else said
