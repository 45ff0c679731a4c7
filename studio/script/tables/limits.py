"""Limits on sheets. Whoever takes a sheet over the network should stop reading it past MAX_BYTES."""

MIB = 2**20

MAX_BYTES = 16 * MIB  # of the file
MAX_ROWS = 20_000  # below the header
MAX_COLUMNS = 200
MAX_CELLS = 300_000  # 20,000 rows of 15 columns
MAX_CHARACTERS = 10_000  # of a cell
MAX_TOTAL_CHARACTERS = 16 * MIB  # a workbook may name one long text in every cell
MAX_ABOVE = 20  # rows above the header

MAX_PARTS = 2_000  # files in a workbook
MAX_UNPACKED = 64 * MIB  # of a workbook's parts that are read
MAX_ELEMENTS = 750_000  # of those parts, three attributes counting as one; a cell has two or three
