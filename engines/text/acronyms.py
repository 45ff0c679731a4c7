"""Read capitals: letter by letter (FBI), as a word (NASA), or as a shouted word (STOP)."""

import re

from engines.text.rules import CLEARLY_ENDS, Rule, listed, rule, stop

# Spelled although they could be read as a word; most that cannot be read as a word (NPC) need no entry.
SPELLED = listed(
    """
    ABA ABV ACL ACLU ADHD AED AFC AFK AI AIA AKA AMA AMD AOE AOL AP API APIS APA APR ASAP ATA ATF ATM ATV AWOL AWS BAC BBC BIA
    BMI BYOB CBO CEO CEOS CFO CIA CIO CISO CLI COPD CPA CPI CPO CPU CSI CTO CVE DEA DIY DNA DOA DOB DOD DOE DOJ DUI DVI
    EBITDA ECB ECU EDT EEG EKG EMI EMS EMT EOD EOF EOM EOY EP EPA EQ ERP ESA ESG ESL ESP ESPN EST ETF EU EUR EV FAA FAO FAQ
    FBI FCC FDA FDIC FIO FOIA FOMC FPGA FSA FTE FYI GED GIS GMO GOP GPA GPU GPUS GUI HBO HIV HOA HP HOV HUD IBAN IBM IBS ICU
    ID IDE IDS IED IEEE IIS ILO IMDB IMF IMO IO IOC IOS IOU IP IPA IPO IQ IRA IRC IRL IRS ISBN ISO ISP ISS ITV IUD IV IVF
    LAPD LLC MBA MIT MMO MOU MRI MVP NBA NCAA NDA NEA NFC NGO NIH NPO NRA NSA NYC NYE NYPD NYU OCD OCR OECD OEM OMG OSI OTC
    OTP OS PCI PEI POV PVE QA QED RAF RIAA RNA RNG ROI ROTC RPA SDK SEO SES SLA SOS SSA SUV TBA TBI TSA UAE UAV UCLA UFC UFO
    UI UK UN UPI UPS URI URL URLS USA USAF USB USC USD USDA USMC USN USPS USSR UTC UTI UV UX VAT VIP VIPS VO VOD VOIP WTO XP
    YMCA YTD
    """
)
SPELLED_IN_CALM = listed("US LA PA RIP LED SEC POW ETA ER")  # words in a shouted line
# Read as words although such letters are rare in words, and sounds.
WORDS = listed(
    """
    BRR BRRR CZAR GRR GRRR HM HMM HMMM JPEG JSON MM NTH PFFT PSST PST PSYCH ROFL SH SHH SHHH TSAR TSARS TSK XBOX
    """
)
HELD = "AEHIMORSUZ"  # a repetition of one of these is a sound (SSSS); a repetition of another letter is spelled (WWW)
# Pairs of letters that do not start or end an English word.
HARD_STARTS = re.compile(
    "B[BCDFGJKMNPQSTVWXZ]|C[BCDFGJKMPQSTVXZ]|D[BCDFGJKLMNPQSTVXZ]|F[BCDFGHJKMNPQSTVWXZ]|G[BCDFGJKMPQSTVXZ]|"
    "[HJLNXY][BCDFGJKMPQSTVXZ]|[HJXY][HLNR]|K[BCDFGJKMPQSTVXZ]|M[BCDFGHJKLMPQRSTVXZ]|P[BCDFGJKMPQTVWXZ]|Q(?!U)|"
    "R[BCDFGJKLMNPQRSTVWXZ]|S[BDFGJSVXZ]|T[BCDFGJKLMNPQTVXZ]|V[BCDFGHJKMNPQSTVWXZ]|W[BCDFGJKLMNPQSTVWXZ]|"
    "Z[BCDFGJKLMNPQRSTVX]"
)
HARD_ENDS = re.compile(
    "(?:([BCDFKPQTVXZ])(?!\\1)[BCDFGJMNPQRVWXZ]|G[BCDFJMPQRVWXZ]|M[CDFGJQRVXZ]|[BCDFGKPTVXZ]L|[BDFGV]K|[BDGV]P|"
    "[BFGV]C|[GV]T)$"
)


def is_spelled(letters: str) -> bool:
    """Return True if two to six capitals are spelled letter by letter outside a shouted line."""
    if letters in WORDS or (len(set(letters)) == 1 and letters[0] in HELD):
        return False
    if letters in SPELLED or not re.search("[AEIOUY]", letters):
        return True
    return len(letters) < 5 and (HARD_STARTS.match(letters) is not None or HARD_ENDS.search(letters) is not None)


def _acronym(found: re.Match[str]) -> str | None:
    letters = found[1]
    if letters not in SPELLED and _is_syllable(found):
        return None
    calm = letters in SPELLED_IN_CALM and not _shouted(found)
    if not calm and not is_spelled(letters):
        return None
    return " ".join(letters) + ("'s" if found[2] else "")


def _is_syllable(found: re.Match[str]) -> bool:
    """Return True for the stressed part of a respelling, as in KAYL-thass; such parts have a vowel."""
    before, after = found.string[max(0, found.start() - 2) : found.start()], found.string[found.end() : found.end() + 2]
    joined = (before[-1:] == "-" and before[:1].islower()) or (after[:1] == "-" and after[1:].islower())
    return joined and re.search("[AEIOUY]", found[1]) is not None


def _shouted(found: re.Match[str]) -> bool:
    """Return True if an adjacent word is also in capitals and is not an acronym."""
    neighbours = found.string[max(0, found.start() - 24) : found.start()].split()[-1:]
    neighbours += found.string[found.end() : found.end() + 24].split()[:1]
    bare = [word.strip(".,;:!?\"'“”‘’()") for word in neighbours]
    return any(len(word) > 1 and word.isalpha() and word.isupper() and not is_spelled(word) for word in bare)


def _initials(found: re.Match[str]) -> str:
    """Read U.S.A. as U S A; keep the last dot if a sentence ends there."""
    return " ".join(c for c in found[0] if c != ".") + stop(found, CLEARLY_ENDS)


INITIALS: tuple[Rule, ...] = (
    rule(r"(?<![A-Za-z.])(?:[A-Z]\.){2,}", _initials),
    rule(r"(?<![\w&])([A-Z]{1,2})&([A-Z]{1,2})(?![\w&])", lambda m: " ".join([*m[1], "and", *m[2]])),
)
ACRONYMS: tuple[Rule, ...] = (rule(r"(?<![A-Za-z])([A-Z]{2,6})(?:['’]?(s))?(?![A-Za-z])", _acronym),)
