"""Names of namespaces that no dump lists: local ones of today and before, and the aliases that wikis set up.

The numbers are MediaWiki's. Sources, read 2026-11: ``$namespaceNames`` and ``$namespaceAliases`` of MediaWiki's
``languages/messages/Messages*.php``, the siteinfo of wikis on MediaWiki 1.45 (October 2025), and
``wgNamespaceAliases`` of the wiki farm (``operations/mediawiki-config``, ``wmf-config/core-Namespaces.php``).
"""

from collections.abc import Mapping
from typing import Final

from wikisem.wikipedia.siteinfo import CANONICAL

# Language -> names of File, of Category, of Template, those of today first, with _ for a space inside a name. Other
# namespaces matter less: nobody links to them with words that could pass for a surface form.
_NAMES: Final[Mapping[str, tuple[str, str, str]]] = {
    "af": ("Lêer Beeld", "Kategorie", "Sjabloon"),
    "ar": ("ملف صورة", "تصنيف", "قالب"),
    "bg": ("Файл Картинка", "Категория", "Шаблон"),
    "bs": ("Datoteka Slika", "Kategorija", "Šablon"),
    "ca": ("Fitxer Imatge", "Categoria", "Plantilla"),
    "cs": ("Soubor", "Kategorie", "Šablona"),
    "da": ("Fil Billede", "Kategori", "Skabelon"),
    "de": ("Datei Bild", "Kategorie", "Vorlage"),
    "el": ("Αρχείο Εικόνα", "Κατηγορία", "Πρότυπο"),
    "eo": ("Dosiero", "Kategorio", "Ŝablono"),
    "es": ("Archivo Imagen", "Categoría", "Plantilla"),
    "et": ("Fail Pilt", "Kategooria", "Mall"),
    "eu": ("Fitxategi Irudi", "Kategoria", "Txantiloi"),
    "fa": ("پرونده تصویر", "رده", "الگو"),
    "fi": ("Tiedosto Kuva", "Luokka", "Malline"),
    "fr": ("Fichier Image", "Catégorie", "Modèle"),
    "gl": ("Ficheiro Imaxe", "Categoría", "Modelo"),
    "he": ("קובץ תמונה", "קטגוריה", "תבנית"),
    "hi": ("चित्र", "श्रेणी", "साँचा"),
    "hr": ("Datoteka Slika", "Kategorija", "Predložak"),
    "hu": ("Fájl Kép", "Kategória", "Sablon"),
    "hy": ("Պատկեր", "Կատեգորիա", "Կաղապար"),
    "id": ("Berkas Gambar", "Kategori", "Templat"),
    "it": ("File Immagine", "Categoria", "Template"),
    "ja": ("ファイル 画像", "Category カテゴリ", "Template テンプレート"),
    "ka": ("ფაილი სურათი", "კატეგორია", "თარგი"),
    "ko": ("파일 그림", "분류", "틀"),
    "la": ("Fasciculus Imago", "Categoria", "Formula"),
    "lt": ("Vaizdas", "Kategorija", "Šablonas"),
    "ltg": ("Fails", "Kategoreja", "Taiss"),
    "lv": ("Attēls", "Kategorija", "Veidne"),
    "mk": ("Податотека Слика", "Категорија", "Предлошка"),
    "ms": ("Fail Imej", "Kategori", "Templat"),
    "nl": ("Bestand Afbeelding", "Categorie", "Sjabloon"),
    "nn": ("Fil Bilde", "Kategori", "Mal"),
    "no": ("Fil Bilde", "Kategori", "Mal"),
    "pl": ("Plik Grafika", "Kategoria", "Szablon"),
    "pt": ("Ficheiro Arquivo Imagem", "Categoria", "Predefinição"),
    "ro": ("Fișier Fişier Imagine", "Categorie", "Format"),
    "ru": ("Файл Изображение", "Категория", "Шаблон"),
    "sh": ("Datoteka Slika", "Kategorija", "Šablon"),
    "sk": ("Súbor Obrázok", "Kategória", "Šablóna"),
    "sl": ("Slika", "Kategorija", "Predloga"),
    "sr": ("Датотека Слика Datoteka Slika", "Категорија Kategorija", "Шаблон Šablon"),
    "sv": ("Fil Bild", "Kategori", "Mall"),
    "th": ("ไฟล์ ภาพ", "หมวดหมู่", "แม่แบบ"),
    "tr": ("Dosya Resim", "Kategori", "Şablon"),
    "uk": ("Файл Зображення", "Категорія", "Шаблон"),
    "vi": ("Tập_tin Hình", "Thể_loại", "Bản_mẫu"),
    "zh": ("File 文件 档案 檔案 图像 圖像 图片 圖片", "Category 分类 分類", "Template 模板 样板 樣板"),
}
# Aliases of every Wikipedia, and those of one: ``[[WP:NPOV]]`` and ``[[P:Berlin]]`` lead to no article.
_EVERYWHERE: Final = "WP=4 Wikipedia=4 Wikipedia_talk=5"
_ALIASES: Final[Mapping[str, str]] = {
    "ar": "وب=4 نو=5",
    "arz": "Portal=100 Portal_talk=101",
    "as": "CAT=14",
    "ast": "Uiquipedia=4 Uiquipedia_alderique=5",
    "az": "VP=4 MZ=1 İ=2 İM=3 FL=6 FLM=7 MV=8 MVM=9 Ş=10 ŞM=11 KMK=12 KMKM=13 KAT=14 KATM=15 POR=100 PORM=101 QA=118 "
    "Draft=118 Draft_talk=119 MD=828 MDM=829",
    "be": "ВП=4 Portal=100 Portal_talk=101",
    "be-tarask": "ВП=4",
    "bg": "Draft=118 Draft_talk=119",
    "bn": "WT=5 Portal=100 Portal_talk=101 Draft=118 Draft_talk=119",
    "ckb": "U=2 ب=2 UT=3 لب=3 وپ=4 WT=5 لو=5 مو=8 T=10 د=10 H=12 ی=12 پ=14 Portal=100 Portal_talk=101 وپر=102",
    "cs": "Uživatel=2 Wikipedistka=2 Portal=100 Portal_talk=101",
    "de": "BD=3 WD=5 H=12 HD=13 P=100 PD=101",
    "el": "ΒΠ=4",
    "en": "WT=5 TM=10",
    "eo": "VP=4",
    "es": "CAT=14 PR=102",
    "et": "Portal=100 Portal_talk=101 Draft=102 Draft_talk=103",
    "fa": "بک=3 وپ=4 بوپ=5 ره=12 Draft=118 Draft_talk=119 پود=828",
    "fr": "Utilisatrice=2 DW=5",
    "gan": "U=2 UT=3 WT=5 T=10 H=12 CAT=14",
    "gu": "સ=2 વિ=4 શ્રે=14 CAT=14",
    "he": "מי=-1 ש=1 מש=2 U=2 שמש=3 וק=4 שוק=5 קו=6 שקו=7 מו=8 שמו=9 תב=10 שתב=11 עז=12 שעז=13 קט=14 שקט=15 פ=100 "
    "שפ=101 טי=118 שטי=119 Draft=118 Draft_talk=119 י=828 שי=829",
    "hi": "U=2 स=2 UT=3 सवा=3 वि=4 WPT=5 विवा=5 मी=8 T=10 सा=10 श्र=14 CT=15 P=100 प्र=100 Portal=100 Portal_talk=101",
    "hr": "SUR=2 U=2 RSUR=3 RSS=3 WT=5 RWP=5 DT=6 RDT=7 RF=7 ME=8 RME=9 PM=12 H=12 RPM=13 RH=13 KT=14 CT=14 RKT=15 "
    "RCT=15 Draft=118 Draft_talk=119 MD=828 MOD=828 RMD=829 RMOD=829",
    "hu": "Draft=118 Draft_talk=119",
    "it": "DW=5 T=10 CAT=14 DP=103",
    "ja": "トーク=1 テンプレート=10 ヘルプ=12 カテゴリ=14",
    "kn": "Portal=100 Portal_talk=101 Draft=118 Draft_talk=119",
    "ko": "사=2 사토=3 백=4 백토=5 들머리=100 들머리토론=101 들=100 들토=101 프=102 프토=103 Draft=118 Draft_talk=119",
    "lv": "VP=4",
    "ml": "വിക്കി=4 വിക്കിസം=5 Portal=100 Portal_talk=101 Draft=118 Draft_talk=119 ഘ=828 ഘസം=829",
    "mr": "विपी=4",
    "my": "Portal=100 Portal_talk=101 Draft=118 Draft_talk=119",
    "mzn": "وپ=4 Portal=100 Portal_talk=101",
    "ne": "U=2 प्र=2 UT=3 वि=4 विकिपीडिया=4 WT=5 विवा=5 T=10 ढाँ=10 ढाँवा=11 CT=15 Draft=118 Draft_talk=119",
    "nl": "H=12 P=100",
    "pl": "Wikipedystka=2",
    "pt": "Utilizador=2",
    "ro": "Portal_talk=101 WikiProject=102 WikiProject_talk=103 Book=110 Book_talk=111",
    "ru": "У=2 U=2 Участница=2 ОУ=3 UT=3 ВП=4 Ш=10 T=10 К=14 И=102 ПРО=104 ОПРО=105 АК=106 Arbcom=106",
    "sh": "R=1 Р=1 RZ=1 U=2 KOR=2 КОР=2 UT=3 VP=4 ВП=4 Vikipedija=4 Википедија=4 WT=5 RVP=5 РВП=5 ME=8 Š=10 Ш=10 Т=10 "
    "PM=12 ПМ=12 H=12 KAT=14 КАТ=14 KT=14 КТ=14 POR=100 ПОР=100 Портал=100 MD=828 МД=828 MOD=828 МОД=828",
    "si": "Portal=100 Portal_talk=101",
    "sk": "Užívateľ=2",
    "sl": "Draft=118 Draft_talk=119",
    "sr": "VP=4 ВП=4 Vikipedija=4 Draft=118 Draft_talk=119",
    "sw": "Portal=100 Portal_talk=101",
    "ta": "WT=5 Draft=118 Draft_talk=119",
    "th": "H=12",
    "tr": "T=1 K=2 VP=4 Ş=10 Y=12 KAT=14 P=100 VPR=102",
    "tt": "ВП=4",
    "uk": "ВП=4",
    "ur": "وپ=4 ویکیپیڈیا=4 Portal=100 Portal_talk=101 Draft=118 Draft_talk=119",
    "uz": "VP=4 VM=5",
    "vec": "Immagine=6",
    "wuu": "用户=2 维基百科=4 文件=6 T=10 模板=10 帮助=12 分类=14",
    "yi": "וויקיפעדיע=4",
    "zh": "U=2 UT=3 维基百科=4 維基百科=4 WT=5 T=10 H=12 CAT=14 P=100 主题=100 主題=100 PJ=102 "
    "WPJ=102 专题=102 專題=102 "
    "维基专题=102 維基專題=102 PJT=103 WPJT=103 草稿=118",
    "zh-classical": "WT=5 T=10 H=12 CAT=14 P=100 Portal=100 Portal_talk=101 Draft=106 Draft_talk=107",
}
_NUMBERS: Final = (CANONICAL["File"], CANONICAL["Category"], CANONICAL["Template"])


def local_names(code: str) -> dict[str, int]:
    """The names of files, categories and templates that a wiki in the language knows or knew -> namespace number."""
    return {
        name.replace("_", " "): number
        for names, number in zip(_NAMES.get(code, ()), _NUMBERS, strict=False)
        for name in names.split()
    }


def alias_names(code: str) -> dict[str, int]:
    """The aliases of namespaces that the Wikipedia in a language has set up, many of them a letter or two -> number.

    >>> [alias_names(code).get("WP") for code in ("de", "ltg")], alias_names("de")["P"]
    ([4, 4], 100)
    """
    pairs = (pair.partition("=") for pair in f"{_EVERYWHERE} {_ALIASES.get(code, '')}".split())
    return {name.replace("_", " "): int(number) for name, _, number in pairs}


# Prefixes of links that leave the wiki, which no dump lists.

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
