/**
 * A worker runs many test files, and the umask is the process's: after `lockDataDir`, files would be private in the
 * tests of other files too, whether or not the product makes them so.
 */
process.umask(0o022);
