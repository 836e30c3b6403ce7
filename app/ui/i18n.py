"""The language of the window: English by itself, Chinese from a translation."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from app.ui.resources import resources

_installed: list[QTranslator] = []


def locale_of(language: str) -> str:
    """Return "zh_CN" or "en" for a setting ("system", "en", "zh")."""
    if language == "system":
        wished = QLocale.system().uiLanguages()
        language = "zh" if wished and wished[0].lower().startswith("zh") else "en"
    return "zh_CN" if language == "zh" else "en"


def ensure(language: str) -> None:
    """Install the translations of a language where nobody has installed any."""
    app = QCoreApplication.instance()
    if app is not None and not _installed:
        speak(app, language)


def speak(app: QCoreApplication, language: str) -> str:
    """Install the translations of a language in place of the old ones; return its locale.

    English has one too: it holds the plural forms.
    """
    while _installed:
        app.removeTranslator(_installed.pop())
    locale = locale_of(language)
    QLocale.setDefault(QLocale(QLocale.Language.Chinese if locale == "zh_CN" else QLocale.Language.English))
    ours = str(resources() / "translations")
    qts = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    for name, folders in ((f"qtbase_{locale}", (ours, qts)), (f"astroresearch_{locale}", (ours,))):
        translator = QTranslator()
        if any(translator.load(name, folder) for folder in folders):
            app.installTranslator(translator)
            _installed.append(translator)
    return locale
