/** The parts of schema.prisma and of the migrated database that are compared. */
export interface Table {
  /** `name type`, with ` null` where the column may be empty and ` default` where it need not be given. */
  readonly columns: readonly string[];
  readonly primaryKey: readonly string[];
  /** `unique (a, b)` or `index (a, b DESC)`; without partial ones, which Prisma cannot express. */
  readonly indexes: readonly string[];
  /** `(a, b) -> table (c, d) on delete cascade on update restrict` */
  readonly foreignKeys: readonly string[];
}

const SQL_TYPES: Readonly<Record<string, string>> = {
  String: 'text',
  'String @db.Uuid': 'uuid',
  Int: 'integer',
  Float: 'double precision',
  'Int @db.SmallInt': 'smallint',
  BigInt: 'bigint',
  Boolean: 'boolean',
  Bytes: 'bytea',
  Json: 'jsonb',
  'DateTime @db.Timestamptz(3)': 'timestamp(3) with time zone',
};

interface Field {
  readonly name: string;
  readonly type: string;
  readonly suffix: string;
  readonly attributes: string;
}

interface Model {
  readonly table: string;
  readonly fields: readonly Field[];
  readonly blockAttributes: readonly string[];
}

const first = (pattern: RegExp, text: string): string | undefined => pattern.exec(text)?.[1];
const columnOf = ({ name, attributes }: Field): string => first(/@map\("(\w+)"\)/, attributes) ?? name;
const names = (list: string): string[] => list.split(/,\s*(?![^(]*\))/).map((name) => name.trim());

/** The tables of a schema.prisma. An error for syntax that this reader does not know. */
export function tablesOf(schema: string): Readonly<Record<string, Table>> {
  const models = new Map<string, Model>();
  for (const [, name, body] of schema.matchAll(/^model (\w+) \{\n([^}]*)\n\}/gm)) {
    if (name !== undefined && body !== undefined) models.set(name, modelOf(body));
  }
  return Object.fromEntries([...models.values()].map((model) => [model.table, tableOf(model, models)]));
}

function modelOf(body: string): Model {
  const lines = body.split('\n').map((line) => line.trim());
  const blockAttributes = lines.filter((line) => line.startsWith('@@'));
  const fields = lines
    .filter((line) => line !== '' && !line.startsWith('//') && !line.startsWith('@@'))
    .map((line): Field => {
      const [, name, type, suffix, attributes] = /^(\w+)\s+(\w+)(\?|\[\])?\s*(.*)$/.exec(line) ?? [];
      if (name === undefined || type === undefined) throw new Error(`not a field: ${line}`);
      return { name, type, suffix: suffix ?? '', attributes: attributes ?? '' };
    });
  const table = first(/@@map\("(\w+)"\)/, blockAttributes.join('\n'));
  if (table === undefined) throw new Error(`a model without @@map: ${body}`);
  return { table, fields, blockAttributes };
}

function tableOf(model: Model, models: ReadonlyMap<string, Model>): Table {
  const columns = model.fields.filter(({ type }) => !models.has(type));
  const column = (name: string, of = model): string => {
    const field = of.fields.find((candidate) => candidate.name === name);
    if (field === undefined) throw new Error(`${of.table} has no field ${name}`);
    return columnOf(field);
  };
  const keys = (attribute: string): string[][] =>
    model.blockAttributes
      .flatMap((line) => first(new RegExp(`^@@${attribute}\\(\\[(.*?)\\](?:, type: Gin)?\\)$`), line) ?? [])
      .map((list) =>
        names(list).map((key) => column(key.replace(/\(.*/, '')) + (key.includes('sort: Desc') ? ' DESC' : '')),
      );
  const ids = columns.filter(({ attributes }) => /@id\b/.test(attributes)).map(columnOf);
  const uniques = columns.filter(({ attributes }) => /@unique\b/.test(attributes)).map((field) => [columnOf(field)]);
  return {
    columns: columns.map((field) => describeColumn(field)).sort(),
    primaryKey: [...keys('id').flat(), ...ids],
    indexes: [
      ...[...keys('unique'), ...uniques].map((key) => `unique (${key.join(', ')})`),
      ...keys('index').map((key) => `index (${key.join(', ')})`),
    ].sort(),
    foreignKeys: model.fields
      .flatMap(({ type, attributes }) => {
        const target = models.get(type);
        const [, own, theirs, onDelete, onUpdate] =
          /@relation\((?:"\w+", )?fields: \[(.*)\], references: \[(.*)\], onDelete: (\w+), onUpdate: (\w+)\)/.exec(
            attributes,
          ) ?? [];
        if (target === undefined || own === undefined || theirs === undefined) return [];
        const from = names(own).map((name) => column(name));
        const to = names(theirs).map((name) => column(name, target));
        const rules = `on delete ${onDelete?.toLowerCase()} on update ${onUpdate?.toLowerCase()}`;
        return `(${from.join(', ')}) -> ${target.table} (${to.join(', ')}) ${rules}`;
      })
      .sort(),
  };
}

function describeColumn(field: Field): string {
  const native = first(/(@db\.\S+)/, field.attributes);
  const type = SQL_TYPES[native === undefined ? field.type : `${field.type} ${native}`];
  if (type === undefined) throw new Error(`no SQL type is known for ${field.name} ${field.type} ${native ?? ''}`);
  const list = field.suffix === '[]' ? '[]' : '';
  const empty = field.suffix === '?' ? ' null' : '';
  return `${columnOf(field)} ${type}${list}${empty}${field.attributes.includes('@default(') ? ' default' : ''}`;
}

/**
 * One row a table (`name`, `described` a {@link Table}): the tables of the search path's schema, Prisma's own left out.
 */
export const DESCRIBE_DATABASE = `
  SELECT t.relname AS name, json_build_object(
    'columns', ARRAY(
      SELECT a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
        || CASE WHEN a.attnotnull THEN '' ELSE ' null' END || CASE WHEN a.atthasdef THEN ' default' ELSE '' END
      FROM pg_attribute a WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped),
    'primaryKey', ARRAY(
      SELECT trim('"' from pg_get_indexdef(i.indexrelid, k, false)) FROM pg_index i, generate_series(1, i.indnkeyatts) k
      WHERE i.indrelid = t.oid AND i.indisprimary ORDER BY k),
    'indexes', ARRAY(
      SELECT CASE WHEN i.indisunique THEN 'unique (' ELSE 'index (' END || (
        SELECT string_agg(trim('"' from pg_get_indexdef(i.indexrelid, k, false))
          || CASE WHEN i.indoption[k - 1] & 1 = 1 THEN ' DESC' ELSE '' END, ', ' ORDER BY k)
        FROM generate_series(1, i.indnkeyatts) k) || ')'
      FROM pg_index i WHERE i.indrelid = t.oid AND NOT i.indisprimary AND i.indpred IS NULL),
    'foreignKeys', ARRAY(
      SELECT format('(%s) -> %s (%s) on delete %s on update %s',
        (SELECT string_agg(a.attname, ', ' ORDER BY k.n) FROM unnest(c.conkey) WITH ORDINALITY k (attnum, n)
          JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = k.attnum),
        c.confrelid::regclass,
        (SELECT string_agg(a.attname, ', ' ORDER BY k.n) FROM unnest(c.confkey) WITH ORDINALITY k (attnum, n)
          JOIN pg_attribute a ON a.attrelid = c.confrelid AND a.attnum = k.attnum),
        CASE c.confdeltype WHEN 'c' THEN 'cascade' WHEN 'r' THEN 'restrict' ELSE c.confdeltype::text END,
        CASE c.confupdtype WHEN 'c' THEN 'cascade' WHEN 'r' THEN 'restrict' ELSE c.confupdtype::text END)
      FROM pg_constraint c WHERE c.conrelid = t.oid AND c.contype = 'f')) AS described
  FROM pg_class t
  WHERE t.relnamespace = current_schema()::regnamespace AND t.relkind = 'r' AND t.relname <> '_prisma_migrations'`;
