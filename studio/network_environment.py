"""Repair the proxy and certificate variables that Python's HTTP clients cannot read.

The constructor of an httpx client, and therefore `import gradio`, raises an error if one of these variables is malformed.
Valid variables stay unchanged, so that downloads from the Hub and S3 use the proxy.
"""

import ipaddress
import logging
import os
import re
import ssl
from collections.abc import MutableMapping, Sequence
from importlib.util import find_spec
from pathlib import Path

log = logging.getLogger(__name__)

PROXIES = ("http_proxy", "https_proxy", "all_proxy")
EXCEPTIONS = "no_proxy"
CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "AWS_CA_BUNDLE")
LOOPBACK = ("localhost", "127.0.0.1", "::1")
PORT_MAX = 65_535
SEPARATOR = re.compile(r"[,\s]+")

Environment = MutableMapping[str, str]


def repair_network_environment(environment: Environment = os.environ) -> Sequence[str]:
    """Remove values that HTTP clients cannot read, and exempt loopback from proxies. Log and return a sentence per fault.

    Call it before the first HTTP client is made.
    """
    faults = [fault for name in CERTIFICATES if (fault := _repair_certificates(environment, name))]
    named = sorted(name for name in environment if name.lower() in PROXIES)
    faults += [fault for name in named if (fault := _repair_proxy(environment, name))]
    faults += _repair_exceptions(environment)
    for fault in faults:
        log.warning("%s", fault)
    return faults


def _repair_certificates(environment: Environment, name: str) -> str:
    value = environment.get(name, "")
    reason = _certificate_fault(Path(value), folder=name == "SSL_CERT_DIR") if value else ""
    if not reason:
        return ""
    del environment[name]
    return f"{name} is ignored: {value} {reason}. Correct the path or unset {name}."


def _certificate_fault(path: Path, *, folder: bool) -> str:
    """Return what is wrong with a file or folder of certificates; empty if nothing is."""
    try:
        if not path.exists():
            return "does not exist"
        if path.is_dir():
            return ""
        if folder:
            return "is not a folder"
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=path)
    except (OSError, ValueError) as error:  # an SSLError is an OSError
        denied = isinstance(error, PermissionError)
        return "cannot be read by this user" if denied else "is not a file of PEM certificates"
    return ""


def _repair_proxy(environment: Environment, name: str) -> str:
    environment[name] = value = environment[name].strip()
    reason = _proxy_fault(value) if value else ""
    if not reason:
        return ""
    del environment[name]
    return f"{name} is ignored: {reason}."


def _proxy_fault(value: str) -> str:
    """Return the fault of a proxy's address. The text leaves out the address, which may contain a password."""
    import httpx  # takes 0.1 s, which a start without proxies saves

    try:
        url = httpx.URL(value if "://" in value else f"http://{value}")
        httpx.Proxy(url)
    except httpx.InvalidURL:
        return "the value is not the address of a proxy. Write it as http://host:port"
    except ValueError:
        return f'the scheme "{url.scheme}" is not supported. Write the proxy as http://host:port'
    if url.scheme.startswith("socks") and find_spec("socksio") is None:
        return "a SOCKS proxy needs the Python package socksio. Install socksio, or set HTTPS_PROXY to an HTTP proxy"
    if not url.host or not 0 < (url.port or 1) <= PORT_MAX:
        return f"the value lacks a host, or its port is not between 1 and {PORT_MAX}. Write it as http://host:port"
    return ""


def _repair_exceptions(environment: Environment) -> Sequence[str]:
    """Rewrite NO_PROXY so that HTTP clients can read it, and add loopback if a proxy is set."""
    # If both are set, the lower-case variable counts.
    names = sorted(name for name in environment if name.lower() == EXCEPTIONS)
    faults = []
    for name in names:
        entries, notes = _read_exceptions(environment[name])
        environment[name] = ",".join(entries)
        if notes:
            faults.append(
                f"{name} is corrected: {', '.join(notes)}. Write an IPv6 address as ::1, without brackets and prefix length."
            )
    if any(environment.get(name) for name in environment if name.lower() in PROXIES):
        entries = [entry for entry in environment[names[-1]].split(",") if entry] if names else []
        if "*" not in entries:
            entries += [host for host in LOOPBACK if host not in entries]
        environment.update(dict.fromkeys((EXCEPTIONS, EXCEPTIONS.upper()), ",".join(entries)))
    return faults


def _read_exceptions(value: str) -> tuple[list[str], list[str]]:
    """Return the entries that HTTP clients can read, and a note for each that was changed or left out."""
    entries, notes = [], []
    for entry in filter(None, SEPARATOR.split(value)):
        address = _ipv6_address(entry)
        if address:
            entries.append(address)
            if address != entry:
                notes.append(f'"{entry}" is read as {address}')
        elif _is_readable(entry):
            entries.append(entry)
        else:
            notes.append(f'"{entry}" is ignored')
    return entries, notes


def _ipv6_address(entry: str) -> str:
    """Return the IPv6 address in `::1`, `[::1]`, `[::1]:80` or `::1/128`; empty for anything else."""
    bare = re.sub(r"^\[(.*)\](:\d+)?$", r"\1", entry).removesuffix("/128")
    try:
        return bare if isinstance(ipaddress.ip_address(bare), ipaddress.IPv6Address) else ""
    except ValueError:
        return ""


def _is_readable(entry: str) -> bool:
    """Return True if httpx can read an entry of NO_PROXY that is not an IPv6 address."""
    import httpx

    try:
        httpx.URL(entry if "://" in entry else f"all://*{entry}")
    except httpx.InvalidURL:
        return False
    return True
