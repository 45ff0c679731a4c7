"""Read money and units: a number with the thing that it counts."""

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
    "mi/h": ("mile per hour", "miles per hour"),
    "kph": ("kilometer per hour", "kilometers per hour"),
    "fps": ("frame per second", "frames per second"),
    "Mbps": ("megabit per second", "megabits per second"),
    "Gbps": ("gigabit per second", "gigabits per second"),
    "MB/s": ("megabyte per second", "megabytes per second"),
    "GB/s": ("gigabyte per second", "gigabytes per second"),
    "rpm": ("revolution per minute", "revolutions per minute"),
    "bpm": ("beat per minute", "beats per minute"),
    "psi": ("pound per square inch", "pounds per square inch"),
    "km²": ("square kilometer", "square kilometers"),
    "cm²": ("square centimeter", "square centimeters"),
    "m³": ("cubic meter", "cubic meters"),
    "sq ft": ("square foot", "square feet"),
    "sq. ft.": ("square foot", "square feet"),
    "yd": ("yard", "yards"),
    "yds": ("yard", "yards"),
    "gal": ("gallon", "gallons"),
    "tbsp": ("tablespoon", "tablespoons"),
    "tsp": ("teaspoon", "teaspoons"),
    "kcal": ("kilocalorie", "kilocalories"),
    "kWh": ("kilowatt hour", "kilowatt hours"),
    "mAh": ("milliamp hour", "milliamp hours"),
    "MW": ("megawatt", "megawatts"),
    "kPa": ("kilopascal", "kilopascals"),
    "hPa": ("hectopascal", "hectopascals"),
    "nm": ("nanometer", "nanometers"),
    "µm": ("micrometer", "micrometers"),
    "μm": ("micrometer", "micrometers"),
    "µg": ("microgram", "micrograms"),
    "mcg": ("microgram", "micrograms"),
    "ha": ("hectare", "hectares"),
    "secs": ("second", "seconds"),
    "mins": ("minute", "minutes"),
    "yrs": ("year", "years"),
    "yr": ("year", "years"),
    "wks": ("week", "weeks"),
    "MP": ("megapixel", "megapixels"),
    "¢": ("cent", "cents"),
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
SPACED_ONLY = frozenset({"L", "V", "W", "T", "MP"})  # "4W" may be a name; "4 W" is not
# Units whose abbreviation may end in a dot without ending a sentence: "5 ft. tall".
DOTTED = one_of(
    ("ft", "lb", "lbs", "oz", "hr", "hrs", "min", "mins", "sec", "secs", "yd", "yds", "mi", "gal", "yr", "yrs")
)
PER = {
    "hr": "hour", "h": "hour", "hour": "hour", "day": "day", "wk": "week", "week": "week", "mo": "month", "month": "month",
    "yr": "year", "year": "year", "person": "person", "night": "night", "lb": "pound", "kg": "kilogram", "gal": "gallon",
    "min": "minute", "minute": "minute", "sec": "second", "s": "second", "second": "second", "mi": "mile", "km": "kilometer",
    "unit": "unit", "user": "user", "ton": "ton",
}  # fmt: skip
SYMBOL = f"[{''.join(MONEY)}]"
DASH = r"\s?[-–—]\s?"
BETWEEN = rf"{DASH}|\s?to\s?"
SIGN = r"(?:(?<![\w)])([-−+]))?"
SCALE = rf"(?:\s?({one_of(SCALES)})(?!\w))?"
UNIT = rf"(?:{one_of(UNITS)})(?![\w²³])"


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
    sign, symbol, low, low_scale, high, scale = found.groups()
    if not high:
        return _signed(sign) + _money(symbol, low, low_scale)
    least = f"{number(low)} {SCALES[low_scale]}" if low_scale else number(low)
    return f"{_signed(sign)}{least} to {_money(symbol, high, scale)}"


def _money_after(found: re.Match[str]) -> str:
    return _money(CODES.get(found[2], found[2]), found[1], None)


def _measured(found: re.Match[str]) -> str | None:
    sign, low, high, unit = found[1], found[2], found[3], found[4]
    if unit in SPACED_ONLY and not found[0][: -len(unit)].endswith(" "):
        return None
    one, several = UNITS[unit]
    said = f"{number(low)} to {number(high)}" if high else number(low)
    return f"{_signed(sign)}{said} {several if high or plural(low) else one}"


def _feet(found: re.Match[str]) -> str:
    """Read 5'10" as five foot ten."""
    return f"{whole(found[1])} foot {whole(found[2])}"


def _signed(sign: str | None) -> str:
    return "" if not sign else "plus " if sign == "+" else "minus "


QUANTITIES: tuple[Rule, ...] = (
    rule(rf"(?<={SYMBOL})\s?(?=\.\d)", lambda m: "0"),  # $.99
    rule(
        rf"{SIGN}({SYMBOL})\s?({NUMBER}){SCALE}(?:(?:{DASH}|\sto\s)\2?({NUMBER}){SCALE})?",
        _money_before,
    ),
    rule(rf"({NUMBER})\s?({one_of([*MONEY, *CODES])})(?![\w\d])", _money_after),
    rule(r"(?<=\d)\s?%(?=" + DASH + r"\d)", lambda m: ""),  # 50%-60% is 50-60%
    rule(r"""(?<![\w.,])(\d{1,2})\s?['’′]\s?(\d{1,2})\s?(?:"|”|″|''|’’)""", _feet),
    rule(rf"(?<=\d)(\s?(?:{DOTTED}))\.(?=,|\s(?:[a-z]|\d))", lambda m: m[1].strip()),
    rule(rf"{SIGN}({NUMBER})(?:(?:{BETWEEN})({NUMBER}))?\s?({UNIT})", _measured),
    rule(rf"(?<=[a-z\d])\s?/({one_of(PER)})(?!\w|[/.-]\w)", lambda m: f" per {PER[m[1]]}"),
)
