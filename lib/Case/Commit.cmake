# Writes the commit of SOURCES into OUTPUT as a line of C++; empty text where
# there is no repository.
execute_process(
  COMMAND git -C ${SOURCES} describe --always --dirty --abbrev=12 --exclude=*
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
file(CONFIGURE OUTPUT ${OUTPUT}
     CONTENT "#define PARALLAX_COMMIT \"${commit}\"\n")
