"""Fields of an XMP packet, as plain names and texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

_MOST_CHARACTERS = 2_000_000
_PREFIXES = {
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/dc/terms/": "dcterms",
    "http://ns.adobe.com/pdf/1.3/": "pdf",
    "http://ns.adobe.com/pdfx/1.3/": "pdfx",
    "http://ns.adobe.com/xap/1.0/": "xmp",
    "http://crossref.org/crossmark/1.0/": "crossmark",
    "http://arxiv.org/schemas/xmp/1.0/": "arxiv",
}
_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"


def xmp_fields(packet: str) -> dict[str, tuple[str, ...]]:
    """Return `{"dc:title": ("…",), "prism:doi": ("…",), …}`; empty for a broken packet.

    Prefixes are ours, whatever the packet calls its namespaces; each version of
    PRISM is "prism". Authors come in order.
    """
    text = re.sub(r"<\?xpacket.*?\?>", "", packet, flags=re.DOTALL).strip("\x00\ufeff \r\n\t")
    # a document type could define entities that grow without bound; XMP needs none
    if not text or len(text) > _MOST_CHARACTERS or "<!DOCTYPE" in text or "<!ENTITY" in text:
        return {}
    try:
        root = ET.fromstring(text)  # noqa: S314
    except ET.ParseError:
        return {}
    fields: dict[str, tuple[str, ...]] = {}
    for description in root.iter(f"{_RDF}Description"):
        for name, values in _properties(description):
            if values and name not in fields:
                fields[name] = values
    return fields


def _properties(description: ET.Element) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, value in description.attrib.items():
        if value.strip():
            yield _name(name), (value.strip(),)
    for element in description:
        items = [item.text or "" for item in element.iter(f"{_RDF}li")] or [element.text or ""]
        yield _name(element.tag), tuple(" ".join(item.split()) for item in items if item.strip())


def _name(tag: str) -> str:
    namespace, _, local = tag.removeprefix("{").rpartition("}")
    if "prismstandard.org" in namespace:
        return f"prism:{local}"
    return f"{_PREFIXES.get(namespace, '')}:{local}".lstrip(":")
