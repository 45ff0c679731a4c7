"""Money and units: a number with what it counts."""

import re

from engines.text.numbers import NUMBER, number, plural, whole
from engines.text.rules import Rule, one_of, rule

# symbol or code: (one, several, one hundredth, hundredths)
MONEY = {
    "$": ("dollar", "dollars", "cent", "cents"),
    "€": ("euro", "euros", "cent", "cents"),
    "£": ("pound", "pounds", "penny", "pence"),
    "¥": ("yen", "yen", "", ""),
    "₹": ("rupee", "rupees", "paisa", "paise"),
}
CODES = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "INR": "₹"}
SCALES = {"k": "thousand", "K": "thousand", "M": "million", "m": "million", "B": "billion", "bn": "billion"} | {
    "T": "trillion",
    "thousand": "thousand",
    "million": "million",
    "billion": "billion",
    "trillion": "trillion",
}
UNITS = {
    "km/h": ("kilometer per hour", "kilometers per hour"),
    "m/s": ("meter per second", "meters per second"),
    "mph": ("mile per hour", "miles per hour"),
    "fps": ("frame per second", "frames per second"),
    "km": ("kilometer", "kilometers"),
    "cm": ("centimeter", "centimeters"),
    "mm": ("millimeter", "millimeters"),
    "m²": ("square meter", "square meters"),
    "m": ("meter", "meters"),
    "mi": ("mile", "miles"),
    "ft": ("foot", "feet"),
    "kg": ("kilogram", "kilograms"),
    "mg": ("milligram", "milligrams"),
    "g": ("gram", "grams"),
    "lbs": ("pound", "pounds"),
    "lb": ("pound", "pounds"),
    "oz": ("ounce", "ounces"),
    "ml": ("milliliter", "milliliters"),
    "L": ("liter", "liters"),
    "l": ("liter", "liters"),
    "ms": ("millisecond", "milliseconds"),
    "s": ("second", "seconds"),
    "sec": ("second", "seconds"),
    "min": ("minute", "minutes"),
    "hrs": ("hour", "hours"),
    "hr": ("hour", "hours"),
    "h": ("hour", "hours"),
    "Hz": ("hertz", "hertz"),
    "kHz": ("kilohertz", "kilohertz"),
    "MHz": ("megahertz", "megahertz"),
    "GHz": ("gigahertz", "gigahertz"),
    "kB": ("kilobyte", "kilobytes"),
    "KB": ("kilobyte", "kilobytes"),
    "MB": ("megabyte", "megabytes"),
    "GB": ("gigabyte", "gigabytes"),
    "TB": ("terabyte", "terabytes"),
    "W": ("watt", "watts"),
    "kW": ("kilowatt", "kilowatts"),
    "V": ("volt", "volts"),
    "dB": ("decibel", "decibels"),
    "px": ("pixel", "pixels"),
    "°C": ("degree Celsius", "degrees Celsius"),
    "°F": ("degree Fahrenheit", "degrees Fahrenheit"),
    "°": ("degree", "degrees"),
    "%": ("percent", "percent"),
}
SPACED_ONLY = frozenset({"L", "V", "W", "T"})  # "4W" may be a name; "4 W" is not
SYMBOL = f"[{''.join(MONEY)}]"
DASH = r"\s?[-–—]\s?"
BETWEEN = rf"{DASH}|\s?to\s?"
SIGN = r"(?:(?<![\w)])([-−+]))?"


def _money(symbol: str, amount: str, scale: str | None) -> str:
    one, several, cent, cents = MONEY[symbol]
    if scale:
        return f"{number(amount)} {SCALES[scale]} {several}"
    before, _, after = amount.partition(".")
    if not cent or len(after) not in (0, 2):
        return f"{number(amount)} {several if plural(amount) else one}"
    major = f"{number(before)} {several if plural(before) else one}"
    if not int(after or 0):
        return major
    minor = f"{whole(str(int(after)))} {cents if int(after) != 1 else cent}"
    return f"{major} and {minor}" if int(before.replace(",", "")) else minor


def _money_before(found: re.Match[str]) -> str:
    sign, symbol, low, high, scale = found.groups()
    return _signed(sign) + (f"{number(low)} to {_money(symbol, high, scale)}" if high else _money(symbol, low, scale))


def _money_after(found: re.Match[str]) -> str:
    return _money(CODES.get(found[2], found[2]), found[1], None)


def _measured(found: re.Match[str]) -> str | None:
    sign, low, high, unit = found[1], found[2], found[3], found[4]
    if unit in SPACED_ONLY and not found[0][: -len(unit)].endswith(" "):
        return None
    one, several = UNITS[unit]
    said = f"{number(low)} to {number(high)}" if high else number(low)
    return f"{_signed(sign)}{said} {several if high or plural(low) else one}"


def _signed(sign: str | None) -> str:
    return "" if not sign else "plus " if sign == "+" else "minus "


QUANTITIES: tuple[Rule, ...] = (
    rule(rf"{SIGN}({SYMBOL})\s?({NUMBER})(?:{DASH}\2?({NUMBER}))?(?:\s?({one_of(SCALES)})(?!\w))?", _money_before),
    rule(rf"({NUMBER})\s?({one_of([*MONEY, *CODES])})(?![\w\d])", _money_after),
    rule(rf"(?<=\d)\s?%(?={DASH}\d)", lambda m: ""),  # 50%-60% is 50-60%
    rule(rf"{SIGN}({NUMBER})(?:(?:{BETWEEN})({NUMBER}))?\s?({one_of(UNITS)})(?![\w²³])", _measured),
)
