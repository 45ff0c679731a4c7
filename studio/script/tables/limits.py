"""Limits on sheets. Code that receives a sheet over the network should stop reading after MAX_BYTES."""

MIB = 2**20

MAX_BYTES = 16 * MIB  # size of the file
MAX_ROWS = 20_000  # below the header
MAX_COLUMNS = 200
MAX_CELLS = 300_000  # 20,000 rows of 15 columns
MAX_CHARACTERS = 10_000  # characters of a cell
MAX_TOTAL_CHARACTERS = 16 * MIB  # needed because every cell of a workbook may refer to the same long text
MAX_ABOVE = 20  # rows above the header

MAX_PARTS = 2_000  # files in a workbook
MAX_UNPACKED = 64 * MIB  # size of the parts of a workbook that are read
# XML elements of these parts; three attributes count as one element, and a cell has two or three elements.
MAX_ELEMENTS = 750_000
