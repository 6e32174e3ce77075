"""The build that the demo runs."""

from wikisem.pipeline.build.inputs import find_dump
from wikisem.pipeline.build.method import BuildOptions
from wikisem.pipeline.demo.sample_world import write_sample_world
from wikisem.recipes.load import load_recipe


def demo_options(folder: str) -> BuildOptions:
    """The options of a build of the sample world, whose dumps are written into a folder that exists."""
    recipe = load_recipe("demo")
    files = write_sample_world(folder)
    # Checksums, because the dumps are written anew each time: a second demo into the same folder finds all finished.
    wikipedia = {language: find_dump([path], checksum=True) for language, path in sorted(files.wikipedia.items())}
    return BuildOptions(
        recipe=recipe,
        languages=sorted(wikipedia),
        wikidata=find_dump([files.wikidata], checksum=True),
        wikipedia=wikipedia,
        properties=(),
    )
