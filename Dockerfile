# The image of a Beam worker that can run wikisem's stages: Beam's own, and wikisem built from this folder.
#
#   docker build --tag wikisem-worker .
#   wikisem build ... -- --runner=FlinkRunner --environment_type=DOCKER --environment_config=wikisem-worker
#
# Both sides must have the same Python and the same Beam; PYTHON and BEAM are those of the machine that submits.
ARG PYTHON=3.11
ARG BEAM=2.77.0
FROM apache/beam_python${PYTHON}_sdk:${BEAM}

WORKDIR /opt/wikisem
COPY . .
# Beam and its dependencies are in the image; the compiler of the image builds the decoder in C.
RUN pip install --no-cache-dir '.[build]' && python -c "import wikisem.transforms.mentions"

# The entry point stays Beam's: it starts the worker.
WORKDIR /
