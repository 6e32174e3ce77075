"""What is hidden of a text, and what stays."""

import re
import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from wikisem.errors import redacted

HIDDEN = {
    "s3://AKIA:wJal/r+U@bucket/x": "s3://***@bucket/x",
    "https://me:12345@x.org:80/a": "https://***@x.org:80/a",
    "https://ghp_token@x.org/a": "https://***@x.org/a",
    "https://me:p@ss@x.org/a": "https://***@x.org/a",
    "sftp://:pw@x.org/a and s3://k:s@b": "sftp://***@x.org/a and s3://***@b",
    "'https://me:pw@x.org', \"s3://k:s@b\"": "'https://***@x.org', \"s3://***@b\"",
    "https://x.org/a?X-Amz-Credential=A%2F1&X-Amz-Date=2&X-Amz-Signature=0f": (
        "https://x.org/a?X-Amz-Credential=***&X-Amz-Date=2&X-Amz-Signature=***"
    ),
    "https://x.org/a?sv=1&sig=q%3D: expected": "https://x.org/a?sv=1&sig=***: expected",
    "url: /set?access_token=abc (Caused by": "url: /set?access_token=*** (Caused by",
    "--s3_secret_access_key=abc --s3_session_token def": "--s3_secret_access_key=*** --s3_session_token ***",
}
SHOWN = (
    "https://x.org:8080/a@b",
    "https://[::1]:80/x@y",
    "hdfs://me@namenode:9000/x",
    "abfs://container@account.dfs.core.windows.net/x",
    "hf://datasets/me/set@main/groups",
    '{"a":"https://x.org","mail":"me@x.org"}',
    "https://x.org/a?part=2&author=me",
    "--tokenizer=fugashi --tokenizer jieba",
    "s3://a:1,s3://b, or gs://",
    "de=dumps/dewiki-*.bz2 a:b@c",
)


@pytest.mark.parametrize(("text", "shown"), HIDDEN.items())
def test_credentials_are_hidden(text: str, shown: str) -> None:
    """Logins and signed parameters go, the place and all other parameters stay."""
    assert redacted(text) == shown


@pytest.mark.parametrize("text", SHOWN)
def test_what_is_no_credential_stays(text: str) -> None:
    """Ports, users of a store, revisions, addresses of e-mail, parameters that tell files apart."""
    assert redacted(text) == text


WORDS = st.text(string.ascii_letters + string.digits + "/+=%.~!*_-", min_size=6, max_size=40)


@given(scheme=st.sampled_from(["s3", "https", "sftp"]), user=st.text(string.ascii_letters), password=WORDS)
def test_no_password_is_seen(scheme: str, user: str, password: str) -> None:
    """Whatever a password is made of, unless it begins as a port and a path do; hidden, it has nothing more to hide."""
    assume(not re.match(r"\d{1,5}/", password))
    shown = redacted(f"saw {scheme}://{user}:{password}@host/path?key={password}x, twice")
    assert shown == f"saw {scheme}://***@host/path?key=***, twice" == redacted(shown)


@given(st.text(string.ascii_letters + string.digits + " :/@?&=#;-.'\"\n", max_size=60))
def test_a_text_without_a_url_or_a_parameter_stays(text: str) -> None:
    """Nothing is hidden but behind ://, or after the name of a secret."""
    plain = text.replace("://", ":/").replace("=", "-")
    assert redacted(plain) == plain or "--" in plain
