"""Local names of namespaces, those of today and those before them, which no dump lists.

The numbers are MediaWiki's. Sources, read 2026-11: ``$namespaceNames`` and ``$namespaceAliases`` of MediaWiki's
``languages/messages/Messages*.php``, and the siteinfo of wikis on MediaWiki 1.45 (October 2025).
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
_NUMBERS: Final = (CANONICAL["File"], CANONICAL["Category"], CANONICAL["Template"])


def local_names(code: str) -> dict[str, int]:
    """The names of files, categories and templates that a wiki in the language knows or knew -> namespace number."""
    return {
        name.replace("_", " "): number
        for names, number in zip(_NAMES.get(code, ()), _NUMBERS, strict=False)
        for name in names.split()
    }
