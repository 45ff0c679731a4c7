"""Run a real nginx with TLS and deploy/proxy/nginx.conf in front of a studio."""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.browser.serving import ROOT, free_port
from tests.waiting import until

HOST = "localhost"
CONF = ROOT / "deploy" / "proxy" / "nginx.conf"


@dataclass(frozen=True, slots=True)
class Nginx:
    url: str
    log: Path


@contextmanager
def proxied(studio_url: str, folder: Path) -> Iterator[Nginx]:
    """Serve the studio's page through nginx under /voices."""
    port = free_port()
    certificate, key = write_certificate(folder)
    adapted = with_values(
        CONF.read_text("utf-8"),
        {
            "listen 443": f"listen 127.0.0.1:{port}",
            "/etc/ssl/studio.example/fullchain.pem": str(certificate),
            "/etc/ssl/studio.example/privkey.pem": str(key),
            "studio.example": HOST,
            "http://127.0.0.1:7860": studio_url,
        },
    )
    log = folder / "nginx.log"
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    folders = " ".join(f"{kind}_temp_path {folder / kind};" for kind in kinds)
    conf = folder / "nginx.conf"
    conf.write_text(
        f"daemon off; pid {folder / 'pid'}; error_log {log}; events {{}}\n"
        f"http {{ access_log off; include /etc/nginx/mime.types; {folders}\n{adapted}\n}}\n",
        "utf-8",
    )
    process = subprocess.Popen(["nginx", "-c", str(conf), "-e", str(log)])
    try:
        until(lambda: (folder / "pid").exists() or process.poll() is not None)
        assert process.poll() is None, log.read_text()
        yield Nginx(f"https://{HOST}:{port}/voices", log)
    finally:
        process.terminate()
        process.wait()


def with_values(text: str, values: Mapping[str, str]) -> str:
    for written, value in values.items():
        assert written in text, f"{CONF.name} has no {written}"
        text = text.replace(written, value)
    return text


def write_certificate(folder: Path) -> tuple[Path, Path]:
    """Write a self-signed certificate for the host and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    today = datetime.now(UTC)
    signed = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(today - timedelta(days=1))
        .not_valid_after(today + timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(HOST)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    certificate, private = folder / "fullchain.pem", folder / "privkey.pem"
    certificate.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return certificate, private
