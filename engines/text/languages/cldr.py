"""Read names of months, units and currencies from CLDR through babel."""

from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache

from engines.text.rules import in_order

# Symbols that all languages share.
UNITS: Mapping[str, str] = {
    "km": "length-kilometer", "m": "length-meter", "cm": "length-centimeter", "mm": "length-millimeter",
    "kg": "mass-kilogram", "g": "mass-gram", "mg": "mass-milligram", "t": "mass-tonne",
    "l": "volume-liter", "L": "volume-liter", "ml": "volume-milliliter", "mL": "volume-milliliter",
    "cl": "volume-centiliter", "dl": "volume-deciliter",
    "km/h": "speed-kilometer-per-hour", "m/s": "speed-meter-per-second",
    "°C": "temperature-celsius", "° C": "temperature-celsius", "°F": "temperature-fahrenheit", "°": "angle-degree",
    "%": "concentr-percent", "‰": "concentr-permille",
    "m²": "area-square-meter", "m2": "area-square-meter", "km²": "area-square-kilometer", "km2": "area-square-kilometer",
    "cm²": "area-square-centimeter", "ha": "area-hectare", "m³": "volume-cubic-meter", "m3": "volume-cubic-meter",
    "KB": "digital-kilobyte", "kB": "digital-kilobyte", "MB": "digital-megabyte", "GB": "digital-gigabyte",
    "TB": "digital-terabyte", "kWh": "energy-kilowatt-hour", "W": "power-watt", "kW": "power-kilowatt",
    "MW": "power-megawatt", "V": "electric-volt", "mA": "electric-milliampere", "Hz": "frequency-hertz",
    "kHz": "frequency-kilohertz", "MHz": "frequency-megahertz", "GHz": "frequency-gigahertz",
    "min": "duration-minute", "ms": "duration-millisecond", "h": "duration-hour", "s": "duration-second",
    "kcal": "energy-kilocalorie", "hPa": "pressure-hectopascal",
}  # fmt: skip
CODES = in_order("EUR USD GBP JPY CHF PLN RUB CNY KRW BRL CZK SEK NOK DKK CAD AUD INR TRY UAH MXN HUF NZD ZAR")
CATEGORIES = {1: ("other",), 2: ("one", "other"), 4: ("one", "few", "many", "other")}


@lru_cache(maxsize=64)
def months(locale: str) -> Mapping[str, int]:
    """Return the numbers of the months by their names and abbreviations, without full stops, in lower case."""
    from babel import Locale

    names: dict[str, int] = {}
    for context in Locale.parse(locale, sep="_").months.values():
        for width in ("wide", "abbreviated"):
            names |= {str(name).lower().rstrip("."): int(month) for month, name in context.get(width, {}).items()}
    return names


@lru_cache(maxsize=64)
def month_names(locale: str) -> Mapping[int, str]:
    """Return the names of the months beside a day."""
    from babel import Locale

    return {int(month): str(name) for month, name in Locale.parse(locale, sep="_").months["format"]["wide"].items()}


@lru_cache(maxsize=8192)
def plural(locale: str, value: str) -> str:
    """Return the plural category of a number in ASCII digits with a decimal point."""
    from babel import Locale

    return Locale.parse(locale, sep="_").plural_form(Decimal(value))


def form(locale: str, forms: tuple[str, ...], value: str) -> str:
    """Return the form of a noun for a number. `forms` are one form, two (one, other), or four (one, few, many, other)."""
    categories = CATEGORIES[len(forms)]
    category = plural(locale, value)
    return forms[categories.index(category)] if category in categories else forms[-1]


@lru_cache(maxsize=8192)
def unit(locale: str, key: str, value: str) -> tuple[str, str]:
    """Return the words before and after a number with a unit."""
    from babel.numbers import format_decimal
    from babel.units import format_unit

    number = Decimal(value)
    written = format_unit(number, key, length="long", locale=locale)
    before, _, after = written.replace("\u00a0", " ").partition(
        format_decimal(number, locale=locale).replace("\u00a0", " ")
    )
    return before.strip(), after.strip()


@lru_cache(maxsize=8192)
def currency(locale: str, code: str, value: str) -> str:
    """Return the name of a currency in the form for a number."""
    from babel.numbers import get_currency_name

    name = get_currency_name(code, count=Decimal(value), locale=locale)
    return name.lower() if locale.startswith("pt") else name  # CLDR starts these with a capital
