"""Champions: voices somebody decided to keep, in a library, as archives, in stores."""
