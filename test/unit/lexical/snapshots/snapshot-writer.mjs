/**
 * A program that is killed while it writes: copy after copy into a folder, each with its number in every part, and the
 * number on standard output as soon as it is written.
 *
 *     node snapshot-writer.mjs FOLDER FIRST
 */
import { SnapshotFiles } from '../../../../dist/src/lexical/snapshots/snapshot-files.js';

const [folder, first] = process.argv.slice(2);
const log = { warn: (facts, message) => process.stderr.write(`${message} ${JSON.stringify(facts)}\n`) };
const files = new SnapshotFiles({ folder, buildHash: 'the test', log });
for (let number = Number(first); ; number += 1) {
  const length = 50_000 + (number % 7) * 100_000;
  await files.write('one', {
    strings: [[String(number)], Array.from({ length: 5_000 }, () => String(number))],
    numbers: [new Uint32Array(length).fill(number), new Float64Array(1_000).fill(number)],
  });
  // What a full pipe does not take is lost with this process.
  await new Promise((resolve) => process.stdout.write(`${number}\n`, resolve));
}
