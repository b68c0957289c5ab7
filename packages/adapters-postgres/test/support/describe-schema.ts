import { query } from '../../../../test-support/query.ts';

/**
 * Returns a text for each column, constraint, index, statistics target, table option and enum value of the schema. Before version
 * 17, PostgreSQL gives system columns and dropped columns the statistics target 0.
 */
export const describeSchema = (url: string) =>
  query(
    url,
    `select format('%s.%s %s%s%s%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
        case when a.attnotnull then ' not null' end, ' collate ' || nullif(l.collname, 'default'),
        ' default ' || pg_get_expr(d.adbin, d.adrelid)) as part
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      left join pg_collation l on l.oid = a.attcollation left join pg_attrdef d on (d.adrelid, d.adnum) = (c.oid, a.attnum)
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname <> 'schema_migration'
    union all select format('%s: %s', conname, pg_get_constraintdef(oid)) from pg_constraint
      where connamespace = 'public'::regnamespace and conname !~ '^schema_migration' and contype <> 'n'
    union all select indexdef from pg_indexes where schemaname = 'public' and tablename <> 'schema_migration'
    union all select format('%s.%s statistics %s', c.relname, attnum, attstattarget) from pg_attribute
      join pg_class c on c.oid = attrelid where c.relnamespace = 'public'::regnamespace and attstattarget >= 0
        and attnum > 0 and not attisdropped
    union all select format('%s with %s', relname, reloptions) from pg_class
      where relkind = 'r' and relnamespace = 'public'::regnamespace and reloptions is not null
    union all select format('%s %s', t.typname, e.enumlabel) from pg_enum e join pg_type t on t.oid = e.enumtypid
    order by part`,
  );
