"""Prefixes of links that leave the wiki, which no dump lists.

Source: Wikimedia's ``wmf-config/interwiki.php`` (the copy of 2017-09-25, the last that was read whole) and
https://meta.wikimedia.org/wiki/Interwiki_map (2026-11): every prefix of a Wikimedia site, and those of the other sites
that Wikipedia articles link to. Codes of languages are in ``wikisem.wikis``.
"""

from typing import Final

_PREFIXES: Final = """
advisory b betawikiversity bugzilla c chapter commons d dbdump donate download etherpad f foundation foundationsite
gerrit git incubator labsconsole m mail mailarchive mediawikiwiki mediazilla meta metawiki metawikimedia
metawikipedia mw n nost nostalgia oldwikisource otrs otrswiki outreach outreachwiki phab phabricator policy q
quality rev s sourceswiki spcom species stats strategy sulutil svn tenwiki test2wiki testcommons testwiki
testwikidata ticket toolforge toollabs tools tswiki usability v votewiki voy w wg wikibooks wikidata
wikifunctions wikimania wikimedia wikinews wikipedia wikipediawikipedia wikiquote wikisource wikispecies wikitech
wikiversity wikivoyage wikt wiktionary wm2005 wm2006 wm2007 wm2008 wm2009 wm2010 wm2011 wm2012 wm2013 wm2014 wm2015
wm2016 wm2017 wm2018 wmania wmf wmfblog wmteam

acronym arxiv bibcode bulba citizendium cache choralwiki creativecommons dict dictionary dmoz doi drae ethnologue
ethnologuefamily flickrphoto flickruser foldoc freedomdefined genwiki google googledefine googlegroups gutenberg
hdl iarchive imdbcharacter imdbcompany imdbname imdbtitle irc iso639-3 issn jstor linguistlist lostpedia
memoryalpha meatball musicbrainz nara oeis openlibrary openstreetmap orthodoxwiki osmwiki planetmath pmid
proofwiki rfc rodovid scholar schoolswp scores semantic-mw slashdot sourceforge translatewiki tvtropes uncyclopedia
unihan urbandict usemod viaf vikidia wikia wikiapiary wikicities wikicity wikifur wikihow wikiindex wikilivres
wikitree wikiwikiweb wookieepedia wowwiki
"""

INTERWIKI: Final = frozenset(_PREFIXES.split())
