import { Command, Option } from 'commander';
import { StartupError } from '../domain/errors.js';
import { EXIT } from '../domain/exit-codes.js';
import { LANGUAGES, type Language } from '../domain/language.js';
import { templateSheets } from '../exchange/formats/template.js';
import { writeXlsx } from '../exchange/formats/write/xlsx.js';
import { print } from './terminal.js';
import { refuseExisting, writeStream } from './write-file.js';

export function templateCommand(): Command {
  return new Command('template')
    .description('Write a workbook to fill in, with drop-down lists, and an explanation and an example of each column.')
    .argument('<file>', 'the workbook to write, FILE.xlsx')
    .addOption(new Option('--language <language>', 'language of headers and lists').choices(LANGUAGES).default('zh'))
    .action(async (file: string, { language }: { readonly language: Language }) => {
      if (!/\.xlsx$/i.test(file)) throw new StartupError(`${file} must end in .xlsx`, EXIT.usage);
      await refuseExisting(file);
      await writeStream(file, writeXlsx(templateSheets(language)));
      print(`wrote ${file}: fill in its first sheet, then run: npm run errata -- import ${file}`);
    });
}
