"""The style sheet, made from the tokens.

Widgets say what they are by a dynamic property, not by a colour of their own:
`kind` for buttons ("primary", "plain", "danger", "option", "link"), `tone` for labels ("heading",
"secondary", "hint", "ok", "warn", "bad"), `chip` for chips ("plain", "accent", "ok", "warn", "bad"),
`frame` for boxes ("card", "line", "field", "popover", "warn"), `pane` for the three panes.
"""

from __future__ import annotations

from app.ui.theme import CHIP_PX, META_PX, RADIUS_CARD, RADIUS_CONTROL, Tokens, mono_families


def style_sheet(t: Tokens) -> str:
    """Return the whole program's style sheet in the colours `t`."""
    mono = ", ".join(f'"{family}"' for family in mono_families())
    return f"""
* {{ outline: 0; }}
QWidget {{ color: {t.text}; }}
QMainWindow, QDialog {{ background: {t.window}; }}
QToolTip {{
    background: {t.surface}; color: {t.text}; border: 1px solid {t.line_strong}; padding: 4px 6px; }}

[pane="library"], [pane="timeline"], [pane="bar"] {{ background: {t.window}; }}
[pane="reader"] {{ background: {t.sunken}; }}
[pane="surface"] {{ background: {t.surface}; }}
QFrame[rule="h"] {{ background: {t.line}; border: 0; max-height: 1px; min-height: 1px; }}
QFrame[rule="v"] {{ background: {t.line}; border: 0; max-width: 1px; min-width: 1px; }}
QFrame[frame="card"] {{
    background: {t.surface}; border: 1px solid {t.line}; border-radius: {RADIUS_CARD}px; }}
QFrame[frame="popover"] {{
    background: {t.surface}; border: 1px solid {t.line_strong}; border-radius: {RADIUS_CARD}px; }}
QFrame[frame="field"] {{ background: {t.surface}; border: 1px solid {t.line_strong}; border-radius: 10px; }}
QFrame[frame="field"][focused="true"] {{ border: 1px solid {t.accent}; }}
QFrame[frame="warn"] {{
    background: {t.surface}; border: 1px solid {t.warn}; border-radius: {RADIUS_CARD}px; }}

QFrame[frame="card"]:focus {{ border: 1px solid {t.accent}; }}
QFrame[frame="line"] {{ background: transparent; border: 1px solid transparent; border-radius: 5px; }}
QFrame[frame="line"]:focus, QFrame[frame="line"][focused="true"] {{ border: 1px solid {t.accent}; }}
QFrame[frame="warn"]:focus {{ border: 2px solid {t.warn}; }}

QLabel {{ background: transparent; }}
QLabel[tone="heading"] {{ font-weight: 600; }}
QLabel[tone="title"] {{ font-weight: 600; font-size: 15px; }}
QLabel[tone="secondary"] {{ color: {t.text_2}; }}
QLabel[tone="meta"] {{ color: {t.text_2}; font-size: {META_PX:g}px; }}
QLabel[tone="hint"] {{ color: {t.text_3}; }}
QLabel[tone="small-hint"] {{ color: {t.text_3}; font-size: {META_PX:g}px; }}
QLabel[tone="ok"] {{ color: {t.ok}; }}
QLabel[tone="warn"] {{ color: {t.warn}; }}
QLabel[tone="bad"] {{ color: {t.bad}; }}
QLabel[tone="mono"] {{ font-family: {mono}; font-size: {META_PX:g}px; font-weight: 600; }}
QLabel[tone="key"] {{
    color: {t.text_3}; font-size: 11px; border: 1px solid {t.line}; border-radius: 4px; padding: 0 5px; }}

*[chip] {{
    background: {t.sunken}; color: {t.text_2}; border: 0; border-radius: 5px; padding: 0 7px;
    min-height: 20px; max-height: 20px; font-size: {CHIP_PX:g}px; }}
*[chip="accent"] {{ background: {t.accent_soft}; color: {t.accent}; }}
*[chip="ok"] {{ background: {t.ok_soft}; color: {t.ok}; }}
*[chip="warn"] {{ background: {t.warn_soft}; color: {t.warn}; }}
*[chip="bad"] {{ background: {t.bad_soft}; color: {t.bad}; }}
QPushButton[chip] {{ font-weight: 400; }}
QPushButton[chip]:hover {{ color: {t.text}; }}
QPushButton[chip]:focus {{
    border: 1px solid {t.accent}; padding: 0 6px; min-height: 18px; max-height: 18px; }}

QPushButton {{
    background: {t.surface}; border: 1px solid {t.line_strong}; border-radius: {RADIUS_CONTROL}px;
    padding: 0 11px; min-height: 24px; font-size: {META_PX:g}px; font-weight: 500; }}
QPushButton:hover {{ background: {t.sunken}; }}
QPushButton:pressed {{ background: {t.line}; }}
QPushButton:focus {{ border: 2px solid {t.accent}; padding: 0 10px; min-height: 22px; }}
QPushButton:disabled {{ color: {t.text_3}; border-color: {t.line}; background: {t.window}; }}
QPushButton[kind="primary"] {{
    background: {t.accent}; color: {t.on_accent}; border: 1px solid {t.accent}; }}
QPushButton[kind="primary"]:focus {{ border: 2px solid {t.text}; }}
QPushButton[kind="primary"]:disabled {{
    background: {t.line}; color: {t.text_3}; border: 1px solid {t.line}; }}
QPushButton[kind="danger"] {{ color: {t.bad}; border-color: {t.bad}; }}
QPushButton[kind="danger"]:hover {{ background: {t.bad_soft}; }}
QPushButton[kind="option"] {{ text-align: left; font-weight: 400; padding: 0; min-height: 26px; }}
QPushButton[kind="option"]:focus {{ border: 2px solid {t.accent}; padding: 0; }}
QPushButton[kind="link"] {{
    background: transparent; color: {t.accent}; border: 0; padding: 0 2px; min-height: 20px; }}
QPushButton[kind="link"]:hover {{ text-decoration: underline; }}
QPushButton[kind="link"]:focus {{ border: 1px solid {t.accent}; border-radius: 4px; padding: 0 1px; }}
QPushButton[kind="pill"] {{
    background: {t.surface}; color: {t.text_2}; border: 1px solid {t.line}; border-radius: 12px;
    padding: 0 10px; min-height: 22px; max-height: 22px; font-weight: 400; }}
QPushButton[kind="pill"]:hover {{ border-color: {t.line_strong}; color: {t.text}; }}
QPushButton[kind="pill"]:focus {{ border: 1px solid {t.accent}; }}
QPushButton[kind="pill"]::menu-indicator {{ image: none; width: 0; }}
QPushButton[kind="status"] {{
    background: transparent; color: {t.text_2}; border: 0; padding: 0; min-height: 20px;
    font-size: {CHIP_PX:g}px; font-weight: 400; }}
QPushButton[kind="status"]:hover {{ color: {t.accent}; }}
QPushButton[kind="status"]:focus {{ border-bottom: 1px solid {t.accent}; }}
QPushButton[kind="status"]:disabled {{ color: {t.text_3}; background: transparent; }}
QPushButton[kind="row"] {{
    background: transparent; border: 1px solid transparent; text-align: left; padding: 4px 8px;
    font-weight: 400; font-size: 13px; color: {t.text_2}; }}
QPushButton[kind="row"]:hover {{ background: {t.sunken}; color: {t.text}; }}
QPushButton[kind="row"]:checked {{ background: {t.accent_soft}; color: {t.accent}; }}
QPushButton[kind="row"]:focus {{ border: 1px solid {t.accent}; }}

QToolButton {{
    background: transparent; border: 1px solid transparent; border-radius: {RADIUS_CONTROL}px;
    min-width: 22px; min-height: 22px; padding: 0; color: {t.text_2}; }}
QToolButton:hover {{ background: {t.sunken}; }}
[pane="reader"] QToolButton:hover, [pane="surface"] QToolButton:hover {{ background: {t.sunken}; }}
QToolButton:checked {{ background: {t.accent_soft}; color: {t.accent}; }}
QToolButton:focus {{ border: 1px solid {t.accent}; }}
QToolButton:disabled {{ color: {t.text_3}; }}
QToolButton::menu-indicator {{ image: none; width: 0; }}

QLineEdit, QSpinBox, QComboBox {{
    background: {t.surface}; border: 1px solid {t.line}; border-radius: 7px; padding: 0 8px;
    min-height: 26px; selection-background-color: {t.accent_soft}; selection-color: {t.text}; }}
QLineEdit:focus, QSpinBox:focus, QComboBox:focus {{ border: 1px solid {t.accent}; }}
QComboBox QLineEdit {{ border: 0; padding: 0; background: transparent; }}
QComboBox QLineEdit:focus {{ border: 0; }}
QComboBox:focus, QComboBox:on {{ border: 1px solid {t.accent}; }}
QComboBox {{ padding-right: 22px; }}
QComboBox::drop-down {{ border: 0; width: 20px; }}
QComboBox QAbstractItemView {{
    background: {t.surface}; border: 1px solid {t.line_strong}; padding: 4px; }}
QPlainTextEdit, QTextEdit, QTextBrowser {{
    background: transparent; border: 0; selection-background-color: {t.accent_soft};
    selection-color: {t.text}; }}
QPlainTextEdit[surface="sunken"] {{ background: {t.sunken}; border-radius: {RADIUS_CONTROL}px; }}

QListView, QTreeView, QTableView, QListWidget, QTreeWidget {{
    background: transparent; border: 0; selection-background-color: {t.accent_soft};
    selection-color: {t.text}; }}
QTreeView::item, QListWidget::item {{ min-height: 24px; border-radius: 6px; padding: 0 4px; }}
QTreeView::item:hover, QListWidget::item:hover {{ background: {t.sunken}; }}
QTreeView::item:selected, QListWidget::item:selected {{ background: {t.accent_soft}; color: {t.accent}; }}
QAbstractScrollArea {{ background: transparent; border: 0; }}
QScrollArea > QWidget > QWidget {{ background: transparent; }}

QScrollBar:vertical {{ background: transparent; width: 10px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 10px; margin: 0; }}
QScrollBar::handle {{
    background: {t.line_strong}; border-radius: 3px; margin: 2px; min-height: 28px; min-width: 28px; }}
QScrollBar::handle:hover {{ background: {t.text_3}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}

QSplitter::handle {{ background: {t.line}; }}
QSplitter::handle:hover {{ background: {t.accent}; }}

QProgressBar {{
    background: {t.sunken}; border: 0; border-radius: 2px; min-height: 4px; max-height: 4px; }}
QProgressBar::chunk {{ background: {t.accent}; border-radius: 2px; }}

QMenu {{ background: {t.surface}; border: 1px solid {t.line_strong}; border-radius: 8px; padding: 4px; }}
QMenu::item {{ padding: 5px 22px 5px 12px; border-radius: 5px; }}
QMenu::item:selected {{ background: {t.accent_soft}; color: {t.accent}; }}
QMenu::item:disabled {{ color: {t.text_3}; }}
QMenu::separator {{ height: 1px; background: {t.line}; margin: 4px 6px; }}
QMenu::indicator {{ width: 14px; height: 14px; margin-left: 4px; }}

QTabBar {{ background: transparent; border: 0; }}
QTabBar::tab {{
    background: transparent; color: {t.text_2}; border: 1px solid transparent; border-bottom: 0;
    border-top-left-radius: 7px; border-top-right-radius: 7px;
    padding: 0 12px; height: 30px; max-width: 220px; }}
QTabBar::tab:hover {{ color: {t.text}; }}
QTabBar::tab:selected {{
    background: {t.surface}; border-color: {t.line}; color: {t.text}; font-weight: 500; }}

QCheckBox, QRadioButton {{ spacing: 8px; background: transparent; }}
QCheckBox::indicator {{
    width: 14px; height: 14px; background: {t.surface};
    border: 1px solid {t.line_strong}; border-radius: 4px; }}
QCheckBox::indicator:checked {{ background: {t.accent}; border-color: {t.accent}; }}
QCheckBox:focus {{ color: {t.accent}; }}
"""
