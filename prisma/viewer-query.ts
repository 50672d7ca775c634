import type { Writable } from 'node:stream';
import pg from 'pg';
import { prepareValue } from 'pg/lib/utils.js';
import { asError } from '../src/domain/errors.js';
import type { Setting } from './statements.js';

/** What a read-only transaction consists of, in the order in which it is sent. */
export interface ViewerStatements {
  readonly settings: readonly Setting[];
  readonly text: string;
  readonly values: readonly unknown[];
  /** A prepared statement of the connection; null: it is not prepared. */
  readonly name: string | null;
}

/** The part of pg's connection that sends messages: pg's own extensions, such as pg-cursor, use it too. */
interface Messages {
  readonly stream: Pick<Writable, 'cork' | 'uncork'>;
  parse(statement: { readonly name: string; readonly text: string }): void;
  bind(portal: { readonly statement: string; readonly values: readonly unknown[] }): void;
  describe(portal: { readonly type: 'P' }): void;
  execute(portal: object): void;
  close(statement: { readonly type: 'S'; readonly name: string }): void;
  sync(): void;
}

interface Column {
  readonly name: string;
  readonly parse: (text: string) => unknown;
}

const BEGIN = { name: 'errata_begin', text: 'BEGIN READ ONLY' };
const END = { name: 'errata_end', text: 'ROLLBACK' };

/** How many statements a connection prepares: those of searches without a filter and with the usual ones. */
const MAX_PREPARED = 16;

export class PreparedStatements {
  readonly #names = new Map<string, string>();
  readonly #prepared = new WeakMap<Messages, Set<string>>();

  /** The same for the same text; null if there are {@link MAX_PREPARED} others. */
  nameOf(text: string): string | null {
    const { size } = this.#names;
    if (!this.#names.has(text) && size < MAX_PREPARED) this.#names.set(text, `errata_${size}`);
    return this.#names.get(text) ?? null;
  }

  of(connection: Messages): Set<string> {
    const names = this.#prepared.get(connection) ?? new Set();
    this.#prepared.set(connection, names);
    return names;
  }
}

/**
 * A read-only transaction in one round trip: BEGIN, the settings, the statement and ROLLBACK are sent together. They
 * have one Sync, so the server skips what follows an error: the statement never runs without the settings. After an
 * error the transaction is still open.
 *
 * pg's `pipeline` would send a Sync with each of them. What follows a BEGIN that fails then runs with the rights of the
 * gateway: so did 26 of 76,163 statements while another connection cancelled all the time (by hand).
 */
export class ViewerQuery<Row> implements pg.Submittable {
  /** For the observer of statements. */
  readonly text: string;
  /** Replaced by pg, which adds its time limit. */
  callback: (error: Error | null, rows?: Row[]) => void;
  readonly #statements: ViewerStatements;
  readonly #prepared: PreparedStatements;
  readonly #values: readonly unknown[];
  readonly #rows: Row[] = [];
  /** Of the statement's result while it is received; the settings return a row too. */
  #columns: readonly Column[] | null = null;
  readonly #added = new Set<string>();
  /** Of a value that could not be read. */
  #failure: Error | null = null;

  /** Throws if a value cannot be sent; later it would leave the connection waiting. */
  constructor(
    statements: ViewerStatements,
    prepared: PreparedStatements,
    callback: (error: Error | null, rows?: Row[]) => void,
  ) {
    this.text = statements.text;
    this.#statements = statements;
    this.#values = statements.values.map((value) => prepareValue(value));
    this.#prepared = prepared;
    this.callback = callback;
  }

  /** Called by pg when the connection is free. */
  submit(connection: pg.Connection): null {
    const messages = connection as unknown as Messages;
    const { settings, text, name } = this.#statements;
    messages.stream.cork();
    try {
      this.#execute(messages, BEGIN, []);
      this.#execute(messages, settingStatement(settings), settings.flat());
      this.#parse(messages, { name: name ?? '', text });
      messages.bind({ statement: name ?? '', values: this.#values });
      messages.describe({ type: 'P' });
      messages.execute({});
      this.#execute(messages, END, []);
      messages.sync();
    } finally {
      messages.stream.uncork();
    }
    return null;
  }

  #execute(messages: Messages, statement: { name: string; text: string }, values: readonly string[]): void {
    this.#parse(messages, statement);
    messages.bind({ statement: statement.name, values });
    messages.execute({});
  }

  #parse(messages: Messages, { name, text }: { readonly name: string; readonly text: string }): void {
    if (this.#prepared.of(messages).has(name)) return;
    // Prepared by a transaction that failed later, perhaps; closing an unknown statement is no error.
    if (name !== '') messages.close({ type: 'S', name });
    messages.parse({ name, text });
    if (name !== '') this.#added.add(name);
  }

  handleRowDescription({ fields }: { readonly fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, parse: pg.types.getTypeParser(dataTypeID, 'text') }));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    if (this.#columns === null) return;
    try {
      this.#rows.push(rowOf(this.#columns, fields) as Row);
    } catch (thrown) {
      // Thrown here it would end the process.
      this.#failure ??= asError(thrown);
    }
  }

  handleCommandComplete(): void {
    this.#columns = null;
  }

  handleEmptyQuery(): void {}

  handleError(error: Error): void {
    this.callback(error);
  }

  handleReadyForQuery(connection: Messages): void {
    for (const name of this.#added) this.#prepared.of(connection).add(name);
    if (this.#failure === null) this.callback(null, this.#rows);
    else this.callback(this.#failure);
  }
}

function rowOf(columns: readonly Column[], texts: readonly (string | null)[]): Readonly<Record<string, unknown>> {
  const row: Record<string, unknown> = {};
  for (let place = 0; place < columns.length; place++) {
    const { name, parse } = columns[place] as Column;
    const text = texts[place] ?? null;
    row[name] = text === null ? null : parse(text);
  }
  return row;
}

/** Prepared, by the number of settings: their names are parameters too. */
function settingStatement({ length }: ViewerStatements['settings']): { name: string; text: string } {
  const calls = Array.from({ length }, (_, place) => `set_config($${2 * place + 1}, $${2 * place + 2}, true)`);
  return { name: `errata_settings_${length}`, text: `SELECT ${calls.join(', ')}` };
}
