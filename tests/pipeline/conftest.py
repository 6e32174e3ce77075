"""The dumps that tests of the pipeline build from."""

import pytest

from wikisem.pipeline.demo import SampleDumps, write_sample_world


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> SampleDumps:
    """The dumps of the sample world; nobody changes them."""
    return write_sample_world(str(tmp_path_factory.mktemp("world")))
