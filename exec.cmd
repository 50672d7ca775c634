@rem The scripts of package.json say `exec node ...`, so that npm's shell becomes the program. Windows has no exec; this is it.
@%*
