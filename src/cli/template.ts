import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { Command, Option } from 'commander';
import { StartupError } from '../domain/errors.js';
import { LANGUAGES, type Language } from '../domain/language.js';
import { templateSheets } from '../exchange/formats/template.js';
import { writeXlsx } from '../exchange/formats/write/xlsx.js';

/** `errata template FILE.xlsx` */
export function templateCommand(): Command {
  return new Command('template')
    .description('Write a workbook to fill in: an example, an explanation of each column, and drop-down lists.')
    .argument('<file>', 'the workbook to write, FILE.xlsx')
    .addOption(new Option('--language <language>', 'of headers and lists').choices(LANGUAGES).default('zh'))
    .action(async (file: string, { language }: { readonly language: Language }) => {
      if (!/\.xlsx$/i.test(file)) throw new StartupError(`${file} must end in .xlsx`, 78);
      await pipeline(writeXlsx(templateSheets(language)), createWriteStream(file));
      process.stdout.write(`${file} is written: fill in its first sheet, then run: npm run errata -- import ${file}\n`);
    });
}
