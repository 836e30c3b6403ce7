"""Who answers, and over which way: names, certificates, proxies, redirections."""

from __future__ import annotations

import asyncio
import datetime as dt
import ssl
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from app.llm.chat import ChatEnd, ChatItem, ChatMessage
from app.llm.remote import failures
from app.llm.remote.address import is_this_computer
from app.llm.remote.anthropic_chat import AnthropicChatModel
from app.llm.remote.carrier import Wiring, make_carrier
from app.llm.remote.listing import Listing, offered_models
from app.llm.remote.openai_chat import OpenAIChatModel
from app.llm.remote.service_chat import ServiceChatModel
from tests.fakes.anthropic_server import FakeAnthropic
from tests.fakes.openai_server import FakeOpenAI, Http

ASK = [ChatMessage("user", "Hello?")]
MODELS = [OpenAIChatModel, AnthropicChatModel]
Kind = type[OpenAIChatModel] | type[AnthropicChatModel]


def model(kind: Kind, address: str, wiring: Wiring | None = None) -> ServiceChatModel:
    return kind(
        "m", base_url=address, api_key=lambda: "sk-long-secret", context_tokens=9, attempts=1, wiring=wiring
    )


async def asked(chat: ServiceChatModel) -> list[ChatItem]:
    try:
        return [item async for item in chat.stream(ASK, max_tokens=5)]
    finally:
        await chat.close()


@pytest.mark.parametrize(("address", "here"), [
    ("http://localhost:1/v1", True), ("http://LOCALHOST", True), ("http://127.0.0.1/v1", True),
    ("http://127.8.8.8", True), ("http://[::1]:80/v1", True), ("http://[::ffff:127.0.0.1]", True),
    ("http://192.168.1.7:8000", False), ("http://10.0.0.1", False), ("http://[fd00::1]", False),
    ("http://169.254.1.1", False), ("http://0.0.0.0", False), ("http://box.local/v1", False),
    ("http://box.localhost", False), ("http://localhost.example.org", False), ("", False),
    ("http://me:localhost@example.org", False), ("http://[::1", False), ("http://2130706433", False),
])  # fmt: skip
def test_that_this_computer_is_told_from_the_network_around_it(address: str, here: bool) -> None:
    assert is_this_computer(address) is here


@pytest.mark.parametrize("kind", MODELS)
async def test_that_an_unknown_name_is_said_to_be_one(kind: Kind) -> None:
    with pytest.raises(failures.ModelUnreachableError, match="name of the model service") as caught:
        await asked(model(kind, "https://no-such-service.invalid/v1", Wiring("none")))
    assert "network" in caught.value.hint


@pytest.mark.parametrize("kind", MODELS)
async def test_that_nothing_is_sent_where_a_redirection_leads(kind: Kind) -> None:
    """A service on this computer must not lead the conversation out of it."""
    fake = FakeAnthropic if kind is AnthropicChatModel else FakeOpenAI
    with fake() as elsewhere:
        moved = Http(307, headers={"location": f"{elsewhere.url}{fake.path}"})
        with fake([moved]) as server, pytest.raises(failures.ModelMissingError, match="leads elsewhere"):
            await asked(model(kind, server.url))
    assert elsewhere.requests == []


@pytest.mark.parametrize("name", ["HTTP_PROXY", "ALL_PROXY", "http_proxy"])
async def test_that_this_computer_is_asked_directly_whatever_the_environment_says(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "http://127.0.0.1:9")
    with FakeOpenAI() as server:
        items = await asked(model(OpenAIChatModel, server.url, Wiring("http://127.0.0.1:9")))
    assert isinstance(items[-1], ChatEnd)


async def test_that_a_far_service_is_asked_through_the_proxy() -> None:
    seen: list[str] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(talk, "127.0.0.1", 0) as proxy:
        port = proxy.sockets[0].getsockname()[1]
        chat = model(OpenAIChatModel, "https://far.example.org/v1", Wiring(f"http://127.0.0.1:{port}"))
        with pytest.raises(failures.ModelUnreachableError, match="proxy") as caught:
            await asked(chat)
    assert seen[0].startswith("CONNECT far.example.org:443")
    assert "secret" not in seen[0]
    assert "llm.proxy" in caught.value.hint


@pytest.mark.parametrize("proxy", ["nonsense", "ftp://a.example.org", "http://a:b:c"])
async def test_that_a_proxy_that_is_none_is_a_typed_error(proxy: str) -> None:
    with pytest.raises(failures.ModelUnreachableError, match="proxy"):
        await asked(model(OpenAIChatModel, "https://far.example.org/v1", Wiring(proxy)))


@pytest.mark.parametrize("content", [None, "no certificate", ""])
async def test_that_a_certificate_file_that_is_none_is_a_typed_error(
    content: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_text(content)
    with pytest.raises(failures.ModelUnreachableError, match=r"ca\.pem"):
        await asked(model(OpenAIChatModel, "https://far.example.org/v1", Wiring(ca_file=path)))


# -- a service with a certificate of its own, as behind a network that reads along ---------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A key and a certificate of our own for a name that is not this computer's to the rules above."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Institute CA")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("models.example.org")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("ca") / "institute.pem"
    path.write_bytes(
        made.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return path


@asynccontextmanager
async def tunnelled(certificate: Path) -> Any:
    """A proxy that leads every tunnel to a server with the certificate; yields its address."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
        await writer.drain()
        try:
            await writer.start_tls(context)
            await reader.readuntil(b"\r\n\r\n")
            body = b'{"data": [{"id": "m"}]}'
            head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def test_that_whoever_reads_along_is_not_trusted_until_the_person_says_so(certificate: Path) -> None:
    far = Listing("https://models.example.org/v1")
    async with tunnelled(certificate) as proxy:
        with pytest.raises(failures.ModelCertificateError) as caught:
            await offered_models(far, "k", Wiring(proxy))
        assert "llm.ca_file" in caught.value.hint
        found = await offered_models(far, "k", Wiring(proxy, ca_file=certificate))
    assert [offered.name for offered in found] == ["m"]


async def test_that_what_the_system_trusts_is_still_trusted(certificate: Path) -> None:
    carrier = make_carrier("https://models.example.org", Wiring(ca_file=certificate), 5)
    pool = carrier._transport._pool  # type: ignore[attr-defined]
    assert len(pool._ssl_context.get_ca_certs()) > 1
    await carrier.aclose()
