"""Files in every state."""

from __future__ import annotations

import os
from pathlib import Path

import pymupdf
import pytest

from app.documents.opening import DocumentCache, open_document
from app.errors import DocumentError
from tests.documents.made import minimal_pdf

AES_256, MAY_PRINT = 5, 4
"""PyMuPDF's PDF_ENCRYPT_AES_256 and PDF_PERM_PRINT, which its types do not know."""

GOOD = minimal_pdf("BT /F1 12 Tf 72 700 Td (Some text) Tj ET")


def code_of(path: Path, password: str | None = None) -> str:
    with pytest.raises(DocumentError) as caught:
        open_document(path, password)
    assert caught.value.hint
    assert path.name in caught.value.message
    return caught.value.code


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty"),
        (b"hello", "not_pdf"),
        (b"<!DOCTYPE html><html><body>Sign in</body></html>", "not_pdf"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n", "not_pdf"),
        (b"PK\x03\x04 word/document.xml", "not_pdf"),
        (b"%PDF-1.7\n", "damaged"),
        (b"%PDF-1.7\n" + bytes(range(256)) * 20, "damaged"),
    ],
)
def test_that_each_kind_of_bad_file_has_its_own_code(tmp_path: Path, content: bytes, code: str) -> None:
    path = tmp_path / "paper.pdf"
    path.write_bytes(content)
    assert code_of(path) in ({code, "no_pages"} if code == "damaged" else {code})


def test_that_a_web_page_saved_as_pdf_is_named(tmp_path: Path) -> None:
    path = tmp_path / "paper.pdf"
    path.write_bytes(b"<html><title>Log in</title></html>")
    with pytest.raises(DocumentError, match="a web page"):
        open_document(path)


def test_that_a_file_that_is_gone_says_so(tmp_path: Path) -> None:
    assert code_of(tmp_path / "gone.pdf") == "failed"


def test_that_a_truncated_file_is_read_as_far_as_it_goes_or_called_damaged(tmp_path: Path) -> None:
    path = tmp_path / "cut.pdf"
    codes: list[str] = []
    for share in (0.3, 0.6, 0.9):
        path.write_bytes(GOOD[: int(len(GOOD) * share)])
        try:
            open_document(path).close()
        except DocumentError as error:
            codes.append(error.code)
    assert set(codes) <= {"damaged", "no_pages"}


def encrypted(path: Path, user: str, owner: str) -> Path:
    document = pymupdf.open(stream=GOOD, filetype="pdf")
    document.save(
        path,
        encryption=AES_256,
        user_pw=user,
        owner_pw=owner,
        permissions=MAY_PRINT,
    )
    return path


def test_that_a_locked_file_asks_for_its_password(tmp_path: Path) -> None:
    path = encrypted(tmp_path / "locked.pdf", "user", "owner")
    assert code_of(path) == "needs_password"
    assert code_of(path, "wrong") == "needs_password"
    assert open_document(path, "user").page_count == 1
    assert open_document(path, "owner").page_count == 1


def test_that_a_file_with_an_owner_password_alone_opens(tmp_path: Path) -> None:
    document = open_document(encrypted(tmp_path / "limited.pdf", "", "owner"))
    assert "Some text" in document[0].get_text()


def test_that_leading_junk_does_not_hide_a_pdf(tmp_path: Path) -> None:
    path = tmp_path / "junk.pdf"
    path.write_bytes(b"\r\n\r\nHTTP/1.1 200 OK\r\n\r\n" + GOOD)
    assert open_document(path).page_count == 1


def test_that_the_cache_keeps_a_document_until_its_file_changes(tmp_path: Path) -> None:
    path = tmp_path / "paper.pdf"
    path.write_bytes(GOOD)
    closed: list[pymupdf.Document] = []
    cache = DocumentCache(size=2, on_close=closed.append)
    first = cache.get(path)
    assert cache.get(path) is first
    path.write_bytes(minimal_pdf("BT /F1 12 Tf 72 700 Td (Other text!) Tj ET"))
    os.utime(path, ns=(1, 1))
    assert "Other" in cache.get(path)[0].get_text()
    other = tmp_path / "other.pdf"
    other.write_bytes(GOOD)
    cache.get(other)
    assert closed == [first]
    cache.clear()
    assert len(closed) == 3
